package source

import (
	"bytes"
	"fmt"
	"time"

	"openload/correct"
)

// A HdrHistogram interval log: comments, a legend, then lines of
// [Tag=t,]start,length,max,payload. Tags are separate series. The unit of the
// histograms is nowhere in the file: max is divided by a ratio that the writer
// chose, and a microsecond log with the ratio of a nanosecond one exists.

var hdrFacts = Facts{
	Tool: "HdrHistogram log", Pacing: PacingUnknown, Otherwise: Corrected,
	StampStep: time.Millisecond, Stamp: StampStart,
	Leaps: "the log doesn't tell whether its writer corrected while recording",
}

func isHdrLog(h []byte) bool {
	for n := 0; len(h) > 0 && n < 100; n++ {
		line, rest, _ := bytes.Cut(h, lf)
		h = rest
		line = bytes.TrimSpace(trimCR(line))
		switch {
		case len(line) == 0:
		case bytes.HasPrefix(line, []byte("#[StartTime:")), bytes.HasPrefix(line, []byte("#[BaseTime:")), bytes.HasPrefix(line, []byte("#[Basetime:")),
			bytes.Contains(line, []byte("Histogram log format version")), bytes.HasPrefix(line, []byte(`"StartTimestamp"`)):
			return true
		case line[0] == '#':
		default:
			_, ok := hdrLine(line)
			return ok
		}
	}
	return false
}

// A hdrInterval is one line's fields.
type hdrInterval struct{ tag, start, length, payload []byte }

// hdrLine cuts a line. Java's writer lets spaces through in tags, so a tag ends
// at its comma; elsewhere spaces divide as well.
func hdrLine(line []byte) (v hdrInterval, ok bool) {
	if rest, tagged := bytes.CutPrefix(line, []byte("Tag=")); tagged {
		if v.tag, line, ok = bytes.Cut(rest, []byte(",")); !ok {
			return v, false
		}
	}
	f := bytes.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	if len(f) != 4 {
		return v, false
	}
	v.start, v.length, v.payload = f[0], f[1], bytes.Trim(f[3], `"`)
	ok = bytes.HasPrefix(v.payload, []byte("HIST")) || bytes.HasPrefix(v.payload, []byte("DHIST"))
	return v, ok
}

// A hdrClock turns the starts of intervals into offsets.
type hdrClock struct {
	start, base time.Duration // from the comments, since 1970
	hasStart    bool
	hasBase     bool
	odd         bool // #[Basetime:, which a Go library wrote with a start in it

	settled bool
	add     time.Duration // to a line's start
}

// comment reads #[StartTime: 1796004000.000 (seconds since epoch), ...].
func (c *hdrClock) comment(line []byte) {
	for _, name := range []string{"#[StartTime:", "#[BaseTime:", "#[Basetime:"} {
		rest, ok := bytes.CutPrefix(line, []byte(name))
		if !ok {
			continue
		}
		rest = trimLeft(rest)
		if i := bytes.IndexAny(rest, " ]("); i >= 0 {
			rest = rest[:i]
		}
		ns, p := seconds64(rest)
		if p != "" {
			return
		}
		if name == "#[StartTime:" {
			c.start, c.hasStart = ns, true
		} else {
			c.base, c.hasBase = ns, true
			c.odd = c.odd || name == "#[Basetime:"
		}
	}
}

// seconds64 reads seconds since 1970 with a fraction.
func seconds64(b []byte) (time.Duration, problem) {
	whole, frac, dot := bytes.Cut(b, []byte("."))
	ns, p := epoch(whole, time.Second)
	if p != "" || !dot {
		return time.Duration(ns), p
	}
	part, p := duration(append([]byte("0."), frac...), time.Second)
	return time.Duration(ns) + part, p
}

// settle decides, at the first interval, what starts are relative to: the base
// time; without one, the start time if the interval began more than a year
// before it; else nothing.
func (c *hdrClock) settle(first time.Duration) {
	const year = 365 * 24 * time.Hour
	c.settled = true
	switch {
	case c.hasBase:
		c.add = c.base
	case c.hasStart && first < c.start-year:
		c.add = c.start
	}
}

// trusted reports whether the times that result are wall times.
func (c *hdrClock) trusted(first time.Duration) bool {
	apart := c.hasBase && c.hasStart && max(c.base, c.start)-min(c.base, c.start) > time.Second
	const sane = 20 * 365 * 24 * time.Hour // a start in 1970 comes from a monotonic clock
	return !c.odd && !apart && first+c.add > sane
}

