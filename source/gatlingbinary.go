package source

import (
	"bytes"
	"encoding/binary"
	"time"
	"unicode/utf16"
)

// Gatling's binary log, since 3.13: big-endian, offsets in ms from the run's
// start, strings cached by number. Written from the published source of its
// writer and reader, without a sample at hand. The log of a run that was killed breaks
// off.
//
// A string is its length in bytes, the bytes, and then Java's coder byte (0
// Latin-1, 1 UTF-16 in the writer's byte order) unless it is empty. Logs without
// the coder byte exist; the header tells.

const (
	maxGatlingString = 1 << 20
	maxGatlingItems  = 1 << 20 // scenarios, assertions, groups
)

// A gatlingLog reads the fields of a binary log; the first failure ends it.
type gatlingLog struct {
	s      *scanner
	coder  bool // strings carry the coder byte
	names  *names
	cache  map[int32]int32 // the log's number of a string -> names' number
	short  bool            // the log ended within a record
	failed bool            // it did, or a length or number can't be
}

// take hands out n bytes; nothing once reading has failed.
func (g *gatlingLog) take(n int) []byte {
	if g.failed {
		return nil
	}
	b, ok := g.s.take(n)
	if !ok {
		g.short, g.failed = true, true
	}
	return b
}

func (g *gatlingLog) u8() byte {
	if b := g.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (g *gatlingLog) i32() int32 {
	if b := g.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (g *gatlingLog) i64() int64 {
	if b := g.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// str reads a string, which is valid until the next call.
func (g *gatlingLog) str() []byte {
	n := g.i32()
	if g.failed || n < 0 || n > maxGatlingString {
		g.failed = true
		return nil
	}
	if n == 0 {
		return nil
	}
	size := int(n)
	if g.coder {
		size++
	}
	b := g.take(size)
	if b == nil {
		return nil
	}
	if g.coder && b[n] == 1 {
		return utf16Text(b[:n])
	}
	return b[:n]
}

// utf16Text decodes UTF-16 of unknown byte order: most text has more zeros in its
// high bytes.
func utf16Text(b []byte) []byte {
	even, odd := 0, 0
	for i := 0; i+1 < len(b); i += 2 {
		if b[i] == 0 {
			even++
		}
		if b[i+1] == 0 {
			odd++
		}
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		if even > odd {
			units[i] = binary.BigEndian.Uint16(b[2*i:])
		} else {
			units[i] = binary.LittleEndian.Uint16(b[2*i:])
		}
	}
	return []byte(string(utf16.Decode(units)))
}

// cached reads a string that may have come before. A positive number is followed
// by the string, which it will stand for; a negative one stands for it.
func (g *gatlingLog) cached() int32 {
	i := g.i32()
	if i < 0 {
		id, ok := g.cache[-i]
		if !ok {
			g.failed = g.failed || len(g.cache) < maxNames
			return NoName
		}
		return id
	}
	id := g.names.id(g.str())
	if len(g.cache) < maxNames {
		g.cache[i] = id
	}
	return id
}

// header reads the run record, and returns the run's start in ms since 1970.
func (g *gatlingLog) header() (start int64, ok bool) {
	if g.u8() != 0 {
		return 0, false
	}
	version := g.str()
	if !bytes.HasPrefix(version, []byte("3.")) || len(version) > 64 {
		return 0, false
	}
	class := g.str()
	if g.failed || len(class) == 0 || bytes.IndexByte(class, 0) >= 0 {
		return 0, false
	}
	start = g.i64()
	g.str() // description
	if start < 1e12 || start > 1e13 {
		return 0, false
	}
	n := g.i32()
	if n < 0 || n > maxGatlingItems {
		return 0, false
	}
	for i := int32(0); i < n && !g.failed; i++ {
		g.str()
	}
	if n = g.i32(); n < 0 || n > maxGatlingItems {
		return 0, false
	}
	for i := int32(0); i < n && !g.failed; i++ {
		size := g.i32()
		if size < 0 || !g.failed && !g.s.drop(int64(size)) {
			g.failed = true
		}
	}
	return start, !g.failed
}

// gatlingCoder reports whether the log that begins with head has coder bytes in
// its strings; ok is false if it is no log.
func gatlingCoder(head []byte) (coder, ok bool) {
	for _, coder = range []bool{true, false} {
		g := gatlingLog{s: newScanner(bytes.NewReader(head), headSize), coder: coder}
		if _, ok = g.header(); ok {
			return coder, true
		}
	}
	return false, false
}

func isGatlingBinary(h []byte) bool {
	return len(h) > 8 && h[0] == 0 && h[1] == 0 && h[2] == 0 && h[3] == 0 && h[4] <= 64 && h[5] == '3' && h[6] == '.'
}

func openGatlingBinary(f *File) error {
	coder, ok := gatlingCoder(f.s.head())
	if !ok {
		return &RowError{Format: f.Format, Line: 1, Why: "the run record at the beginning is damaged"}
	}
	g := &gatlingLog{s: f.s, coder: coder, names: &f.names, cache: map[int32]int32{}}
	start, _ := g.header()
	f.Facts = gatlingFacts
	f.rows = func(yield func(*Row) bool) error { return f.gatlingRecords(g, start, yield) }
	return nil
}

func (f *File) gatlingRecords(g *gatlingLog, origin int64, yield func(*Row) bool) error {
	var r Row
	for n := int64(1); len(f.s.peek(1)) > 0; n++ {
		r = blank
		r.Line = n
		use := f.gatlingRecord(g, origin, &r)
		switch {
		case g.short:
			return f.cutShort("the last record is incomplete")
		case g.failed: // nothing tells where the next record would begin
			return &RowError{Format: f.Format, Line: n, Why: "no record that Gatling writes"}
		case use && !f.emit(&r, yield):
			return errStop
		}
	}
	return nil
}

// gatlingRecord reads one record, and returns true for a request that is wanted.
func (f *File) gatlingRecord(g *gatlingLog, origin int64, r *Row) bool {
	switch g.u8() {
	case 1: // request
		g.groups()
		name := g.cached()
		start, end, ok := int64(g.i32()), int64(g.i32()), g.u8() != 0
		message := g.cached()
		// An event that came unasked has an end before all times.
		if g.failed || end < start || !f.wants([]byte(f.Name(name))) {
			return false
		}
		r.Label = name
		r.Latency = time.Duration(end-start) * time.Millisecond
		f.times(r, (origin+start)*1e6, (origin+end)*1e6)
		r.verdict(ok, 0, []byte(f.Name(message)))
		return true
	case 2: // user: scenario, start or end, when
		g.take(9)
	case 3: // group: start, end, cumulated, ok
		g.groups()
		g.take(13)
	case 4: // error: message, when
		g.cached()
		g.take(4)
	default:
		g.failed = true
	}
	return false
}

// groups reads a list of cached strings.
func (g *gatlingLog) groups() {
	n := g.i32()
	if n < 0 || n > maxGatlingItems {
		g.failed = true
	}
	for i := int32(0); i < n && !g.failed; i++ {
		g.cached()
	}
}
