package sink

import (
	"bufio"
	"strings"

	"openload/correct"
)

// csv writes a row an attempt, with the columns of [correct.CSVHeader] and, if the run
// has a warm-up, another one that says what belongs to it, and if it has several targets,
// one with their names. The last line says how the
// run ended ([correct.End]).
func csv(opt StreamOptions) rows { return &csvRows{StreamOptions: opt} }

type csvRows struct {
	StreamOptions
	row     []byte
	columns int
}

func (c *csvRows) begin(w *bufio.Writer) error {
	header := correct.CSVHeader
	if c.Warm != nil {
		header += "," + correct.CSVWarmup
	}
	if c.Target != nil {
		header += "," + correct.CSVTarget
	}
	c.columns = 1 + strings.Count(header, ",")
	_, err := w.WriteString(header + "\n")
	return err
}

func (c *csvRows) attempt(w *bufio.Writer, x *correct.Sample) error {
	c.row = x.AppendCSV(c.row[:0], c.Closed)
	if c.Warm != nil {
		mark := ",0\n"
		if c.Warm(x.Intended) {
			mark = ",1\n"
		}
		c.row = append(c.row[:len(c.row)-1], mark...)
	}
	if c.Target != nil {
		c.row = append(appendQuoted(append(c.row[:len(c.row)-1], ','), c.Target(x.Seq)), '\n')
	}
	_, err := w.Write(c.row)
	return err
}

func (c *csvRows) end(w *bufio.Writer, e correct.End) error {
	_, err := w.Write(e.AppendCSV(nil, c.columns))
	return err
}

// appendQuoted appends text as a field of CSV, in quotes if it needs them. A line end, which
// no name needs, becomes a space: a row is a line.
func appendQuoted(b []byte, text string) []byte {
	text = strings.NewReplacer("\n", " ", "\r", " ").Replace(text)
	if !strings.ContainsAny(text, `",`) && strings.TrimSpace(text) == text {
		return append(b, text...)
	}
	return append(append(append(b, '"'), strings.ReplaceAll(text, `"`, `""`)...), '"')
}
