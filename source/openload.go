package source

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"openload/correct"
	"openload/report"
)

// openload's own files. The CSV of an open run has all that is known of each attempt,
// measured from intended times: it may be judged again, and never be corrected. That
// of a closed loop has no intended times, and is a closed loop's like any other. A
// report and a schedule hold no samples.

const alreadyMeasured = "its latencies are measured from intended times already, and a report holds no samples"

// isOwnReport looks at the schema's name without its version.
func isOwnReport(h []byte) bool {
	name, _, _ := strings.Cut(report.Schema, "/v")
	return has("schema", "tool")(h) && bytes.Contains(h, []byte(`"`+name+`/v`))
}

func isOwnSchedule(h []byte) bool { return string(trim(firstLine(h))) == "seq,intended_ns" }

// isOwnCSV looks for columns that no other tool has together.
func isOwnCSV(h []byte) bool {
	line := firstLine(h)
	if !bytes.Contains(line, []byte("dispatched_ns")) {
		return false
	}
	t := columns(line, bytes.IndexByte(line, '"') >= 0, ',')
	for _, name := range []string{"seq", "attempt", "intended_ns", "dispatched_ns", "done_ns", "class"} {
		if t.find(name) < 0 {
			return false
		}
	}
	return true
}

var ownFacts = Facts{
	Tool: "openload", Pacing: Corrected, Otherwise: Corrected,
	Unit: time.Nanosecond, Resolution: time.Nanosecond,
	Stamp: StampStart, StampStep: time.Nanosecond, Order: ByEnd,
	Statuses: true, Failures: true,
	Rate: RateTotal, RateFlag: "--rate is the total",
}

// The columns, in the order in which correct.CSVHeader names them.
const (
	ownSeq = iota
	ownAttempt
	ownIntended
	ownDue
	ownDispatched
	ownSent
	ownDone
	ownClass
	ownStatus
	ownBytes
	ownRetryAfter
	ownResent
	ownLate
	ownBehind
	ownFired
	ownWritten
	ownEarlier
	ownFinal
	ownColumns
)

// mostAttempts at one operation are more than any policy makes.
const mostAttempts = 1_000_000

// An ownTable reads the CSV of a run's attempts.
type ownTable struct {
	t     *table
	names [ownColumns]string
	at    [ownColumns]int
	x     correct.Sample // the row at hand
	wrong fault          // the first fault in it
	open  bool           // the run was an open one: rows have an intended time
	warm  int            // the column that marks the warm-up; -1: there is none
	asked int            // the column that names the target; -1: there is none
}

func openOwnCSV(f *File) error {
	rec, quoted, _ := f.header()
	c := &ownTable{t: columns(rec, quoted, ',')}
	copy(c.names[:], strings.Split(correct.CSVHeader, ","))
	for i, name := range c.names {
		if c.at[i] = c.t.find(name); c.at[i] < 0 {
			return f.noHeader(name)
		}
	}
	c.warm, c.asked = c.t.find(correct.CSVWarmup), c.t.find(correct.CSVTarget)
	f.Facts = ownFacts
	first := firstLine(f.s.peek(headSize))
	f.ours = true
	c.open = correct.IsEnd(first) || !c.t.read(bytes.Clone(first), true) || len(c.t.at(c.at[ownIntended])) > 0
	if f.own = c.open; !c.open {
		f.Facts.Pacing, f.Facts.Otherwise = Skips, Closed
	}
	f.rows = f.records(func(rec []byte, quoted bool, r *Row) (bool, fault) {
		if bytes.Equal(rec, c.t.header) {
			return false, fault{why: "a second header: runs that are joined can't be told apart; read them one by one"}
		}
		if !c.t.read(rec, quoted) {
			return false, fault{why: wrongWidth(len(c.t.fields), len(c.t.names))}
		}
		if correct.IsEnd(rec) {
			return false, c.ended(f)
		}
		if f.end != (correct.End{}) {
			return false, fault{why: "a row behind the run's end: runs that are joined can't be told apart; read them one by one"}
		}
		if c.read(); c.wrong.why != "" {
			return false, c.wrong
		}
		if c.warm >= 0 && string(c.t.at(c.warm)) == "1" {
			f.tally.Filtered++
			return false, fine
		}
		x := &c.x
		r.Seq, r.Latency = int64(min(x.Seq, 1<<62)), x.Raw()
		if !f.anchored {
			f.anchored, f.origin = true, int64(x.Sent)
		}
		r.Start = x.Sent - time.Duration(f.origin)
		r.End = r.Start + r.Latency
		r.Status, r.Known, r.OK, r.Class = x.Status, true, x.Class == correct.OK, x.Class
		if c.open {
			r.Attempt, r.Label = x, f.names.id(c.t.at(c.asked))
		}
		return true, fine
	})
	return nil
}

