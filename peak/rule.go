package peak

import (
	"math"
	"slices"
	"time"
)

// An Effect is a spread that a window is to show: N arrivals within Width of each
// other, such as retries with a jitter of Width.
type Effect struct {
	N          uint64
	Width      time.Duration
	Smear      time.Duration // how far sends that were meant for one instant fall apart
	Resolution time.Duration // of the instants
}

// A Fit says whether a width is fit to show an effect, or why it is not.
type Fit uint8

// The fits. Fits is the only good one.
const (
	Fits       Fit = iota
	TooCoarse      // wider than a fifth of the effect: at its whole width nothing of it shows
	Unresolved     // narrower than ten steps of the instants
	Smeared        // narrower than twice the smear
	TooFew         // fewer than ten arrivals are expected in it: the peak is chance
)

// String says it in a few words.
func (f Fit) String() string {
	return [...]string{
		Fits: "fits", TooCoarse: "too coarse", Unresolved: "finer than the times", Smeared: "finer than the sending", TooFew: "too few in it",
	}[f]
}

// Judge says whether windows of width h are fit to show e: 2·Smear ≤ h ≤ Width/5,
// N·h/Width ≥ 10, and h at least 10 times the resolution. A spread over Width
// lowers the peak Width/max(h, Smear) times, so as soon as h reaches Width not at all;
// and the greatest of few is mostly chance.
func (e Effect) Judge(h time.Duration) Fit {
	switch {
	case h > e.Width/5:
		return TooCoarse
	case h < 10*e.Resolution:
		return Unresolved
	case h < 2*e.Smear:
		return Smeared
	case float64(e.N)*float64(h) < 10*float64(e.Width):
		return TooFew
	}
	return Fits
}

// Best is the widest width of a curve that fits, in which chance matters least; ok is
// false if none does.
func (e Effect) Best() (h time.Duration, ok bool) {
	for _, w := range widths {
		if e.Judge(w) == Fits {
			h, ok = w, true
		}
	}
	return h, ok
}

// A Wave is a crowd of arrivals with room around it.
type Wave struct {
	N     uint64
	At    time.Duration // its first arrival
	Width time.Duration // from the first to the last
}

// Effect is the spread that w shows. What is spread evenly over a width seldom comes to
// its very ends: Effect takes the greatest width that still leaves a chance of 5 % for
// one as narrow as w. Of n the whole width is Beta(n-1, 2) distributed, of which the 5 %
// quantile is 1 - 4.74/n.
func (w Wave) Effect(smear, resolution time.Duration) Effect {
	short := 1 - 4.74/float64(max(10, w.N))
	return Effect{N: w.N, Width: time.Duration(float64(w.Width) / short), Smear: smear, Resolution: resolution}
}

// Wave is the narrowest crowd that stands out of arrivals observed for so long: the
// least width of the curve whose peak hardly grows when the width is doubled. It needs
// ten arrivals, most of them more than usual, and more than independent arrivals bring
// by chance: six standard deviations. What is usual is what the mean rate brings in the
// width and in smear, within which the sender may have clumped them itself. A crowd
// within a wider one is none if that, spread evenly, may have it by chance.
func (c Curve) Wave(observed, smear time.Duration) (w Wave, ok bool) {
	mean := float64(c.N) / float64(max(1, observed))
	usual := func(p Point) float64 { return mean * float64(p.Width+smear) }
	excess := func(p Point) float64 { return float64(p.Sliding) - usual(p) }
	var crowds []Point
	for i, p := range c.Points {
		wider, found := c.from(i, 2*p.Width)
		if !found || wider.Width > observed {
			break
		}
		e := excess(p)
		if p.Sliding >= 10 && e >= float64(p.Sliding)/2 && e >= 6*math.Sqrt(usual(p)) && excess(wider) <= 1.1*e {
			crowds = append(crowds, p)
		}
	}
	for i, p := range crowds {
		chance := slices.ContainsFunc(crowds[i+1:], func(q Point) bool {
			if p.Width >= q.Span {
				return false
			}
			likely := spreadPeak(excess(q), q.Span, p.Width)
			return excess(p) < likely+4*math.Sqrt(likely)
		})
		if !chance {
			return Wave{p.Sliding, p.At, p.Span}, true
		}
	}
	return Wave{}, false
}

// spreadPeak is the expected sliding peak within h of n arrivals spread evenly over w,
// to a few percent: n·h/w and √(2·n·h/w·ln(w/h)) more, for h below w.
func spreadPeak(n float64, w, h time.Duration) float64 {
	share := float64(h) / float64(w)
	return n*share + math.Sqrt(2*n*share*math.Log(1/share))
}

// from is the first point after i with at least that width.
func (c Curve) from(i int, width time.Duration) (Point, bool) {
	for _, p := range c.Points[i+1:] {
		if p.Width >= width {
			return p, true
		}
	}
	return Point{}, false
}
