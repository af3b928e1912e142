package source

import (
	"bytes"
	"encoding/binary"
	"time"

	"openload/correct"
)

// hey -o csv. Eight columns, seconds with four decimals; the status came with
// the seventh column and the start with the eighth, in September 2018.

var heyHeader = []byte("response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read")

var heyFacts = Facts{
	Tool: "hey", Pacing: Skips, Otherwise: Closed,
	Unit: time.Second, Resolution: 100 * time.Microsecond,
	Order: ByEnd, Rate: RatePerWorker, RateFlag: "-q is per worker",
	Cap:   1_000_000,
	Leaps: "requests that failed or timed out are not in the file",
}

// heyColumns are where the fields lie; -1 for one that isn't there.
type heyColumns struct{ latency, status, offset int }

func isHey(h []byte) bool {
	line := firstLine(h)
	return bytes.HasPrefix(line, heyHeader) ||
		bytes.Contains(line, []byte("response-time")) && delimiter(line, "response-time") != 0
}

func openHey(f *File) error {
	rec, quoted, ok := f.header()
	delim := delimiter(rec, "response-time")
	if !ok || delim == 0 {
		return f.noHeader("response-time")
	}
	t := columns(rec, quoted, delim)
	c := heyColumns{t.find("response-time"), t.find("status-code"), t.find("offset")}
	f.Facts = heyFacts
	f.Facts.Statuses = c.status >= 0
	if c.offset >= 0 {
		f.Facts.Stamp, f.Facts.StampStep = StampStart, 100*time.Microsecond
	}
	quick := c == heyColumns{0, 6, 7} && len(t.names) == 8 && delim == ','
	f.rows = func(yield func(*Row) bool) error { return f.heyRows(t, c, quick, yield) }
	return nil
}

// heyRows reads the rows. It is the one place in this package where nanoseconds
// a row count: ten million rows are a file that people have.
func (f *File) heyRows(t *table, c heyColumns, quick bool, yield func(*Row) bool) error {
	r := blank
	for {
		if quick && !f.heyQuick(&r, yield) {
			return errStop
		}
		line, ok := f.s.next()
		if !ok {
			return nil
		}
		if len(line) == 0 {
			continue
		}
		if bytes.Equal(line, t.header) {
			f.runs.next()
			continue
		}
		offset, ok := time.Duration(0), false
		if quick {
			offset, ok = heyLine(line, &r)
		}
		if !ok {
			var err error
			if offset, ok, err = f.heySlow(t, c, line, &r); err != nil {
				return err
			} else if !ok {
				continue
			}
		}
		r.Line = f.s.lines
		if c.offset >= 0 {
			if !f.anchored {
				f.anchored, f.origin = true, int64(offset)
			}
			r.Start = offset - time.Duration(f.origin)
			r.End, r.Run = r.Start+r.Latency, f.runs.n
		}
		if !f.emit(&r, yield) {
			return errStop
		}
	}
}

// heyQuick reads usual rows in the scanner's buffer up to the first unusual one,
// or to the buffer's end; false to stop.
func (f *File) heyQuick(r *Row, yield func(*Row) bool) bool {
	if !f.anchored { // the first row sets the origin, the slow way
		return true
	}
	s := f.s
	buf, pos, line := s.buf[:s.end], s.pos, s.lines // kept in registers up to the end
	defer func() { s.pos, s.lines = pos, line }()
	origin := time.Duration(f.origin)
	r.Known, r.OK, r.Run = false, false, f.runs.n
	for {
		latency, offset, code, n := heyRow(buf[pos:])
		if n == 0 {
			return true
		}
		pos += n
		line++
		r.Line = line
		r.Latency = latency
		r.Start = offset - origin
		r.End = r.Start + latency
		r.Status, r.Class = code, correct.OK
		f.tally.Rows++
		if code < 200 || code > 399 {
			r.Class = correct.BadStatus
			f.tally.Failed++
		}
		if !yield(r) {
			return false
		}
	}
}

