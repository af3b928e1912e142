package source

import (
	"bytes"
	"time"

	"openload/correct"
)

// ghz in its three forms with single calls. The timestamp is the call's end.

var ghzFacts = Facts{
	Tool: "ghz", Pacing: CatchesUp, Otherwise: Closed,
	Unit: time.Nanosecond, Resolution: time.Nanosecond,
	Stamp: StampEnd, StampStep: time.Nanosecond, Order: ByEnd,
	Failures: true,
	Rate:     RateTotal, RateFlag: "--rps is the total",
	Cap: 1_000_000,
}

// grpcOK sets what a gRPC code name, or an error, says of a call.
func grpcOK(r *Row, code, reason []byte) {
	ok := string(code) == "OK" || len(code) == 0 && len(reason) == 0
	if r.verdict(ok, 0, reason); ok {
		return
	}
	switch string(code) {
	case "DeadlineExceeded":
		r.Class = correct.Timeout
	case "Canceled":
		r.Class = correct.Unfinished
	case "Unavailable", "":
		// The text tells why nobody answered.
	default:
		r.Class = correct.BadStatus // the server answered, with a refusal
	}
}

func isGhzJSON(h []byte) bool {
	k := keys(h)
	return k["latencyDistribution"] && k["rps"] || k["details"] && k["fastest"]
}

// openGhzJSON reads up to the details. What was asked of ghz comes before them.
func openGhzJSON(f *File) error {
	f.Facts = ghzFacts
	for {
		key, ok := f.s.member()
		if !ok && (f.s.pos == 0 || f.s.buf[f.s.pos-1] != '}') {
			return &Cut{Format: f.Format, What: "the details of single calls are not in it", None: true}
		}
		if !ok {
			return &Refusal{Format: f.Format, Reason: "no details of single calls in it", Instead: "use the output of ghz -O json, with its field details"}
		}
		switch string(key) {
		case "options":
			f.ghzOptions()
		case "details":
			if f.s.token() != '[' {
				return &Refusal{Format: f.Format, Reason: "its details are empty", Instead: "use the output of ghz -O json"}
			}
			f.rows = f.ghzDetails
			return nil
		default:
			f.s.skip()
		}
	}
}

func (f *File) ghzOptions() {
	v, _ := f.s.value()
	o := object{b: v}
	var rate float64
	for k, v, ok := o.next(); ok; k, v, ok = o.next() {
		n, p := duration(v, time.Second)
		if p != "" {
			continue
		}
		switch string(k) {
		case "rps":
			rate = n.Seconds()
		case "concurrency":
			f.Facts.Concurrency = int(n / time.Second)
		}
	}
	f.ghzRate(rate)
}

// ghzRate sets what was asked of ghz; without a rate it keeps no schedule.
func (f *File) ghzRate(rate float64) {
	if f.Facts.PerSec = rate; rate == 0 {
		f.Facts.Pacing = Closed
	} else {
		f.Facts.Otherwise = f.Facts.Pacing
	}
}

func (f *File) ghzDetails(yield func(*Row) bool) error {
	f.s.pass('[')
	var r Row
	var buf []byte
	for n := int64(1); ; n++ {
		f.s.pass(',')
		if f.s.token() != '{' {
			break
		}
		v, ok := f.s.value()
		if !ok {
			break // cut off
		}
		var stamp, took, reason, code []byte
		o := object{b: v}
		for k, v, ok := o.next(); ok; k, v, ok = o.next() {
			switch string(k) {
			case "timestamp":
				stamp = bare(v)
			case "latency":
				took = v
			case "error":
				buf = append(buf[:0], text(v, buf)...)
				reason = buf
			case "status":
				code = bare(v)
			}
		}
		r = blank
		r.Line = n
		wrong := f.ghzCall(&r, took, stamp, code, reason)
		if o.bad {
			wrong = fault{"", v, notObject}
		}
		if wrong.why != "" {
			if err := f.badAt(n, wrong.field, wrong.text, wrong.why); err != nil {
				return err
			}
			continue
		}
		if !f.emit(&r, yield) {
			return errStop
		}
	}
	if !f.s.pass(']') && f.s.err == nil {
		return f.cutShort("the list of calls is cut off or broken")
	}
	return nil
}

