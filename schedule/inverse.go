package schedule

import (
	"math"
	"math/big"
	"math/bits"
	"time"
)

// An inverse turns places into instants: it is N⁻¹ of a shape. It is asked for
// places in order and remembers the stage that it has reached, so asking costs
// no search.
type inverse struct {
	segments []segment
	i        int
	end      time.Duration // of the last segment
	total    float64       // arrivals before it
}

// A segment is a stage made ready for asking.
type segment struct {
	start time.Duration
	first place // arrivals before its start
	after place // arrivals before its end
	curve curve
}

// A curve is the inverse integral of one stage. when is the time, in nanoseconds
// from the stage's start, by which it has offered y arrivals and has rest still to
// offer; maxNanos or more if that is beyond 292 years.
type curve interface {
	when(y, rest float64) uint64
}

const maxNanos = uint64(math.MaxInt64)

// A place is a number of arrivals as a whole and a fraction, so that a distance
// from it to arrival n keeps its digits however large n is.
type place struct{ whole, fraction float64 }

func placeOf(x *big.Rat) place {
	whole := new(big.Int).Quo(x.Num(), x.Denom())
	fraction := new(big.Rat).Sub(x, new(big.Rat).SetInt(whole))
	var p place
	p.whole, _ = new(big.Float).SetInt(whole).Float64()
	p.fraction, _ = fraction.Float64()
	return p
}

// to is the distance from p to x.
func (p place) to(x float64) float64 { return (x - p.whole) - p.fraction }

func (s Shape) inverse() inverse {
	var v inverse
	n := new(big.Rat) // arrivals before the stage, then before its end
	for _, g := range s {
		seg := segment{start: v.end, first: placeOf(n)}
		if g.For > 0 {
			seg.after = placeOf(n.Add(n, g.count(g.For)))
			v.end += g.For
		} else {
			v.end = maxDuration
			seg.after = place{whole: math.Inf(1)}
		}
		if g.From == g.To {
			seg.curve = newFlat(g.From)
		} else {
			seg.curve = newSlope(g)
		}
		v.segments = append(v.segments, seg)
	}
	v.total, _ = n.Float64()
	return v
}

// when is Shape.When for places that do not decrease from call to call.
func (v *inverse) when(x float64) (t time.Duration, ok bool) {
	if !(x >= 0) {
		return 0, false
	}
	for ; v.i < len(v.segments); v.i++ {
		seg := &v.segments[v.i]
		beyond := seg.after.to(x)
		if beyond >= 0 { // a pause is passed here, since nothing lies between its ends
			continue
		}
		// y can be a rounding error below 0 when x is the end of the stage before.
		since := seg.curve.when(max(0, seg.first.to(x)), -beyond)
		return seg.start + time.Duration(min(since, uint64(v.end-seg.start))), true
	}
	if x > v.total {
		return 0, false
	}
	return v.end, true
}

// flat is a constant rate: arrival y comes y/rate after the start.
type flat struct {
	// 1/rate in nanoseconds is whole + part/of.
	whole, part, of uint64
	interval        float64
}

func newFlat(r Rate) curve {
	if r.IsZero() {
		return flat{} // never asked, a pause is passed
	}
	f := flat{of: r.num}
	f.whole, f.part = r.interval()
	f.interval = float64(f.whole) + float64(f.part)/float64(f.of)
	return f
}

// when computes whole arrivals in integers: k·(whole + part/of), rounded once, is
// exact after a day or a year, where a float is not.
func (f flat) when(y, _ float64) uint64 {
	if y >= 1<<63 {
		return maxNanos
	}
	k := uint64(y)
	fraction := y - float64(k)

	// part < of, so the high word is below of and Div64 cannot overflow.
	var carried, part uint64
	if f.part != 0 {
		hi, lo := bits.Mul64(k, f.part)
		carried, part = bits.Div64(hi, lo, f.of)
	}
	over, ns := bits.Mul64(k, f.whole)
	ns, carry := bits.Add64(ns, carried, 0)
	if over|carry != 0 || ns >= maxNanos {
		return maxNanos
	}
	if fraction == 0 {
		return roundUp(ns, part, f.of)
	}
	return ns + uint64(float64(part)/float64(f.of)+fraction*f.interval+0.5)
}

// slope is a rate that changes linearly. It is solved from the end where the
// rate is lower: at u nanoseconds from there the arrivals in between are
//
//	m = low·u + rise·u²/2,  so  u = 2m / (low + √(low² + 2·rise·m)),
//
// where every term is positive and nothing cancels. From the high end of a ramp
// to zero the root would lose half its digits, 100 ns in 10 s.
type slope struct {
	low    float64 // arrivals per ns
	rise   float64 // arrivals per ns², away from the low end
	length uint64  // ns
	down   bool    // the low end is the last one
}

func newSlope(g Stage) curve {
	low, high := g.From.rat(), g.To.rat()
	s := slope{length: uint64(g.For)}
	if low.Cmp(high) > 0 {
		low, high = high, low
		s.down = true
	}
	perNano := big.NewRat(1, int64(time.Second))
	rise := new(big.Rat).Sub(high, low)
	rise.Mul(rise, perNano).Quo(rise, new(big.Rat).SetInt64(int64(g.For)))
	s.rise, _ = rise.Float64()
	s.low, _ = low.Mul(low, perNano).Float64()
	return s
}

func (s slope) when(y, rest float64) uint64 {
	if s.down {
		return s.length - min(s.length, s.fromLowEnd(rest))
	}
	return s.fromLowEnd(y)
}

func (s slope) fromLowEnd(m float64) uint64 {
	if m == 0 {
		return 0
	}
	return uint64(2*m/(s.low+math.Sqrt(s.low*s.low+2*s.rise*m)) + 0.5)
}