// ended reads the line that says how the run ended.
func (c *ownTable) ended(f *File) fault {
	end, ok := correct.ParseEnd(string(c.t.fields[0]))
	switch {
	case !ok:
		return fault{"end", c.t.fields[0], "not how a run ends that this openload knows"}
	case f.end != (correct.End{}):
		return fault{why: "a second end: runs that are joined can't be told apart; read them one by one"}
	}
	f.end = end
	return fine
}

// read fills in the sample. What the run itself could not have written is a fault:
// whoever takes the sample may rely on it.
func (c *ownTable) read() {
	c.wrong = fine
	x := &c.x
	*x = correct.Sample{
		Seq: c.seq(), Attempt: int(c.whole(ownAttempt, mostAttempts)),
		Due: c.span(ownDue), Dispatched: c.span(ownDispatched), Sent: c.span(ownSent), Done: c.span(ownDone),
		Status: int(c.whole(ownStatus, 999)), Bytes: c.whole(ownBytes, 1<<62),
		RetryAfter: c.span(ownRetryAfter), Resent: int(c.whole(ownResent, mostAttempts)), Late: c.span(ownLate), Behind: c.span(ownBehind),
		Fired: c.flag(ownFired), Written: c.flag(ownWritten), Earlier: c.flag(ownEarlier), Final: c.flag(ownFinal),
	}
	var known bool
	if x.Class, known = correct.ClassNamed(string(c.text(ownClass))); !known {
		c.fail(ownClass, "no class that openload knows")
	}
	switch intended := c.text(ownIntended); {
	case c.open:
		x.Intended = c.span(ownIntended)
	case len(intended) > 0:
		c.fail(ownIntended, "a time, where the rows before have none: a closed loop's and an open run's are joined")
	default:
		x.Intended = x.Due
	}
	switch first := x.Attempt == 1; {
	case x.Attempt < 1:
		c.fail(ownAttempt, "attempts count from 1")
	case x.Due < x.Intended:
		c.fail(ownDue, "before intended_ns")
	case x.Dispatched < x.Due && (x.Fired || first):
		c.fail(ownDispatched, "before due_ns")
	case x.Sent < x.Dispatched && x.Written:
		c.fail(ownSent, "before dispatched_ns")
	case x.Done < x.Sent:
		c.fail(ownDone, "before sent_ns")
	case x.Done < x.Intended:
		c.fail(ownDone, "before intended_ns")
	}
}

func (c *ownTable) text(i int) []byte { return c.t.at(c.at[i]) }

func (c *ownTable) fail(i int, why problem) {
	if c.wrong.why == "" {
		c.wrong = fault{c.names[i], c.text(i), why}
	}
}

func (c *ownTable) seq() uint64 {
	n, err := strconv.ParseUint(string(c.text(ownSeq)), 10, 64)
	if err != nil {
		c.fail(ownSeq, noNumber)
	}
	return n
}

// whole reads a count of at most the given size.
func (c *ownTable) whole(i int, most int64) int64 {
	n, p := integer(c.text(i))
	switch {
	case p == "" && n < 0:
		p = isNegative
	case p == "" && n > most:
		p = tooLarge
	}
	if p != "" {
		c.fail(i, p)
		return 0
	}
	return n
}

func (c *ownTable) span(i int) time.Duration {
	d, p := duration(c.text(i), time.Nanosecond)
	if p != "" {
		c.fail(i, p)
	}
	return d
}

func (c *ownTable) flag(i int) bool { return c.whole(i, 1) == 1 }
