package source

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// JMeter's JTL files, CSV here and XML in jmeterxml.go. Columns are configurable
// and mapped by name. elapsed is the request; Latency is only its first byte.
//
// A transaction without "generate parent sample" adds a row that repeats its
// samplers' time, and JMeter 5 adds rows like "home-0", "home-1" for redirects
// and embedded resources. Both are left out unless Options.Nested asks for them.

var jmeterFacts = Facts{
	Tool: "JMeter", Pacing: Skips, Otherwise: Closed,
	Unit: time.Millisecond, Resolution: time.Millisecond,
	Stamp: StampStart, StampStep: time.Millisecond, Order: ByEnd,
	Workers: true, Labels: true, Statuses: true, Failures: true,
	Rate: RatePerWorker, RateFlag: "a Constant Throughput Timer counts samples per minute, per thread or in total by its mode",
}

// transaction begins the message of a transaction's row.
var transaction = []byte("Number of samples in transaction")

// Default columns, which a file without header has if nobody changed them.
var jmeterDefaults = map[int]string{
	17: "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect",
	16: "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,grpThreads,allThreads,Latency,IdleTime,Connect",
	14: "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,bytes,grpThreads,allThreads,Latency,IdleTime,Connect",
	13: "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,bytes,grpThreads,allThreads,Latency,IdleTime",
	10: "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,bytes,Latency",
}

func isJMeterCSV(h []byte) bool {
	line := firstLine(h)
	if d := delimiter(line, "elapsed"); d != 0 {
		t := columns(line, true, d)
		return t.find("timeStamp") >= 0 || t.find("label") >= 0 || t.find("success") >= 0 || t.find("responseCode") >= 0
	}
	return bareJMeter(line) != 0
}

// bareJMeter returns the delimiter of a row without header: 13 digits, a number,
// and somewhere true or false.
func bareJMeter(line []byte) byte {
	for _, d := range []byte{',', ';', '\t', '|'} {
		fields := split(bytes.Clone(line), d, true, make([][]byte, 0, maxColumns))
		if len(fields) < 5 || len(fields[0]) != 13 {
			continue
		}
		_, p := integer(fields[0])
		_, q := integer(fields[1])
		if p != "" || q != "" {
			continue
		}
		for _, f := range fields[2:] {
			if s := string(f); s == "true" || s == "false" {
				return d
			}
		}
	}
	return 0
}

// A jtl reads JMeter's rows, of either kind.
type jtl struct {
	f      *File
	t      *table
	ends   bool // stamps are ends
	col    struct{ stamp, elapsed, label, code, message, thread, kind, success, failure, count int }
	labels map[string]bool // seen so far, to know CSV's sub-results by; nil in XML, where they nest
	buf    []byte
}

// A jtlRow is a record's fields, as they stand in the file.
type jtlRow struct {
	stamp, elapsed, label, code, message, thread, success, failure, count []byte
	transaction                                                           bool
}

func openJMeterCSV(f *File) error {
	f.Facts = jmeterFacts
	f.runs.gap = f.opt.RunGap
	x := &jtl{f: f, labels: map[string]bool{}}
	line := firstLine(f.s.peek(headSize))
	d := delimiter(line, "elapsed")
	switch bare := bareJMeter(line); {
	case d != 0:
		rec, quoted, _ := f.header()
		x.t = columns(rec, quoted, d)
	case bare == 0:
		return f.noHeader("elapsed")
	case len(f.opt.Columns) == 0:
		n := len(split(bytes.Clone(line), bare, true, make([][]byte, 0, maxColumns)))
		why := fmt.Sprintf("no header, and %d fields divided by %q", n, bare)
		return &Missing{Format: f.Format, Need: NeedColumns, Why: why, Found: defaultColumns(n)}
	default:
		x.t = columns([]byte(strings.Join(f.opt.Columns, string(bare))), false, bare)
	}
	t := x.t
	c := &x.col
	c.stamp, c.elapsed, c.label = t.find("timeStamp"), t.find("elapsed"), t.find("label")
	c.code, c.message, c.thread = t.find("responseCode"), t.find("responseMessage"), t.find("threadName")
	c.kind, c.success, c.failure, c.count = t.find("dataType"), t.find("success"), t.find("failureMessage"), t.find("SampleCount")
	if c.elapsed < 0 {
		return &RowError{Format: f.Format, Line: max(f.s.first, 1), Why: fmt.Sprintf("no column \"elapsed\" (divided by %q: %s)", t.delim, clip([]byte(strings.Join(t.names, " "))))}
	}
	f.Facts.Workers, f.Facts.Labels, f.Facts.Statuses = c.thread >= 0, c.label >= 0, c.code >= 0
	if c.stamp < 0 {
		f.Facts.Stamp, f.Facts.StampStep = NoStamp, 0
	} else {
		x.look(f.s.peek(headSize))
	}
	f.rows = f.records(x.csv)
	return nil
}

