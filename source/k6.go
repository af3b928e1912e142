package source

import (
	"bytes"
	"fmt"
	"time"

	"openload/correct"
)

// k6 --out csv and --out json write a record for every sample of every metric,
// eight or nine for one request. The one wanted is http_req_duration, or what
// Options.TimeField names. Its time is the request's end, and it leaves out the
// wait for a connection, connecting and TLS.

const k6Duration = "http_req_duration"

var k6Facts = Facts{
	Tool: "k6", Pacing: PacingUnknown, Otherwise: Closed,
	Unit: time.Millisecond, Resolution: time.Nanosecond,
	Stamp: StampEnd, Order: Unordered,
	Labels: true, Statuses: true, Failures: true,
	Rate: RateTotal, RateFlag: "the rate of an arrival-rate executor is the total",
	Leaps: "http_req_duration leaves out waiting for a connection, connecting and TLS",
}

// metric is the name of the samples that are read.
func (f *File) metric() string {
	if f.opt.TimeField != "" {
		return f.opt.TimeField
	}
	return k6Duration
}

// k6Sample is one sample's fields, as they stand in the file.
type k6Sample struct {
	stamp, value                    []byte
	status, name, url, reason, code []byte
	expected                        []byte // "true", "false" or nothing
	vu                              []byte
}

// k6 fills r from a sample.
func (f *File) k6(x *k6Sample, end int64, r *Row) (bool, fault) {
	var p problem
	if r.Latency, p = duration(x.value, time.Millisecond); p != "" {
		return false, fault{"value", x.value, p}
	}
	label := x.name
	if len(label) == 0 {
		label = x.url
	}
	if !f.wants(label) {
		return false, fine
	}
	r.Label, r.Worker = f.names.id(label), f.names.id(x.vu)
	f.times(r, end-int64(r.Latency), end)
	code := status(x.status)
	switch {
	case len(x.expected) > 0:
		r.verdict(string(x.expected) == "true", code, x.reason)
	case len(x.reason) > 0 || len(x.code) > 0 || len(x.status) > 0 && code == 0:
		r.verdict(false, code, x.reason)
	default:
		r.byStatus(code)
	}
	if !r.OK && r.Known && code == 0 {
		if c, ok := k6Class(x.code); ok {
			r.Class = c
		}
	}
	return true, fine
}

// k6Class reads an error_code. Source: k6, lib/netext/httpext/error_codes.go.
func k6Class(code []byte) (correct.Class, bool) {
	switch v, _ := integer(code); {
	case v == 1050:
		return correct.Timeout, true
	case v/100 == 11:
		return correct.DNS, true
	case v == 1211:
		return correct.ConnectTimeout, true
	case v == 1212:
		return correct.Refused, true
	case v == 1201 || v == 1220:
		return correct.Reset, true
	case v/100 == 13:
		return correct.TLS, true
	}
	return 0, false
}

// k6Dropped counts arrivals that an executor gave up for want of virtual users.
func (f *File) k6Dropped(value []byte) {
	if v, p := duration(value, time.Second); p == "" {
		f.tally.Dropped += int64(v / time.Second)
	}
}

func openK6CSV(f *File) error {
	rec, quoted, ok := f.header()
	if !ok {
		return f.noHeader("metric_name")
	}
	t := columns(rec, quoted, ',')
	metric, stamp, val := t.find("metric_name"), t.find("timestamp"), t.find("metric_value")
	for i, c := range []int{metric, stamp, val} {
		if c < 0 {
			return f.noHeader([]string{"metric_name", "timestamp", "metric_value"}[i])
		}
	}
	cols := struct{ status, name, url, reason, code, expected, vu, meta int }{
		t.find("status"), t.find("name"), t.find("url"), t.find("error"), t.find("error_code"),
		t.find("expected_response"), t.find("vu"), t.find("metadata"),
	}
	f.Facts = k6Facts
	f.Facts.StampStep = time.Second
	f.Facts.Workers = cols.vu >= 0
	want := f.metric()
	f.rows = f.finally(f.records(func(rec []byte, quoted bool, r *Row) (bool, fault) {
		// Most rows belong to other metrics: one look at their name is enough.
		if metric == 0 && !f.s.open && !bytes.HasPrefix(rec, []byte(want)) && !bytes.HasPrefix(rec, []byte("dropped_iterations")) {
			if bytes.Equal(rec, t.header) {
				f.runs.next()
			}
			return false, fine
		}
		if full := t.read(rec, quoted); !full {
			return false, fault{why: wrongWidth(len(t.fields), len(t.names))}
		}
		switch string(t.at(metric)) {
		case "dropped_iterations":
			f.k6Dropped(t.at(val))
			return false, fine
		case want:
		default:
			return false, fine
		}
		end, step, bad := k6Time(t.at(stamp))
		if bad != "" {
			return false, fault{"timestamp", t.at(stamp), bad}
		}
		f.Facts.StampStep = min(f.Facts.StampStep, step)
		x := k6Sample{
			stamp: t.at(stamp), value: t.at(val), status: t.at(cols.status), name: t.at(cols.name), url: t.at(cols.url),
			reason: t.at(cols.reason), code: t.at(cols.code), expected: t.at(cols.expected), vu: t.at(cols.vu),
		}
		if x.vu == nil {
			x.vu = pair(t.at(cols.meta), "vu")
		}
		return f.k6(&x, end, r)
	}))
	return nil
}

