package peak

import (
	"maps"
	"math"
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
// is 128 KiB while there are fewer than 23 arrivals in a chunk's 25.6 ms, and 288 bytes
// more for each chunk of the last 105 s with more, up to 1.2 MB; beside it 16 bytes for
// every tenth of a millisecond with an arrival in some 13 s, up to 2.2 MB. A Stream
// belongs to one goroutine.
type Stream struct {
	ring     []chunk          // chunk k is at k % chunksAhead
	heaps    map[int64]uint64 // arrivals of a quantum that its count has no room for
	from, to int64            // chunks that are kept: those before from have passed
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
// are any. There are seldom more than a few; see Stream.heaps.
type counts struct {
	n    [cellsPerChunk]uint8
	used [cellsPerChunk / 64]uint64
}

// add counts n arrivals in quantum i, of which c is the chunk.
func (s *Stream) add(c *counts, i int64, n uint64) {
	j := i % cellsPerChunk
	c.used[j/64] |= 1 << (j % 64)
	if n += uint64(c.n[j]); n > math.MaxUint8 {
		if s.heaps == nil {
			s.heaps = map[int64]uint64{}
		}
		s.heaps[i] += n
		n = 0
	}
	c.n[j] = uint8(n)
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
	c := &s.ring[k%chunksAhead]
	if c.many == nil && int(c.n) < len(c.few) {
		c.few[c.n] = uint8(i % cellsPerChunk)
		c.n++
		return
	}
	if c.many == nil {
		s.count(k, c)
	}
	s.add(c.many, i, 1)
}

func (s *Stream) extend(to int64) {
	if s.ring == nil {
		s.ring = make([]chunk, chunksAhead)
	}
	s.to = to
}

// count turns the list of chunk k into counts.
func (s *Stream) count(k int64, c *chunk) {
	if n := len(s.idle); n > 0 {
		c.many = s.idle[n-1]
		s.idle = s.idle[:n-1]
	} else {
		c.many = new(counts)
	}
	for _, j := range c.few[:c.n] {
		s.add(c.many, k*cellsPerChunk+int64(j), 1)
	}
	c.n = 0
}

// pass takes the arrivals out of the chunks before until.
func (s *Stream) pass(until int64) {
	for k := s.from; k < min(until, s.to); k++ {
		s.take(k, s)
		c := &s.ring[k%chunksAhead]
		if c.n = 0; c.many != nil {
			s.empty(k, c.many)
			s.idle = append(s.idle, c.many)
			c.many = nil
		}
	}
	s.from = until
	s.to = max(s.to, until)
}

// take lets the arrivals in chunk k of another stream pass, or of its own.
func (s *Stream) take(k int64, of *Stream) {
	c, first := &of.ring[k%chunksAhead], k*cellsPerChunk
	few := c.few
	slices.Sort(few[:c.n])
	for j, at := range few[:c.n] {
		if j > 0 && at == few[j-1] {
			s.passed[len(s.passed)-1].n++
			continue
		}
		s.passed = append(s.passed, cell{first + int64(at), 1})
	}
	if c.many != nil {
		for w, used := range c.many.used {
			for ; used != 0; used &= used - 1 {
				j := w*64 + bits.TrailingZeros64(used)
				i := first + int64(j)
				s.passed = append(s.passed, cell{i, uint64(c.many.n[j]) + of.heaps[i]})
			}
		}
	}
	if len(s.passed)-s.ahead >= cellsPerChunk {
		s.slide()
	}
}

// empty makes the counts of chunk k fit for another.
func (s *Stream) empty(k int64, c *counts) {
	*c = counts{}
	for j := range int64(cellsPerChunk) {
		if len(s.heaps) == 0 {
			break
		}
		delete(s.heaps, k*cellsPerChunk+j)
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
	if gone < 1024 || gone < len(s.passed)/4 {
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
	c := Stream{windows: s.windows, ahead: s.ahead}
	room := uint64(5 * widths[len(widths)-1] / Quantum / 4)
	c.passed = slices.Grow([]cell(nil), len(s.passed)+int(min(s.n, room))) // at once, not by doubling
	c.passed = append(c.passed, s.passed...)
	for k := s.from; k < s.to; k++ {
		c.take(k, s)
	}
	c.slide()
	all := Curve{N: s.n, Late: s.late}
	for i, w := range c.windows {
		all.Points = append(all.Points, Point{
			Width: widths[i], Sliding: w.best, Aligned: w.bestBin,
			At: time.Duration(w.at) * Quantum, Span: time.Duration(w.last-w.at) * Quantum,
		})
	}
	return all.plus(s.parts)
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
		from, into, first := &o.ring[k], &s.ring[k], int64(k)*cellsPerChunk
		if from.n == 0 && from.many == nil {
			continue
		}
		if into.many == nil {
			s.count(int64(k), into)
		}
		for _, j := range from.few[:from.n] {
			s.add(into.many, first+int64(j), 1)
		}
		if from.many != nil {
			for j, n := range from.many.n {
				if i := first + int64(j); n > 0 || o.heaps[i] > 0 {
					s.add(into.many, i, uint64(n)+o.heaps[i])
				}
			}
		}
	}
}

// Clone is a copy that goes its own way.
func (s *Stream) Clone() *Stream {
	c := *s
	c.ring, c.heaps, c.idle, c.passed = slices.Clone(s.ring), maps.Clone(s.heaps), nil, slices.Clone(s.passed)
	for k := range c.ring {
		if many := c.ring[k].many; many != nil {
			own := *many
			c.ring[k].many = &own
		}
	}
	return &c
}