func defaultColumns(n int) []string {
	if s := jmeterDefaults[n]; s != "" {
		return []string{"by default " + s}
	}
	return nil
}

// csv reads one record.
func (x *jtl) csv(rec []byte, quoted bool, r *Row) (bool, fault) {
	if bytes.Equal(rec, x.t.header) {
		x.f.runs.next()
		return false, fine
	}
	if !x.t.read(rec, quoted) {
		return false, fault{why: wrongWidth(len(x.t.fields), len(x.t.names))}
	}
	row := x.fields()
	return x.row(&row, r)
}

func (x *jtl) fields() jtlRow {
	t, c := x.t, &x.col
	row := jtlRow{
		stamp: t.at(c.stamp), elapsed: t.at(c.elapsed), label: t.at(c.label), code: t.at(c.code), message: t.at(c.message),
		thread: t.at(c.thread), success: t.at(c.success), failure: t.at(c.failure), count: t.at(c.count),
	}
	row.transaction = len(t.at(c.kind)) == 0 && bytes.HasPrefix(row.message, transaction)
	return row
}

// row fills r from a record of either kind.
func (x *jtl) row(row *jtlRow, r *Row) (bool, fault) {
	f := x.f
	if n, p := integer(row.count); p == "" && n > 1 {
		return false, fault{"SampleCount", row.count, isSum}
	}
	if !f.wants(row.label) {
		return false, fine
	}
	if f.opt.Label == "" && !f.opt.Nested && (row.transaction || x.sub(row.label)) {
		f.tally.Nested++
		return false, fine
	}
	var p problem
	if r.Latency, p = duration(row.elapsed, time.Millisecond); p != "" {
		return false, fault{"elapsed", row.elapsed, p}
	}
	if row.stamp != nil {
		ns, step, zoned, p := jmeterTime(row.stamp)
		if p != "" {
			return false, fault{"timeStamp", row.stamp, p}
		}
		if !zoned {
			if f.opt.TZ == nil && !f.anchored {
				f.note(NoteClock, "times have no zone: they are only compared with each other")
			}
			ns = local(ns, f.opt.TZ)
		}
		f.Facts.StampStep = step
		if x.ends {
			ns -= int64(r.Latency)
		}
		f.times(r, ns, ns+int64(r.Latency))
		f.absolute = zoned || f.opt.TZ != nil
	}
	r.Label, r.Worker = f.names.id(row.label), f.names.id(row.thread)
	code := status(row.code)
	if row.success == nil {
		r.byStatus(code)
		return true, fine
	}
	switch string(row.success) {
	case "true", "TRUE", "True":
		r.verdict(true, code, nil)
	case "false", "FALSE", "False":
		// A code in words names the exception, the message repeats it with detail.
		x.buf = append(append(append(x.buf[:0], row.code...), ' '), row.message...)
		x.buf = append(append(x.buf, ' '), row.failure...)
		r.verdict(false, code, x.buf)
	default:
		return false, fault{"success", row.success, "neither true nor false"}
	}
	return true, fine
}

