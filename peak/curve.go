package peak

import (
	"slices"
	"time"
)

// widths is the grid of a curve, in order.
var widths = [...]time.Duration{
	1 * time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond,
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	1 * time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second,
}

// Widths are those of a curve: 1, 2, 5, 10 ms and so on to 10 s.
func Widths() []time.Duration { return slices.Clone(widths[:]) }

// A Curve is the peak of arrivals against the width of the window.
type Curve struct {
	N      uint64 // arrivals in it
	Late   uint64 // arrivals left out because a Stream was told of them too late
	Points []Point

	// AtMost is set if parts were added up whose peaks need not coincide: then the
	// peaks of the whole may be lower than these, never higher.
	AtMost bool
}

// A Point is the peak within one width.
type Point struct {
	Width   time.Duration
	Sliding uint64        // most arrivals in any window [x, x+Width)
	At      time.Duration // the first arrival in the first such window
	Span    time.Duration // from there to the last arrival in it: less than Width
	Aligned uint64        // most arrivals in one bin [i·Width, (i+1)·Width)
}

// Of is the curve of instants, which need not be in order, exactly. Widths other than
// the usual ones may be asked for.
func Of(at []time.Duration, asked ...time.Duration) Curve {
	if len(asked) == 0 {
		asked = widths[:]
	}
	sorted := slices.Sorted(slices.Values(at))
	c := Curve{N: uint64(len(at))}
	for _, h := range asked {
		p := Sliding(sorted, h)
		p.Aligned = Aligned(sorted, h, 0)
		c.Points = append(c.Points, p)
	}
	return c
}

// Sliding is the greatest number of sorted instants in any window of width h, without
// Aligned. A window that holds most may as well begin at an arrival, so it is enough
// to let two fingers run through them. It panics unless h is above 0.
func Sliding(sorted []time.Duration, h time.Duration) Point {
	positive(h)
	p := Point{Width: h}
	first := 0
	for last, at := range sorted {
		for at-sorted[first] >= h {
			first++
		}
		if n := uint64(last - first + 1); n > p.Sliding {
			p.Sliding, p.At, p.Span = n, sorted[first], at-sorted[first]
		}
	}
	return p
}

// Aligned is the greatest number of sorted instants in one bin of width h, where one
// bin begins at from. Whatever from is, it is at most the sliding peak and at least
// half of it. It panics unless h is above 0.
func Aligned(sorted []time.Duration, h, from time.Duration) (most uint64) {
	positive(h)
	var n uint64
	var bin time.Duration
	for _, at := range sorted {
		b := (at - from) / h
		if (at-from)%h < 0 {
			b--
		}
		if b != bin {
			bin, n = b, 0
		}
		n++
		most = max(most, n)
	}
	return most
}

func positive(h time.Duration) {
	if h <= 0 {
		panic("peak: a window of no width")
	}
}

// At is the point of width h.
func (c Curve) At(h time.Duration) (p Point, ok bool) {
	for _, p := range c.Points {
		if p.Width == h {
			return p, true
		}
	}
	return Point{}, false
}

// plus is what is known of two parts together: their peaks may coincide. Where and how
// wide the peak is, is the greater part's.
func (c Curve) plus(o Curve) Curve {
	if c.N == 0 || o.N == 0 {
		known := c
		if o.N > 0 {
			known = o
		}
		known.Late = c.Late + o.Late
		return known
	}
	sum := Curve{N: c.N + o.N, Late: c.Late + o.Late, Points: slices.Clone(c.Points), AtMost: true}
	for i, p := range o.Points {
		q := &sum.Points[i]
		if p.Sliding > q.Sliding {
			q.At, q.Span = p.At, p.Span
		}
		q.Sliding += p.Sliding
		q.Aligned += p.Aligned
	}
	return sum
}
