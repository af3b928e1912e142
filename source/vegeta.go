package source

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"time"
)

// vegeta encode writes one Result in three encodings. CSV has no header: its
// columns grew from 6 to 7, 9, 11 and 12, and the first six never moved.

var vegetaFacts = Facts{
	Tool: "vegeta", Pacing: OpenModel, Otherwise: CatchesUp,
	Unit: time.Nanosecond, Resolution: time.Nanosecond,
	Stamp: StampStart, StampStep: time.Nanosecond, Order: ByEnd,
	Labels: true, Statuses: true, Failures: true,
	Rate: RateTotal, RateFlag: "-rate is the total",
	Leaps: "latencies leave out the wait for a free worker, which -max-workers can cause",
}

// vegetaResult is what is wanted of a Result. gob matches fields by name, so
// files of 2016, which have no Seq, decode too.
type vegetaResult struct {
	Seq         uint64
	Code        uint16
	Timestamp   time.Time
	Latency     time.Duration
	Error       string
	Method, URL string
}

// vegeta fills r. Codes outside 200-399 have their status text as the error.
func (f *File) vegeta(r *Row, start int64, latency time.Duration, code int, seq int64, reason []byte) {
	r.Latency, r.Seq = latency, seq
	f.times(r, start, start+int64(latency))
	r.verdict(code != 0 && len(reason) == 0, code, reason)
}

// request writes "METHOD URL".
func request(buf, method, url []byte) []byte {
	buf = append(buf, method...)
	if len(method) > 0 && len(url) > 0 {
		buf = append(buf, ' ')
	}
	return append(buf, url...)
}

// isVegetaCSV looks for 19 digits, a code of at most three, and numbers up to
// the fifth column.
func isVegetaCSV(h []byte) bool {
	line := firstLine(h)
	rec := split(bytes.Clone(line), ',', true, make([][]byte, 0, 6))
	if len(rec) < 6 || len(rec[1]) > 3 || len(rec[0]) != 19 && !bytes.ContainsAny(rec[0], "eE") {
		return false
	}
	for _, n := range rec[:5] {
		if _, p := integer(n); p != "" && p != lostDigits {
			return false
		}
	}
	return true
}

func openVegetaCSV(f *File) error {
	f.Facts = vegetaFacts
	f.runs.gap = f.opt.RunGap
	fields := make([][]byte, 0, 13)
	wide := 0 // the columns of the row before
	var label []byte
	f.rows = f.records(func(rec []byte, quoted bool, r *Row) (bool, fault) {
		fields = split(rec, ',', quoted, fields)
		switch len(fields) {
		case 6, 7, 9, 11, 12:
		default:
			return false, fault{why: problem(fmt.Sprintf("%d fields, as no version of vegeta writes", len(fields)))}
		}
		if f.s.open && len(fields) < wide {
			return false, fault{why: wrongWidth(len(fields), wide)}
		}
		wide = len(fields)
		start, p := epoch(fields[0], time.Nanosecond)
		if p != "" {
			return false, fault{"timestamp", fields[0], p}
		}
		code, p := integer(fields[1])
		if p != "" || code < 0 || code > 999 {
			return false, fault{"code", fields[1], noNumber}
		}
		latency, p := duration(fields[2], time.Nanosecond)
		if p != "" {
			return false, fault{"latency", fields[2], p}
		}
		seq := int64(NoSeq)
		if len(fields) >= 9 {
			if seq, p = integer(fields[8]); p != "" {
				return false, fault{"seq", fields[8], p}
			}
		}
		label = label[:0]
		if len(fields) >= 11 {
			label = request(label, fields[9], fields[10])
		}
		if !f.wants(label) {
			return false, fine
		}
		r.Label = f.names.id(label)
		f.vegeta(r, start, latency, int(code), seq, fields[5])
		return true, fine
	})
	return nil
}

func isVegetaJSON(h []byte) bool {
	k := keys(firstLine(h))
	return k["seq"] && k["code"] && k["latency"] && k["timestamp"]
}

func openVegetaJSON(f *File) error {
	f.Facts = vegetaFacts
	f.runs.gap = f.opt.RunGap
	var label, buf []byte
	f.rows = f.lines(func(line []byte, _ bool, r *Row) (bool, fault) {
		var stamp, took, reason, method, url []byte
		code, seq := 0, int64(NoSeq)
		o := object{b: line}
		for k, v, ok := o.next(); ok; k, v, ok = o.next() {
			switch string(k) {
			case "timestamp":
				stamp = bare(v)
			case "latency":
				took = v
			case "code":
				code = status(v)
			case "seq":
				seq, _ = integer(v)
			case "error":
				buf = append(buf[:0], text(v, buf)...)
				reason = buf
			case "method":
				method = bare(v)
			case "url":
				url = bare(v)
			}
		}
		if o.bad {
			return false, fault{"", line, notObject}
		}
		start, _, _, ok := rfc3339(stamp)
		if !ok {
			return false, fault{"timestamp", stamp, noTime}
		}
		latency, p := duration(took, time.Nanosecond)
		if p != "" {
			return false, fault{"latency", took, p}
		}
		if label = request(label[:0], method, url); !f.wants(label) {
			return false, fine
		}
		r.Label = f.names.id(label)
		f.vegeta(r, start, latency, code, seq, reason)
		return true, fine
	})
	return nil
}

// isGob looks for the type definition of a Result.
func isGob(h []byte) bool {
	h = h[:min(len(h), 96)]
	i := bytes.Index(h, []byte("\x06Result"))
	return i > 0 && i < 12 && bytes.Contains(h, []byte("Timestamp"))
}

func openVegetaGob(f *File) error {
	f.Facts = vegetaFacts
	f.runs.gap = f.opt.RunGap
	f.rows = func(yield func(*Row) bool) error {
		g := &gobStream{s: f.s}
		for {
			if err := f.gobResults(g, yield); err != nil || !g.again {
				return err
			}
			f.runs.next()
		}
	}
	return nil
}

// gobResults reads one of the streams that follow each other in a file.
func (f *File) gobResults(g *gobStream, yield func(*Row) bool) error {
	g.begin()
	dec := gob.NewDecoder(g)
	var r Row
	var label []byte
	for {
		var v vegetaResult
		switch err := dec.Decode(&v); {
		case err == io.EOF:
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return f.cutShort("the last result is incomplete")
		case err != nil:
			// Nothing tells where the next result would begin.
			return &RowError{Format: f.Format, Line: g.results + 1, Why: "gob: " + clip([]byte(err.Error()))}
		}
		g.results++
		start := v.Timestamp.UnixNano()
		if y := v.Timestamp.Year(); y < 1970 || y > 2254 {
			start = 0
		}
		if v.Latency < 0 || int64(v.Latency) > longest {
			if err := f.badAt(g.results, "Latency", []byte(v.Latency.String()), "negative, or longer than a year"); err != nil {
				return err
			}
			continue
		}
		seq := int64(NoSeq)
		if g.hasSeq {
			seq = int64(v.Seq)
		}
		if label = request(label[:0], []byte(v.Method), []byte(v.URL)); !f.wants(label) {
			continue
		}
		r = blank
		r.Line, r.Label = g.results, f.names.id(label)
		f.vegeta(&r, start, v.Latency, int(v.Code), seq, []byte(v.Error))
		if !f.emit(&r, yield) {
			return errStop
		}
	}
}