// sub reports whether a label is that of a sub-result: another label with -0, -1
// and so on behind it.
func (x *jtl) sub(label []byte) bool {
	if x.labels == nil {
		return false
	}
	sub := false
	if i := bytes.LastIndexByte(label, '-'); i > 0 && i+1 < len(label) && len(label)-i <= 4 {
		sub = digits(label[i+1:]) >= 0 && x.labels[string(label[:i])]
	}
	if len(label) <= maxNameLen && len(x.labels) < maxNames && !x.labels[string(label)] {
		x.labels[string(label)] = true
	}
	return sub
}

// jmeterTime reads milliseconds since 1970, or one of the date formats that
// JMeter itself tries; those have no zone.
func jmeterTime(b []byte) (ns int64, step time.Duration, zoned bool, p problem) {
	if len(b) >= 17 && (b[4] == '/' || b[4] == '-' || b[2] == '/') {
		var buf [32]byte
		ns, step, zoned, ok := rfc3339(isoDate(buf[:0], b))
		if !ok {
			return 0, 0, false, noTime
		}
		return ns, step, zoned, ""
	}
	ns, p = epoch(b, time.Millisecond)
	return ns, time.Millisecond, true, p
}

// isoDate turns yyyy/MM/dd and MM/dd/yy into yyyy-MM-dd.
func isoDate(buf, b []byte) []byte {
	if len(b) > 30 {
		return nil
	}
	if b[2] == '/' && b[5] == '/' {
		buf = append(append(append(buf, "20"...), b[6:8]...), '-')
		buf = append(append(append(append(buf, b[0:2]...), '-'), b[3:5]...), b[8:]...)
		return buf
	}
	buf = append(buf, b...)
	if buf[4] == '/' && buf[7] == '/' {
		buf[4], buf[7] = '-', '-'
	}
	return buf
}

// look reads the head's rows ahead: to learn the labels, by which sub-results are
// known, and what time stamps mark.
func (x *jtl) look(head []byte) {
	s := newScanner(bytes.NewReader(bytes.Clone(head)), headSize)
	o := overlaps{}
	for {
		rec, quoted, ok := s.record()
		if !ok || s.open {
			break
		}
		if !x.t.read(rec, quoted) {
			continue
		}
		if row := x.fields(); !row.transaction && !x.sub(row.label) {
			o.see(&row)
		}
	}
	x.decide(&o)
}

// overlaps counts where a thread's requests would overlap, which they can't, if
// stamps were starts and if they were ends. JMeter's code says ends, its shipped
// configuration says starts.
type overlaps struct {
	last           map[string][2]int64 // when each thread's previous row ended, by either reading
	asStart, asEnd int
}

func (o *overlaps) see(row *jtlRow) {
	d, p := duration(row.elapsed, time.Millisecond)
	ns, _, _, q := jmeterTime(row.stamp)
	if p != "" || q != "" {
		return
	}
	if last, ok := o.last[string(row.thread)]; ok {
		if ns < last[0] {
			o.asStart++
		}
		if ns-int64(d) < last[1] {
			o.asEnd++
		}
	} else if o.last == nil {
		o.last = map[string][2]int64{}
	}
	o.last[string(row.thread)] = [2]int64{ns + int64(d), ns}
}

// decide takes stamps for ends where that leaves fewer overlaps. Rounding to
// milliseconds makes one or two.
func (x *jtl) decide(o *overlaps) {
	f := x.f
	switch {
	case f.opt.Stamps != NoStamp:
		f.Facts.Stamp = f.opt.Stamps
	case o.asStart > 2 && o.asStart > 4*o.asEnd:
		f.Facts.Stamp = StampEnd
		f.note(NoteStamps, "time stamps were taken for ends: as starts a thread's requests would overlap")
	}
	x.ends = f.Facts.Stamp == StampEnd
}
