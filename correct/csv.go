package correct

import (
	"strconv"
	"time"
)

// CSVHeader names the columns that AppendCSV writes, a row an attempt. They hold all
// that a Sample does: a run's rows, recorded again, give what the run gave.
const CSVHeader = "seq,attempt,intended_ns,due_ns,dispatched_ns,sent_ns,done_ns,class,status,bytes," +
	"retry_after_ns,resent,late_ns,behind_ns,fired,written,earlier,final"

// CSVWarmup names one more column, in the rows of a run with a warm-up: 1 for what
// belongs to it and is not judged.
const CSVWarmup = "warmup"

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
