package peak

import (
	"math/bits"
	"slices"
	"time"
)

// Quantum is the step in which a Stream tells instants apart: a tenth of its
// narrowest width.
const Quantum = 100 * time.Microsecond

// A Stream keeps the arrivals of the last Reach as counts by quantum, in chunks.
const (
	cellsPerChunk = 256 // 25.6 ms
	chunksAhead   = 4096
)

// Reach is how far behind the latest arrival another may still be told: 104.8576 s. An
// attempt is recorded when it ends, so it may take about as long.
const Reach = chunksAhead * cellsPerChunk * Quantum

// A Stream makes the curve of arrivals while they come, in any order within Reach. The
// zero value is empty. What is older than Reach has passed under the windows of all
// widths, which remember their peaks and the last 10 s.
//
// Instants are cut down to a multiple of Quantum; of those the curve is exact. Memory
// is 128 KiB while there are fewer than 23 arrivals in a chunk's 25.6 ms, and 1 KiB more
// for each chunk of the last 105 s with more, up to 4.3 MB; beside it 16 bytes for
// every tenth of a millisecond with an arrival in some 20 s, up to 3.2 MB. A Stream
// belongs to one goroutine.
type Stream struct {
	ring     []chunk // chunk k is at k % chunksAhead
	from, to int64   // chunks that are kept: those before from have passed
	idle     []*counts
	n, late  uint64

	passed  []cell // what the widest window may still hold, and some before it
	ahead   int    // index in passed of the first that the windows have not reached
	windows [len(widths)]window

	parts Curve // of other streams, which could not be joined exactly
}

// A chunk lists its first arrivals by quantum, and counts them once they are more.
type chunk struct {
	many *counts
	n    uint8 // of few
	few  [23]uint8
}

// counts has, for each quantum of a chunk, the arrivals, and a bit in used if there
// are any.
type counts struct {
	n    [cellsPerChunk]uint32
	used [cellsPerChunk / 64]uint64
}

func (c *counts) add(j uint8, n uint32) {
	c.n[j] += n
	c.used[j/64] |= 1 << (j % 64)
}

// A cell is the arrivals of one quantum.
type cell struct {
	i int64 // quanta since the launch
	n uint64
}

// A window is the state of one width.
type window struct {
	first    int    // index in passed of the first cell within
	n        uint64 // arrivals within
	best     uint64
	at, last int64  // cells: first and last of the best
	end      int64  // of the bin at hand
	inBin    uint64 // arrivals in it
	bestBin  uint64
}

// Add tells of one arrival.
func (s *Stream) Add(at time.Duration) {
	i := int64(max(0, at) / Quantum)
	k := i / cellsPerChunk
	if k < s.from {
		s.late++
		return
	}
	if k >= s.from+chunksAhead {
		s.pass(k - chunksAhead + 1)
	}
	if k >= s.to {
		s.extend(k + 1)
	}
	s.n++
	c, j := &s.ring[k%chunksAhead], uint8(i%cellsPerChunk)
	if c.many == nil && int(c.n) < len(c.few) {
		c.few[c.n] = j
		c.n++
		return
	}
	if c.many == nil {
		s.count(c)
	}
	c.many.add(j, 1)
}

func (s *Stream) extend(to int64) {
	if s.ring == nil {
		s.ring = make([]chunk, chunksAhead)
	}
	s.to = to
}

// count turns a list into counts.
func (s *Stream) count(c *chunk) {
	if n := len(s.idle); n > 0 {
		c.many = s.idle[n-1]
		s.idle = s.idle[:n-1]
	} else {
		c.many = new(counts)
	}
	for _, j := range c.few[:c.n] {
		c.many.add(j, 1)
	}
	c.n = 0
}

// pass takes the arrivals out of the chunks before until.
func (s *Stream) pass(until int64) {
	for k := s.from; k < min(until, s.to); k++ {
		c := &s.ring[k%chunksAhead]
		if c.n > 0 {
			s.list(k, c)
		} else if c.many != nil {
			s.empty(k, c.many)
			s.idle = append(s.idle, c.many)
			c.many = nil
		}
	}
	s.from = until
	s.to = max(s.to, until)
	if len(s.passed)-s.ahead >= cellsPerChunk {
		s.slide()
	}
}

