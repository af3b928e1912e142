package request

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Rows are what templates are filled with: operation after operation takes the next row,
// and after the last the first again.
type Rows struct {
	names   []string
	records [][]string       // of CSV: values in the order of names
	objects []map[string]any // of JSON lines
}

// mostRows bounds the data, which are held in memory.
const mostRows = 5_000_000

// ReadRows reads CSV whose first line names its columns, or JSON lines: an object a line.
// Which of them it is shows at the first character. The errors name lines and no values.
func ReadRows(r io.Reader) (*Rows, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	if mark, _ := in.Peek(3); bytes.Equal(mark, []byte("\ufeff")) {
		_, _ = in.Discard(3) // it was read already
	}
	rows := new(Rows)
	read := rows.csv
	if sniff(in) == "json" {
		read = rows.json
	}
	if err := read(in); err != nil {
		return nil, err
	}
	if rows.Len() == 0 {
		return nil, errors.New("no row in it; write the columns' names on the first line and a row on each further one")
	}
	return rows, nil
}

func (rows *Rows) csv(in *bufio.Reader) error {
	r := csv.NewReader(in)
	r.ReuseRecord = false
	names, err := r.Read()
	if err == io.EOF {
		return nil
	}
	if bad, ok := errors.AsType[*csv.ParseError](err); ok {
		return badQuote(bad)
	}
	if err != nil {
		return err
	}
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		switch {
		case names[i] == "":
			return fmt.Errorf("line 1: column %d has no name", i+1)
		case slices.Contains(names[:i], names[i]):
			return fmt.Errorf("line 1: two columns are named %s", names[i])
		}
	}
	rows.names = names
	for {
		record, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if bad, ok := errors.AsType[*csv.ParseError](err); ok {
			if bad.Err == csv.ErrFieldCount {
				return fmt.Errorf("line %d has %d columns, and the first line %d", bad.Line, len(record), len(names))
			}
			return badQuote(bad)
		}
		if err != nil {
			return err
		}
		if len(rows.records) == mostRows {
			return fmt.Errorf("more than %d rows", mostRows)
		}
		rows.records = append(rows.records, record)
	}
}

// badQuote says where a quote stands that is none of CSV's.
func badQuote(bad *csv.ParseError) error {
	where := fmt.Sprintf("line %d", bad.StartLine)
	if bad.Err == csv.ErrBareQuote {
		return fmt.Errorf("%s: a quote within a field that does not begin with one; write the field as \"a \"\"b\"\" c\"", where)
	}
	return fmt.Errorf("%s: a quoted field that does not end, or goes on behind its quote; close it, and write a quote within it twice", where)
}

func (rows *Rows) json(in *bufio.Reader) error {
	for line := 1; ; line++ {
		text, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(text)) > 0 {
			d := json.NewDecoder(bytes.NewReader(text))
			d.UseNumber() // as it is written: 1e3 stays 1e3
			var object map[string]any
			if e := d.Decode(&object); e != nil || object == nil || d.More() {
				return fmt.Errorf("line %d is no JSON object; write one a line", line)
			}
			if len(rows.objects) == mostRows {
				return fmt.Errorf("more than %d rows", mostRows)
			}
			rows.objects = append(rows.objects, object)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Len is the number of rows.
func (rows *Rows) Len() int { return max(len(rows.records), len(rows.objects)) }

// Of is the row of operation seq.
func (rows *Rows) Of(seq uint64) map[string]any {
	i := int(seq % uint64(rows.Len()))
	if rows.objects != nil {
		return rows.objects[i]
	}
	row := make(map[string]any, len(rows.names))
	for k, name := range rows.names {
		row[name] = rows.records[i][k]
	}
	return row
}
