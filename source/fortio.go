package source

import (
	"bytes"
	"time"
)

// fortio -access-log-file, as JSON lines or in Influx's line protocol: seconds,
// start in ns, thread and iteration. The best input of all. The result file is
// in fortioresult.go.

var fortioFacts = Facts{
	Tool: "fortio", Pacing: CatchesUp, Otherwise: Skips,
	Unit: time.Second, Resolution: time.Microsecond,
	Stamp: StampStart, StampStep: time.Nanosecond, Order: ByEnd,
	Workers: true, Statuses: true, Failures: true,
	Rate: RateTotal, RateFlag: "-qps is the total; with -t a run of n calls a thread paces them (1+1/(n-1)) times further apart",
}

// fortioCall is one call's fields, as they stand in the file.
type fortioCall struct{ latency, stamp, thread, iter, ok, details []byte }

func (f *File) fortio(c *fortioCall, r *Row) (bool, fault) {
	var p problem
	if r.Latency, p = duration(c.latency, time.Second); p != "" {
		return false, fault{"latency", c.latency, p}
	}
	start, p := epoch(c.stamp, time.Nanosecond)
	if p != "" {
		return false, fault{"timestamp", c.stamp, p}
	}
	f.times(r, start, start+int64(r.Latency))
	r.Worker = f.names.id(c.thread)
	if n, p := integer(c.iter); p == "" {
		r.Seq = n
	}
	code := status(c.details)
	switch string(c.ok) {
	case "true", "t", "T", "True", "TRUE":
		r.verdict(true, code, nil)
	case "":
		r.byStatus(code)
	default:
		r.verdict(false, code, c.details)
	}
	return true, fine
}

func isFortioJSON(h []byte) bool {
	k := keys(firstLine(h))
	return k["latency"] && k["timestamp"] && k["thread"] && !k["seq"]
}

func openFortioJSON(f *File) error {
	f.Facts = fortioFacts
	f.runs.gap = f.opt.RunGap
	f.rows = f.lines(func(line []byte, _ bool, r *Row) (bool, fault) {
		var c fortioCall
		o := object{b: line}
		for k, v, ok := o.next(); ok; k, v, ok = o.next() {
			switch string(k) {
			case "latency":
				c.latency = v
			case "timestamp":
				c.stamp = v
			case "thread":
				c.thread = v
			case "iter":
				c.iter = v
			case "ok":
				c.ok = v
			case "details":
				c.details = bare(v)
			}
		}
		if o.bad {
			return false, fault{"", line, notObject}
		}
		return f.fortio(&c, r)
	})
	return nil
}

func openFortioInflux(f *File) error {
	f.Facts = fortioFacts
	f.runs.gap = f.opt.RunGap
	f.rows = f.lines(func(line []byte, _ bool, r *Row) (bool, fault) {
		p, ok := influx(line)
		if !ok || string(p.name) != "latency" {
			return false, fault{"", line, "not in Influx's line protocol"}
		}
		c := fortioCall{latency: p.field("value"), stamp: p.stamp, thread: p.tag("thread"), iter: p.tag("iter"), ok: p.tag("ok"), details: bare(p.field("details"))}
		if c.iter == nil {
			c.iter = p.field("iter")
		}
		return f.fortio(&c, r)
	})
	return nil
}

// A point is one line of Influx's protocol: name,tags fields stamp.
type point struct{ name, tags, fields, stamp []byte }

// influx cuts a line at its unquoted spaces.
func influx(b []byte) (p point, ok bool) {
	i, j := plainSpace(b, 0), bytes.LastIndexByte(b, ' ')
	if i < 0 || j <= i {
		return p, false
	}
	p.fields, p.stamp = b[i+1:j], b[j+1:]
	p.name, p.tags, _ = bytes.Cut(b[:i], []byte(","))
	return p, true
}

// plainSpace returns the index of the first space from i that is neither quoted
// nor escaped; -1 if there is none.
func plainSpace(b []byte, i int) int {
	quoted := false
	for ; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			quoted = !quoted
		case ' ':
			if !quoted {
				return i
			}
		}
	}
	return -1
}

func (p *point) tag(name string) []byte   { return influxValue(p.tags, name) }
func (p *point) field(name string) []byte { return influxValue(p.fields, name) }

// influxValue finds name=value among pairs divided by unquoted commas.
func influxValue(b []byte, name string) []byte {
	for start, i, quoted := 0, 0, false; i <= len(b); i++ {
		switch {
		case i < len(b) && b[i] == '\\':
			i++
		case i < len(b) && b[i] == '"':
			quoted = !quoted
		case i == len(b) || b[i] == ',' && !quoted:
			if k, v, ok := bytes.Cut(b[start:i], []byte("=")); ok && string(k) == name {
				return v
			}
			start = i + 1
		}
	}
	return nil
}
