package schedule

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"
)

// A Shape is an offered rate over time: stages, one after the other. After the
// last one nothing is offered. Its text form is described at [ParseShape].
type Shape []Stage

// A Stage offers a rate that changes linearly with time.
type Stage struct {
	From, To Rate          // at its start and end; equal for a constant, both zero for a pause
	For      time.Duration // its length; 0: without end, for a constant that is alone
}

const (
	maxDuration = time.Duration(math.MaxInt64)
	maxStages   = 1000
)

// Constant offers r without end.
func Constant(r Rate) Shape { return Shape{{From: r, To: r}} }

// Ramp goes from one rate to another in the time over, and ends there. One of
// the rates may be zero.
func Ramp(from, to Rate, over time.Duration) Shape {
	return Shape{{From: from, To: to, For: over}}
}

// Rate is the rate offered at t, per second; 0 before the start and after the
// end. Where two stages meet, the later one counts.
func (s Shape) Rate(t time.Duration) float64 {
	if t < 0 {
		return 0
	}
	for _, g := range s {
		if t < g.length() {
			f, _ := g.rate(t).Float64()
			return f
		}
		t -= g.length()
	}
	return 0
}

// Count is the number of arrivals expected before t: N(t), the integral of the
// rate, correctly rounded.
func (s Shape) Count(t time.Duration) float64 {
	f, _ := s.count(t).Float64()
	return f
}

// Total is the number of arrivals that the whole shape offers, exactly: for each
// stage duration × (from + to) / 2. ok is false if the shape has no end.
func (s Shape) Total() (total *big.Rat, ok bool) {
	end, ok := s.End()
	if !ok {
		return nil, false
	}
	return s.count(end), true
}

// End is the instant at which the last stage ends; ok is false if none does.
func (s Shape) End() (end time.Duration, ok bool) {
	for _, g := range s {
		if g.For == 0 {
			return maxDuration, false
		}
		end += g.For
	}
	return end, true
}

// When returns the instant of arrival n, counted from 0: the last one, to the
// nearest nanosecond, at which no more than n arrivals were offered. So an
// arrival that falls on a pause waits for its end. ok is false if n is negative
// or the shape never offers n arrivals. An instant beyond 292 years is the largest Duration.
//
// Each call prepares the whole shape; for many arrivals open a [Spec].
func (s Shape) When(n float64) (t time.Duration, ok bool) {
	inv := s.inverse()
	return inv.when(n)
}

// count is N(t), exactly.
func (s Shape) count(t time.Duration) *big.Rat {
	n := new(big.Rat)
	for _, g := range s {
		if t <= 0 {
			break
		}
		n.Add(n, g.count(min(t, g.length())))
		t -= g.length()
	}
	return n
}

// length is For, or all of time.
func (g Stage) length() time.Duration {
	if g.For == 0 {
		return maxDuration
	}
	return g.For
}

// rate is From + (To − From)·t/For, per second.
func (g Stage) rate(t time.Duration) *big.Rat {
	from := g.From.rat()
	if g.From == g.To {
		return from
	}
	change := new(big.Rat).Sub(g.To.rat(), from)
	return from.Add(from, change.Mul(change, big.NewRat(int64(t), int64(g.For))))
}

// count is the integral of rate from the stage's start to t: a trapezium.
func (g Stage) count(t time.Duration) *big.Rat {
	sum := g.rate(0)
	sum.Add(sum, g.rate(t))
	return sum.Mul(sum, new(big.Rat).SetFrac64(int64(t), 2*int64(time.Second)))
}

// check lists what is wrong with a shape that has stages.
func (s Shape) check() (problems []error) {
	if len(s) > maxStages {
		return []error{fmt.Errorf("rate: %d stages; write at most %d", len(s), maxStages)}
	}
	left := maxDuration
	for i, g := range s {
		problem := func(text string) {
			problems = append(problems, fmt.Errorf("rate stage %d %q: %s", i+1, g.String(), text))
		}
		switch {
		case g.For < 0:
			problem("its length is negative; give one above 0")
		case g.For > left:
			problem("ends after 292 years; give shorter stages")
			return problems
		case g.For > 0:
			left -= g.For
		case g.From != g.To:
			problem("a ramp needs the time that it takes; write 10..200@1m or give the run a duration")
		case len(s) > 1:
			problem("each of several stages needs a length; write for example 10@30s")
		}
	}
	if len(problems) > 0 {
		return problems
	}
	for _, g := range s {
		if !g.From.IsZero() || !g.To.IsZero() {
			return nil
		}
	}
	return []error{errors.New("rate: offers no arrival, every stage is a pause; give one a rate above 0")}
}
