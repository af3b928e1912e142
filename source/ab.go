package source

import "time"

// ab -g writes its requests sorted by total time, in whole milliseconds, with the
// second in which each started. What failed to connect is not a row; what came
// back with an error status is, without the status.

var abFacts = Facts{
	Tool: "ab", Pacing: Closed, Otherwise: Closed,
	Unit: time.Millisecond, Resolution: time.Millisecond,
	Stamp: StampStart, StampStep: time.Second, Order: ByLatency,
	Leaps: "requests that failed to connect are not in the file, rows have no status, and with -t they may be means of several requests",
}

func openAB(f *File) error {
	rec, _, ok := f.header()
	t := columns(rec, false, '\t')
	seconds, total := t.find("seconds"), t.find("ttime")
	if !ok || total < 0 {
		return f.noHeader("ttime")
	}
	f.Facts = abFacts
	if seconds < 0 {
		f.Facts.Stamp, f.Facts.StampStep = NoStamp, 0
	}
	f.rows = f.lines(func(line []byte, _ bool, r *Row) (bool, fault) {
		if !t.read(line, false) {
			return false, fault{why: wrongWidth(len(t.fields), len(t.names))}
		}
		var p problem
		if r.Latency, p = duration(t.at(total), time.Millisecond); p != "" {
			return false, fault{"ttime", t.at(total), p}
		}
		if seconds >= 0 {
			start, p := epoch(t.at(seconds), time.Second)
			if p != "" {
				return false, fault{"seconds", t.at(seconds), p}
			}
			f.times(r, start, start+int64(r.Latency))
		}
		return true, fine
	})
	return nil
}
