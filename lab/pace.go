// The server's own clock. Freezes and changes of capacity both mean that work
// goes faster or slower for a while, so the queue counts in work done instead
// of time, and only here is one turned into the other. Instants rounded to
// nanoseconds would drift: at 60/s a request takes 16,666,666 2/3 ns.

package lab

import (
	"math/big"
	"math/bits"
	"sort"
	"time"
)

// never stands for an answer that does not come within 146 years.
const never = time.Duration(1) << 62

// A work is an amount of work, in units so small that every speed of a pace is
// a whole number of them per nanosecond. It has 128 bits: at 12,345.6789/s the
// units of 74 s are more than 64 can count.
type work struct{ hi, lo uint64 }

func (w work) plus(x work) work {
	lo, carry := bits.Add64(w.lo, x.lo, 0)
	hi, _ := bits.Add64(w.hi, x.hi, carry)
	return work{hi, lo}
}

func (w work) minus(x work) work {
	lo, borrow := bits.Sub64(w.lo, x.lo, 0)
	hi, _ := bits.Sub64(w.hi, x.hi, borrow)
	return work{hi, lo}
}

func (w work) less(x work) bool {
	return w.hi < x.hi || w.hi == x.hi && w.lo < x.lo
}

// A pace is how fast a busy worker works over time: spells of constant speed,
// the first from 0, the last without end and never at speed 0.
type pace []spell

// A spell is a time of constant speed.
type spell struct {
	from  time.Duration
	done  work   // what a worker busy since 0 has done by from
	speed uint64 // units per nanosecond
}

// then appends a spell that begins at from, no earlier than the last one.
func (p pace) then(from time.Duration, speed uint64) pace {
	return append(p, spell{from: from, done: p.by(from), speed: speed})
}

// at returns the place of the spell in force at t.
func (p pace) at(t time.Duration) int {
	return sort.Search(len(p), func(i int) bool { return p[i].from > t }) - 1
}

// by returns what a worker busy since 0 has done by t.
func (p pace) by(t time.Duration) work {
	i := p.at(t)
	if i < 0 {
		return work{}
	}
	hi, lo := bits.Mul64(uint64(t-p[i].from), p[i].speed)
	return p[i].done.plus(work{hi, lo})
}

// when returns the first whole nanosecond by which w is done, for a w above 0.
// by(when(w)) is w or, where w falls between two nanoseconds, just above it.
func (p pace) when(w work) time.Duration {
	// The last spell that begins with less than w done has a speed: after one
	// without, just as much is done.
	s := p[sort.Search(len(p), func(i int) bool { return !p[i].done.less(w) })-1]
	rest := w.minus(s.done)
	if rest.hi >= s.speed {
		return never
	}
	ns, part := bits.Div64(rest.hi, rest.lo, s.speed)
	if part > 0 {
		ns++
	}
	if ns > uint64(never-s.from) {
		return never
	}
	return s.from + time.Duration(ns)
}

// thaw returns the first instant from t on at which work goes on.
func (p pace) thaw(t time.Duration) time.Duration {
	i := p.at(t)
	for p[i].speed == 0 {
		i++
		t = p[i].from
	}
	return t
}

// frozen returns the pace of a worker that does one unit a nanosecond, except
// in the freezes, which are in order of their start and may overlap.
func frozen(freezes []freeze) pace {
	p := pace{{speed: 1}}
	for _, f := range freezes {
		last := p[len(p)-1].from // the end of the freezes so far
		end := f.start + f.length
		if end <= last {
			continue
		}
		if f.start <= last {
			p = p[:len(p)-1] // begins in the one before, or at 0
		}
		if f.start > last || len(p) == 0 {
			p = p.then(f.start, 0)
		}
		p = p.then(end, 1)
	}
	return p
}

// stepped returns the pace of the steps and the units of work that one request
// is: the fewest that give every speed whole units per nanosecond. ok is false
// if that takes more than 63 bits.
func stepped(steps []step) (p pace, request uint64, ok bool) {
	// A speed is Num/(Denom·10⁹) requests per nanosecond. With all·10⁹ units a
	// request, all being the least common multiple of the denominators, that is
	// Num·all/Denom units; then what all of them have in common is divided out.
	all := big.NewInt(1)
	for _, s := range steps {
		den := s.rate.Denom()
		all.Mul(all, new(big.Int).Div(den, new(big.Int).GCD(nil, nil, all, den)))
	}
	units := new(big.Int).Mul(all, big.NewInt(int64(time.Second)))
	common := new(big.Int).Set(units)
	speeds := make([]*big.Int, len(steps))
	for i, s := range steps {
		speeds[i] = new(big.Int).Div(all, s.rate.Denom())
		speeds[i].Mul(speeds[i], s.rate.Num())
		common.GCD(nil, nil, common, speeds[i])
	}

	ok = units.Div(units, common).IsInt64()
	var from time.Duration
	for i, v := range speeds {
		ok = ok && v.Div(v, common).IsInt64()
		p = p.then(from, v.Uint64())
		from = steps[i].until
	}
	return p, units.Uint64(), ok
}