// list takes the arrivals out of a chunk that has few.
func (s *Stream) list(k int64, c *chunk) {
	slices.Sort(c.few[:c.n])
	for j, at := range c.few[:c.n] {
		if j > 0 && at == c.few[j-1] {
			s.passed[len(s.passed)-1].n++
			continue
		}
		s.passed = append(s.passed, cell{k*cellsPerChunk + int64(at), 1})
	}
	c.n = 0
}

// empty takes the arrivals out of the counts of a chunk that has many.
func (s *Stream) empty(k int64, c *counts) {
	for w, used := range c.used {
		for ; used != 0; used &= used - 1 {
			j := w*64 + bits.TrailingZeros64(used)
			s.passed = append(s.passed, cell{k*cellsPerChunk + int64(j), uint64(c.n[j])})
			c.n[j] = 0
		}
		c.used[w] = 0
	}
}

// slide lets every window go over what has passed.
func (s *Stream) slide() {
	for i := range s.windows {
		s.windows[i].slide(s.passed, s.ahead, int64(widths[i]/Quantum))
	}
	s.ahead = len(s.passed)
	s.forget()
}

func (w *window) slide(passed []cell, ahead int, width int64) {
	first, n := w.first, w.n
	for _, c := range passed[ahead:] {
		n += c.n
		for passed[first].i <= c.i-width {
			n -= passed[first].n
			first++
		}
		if n > w.best {
			w.best, w.at, w.last = n, passed[first].i, c.i
		}
		if c.i >= w.end {
			w.end, w.inBin = (c.i/width+1)*width, 0
		}
		w.inBin += c.n
		w.bestBin = max(w.bestBin, w.inBin)
	}
	w.first, w.n = first, n
}

// forget drops what no window holds any more, when that is most of what is kept.
func (s *Stream) forget() {
	gone := s.windows[len(s.windows)-1].first
	if gone < 1024 || gone < len(s.passed)/2 {
		return
	}
	s.passed = s.passed[:copy(s.passed, s.passed[gone:])]
	s.ahead = len(s.passed)
	for i := range s.windows {
		s.windows[i].first -= gone
	}
}

// Curve is that of the arrivals so far.
func (s *Stream) Curve() Curve {
	c := s.Clone()
	c.pass(c.to)
	c.slide()
	all := Curve{N: c.n, Late: c.late}
	for i, w := range c.windows {
		all.Points = append(all.Points, Point{
			Width: widths[i], Sliding: w.best, Aligned: w.bestBin,
			At: time.Duration(w.at) * Quantum, Span: time.Duration(w.last-w.at) * Quantum,
		})
	}
	return all.plus(c.parts)
}

// Merge adds another stream's arrivals. As long as no arrival of either is older than
// Reach that is exact; from then on the peaks are added up as if they coincided, and
// the curve says AtMost.
func (s *Stream) Merge(o *Stream) {
	if s.from > 0 || o.from > 0 {
		s.parts = s.parts.plus(o.Curve())
		return
	}
	s.parts = s.parts.plus(o.parts)
	s.n += o.n
	if o.to > s.to {
		s.extend(o.to)
	}
	for k := range o.ring {
		from, into := &o.ring[k], &s.ring[k]
		if from.n == 0 && from.many == nil {
			continue
		}
		if into.many == nil {
			s.count(into)
		}
		for _, j := range from.few[:from.n] {
			into.many.add(j, 1)
		}
		if from.many != nil {
			for j, n := range from.many.n {
				if n > 0 {
					into.many.add(uint8(j), n)
				}
			}
		}
	}
}

// Clone is a copy that goes its own way.
func (s *Stream) Clone() *Stream {
	c := *s
	c.ring, c.idle, c.passed = slices.Clone(s.ring), nil, slices.Clone(s.passed)
	for k := range c.ring {
		if many := c.ring[k].many; many != nil {
			own := *many
			c.ring[k].many = &own
		}
	}
	return &c
}
