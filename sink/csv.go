package sink

import (
	"bufio"

	"openload/correct"
)

// csv writes a row an attempt, with the columns of [correct.CSVHeader].
func csv(opt StreamOptions) rows { return &csvRows{closed: opt.Closed} }

type csvRows struct {
	closed bool
	row    []byte
}

func (c *csvRows) begin(w *bufio.Writer) error {
	_, err := w.WriteString(correct.CSVHeader + "\n")
	return err
}

func (c *csvRows) attempt(w *bufio.Writer, x *correct.Sample) error {
	c.row = x.AppendCSV(c.row[:0], c.closed)
	_, err := w.Write(c.row)
	return err
}

func (c *csvRows) end(*bufio.Writer) error { return nil }
