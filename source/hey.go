package source

import (
	"bytes"
	"encoding/binary"
	"math"
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
	Leaps: "requests that got no answer (refused, reset, timed out) are not in the file",
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
	quick := c == heyColumns{0, 6, 7} && len(t.names) == 8 && delim == ',' && !f.opt.careful
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
	var few [64]Moment
	for {
		to := few[:]
		if f.filler != nil {
			if to = f.filler.room(f.runs.n); to == nil {
				return false
			}
		}
		rows, size, failed := heyRows(f.s.buf[f.s.pos:f.s.end], time.Duration(f.origin), to)
		if rows == 0 {
			return true
		}
		line := f.s.lines
		f.s.pos += size
		f.s.lines += int64(rows)
		f.tally.Rows += int64(rows)
		f.tally.Failed += int64(failed)
		if f.filler != nil {
			f.filler.b.N += rows
			continue
		}
		r.Known, r.OK, r.Run = false, false, f.runs.n
		for i := range few[:rows] {
			m := &few[i]
			r.Line = line + int64(i) + 1
			r.Start, r.Latency, r.End = m.Start, m.Took, m.End()
			r.Status, r.Class = int(m.Status), m.Class
			if !yield(r) {
				f.tally.Rows -= int64(rows - i - 1)
				for _, m := range few[i+1 : rows] {
					if !m.OK() {
						f.tally.Failed--
					}
				}
				return false
			}
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
	var m [1]Moment
	if rows, _, _ := heyRows(b[:], 0, m[:]); rows == 0 {
		return 0, false
	}
	r.Latency = m[0].Took
	r.byStatus(int(m[0].Status))
	return m[0].Start, true
}

const heyLongest = 64 // a usual row, with an offset of up to ten million seconds

// heyRows reads rows like
//
//	0.0079,0.0013,0.0000,0.0004,0.0056,0.0003,200,0.0879
//
// from the beginning of b up to the first other one, as one with 10 s or more in a
// column: columns of six bytes, a status of three, and an offset of any length. They
// take size bytes with their line ends.
//
// Neighbours mostly have the same status and an offset of the same length, so what
// follows from those is worked out once for many rows; and all bytes of a number are
// looked at together. Both save three quarters of the time.
func heyRows(b []byte, origin time.Duration, to []Moment) (rows, size, failed int) {
	for rows < len(to) && len(b)-size >= heyLongest {
		s, ok := heyShapeOf((*[heyLongest]byte)(b[size:]))
		if !ok {
			break
		}
		n := s.read(b[size:], origin, to[rows:])
		if n == 0 {
			break
		}
		if s.class != correct.OK {
			failed += n
		}
		rows += n
		size += n * s.size
	}
	return rows, size, failed
}

// A heyShape is what neighbouring rows have in common.
type heyShape struct {
	status    uint32 // as it is written, with a comma
	code      int16
	class     correct.Class
	digits    int    // of the offset, before its point
	low, high uint32 // which of the last four bytes before the point are digits, and of the four before them
	end       byte   // after the offset
	size      int    // with the line's end
}

func heyShapeOf(row *[heyLongest]byte) (s heyShape, ok bool) {
	x, y, z := int16(row[42])-'0', int16(row[43])-'0', int16(row[44])-'0'
	if uint16(x-1) > 8 || uint16(y) > 9 || uint16(z) > 9 || row[45] != ',' {
		return s, false
	}
	s.status = binary.LittleEndian.Uint32(row[42:])
	if s.code = x*100 + y*10 + z; s.code < 200 || s.code > 399 {
		s.class = correct.BadStatus
	}
	s.digits = bytes.IndexByte(row[46:54], '.')
	if s.digits < 1 {
		return s, false
	}
	s.low, s.high = uint32(math.MaxUint32)<<(32-8*min(s.digits, 4)), uint32(math.MaxUint32)<<(32-8*max(s.digits-4, 0))
	s.size = 46 + s.digits + 6
	s.end = row[s.size-1]
	if s.end == '\r' {
		s.size++
	}
	return s, s.end == '\n' || s.end == '\r'
}

// read reads rows of this shape from the beginning of b, up to the first other one.
func (s *heyShape) read(b []byte, origin time.Duration, to []Moment) (rows int) {
	const (
		tick = 100 * time.Microsecond
		// The columns between the first and the status are each ",d.dddd," with the
		// next one's comma, where d need not be a digit, but no comma, quote or line end.
		layout = 0x2c_30_30_30_30_2e_30_2c
		fixed  = 0xff_f0_f0_f0_f0_ff_f0_ff
		zeros  = 0x3030303030303030
		spare  = 0x7676767676767676 // what a byte has left above 9 before its highest bit
		highs  = 0x8080808080808080
	)
	le := binary.LittleEndian
	for rows < len(to) && len(b) >= heyLongest {
		row := (*[heyLongest]byte)(b)
		other := (le.Uint64(row[6:]) ^ layout) | (le.Uint64(row[13:]) ^ layout) | (le.Uint64(row[20:]) ^ layout) | (le.Uint64(row[27:]) ^ layout) | (le.Uint64(row[34:]) ^ layout)
		if other&fixed != 0 || row[1] != '.' || le.Uint32(row[42:]) != s.status {
			break
		}
		offset := (*[14]byte)(b[38+s.digits:]) // eight bytes, the point, four digits and the end
		if offset[8] != '.' || offset[13] != s.end || s.end == '\r' && b[s.size-1] != '\n' {
			break
		}
		// Two numbers side by side: what stands before the points, and after them.
		after := (uint64(le.Uint32(row[2:])) | uint64(le.Uint32(offset[9:]))<<32) ^ zeros
		before := uint64(row[0]^'0')<<24 | uint64((le.Uint32(offset[4:])^zeros>>32)&s.low)<<32
		if ((after+spare)|after|(before+spare)|before)&highs != 0 {
			break
		}
		after, before = fourDigits(after), fourDigits(before)
		m := &to[rows]
		m.Took = time.Duration(before&0xffff)*time.Second + time.Duration(after&0xffff)*tick
		m.Start = time.Duration(before>>32)*time.Second + time.Duration(after>>32)*tick - origin
		if s.digits > 4 {
			above := uint64((le.Uint32(offset[:]) ^ zeros>>32) & s.high)
			if ((above+spare)|above)&highs != 0 {
				break
			}
			m.Start += time.Duration(fourDigits(above)) * 10_000 * time.Second
		}
		m.Worker, m.Status, m.Class = NoName, s.code, s.class
		rows++
		b = b[s.size:]
	}
	return rows
}

// fourDigits makes numbers of two times four digits: from 0 to 9 in each byte, the
// first in the lowest, to one in each half.
func fourDigits(v uint64) uint64 {
	v = v * (10<<8 + 1) >> 8 & 0x00ff00ff00ff00ff // pairs
	return v * (100<<16 + 1) >> 16 & 0x0000ffff0000ffff
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