func openHdrLog(f *File) error {
	f.Facts = hdrFacts
	unit := time.Nanosecond
	if ownHdrLog(firstLine(f.s.peek(headSize))) {
		f.ours = true
		f.Facts.Tool, f.Facts.Leaps = "openload", "failures have no latency and are not in the log"
	} else if u, err := f.needUnit("a HdrHistogram log doesn't state it"); err != nil {
		return err
	} else {
		unit = u
	}
	f.Facts.Unit, f.Facts.Resolution = unit, unit
	if bytes.Contains(f.s.peek(headSize), []byte("jHiccup")) {
		f.Facts.Pacing = Corrected
		f.note(NoteDoctored, "jHiccup corrects while recording")
	}
	f.buckets = f.hdrIntervals
	return nil
}

// ownHdrLog reports whether the first line is that of openload's own logs, which
// states the unit.
func ownHdrLog(line []byte) bool {
	return bytes.HasPrefix(line, []byte("#[openload ")) && bytes.HasSuffix(line, []byte(", latencies in ns]"))
}

func (f *File) hdrIntervals(yield func(*Bucket) bool) error {
	var c hdrClock
	var dec hdrReader
	var intervals int64
	for {
		line, ok := f.s.next()
		if !ok {
			return nil
		}
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '"' {
			continue
		}
		if line[0] == '#' {
			c.comment(line)
			if wrong := f.hdrEnd(line); wrong.why != "" {
				if err := f.bad(wrong.field, wrong.text, wrong.why); err != nil {
					return err
				}
			}
			continue
		}
		if f.end != (correct.End{}) {
			if err := f.bad("", line[:min(len(line), 40)], "an interval behind the run's end: runs that are joined can't be told apart; read them one by one"); err != nil {
				return err
			}
			continue
		}
		v, ok := hdrLine(line)
		if !ok {
			if err := f.bad("", line, "not an interval: start,length,max,payload"); err != nil {
				return err
			}
			continue
		}
		if !f.wantsTag(v.tag) {
			continue
		}
		b, wrong := f.hdrInterval(&c, &v)
		if wrong.why != "" {
			if err := f.bad(wrong.field, wrong.text, wrong.why); err != nil {
				return err
			}
			continue
		}
		switch err := f.hdrPayload(&dec, v.payload, b, yield); {
		case err == errStop:
			return err
		case err != nil:
			if err := f.bad("histogram", v.payload[:min(8, len(v.payload))], problem(err.Error())); err != nil {
				return err
			}
			continue
		}
		if intervals++; intervals == 1 && !f.absolute {
			f.note(NoteClock, "the log's start times are no wall times, or contradict each other")
		}
	}
}

// hdrEnd reads the comment that says how a run of openload's ended.
func (f *File) hdrEnd(line []byte) fault {
	if !f.ours || !correct.IsEnd(line) {
		return fine
	}
	end, ok := correct.ParseEnd(string(line))
	switch {
	case f.s.open: // a number in it may have been cut off
		return fault{"end", line, "cut off"}
	case !ok:
		return fault{"end", line, "not how a run ends that this openload knows"}
	case f.end != (correct.End{}):
		return fault{why: "a second end: runs that are joined can't be told apart; read them one by one"}
	}
	f.end = end
	return fine
}

// wantsTag is wants for tags.
func (f *File) wantsTag(tag []byte) bool {
	if f.opt.Untagged && len(tag) > 0 || f.opt.Tag != "" && f.opt.Tag != string(tag) {
		f.tally.Filtered++
		f.spared = f.spared || f.ours && string(tag) == "corrected"
		return false
	}
	return true
}

// hdrInterval makes the bucket that an interval's buckets have in common.
func (f *File) hdrInterval(c *hdrClock, v *hdrInterval) (b Bucket, wrong fault) {
	at, p := seconds64(v.start)
	if p != "" {
		return b, fault{"start", v.start, p}
	}
	length, p := duration(v.length, time.Second)
	if p != "" {
		return b, fault{"length", v.length, p}
	}
	if !c.settled {
		c.settle(at)
		f.anchored, f.origin = true, int64(at+c.add)
		f.absolute = c.trusted(at)
	}
	return Bucket{
		Series: f.names.id(v.tag), Start: at + c.add - time.Duration(f.origin), Length: length,
		Corrected: f.Facts.Pacing == Corrected || string(v.tag) == "corrected",
	}, fine
}

// hdrPayload yields the buckets of one interval.
func (f *File) hdrPayload(dec *hdrReader, payload []byte, b Bucket, yield func(*Bucket) bool) error {
	if f.opt.Lenient || f.s.open {
		// What can't be read to its end is left out as a whole: its least values alone
		// would make the rest look fast.
		if err := dec.each(payload, func(_, _ float64, _ int64) bool { return true }); err != nil {
			return err
		}
	}
	unit := float64(f.Facts.Unit)
	tooLarge := false
	err := dec.each(payload, func(low, high float64, count int64) bool {
		if high *= unit; high > float64(longest) {
			tooLarge = true
			return false
		}
		b.Low, b.High, b.Count = time.Duration(low*unit), time.Duration(high), count
		return f.emitBucket(&b, yield)
	})
	if tooLarge {
		return fmt.Errorf("values %s", tooLong)
	}
	return err
}
