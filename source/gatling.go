package source

import (
	"bytes"
	"time"
)

// Gatling's simulation.log before 3.13, in any of its layouts: tab separated,
// milliseconds. Columns moved in 2.0, 3.0 and 3.4, so a request is read from its
// status: that column says OK or KO and follows two to four times of 13 digits,
// the first of which is the start and the latest the end; before them stands the
// name. The binary log is in gatlingbinary.go.

var gatlingFacts = Facts{
	Tool: "Gatling", Pacing: OpenModel, Otherwise: Closed,
	Unit: time.Millisecond, Resolution: time.Millisecond,
	Stamp: StampStart, StampStep: time.Millisecond, Order: ByEnd,
	Labels: true, Failures: true,
	Rate: RateTotal, RateFlag: "an injection profile counts users of all",
}

// isGatling looks for the RUN record: first in its line, third in 2.0 and 2.1.
// ASSERTION records may come before it.
func isGatling(h []byte) bool {
	line := firstLine(h)
	if bytes.HasPrefix(line, []byte("RUN\t")) || bytes.HasPrefix(line, []byte("ASSERTION\t")) {
		return true
	}
	f := split(line, '\t', false, make([][]byte, 0, 3))
	return len(f) == 3 && string(f[2]) == "RUN"
}

func openGatling(f *File) error {
	f.Facts = gatlingFacts
	fields := make([][]byte, 0, 64)
	f.rows = f.lines(func(line []byte, _ bool, r *Row) (bool, fault) {
		fields = tabs(line, fields)
		kind := -1
		for i := range min(3, len(fields)) {
			switch string(fields[i]) {
			case "REQUEST", "ACTION":
				kind = i
			case "RUN":
				if i != 1 {
					if f.tally.Rows > 0 { // logs were joined
						f.runs.next()
					}
					return false, fine
				}
			case "USER", "GROUP", "ERROR", "ASSERTION", "SCENARIO":
				if i != 1 {
					return false, fine
				}
			}
			if kind >= 0 {
				break
			}
		}
		if kind < 0 {
			return false, fault{"", line, "no record that Gatling writes"}
		}
		return f.gatling(fields, kind, r)
	})
	return nil
}

// tabs cuts at tabs and keeps spaces, which stand for empty fields.
func tabs(line []byte, dst [][]byte) [][]byte {
	dst = dst[:0]
	for len(dst) < cap(dst)-1 {
		i := bytes.IndexByte(line, '\t')
		if i < 0 {
			break
		}
		dst = append(dst, line[:i])
		line = line[i+1:]
	}
	return append(dst, line)
}

// gatling reads a request whose record word is fields[kind].
func (f *File) gatling(fields [][]byte, kind int, r *Row) (bool, fault) {
	verdict := -1
	for i := kind + 3; i < len(fields); i++ {
		s := string(fields[i])
		if (s == "OK" || s == "KO") && isMillis(fields[i-1]) && isMillis(fields[i-2]) {
			verdict = i
			break
		}
	}
	if verdict < 0 {
		return false, fault{"", nil, "no OK or KO behind two times"}
	}
	first := verdict - 2
	for first > kind+1 && isMillis(fields[first-1]) && verdict-first < 4 {
		first--
	}
	start, p := epoch(fields[first], time.Millisecond)
	if p != "" {
		return false, fault{"start", fields[first], p}
	}
	end := start
	for _, b := range fields[first+1 : verdict] {
		t, p := epoch(b, time.Millisecond)
		if p != "" {
			return false, fault{"end", b, p}
		}
		end = max(end, t)
	}
	if last, _ := epoch(fields[first+1], time.Millisecond); verdict-first == 2 && last < start {
		return false, fault{"end", fields[first+1], "before the start"}
	}
	if end-start > longest {
		return false, fault{"end", fields[verdict-1], tooLong}
	}
	var name []byte
	if first-1 > kind {
		name = fields[first-1]
	}
	if !f.wants(name) {
		return false, fine
	}
	r.Latency = time.Duration(end - start)
	r.Label = f.names.id(name)
	switch between := first - kind - 1; {
	case kind == 2: // scenario, user, REQUEST
		r.Worker = f.names.id(fields[1])
	case between == 4, string(fields[kind]) == "ACTION": // scenario, user, ..., name
		r.Worker = f.names.id(fields[2])
	case between == 3: // user, groups, name
		r.Worker = f.names.id(fields[1])
	}
	f.Facts.Workers = f.Facts.Workers || r.Worker != NoName
	f.times(r, start, end)
	var why []byte
	if verdict+1 < len(fields) {
		why = fields[verdict+1]
	}
	r.verdict(string(fields[verdict]) == "OK", 0, why)
	return true, fine
}

// isMillis reports whether b is a time in ms since 1970.
func isMillis(b []byte) bool {
	if len(b) != 13 {
		return false
	}
	_, p := integer(b)
	return p == ""
}