// k6Time reads a timestamp in any of the six formats that K6_CSV_TIME_FORMAT has.
func k6Time(b []byte) (ns int64, step time.Duration, p problem) {
	if bytes.IndexByte(b, 'T') > 0 {
		ns, step, _, ok := rfc3339(b)
		if !ok {
			return 0, 0, noTime
		}
		return ns, step, ""
	}
	v, p := integer(b)
	if p != "" {
		return 0, 0, p
	}
	step = epochUnit(v)
	ns, p = epoch(b, step)
	return ns, step, p
}

// pair finds name=value among pairs joined by &.
func pair(b []byte, name string) []byte {
	for len(b) > 0 {
		p := b
		if i := bytes.IndexByte(b, '&'); i >= 0 {
			p, b = b[:i], b[i+1:]
		} else {
			b = nil
		}
		if k, v, ok := bytes.Cut(p, []byte("=")); ok && string(k) == name {
			return v
		}
	}
	return nil
}

func isK6JSON(h []byte) bool {
	k := keys(firstLine(h))
	return k["type"] && k["metric"] && k["data"]
}

func openK6JSON(f *File) error {
	f.Facts = k6Facts
	f.Facts.StampStep = time.Nanosecond
	f.runs.gap = f.opt.RunGap
	want := []byte(`"` + f.metric() + `"`)
	dropped := []byte(`"dropped_iterations"`)
	f.rows = f.finally(f.lines(func(line []byte, _ bool, r *Row) (bool, fault) {
		if !bytes.Contains(line, want) && !bytes.Contains(line, dropped) {
			// Another metric's sample. A line that is cut in the middle of the file
			// belongs to nobody, unless it isn't JSON at all.
			if line[0] != '{' || f.s.open && value(line, 0) < 0 {
				return false, fault{"", line, notObject}
			}
			return false, fine
		}
		var kind, metric, data []byte
		o := object{b: line}
		for k, v, ok := o.next(); ok; k, v, ok = o.next() {
			switch string(k) {
			case "type":
				kind = bare(v)
			case "metric":
				metric = v
			case "data":
				data = v
			}
		}
		if o.bad {
			return false, fault{"", line, notObject}
		}
		if string(kind) != "Point" {
			return false, fine
		}
		var x k6Sample
		o = object{b: data}
		for k, v, ok := o.next(); ok; k, v, ok = o.next() {
			switch string(k) {
			case "time":
				x.stamp = bare(v)
			case "value":
				x.value = v
			case "tags":
				x.tags(v)
			case "metadata":
				x.tags(v)
			}
		}
		switch {
		case bytes.Equal(metric, dropped):
			f.k6Dropped(x.value)
			return false, fine
		case !bytes.Equal(metric, want):
			return false, fine
		case o.bad:
			return false, fault{"data", data, notObject}
		}
		end, _, _, ok := rfc3339(x.stamp)
		if !ok {
			return false, fault{"time", x.stamp, noTime}
		}
		f.Facts.Workers = f.Facts.Workers || len(x.vu) > 0
		return f.k6(&x, end, r)
	}))
	return nil
}

// tags reads the tags that say how a request went.
func (x *k6Sample) tags(b []byte) {
	o := object{b: b}
	for k, v, ok := o.next(); ok; k, v, ok = o.next() {
		switch string(k) {
		case "status":
			x.status = bare(v)
		case "name":
			x.name = bare(v)
		case "url":
			x.url = bare(v)
		case "error":
			x.reason = bare(v)
		case "error_code":
			x.code = bare(v)
		case "expected_response":
			x.expected = bare(v)
		case "vu":
			x.vu = bare(v)
		}
	}
}

// finally adds what only the end of a k6 file shows.
func (f *File) finally(rows func(func(*Row) bool) error) func(func(*Row) bool) error {
	return func(yield func(*Row) bool) error {
		err := rows(yield)
		if n := f.tally.Dropped; n > 0 && err == nil {
			f.note(NoteDropped, fmt.Sprintf("k6 gave up %d arrivals for want of virtual users: percentiles are too low", n))
		}
		return err
	}
}
