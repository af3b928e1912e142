package source

import (
	"bytes"
	"time"
)

// h2load --log-file: start, status and latency in microseconds, without header
// and appended to what is there. -1 is a stream that failed.

var h2loadFacts = Facts{
	Tool: "h2load", Pacing: CatchesUp, Otherwise: Closed,
	Unit: time.Microsecond, Resolution: time.Microsecond,
	Stamp: StampStart, StampStep: time.Microsecond, Order: ByEnd,
	Statuses: true, Failures: true,
	Rate: RatePerWorker, RateFlag: "--rps is per client, and rows don't name theirs",
}

func isH2load(h []byte) bool {
	f := split(firstLine(h), '\t', false, make([][]byte, 0, maxColumns))
	if len(f) < 3 || len(f[0]) != 16 || len(f[1]) > 3 {
		return false
	}
	for _, b := range f[:3] {
		if _, p := integer(b); p != "" {
			return false
		}
	}
	return true
}

func openH2load(f *File) error {
	f.Facts = h2loadFacts
	f.runs.gap = f.opt.RunGap
	fields := make([][]byte, 0, 3) // "more columns may be added later"
	f.rows = f.lines(func(line []byte, _ bool, r *Row) (bool, fault) {
		if fields = split(line, '\t', false, fields); len(fields) < 3 {
			return false, fault{why: wrongWidth(len(fields), 3)}
		}
		start, p := epoch(fields[0], time.Microsecond)
		if p != "" {
			return false, fault{"start", fields[0], p}
		}
		if r.Latency, p = duration(fields[2], time.Microsecond); p != "" {
			return false, fault{"latency", fields[2], p}
		}
		code, failed := status(fields[1]), bytes.Equal(fields[1], []byte("-1"))
		if code == 0 && !failed {
			return false, fault{"status", fields[1], noNumber}
		}
		f.times(r, start, start+int64(r.Latency))
		if r.byStatus(code); failed {
			r.verdict(false, 0, nil)
		}
		return true, fine
	})
	return nil
}