func (f *File) ghzCall(r *Row, took, stamp, code, reason []byte) fault {
	var p problem
	if r.Latency, p = duration(took, time.Nanosecond); p != "" {
		return fault{"latency", took, p}
	}
	end, _, _, ok := rfc3339(stamp)
	if !ok {
		return fault{"timestamp", stamp, noTime}
	}
	f.times(r, end-int64(r.Latency), end)
	grpcOK(r, code, reason)
	return fine
}

// openGhzCSV reads three columns of which the last is written without quotes,
// whatever it holds, and no times.
func openGhzCSV(f *File) error {
	if _, _, ok := f.header(); !ok {
		return f.noHeader("duration (ms)")
	}
	f.Facts = ghzFacts
	f.Facts.Unit, f.Facts.Resolution = time.Millisecond, 10*time.Microsecond
	f.Facts.Stamp, f.Facts.StampStep = NoStamp, 0
	f.rows = f.lines(func(line []byte, _ bool, r *Row) (bool, fault) {
		took, rest, ok := bytes.Cut(line, []byte(","))
		code, reason, both := bytes.Cut(rest, []byte(","))
		if !ok || !both {
			return false, fault{why: wrongWidth(bytes.Count(line, []byte(","))+1, 3)}
		}
		var p problem
		if r.Latency, p = duration(trim(took), time.Millisecond); p != "" {
			return false, fault{"duration (ms)", took, p}
		}
		grpcOK(r, trim(code), reason)
		return true, fine
	})
	return nil
}

// openGhzInflux reads lines that each tell what was asked of ghz.
func openGhzInflux(f *File) error {
	f.Facts = ghzFacts
	if p, ok := ghzInflux(firstLine(f.s.peek(headSize))); ok {
		if n, bad := duration(between(p.tags, ",c=", ","), time.Second); bad == "" {
			f.Facts.Concurrency = int(n / time.Second)
		}
		if n, bad := duration(between(p.tags, ",rps=", ","), time.Second); bad == "" {
			f.ghzRate(n.Seconds())
		}
	}
	var buf []byte
	f.rows = f.lines(func(line []byte, _ bool, r *Row) (bool, fault) {
		p, ok := ghzInflux(line)
		if !ok {
			return false, fault{"", line, "not in Influx's line protocol"}
		}
		took := between(p.fields, "latency=", ",")
		var bad problem
		if r.Latency, bad = duration(took, time.Nanosecond); bad != "" {
			return false, fault{"latency", took, bad}
		}
		end, bad := epoch(p.stamp, time.Nanosecond)
		if bad != "" {
			return false, fault{"timestamp", p.stamp, bad}
		}
		f.times(r, end-int64(r.Latency), end)
		buf = unescaped(buf[:0], between(p.fields, `,error="`, `",status=`))
		grpcOK(r, bare(between(p.fields, ",status=", ",")), buf)
		return true, fine
	})
	return nil
}

// ghzInflux cuts a line of ghz, which doesn't keep to the protocol: it puts a backslash
// before each space, comma and equals sign of a value, but none before quotes, which
// tags have too. So its quotes say nothing, and a separator without backslash is one.
func ghzInflux(b []byte) (p point, ok bool) {
	i, j := bytes.Index(b, []byte(" latency=")), bytes.LastIndexByte(b, ' ')
	if !bytes.HasPrefix(b, []byte("ghz_detail,")) || i < 0 || j <= i {
		return p, false
	}
	return point{name: b[:len("ghz_detail")], tags: b[len("ghz_detail"):i], fields: b[i+1 : j], stamp: b[j+1:]}, true
}

// between is what stands after the first from, up to the next to or the end; nil if
// from isn't there.
func between(b []byte, from, to string) []byte {
	_, rest, ok := bytes.Cut(b, []byte(from))
	if !ok {
		return nil
	}
	v, _, _ := bytes.Cut(rest, []byte(to))
	return v
}

// unescaped appends b without the backslashes that hide a separator.
func unescaped(to, b []byte) []byte {
	for i, c := range b {
		if c == '\\' && i+1 < len(b) && bytes.IndexByte([]byte(" ,="), b[i+1]) >= 0 {
			continue
		}
		to = append(to, c)
	}
	return to
}
