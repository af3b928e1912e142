package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// isLabArrivals reports whether a file's first line is that of GET /lab/arrivals.
func isLabArrivals(first string) bool { return first == "at_ns" || strings.HasPrefix(first, "at_ns,") }

// lab reads what a lab server says of its arrivals: their instants, and with which
// attempt they came if their clients said so.
func (a *arrivals) lab(in io.Reader, how reading) error {
	rows := csv.NewReader(in)
	rows.Comment, rows.ReuseRecord = '#', true
	names, err := rows.Read()
	if err != nil {
		return err
	}
	attempt := slices.Index(names, "attempt")
	a.Format, a.Step = "lab arrivals", time.Nanosecond
	for skipped := 0; ; {
		row, err := rows.Read()
		if err == io.EOF {
			a.skipped(skipped)
			return nil
		}
		var at int64
		number := 0
		if err == nil {
			if at, err = strconv.ParseInt(row[0], 10, 64); err == nil && attempt >= 0 && row[attempt] != "" {
				number, err = strconv.Atoi(row[attempt])
			}
			if err != nil {
				line, _ := rows.FieldPos(0)
				err = fmt.Errorf("line %d: %.60q is no whole number of ns, or no attempt's; correct it, or skip such lines with --lenient", line, strings.Join(row, ","))
			}
		}
		var bad *csv.ParseError
		switch {
		case err == nil:
			a.add(time.Duration(at), number)
		case how.lenient && (row != nil || errors.As(err, &bad)):
			skipped++
		default:
			return err
		}
	}
}
