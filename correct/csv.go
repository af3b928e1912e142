package correct

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// CSVHeader names the columns that AppendCSV writes, a row an attempt. They hold all
// that a Sample does: a run's rows, recorded again, give what the run gave.
const CSVHeader = "seq,attempt,intended_ns,due_ns,dispatched_ns,sent_ns,done_ns,class,status,bytes," +
	"retry_after_ns,resent,late_ns,behind_ns,fired,written,earlier,final"

// CSVWarmup names one more column, in the rows of a run with a warm-up: 1 for what
// belongs to it and is not judged.
const CSVWarmup = "warmup"

// CSVTarget names the last column, in the rows of a run of several targets: the name of
// the operation's.
const CSVTarget = "target"

// AppendCSV appends s to b as a row of CSV, with its line end. Instants and durations
// are whole nanoseconds, instants from the run's epoch; flags are 0 or 1. A closed
// loop intends nothing: there the column is empty.
func (s Sample) AppendCSV(b []byte, closed bool) []byte {
	b = strconv.AppendUint(b, s.Seq, 10)
	b = number(b, int64(s.Attempt))
	if closed {
		b = append(b, ',')
	} else {
		b = number(b, int64(s.Intended))
	}
	for _, at := range [...]time.Duration{s.Due, s.Dispatched, s.Sent, s.Done} {
		b = number(b, int64(at))
	}
	b = append(append(b, ','), s.Class.String()...)
	for _, n := range [...]int64{int64(s.Status), s.Bytes, int64(s.RetryAfter), int64(s.Resent), int64(s.Late), int64(s.Behind)} {
		b = number(b, n)
	}
	for _, is := range [...]bool{s.Fired, s.Written, s.Earlier, s.Final} {
		if is {
			b = append(b, ",1"...)
		} else {
			b = append(b, ",0"...)
		}
	}
	return append(b, '\n')
}

func number(b []byte, n int64) []byte { return strconv.AppendInt(append(b, ','), n, 10) }

// ClassNamed is the class of that name; false if there is none.
func ClassNamed(name string) (Class, bool) {
	for c, n := range classNames {
		if n == name {
			return Class(c), true
		}
	}
	return 0, false
}

// An End is how a run ended, as the last line of its CSV or HdrHistogram log says: without
// that line nobody knows whether rows are missing. The zero End is that of a file without one.
type End struct {
	How     EndHow
	Planned uint64 // operations to be judged; 0: not known beforehand
	Lost    uint64 // attempts that are not in the file, since it was written too slowly
}

// EndHow is what ended a run.
type EndHow string

// What ends a run.
const (
	EndUnknown     EndHow = ""
	EndComplete    EndHow = "complete"    // its plan
	EndAborted     EndHow = "aborted"     // itself, since a rule could not be kept any more
	EndInterrupted EndHow = "interrupted" // somebody, from outside
)

// endMark begins the line, as it begins a comment for most readers of CSV.
const endMark = "# end="

// AppendCSV appends e to b as the last line of a CSV: a comment, and for who knows none
// a row as wide as the others, with nothing but its first field. The zero End is no line.
func (e End) AppendCSV(b []byte, columns int) []byte {
	if e.How == EndUnknown {
		return b
	}
	b = fmt.Appendf(b, "%s%s planned=%d lost=%d", endMark, e.How, e.Planned, e.Lost)
	for range columns - 1 {
		b = append(b, ',')
	}
	return append(b, '\n')
}

// IsEnd reports whether a line is no attempt or interval, but the run's end.
func IsEnd(line []byte) bool { return bytes.HasPrefix(line, []byte(endMark)) }

// ParseEnd reads the first field of the line that AppendCSV wrote. What a later version
// adds is skipped. False is that no openload wrote it.
func ParseEnd(field string) (e End, ok bool) {
	text, ok := strings.CutPrefix(field, endMark)
	words := strings.Fields(text)
	if !ok || len(words) == 0 {
		return End{}, false
	}
	switch e.How = EndHow(words[0]); e.How {
	case EndComplete, EndAborted, EndInterrupted:
	default:
		return End{}, false
	}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		var to *uint64
		switch name {
		case "planned":
			to = &e.Planned
		case "lost":
			to = &e.Lost
		default:
			continue
		}
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return End{}, false
		}
		*to = n
	}
	return e, true
}