// heyLine reads a usual row that stood at the buffer's end, so that what is taken
// for a row doesn't depend on where that is.
func heyLine(line []byte, r *Row) (offset time.Duration, ok bool) {
	var b [heyLongest]byte
	if len(line) >= len(b) {
		return 0, false
	}
	b[copy(b[:], line)] = '\n'
	latency, offset, code, n := heyRow(b[:])
	r.Latency = latency
	r.byStatus(code)
	return offset, n > 0
}

const heyLongest = 64 // a usual row, with an offset of up to a million seconds

// heyRow reads a row like
//
//	0.0079,0.0013,0.0000,0.0004,0.0056,0.0003,200,0.0879
//
// at the beginning of b: columns of six bytes, of which only the first is looked
// into, a status of three, and an offset of any length. n is the row's length with
// its line end; 0 for any other row, as one with 10 s or more in a column.
func heyRow(b []byte) (latency, offset time.Duration, code, n int) {
	if len(b) < heyLongest {
		return 0, 0, 0, 0
	}
	b = b[:heyLongest]
	if b[1] != '.' || b[6] != ',' || b[13] != ',' || b[20] != ',' || b[27] != ',' || b[34] != ',' || b[41] != ',' || b[45] != ',' {
		return 0, 0, 0, 0
	}
	// Digits, points and commas have bit 0x20 set, line ends have not.
	const lineFree = 0x2020202020202020
	le := binary.LittleEndian
	if le.Uint64(b[6:])&le.Uint64(b[14:])&le.Uint64(b[22:])&le.Uint64(b[30:])&le.Uint64(b[38:])&lineFree != lineFree {
		return 0, 0, 0, 0
	}
	const tick = 100 * time.Microsecond
	whole := uint(b[0] - '0')
	frac, ok := fourDigits(b[2:])
	x, y, z := uint(b[42]-'0'), uint(b[43]-'0'), uint(b[44]-'0')
	if !ok || whole > 9 || x-1 > 8 || y > 9 || z > 9 {
		return 0, 0, 0, 0
	}
	latency = time.Duration(whole*1e4+frac) * tick

	whole = 0
	for n = 46; b[n] != '.'; n++ {
		d := uint(b[n] - '0')
		if d > 9 || n > 46+6 {
			return 0, 0, 0, 0
		}
		whole = whole*10 + d
	}
	if frac, ok = fourDigits(b[n+1:]); !ok || n == 46 {
		return 0, 0, 0, 0
	}
	offset = time.Duration(whole*1e4+frac) * tick
	if n += 5; b[n] == '\r' {
		n++
	}
	if b[n] != '\n' {
		return 0, 0, 0, 0
	}
	return latency, offset, int(x*100 + y*10 + z), n + 1
}

// fourDigits reads four decimal digits, all at once.
func fourDigits(b []byte) (uint, bool) {
	v := binary.LittleEndian.Uint32(b)
	ok := (v&0xf0f0f0f0)|((v+0x06060606)&0xf0f0f0f0)>>4 == 0x33333333
	v &= 0x0f0f0f0f
	v = v*10 + v>>8 // tens and ones, in every second byte
	return uint(v&0xff)*100 + uint(v>>16&0xff), ok
}

// heySlow reads any row, and says what is wrong with one; false to go on.
func (f *File) heySlow(t *table, c heyColumns, line []byte, r *Row) (offset time.Duration, ok bool, err error) {
	if !t.read(line, bytes.IndexByte(line, '"') >= 0) {
		return 0, false, f.bad("", nil, wrongWidth(len(t.fields), len(t.names)))
	}
	text := t.at(c.latency)
	var p problem
	if r.Latency, p = duration(text, time.Second); p != "" {
		return 0, false, f.bad("response-time", text, p)
	}
	r.byStatus(0)
	if c.status >= 0 {
		r.byStatus(status(t.at(c.status)))
		if r.Status == 0 {
			return 0, false, f.bad("status-code", t.at(c.status), noNumber)
		}
	}
	if c.offset >= 0 {
		text = t.at(c.offset)
		if offset, p = duration(text, time.Second); p != "" {
			return 0, false, f.bad("offset", text, p)
		}
		// %4.4f always has four decimals: fewer at the very end were cut off.
		if f.s.open && len(text)-bytes.IndexByte(text, '.') < 5 {
			return 0, false, f.bad("offset", text, noNumber)
		}
	}
	return offset, true, nil
}
