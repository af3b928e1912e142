package source

import (
	"bytes"
	"strings"
	"time"
)

// One latency a line, with a unit each (12ms, 1.5s, 1m2s) or all in one: that
// of Options.Unit, or of a heading like latency_ms.

var plainFacts = Facts{
	Tool: "plain numbers", Pacing: PacingUnknown, Otherwise: PacingUnknown,
	Resolution: time.Nanosecond, Order: Unordered, Failures: false,
}

// isPlain looks at the first lines: numbers, and perhaps a heading. A few lines among
// many numbers are bad ones, not another format.
func isPlain(h []byte) bool {
	numbers, headings, bad := 0, 0, 0
	for len(h) > 0 && numbers+headings+bad < 20 {
		line, rest, more := bytes.Cut(h, lf)
		if h = rest; !more && numbers > 0 {
			break // the head may end within a line
		}
		line = plainField(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if looksNumeric(line) {
			numbers++
		} else if numbers > 0 {
			bad++
		} else if headings++; headings > 1 || len(line) > 64 {
			return false
		}
	}
	return numbers > 2*bad
}

// plainField is a line without the space and the quotes around it.
func plainField(line []byte) []byte { return bytes.Trim(line, " \t\r\"") }

// looksNumeric reports whether a line is a number with an optional unit, or tries
// to be one: NaN and decimal commas are errors in a line, not another format.
func looksNumeric(b []byte) bool {
	n := len(b) - len(bytes.TrimLeft(b, "+-.,0123456789eE"))
	if n == 0 {
		switch strings.ToLower(string(b[:min(len(b), 4)])) {
		case "nan", "-nan", "inf", "+inf", "-inf", "n/a":
			return true
		}
		return false
	}
	unit := strings.TrimSpace(string(b[n:]))
	return b[0] < 'A' && (unit == "" || unitOf(unit) != 0 || looksCompound(b))
}

// looksCompound tells Go durations like 1m2.5s.
func looksCompound(b []byte) bool {
	_, err := time.ParseDuration(string(b[:min(len(b), 32)]))
	return err == nil
}

// headingUnit reads the unit from a heading: latency_ms, "latency (ms)", latency.us.
func headingUnit(line []byte) time.Duration {
	s := strings.TrimRight(strings.ToLower(string(line)), " )]\"'")
	i := strings.LastIndexAny(s, "_ ([.-/")
	return unitOf(s[i+1:])
}

func openPlain(f *File) error {
	f.Facts = plainFacts
	unit := f.opt.Unit
	for { // up to the first line that counts
		line := plainField(firstLine(f.s.peek(headSize)))
		if len(line) > 0 && line[0] != '#' && looksNumeric(line) || len(line) == 0 {
			if unit == 0 && len(line) > 0 && bareNumber(line) {
				_, err := f.needUnit("numbers without a unit")
				return err
			}
			break
		}
		rec, _, ok := f.header()
		if !ok {
			break
		}
		if u := headingUnit(rec); u != 0 && rec[0] != '#' {
			if unit == 0 {
				unit = u
				f.note(NoteUnit, "latencies in "+unitName(u)+", as the heading "+clip(rec)+" says")
			} else if u != unit {
				f.note(NoteUnit, "latencies in "+unitName(unit)+" as asked, though the heading "+clip(rec)+" says "+unitName(u))
			}
		}
	}
	f.Facts.Unit = unit
	f.rows = f.lines(func(line []byte, _ bool, r *Row) (bool, fault) {
		if line = plainField(line); len(line) == 0 || line[0] == '#' {
			return false, fine
		}
		var p problem
		r.Latency, p = measure(line, unit)
		return true, fault{"", line, p}
	})
	return nil
}

// bareNumber reports whether a line has no unit.
func bareNumber(b []byte) bool {
	c := b[len(b)-1]
	return c == '.' || c-'0' <= 9
}

// measure reads a number with its own unit, or in unit if it has none.
func measure(b []byte, unit time.Duration) (time.Duration, problem) {
	if bareNumber(b) {
		if unit == 0 {
			return 0, "no unit"
		}
		return duration(b, unit)
	}
	n := bytes.LastIndexAny(b, "0123456789.") + 1
	if u := unitOf(string(bytes.TrimSpace(b[n:]))); u != 0 && !bytes.ContainsAny(b[:n], "mhµμus") {
		return duration(bytes.TrimSpace(b[:n]), u)
	}
	if len(b) > 64 {
		return 0, noNumber
	}
	d, err := time.ParseDuration(string(b))
	switch {
	case err != nil:
		return 0, noNumber
	case d < 0:
		return 0, isNegative
	case int64(d) > longest:
		return 0, tooLong
	}
	return d, ""
}
