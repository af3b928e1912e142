package source

import (
	"bytes"
	"time"
)

// siege -v prints a line for each request, in steps of 10 ms, among its banner
// and summary, in colour unless told not to:
//
//	HTTP/1.1 200     0.01 secs:       6 bytes ==> GET  /
//	HTTP/1.1,200,  0.00,      6,/,0,2026-11-30 02:20:56     (csv = true; the time is the end)

var siegeFacts = Facts{
	Tool: "siege", Pacing: Closed, Otherwise: Closed,
	Unit: time.Second, Resolution: 10 * time.Millisecond,
	Order: ByEnd, Labels: true, Statuses: true,
	Leaps: "requests without an answer are not in the file, and steps of 10 ms hide all but stalls",
}

// isSiege looks for one such line.
func isSiege(h []byte) bool {
	var buf []byte
	for len(h) > 0 {
		line, rest, _ := bytes.Cut(h, lf)
		h = rest
		if line, buf = uncolour(trimCR(line), buf); siegeText(line) || siegeCSV(line) {
			return true
		}
	}
	return false
}

func siegeText(b []byte) bool {
	return bytes.HasPrefix(b, []byte("HTTP/")) && bytes.Contains(b, []byte(" secs:"))
}

func siegeCSV(b []byte) bool {
	return bytes.HasPrefix(b, []byte("HTTP/")) && bytes.Count(b, []byte(",")) >= 6
}

// uncolour drops ANSI sequences, in buf if there are any.
func uncolour(b, buf []byte) (plain, keep []byte) {
	if bytes.IndexByte(b, 0x1b) < 0 {
		return b, buf
	}
	buf = buf[:0]
	for i := 0; i < len(b); i++ {
		if b[i] != 0x1b {
			buf = append(buf, b[i])
			continue
		}
		for i++; i < len(b) && b[i] != 'm'; i++ {
		}
	}
	return buf, buf
}

func openSiege(f *File) error {
	f.Facts = siegeFacts
	var buf []byte
	fields := make([][]byte, 0, 16)
	f.rows = f.lines(func(line []byte, _ bool, r *Row) (bool, fault) {
		line, buf = uncolour(line, buf)
		switch {
		case siegeText(line):
			return f.siegeText(line, r)
		case siegeCSV(line):
			fields = split(line, ',', false, fields)
			return f.siegeCSV(fields, r)
		case bytes.HasPrefix(line, []byte("HTTP/")):
			return false, fault{"", line, "half a line"}
		}
		return false, fine
	})
	return nil
}

func (f *File) siegeText(line []byte, r *Row) (bool, fault) {
	_, rest, _ := bytes.Cut(line, []byte(" "))
	code, rest, _ := bytes.Cut(trimLeft(rest), []byte(" "))
	took, rest, _ := bytes.Cut(trimLeft(rest), []byte(" "))
	_, what, _ := bytes.Cut(rest, []byte("==> "))
	return f.siege(code, took, bytes.TrimSpace(what), r)
}

// siegeCSV reads protocol, status, seconds, bytes, path, id and end. A path may
// hold commas, so the time is the last field.
func (f *File) siegeCSV(b [][]byte, r *Row) (bool, fault) {
	use, wrong := f.siege(b[1], b[2], b[4], r)
	if !use {
		return use, wrong
	}
	if ns, _, _, ok := rfc3339(b[len(b)-1]); ok {
		f.Facts.Stamp, f.Facts.StampStep = StampEnd, time.Second
		ns = local(ns, f.opt.TZ)
		f.times(r, ns-int64(r.Latency), ns)
		f.absolute = f.opt.TZ != nil
	}
	return true, fine
}

func (f *File) siege(code, took, what []byte, r *Row) (bool, fault) {
	var p problem
	if r.Latency, p = duration(took, time.Second); p != "" {
		return false, fault{"secs", took, p}
	}
	if !f.wants(what) {
		return false, fine
	}
	r.Label = f.names.id(what)
	r.byStatus(status(code))
	return true, fine
}
