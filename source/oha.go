package source

import (
	"time"
)

// oha --output-format csv: rows in order of start, which counts from the run's.
// With --latency-correction durations count from the planned start, and the file
// doesn't say so; then start and duration don't add up to the end.

var ohaFacts = Facts{
	Tool: "oha", Pacing: CatchesUp, Otherwise: Corrected,
	Unit: time.Second, Resolution: time.Nanosecond,
	Stamp: StampStart, StampStep: time.Nanosecond, Order: ByStart,
	Statuses: true,
	Rate:     RateTotal, RateFlag: "-q is the total",
	Leaps: "requests that failed, timed out or were cut off at the end of -z are not in the file; with --latency-correction its durations are corrected already",
}

// ohaExport makes this CSV of oha's database, with durations from the actual start.
const ohaExport = `sqlite3 -csv -header oha.db "SELECT start AS 'request-start', 0 AS 'DNS', 0 AS 'DNS+dialup', 0 AS 'Response-delay', ` +
	`[end] - start AS 'request-duration', len_bytes AS bytes, status FROM oha WHERE run = (SELECT max(run) FROM oha) ORDER BY start" > oha.csv`

func openOha(f *File) error {
	rec, quoted, ok := f.header()
	t := columns(rec, quoted, ',')
	start, took, code := t.find("request-start"), t.find("request-duration"), t.find("status")
	if !ok || start < 0 || took < 0 {
		return f.noHeader("request-duration")
	}
	f.Facts = ohaFacts
	f.Facts.Statuses = code >= 0
	f.rows = f.records(func(rec []byte, quoted bool, r *Row) (bool, fault) {
		if !t.read(rec, quoted) {
			return false, fault{why: wrongWidth(len(t.fields), len(t.names))}
		}
		var p problem
		if r.Latency, p = duration(t.at(took), time.Second); p != "" {
			return false, fault{"request-duration", t.at(took), p}
		}
		at, p := duration(t.at(start), time.Second)
		if p != "" {
			return false, fault{"request-start", t.at(start), p}
		}
		if !f.anchored {
			f.anchored, f.origin = true, int64(at)
		}
		r.Start = at - time.Duration(f.origin)
		r.byStatus(status(t.at(code)))
		return true, fine
	})
	return nil
}
