// Package find looks for the highest rate that a server holds: doubling until a step
// breaks, then bisection. It is the search alone; what a step is and how it is judged is
// told to it.
package find

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// An Outcome is what a step at one rate came to.
type Outcome uint8

const (
	Holds   Outcome = iota // the rules are kept
	Breaks                 // the server broke them
	Unknown                // the measurement is worth nothing: this says nothing of the server
	Failed                 // the server failed all that it was sent, which is no measure of it but its own doing
)

// A Search is between From and To, in operations a second, until the highest rate that
// holds is known to a share of Precision. The zero value of the rest is its beginning.
type Search struct {
	From, To, Precision float64

	holds    float64 // highest rate that held; 0: none yet
	above    float64 // lowest rate above it that did not; 0: none yet
	by       Outcome // why above did not
	next     float64 // 0: From
	repeated bool    // next is tried once more
	done     bool
}

// Check says what is wrong with a search.
func (s *Search) Check() error {
	var wrong []error
	if !(s.From > 0 && s.From < s.To && s.To <= 1e9) {
		wrong = append(wrong, fmt.Errorf("--from %s and --to %s: the first must be the lower, and above 0", text(s.From), text(s.To)))
	}
	if !(s.Precision >= 0.005 && s.Precision <= 1) {
		wrong = append(wrong, fmt.Errorf("--precision %s%%: give a percentage from 0.5%% to 100%%", text(100*s.Precision)))
	}
	return errors.Join(wrong...)
}

// Next is the rate to try; ok is false once nothing is left to find out.
func (s *Search) Next() (rate float64, ok bool) {
	if s.next == 0 {
		s.next = s.From
	}
	return s.next, !s.done
}

// Tell takes what the step at Next's rate came to. One that is worth nothing is repeated
// once, and then taken for the limit of what can be measured. One that Failed Breaks if
// a lower rate held, and else ends the search: no rate of a server that never answered
// well is its limit.
func (s *Search) Tell(o Outcome) {
	if o == Unknown && !s.repeated {
		s.repeated = true
		return
	}
	s.repeated = false
	if o == Failed && s.holds > 0 {
		o = Breaks
	}
	rate := s.next
	if o == Holds {
		s.holds = rate
	} else {
		s.above, s.by = rate, o
	}
	switch {
	case s.holds == 0, s.above == 0 && rate >= s.To:
		s.done = true
	case s.above == 0:
		s.next = min(2*rate, s.To)
	default:
		s.next = digits3(math.Sqrt(s.holds * s.above))
		s.done = s.above <= s.holds*(1+s.Precision) || s.next <= s.holds || s.next >= s.above
	}
}

// Bracket is what is known: the highest rate that held, 0 if none did, and the lowest
// above it that did not, 0 if all did, and why not.
func (s *Search) Bracket() (holds, above float64, by Outcome) { return s.holds, s.above, s.by }

// Steps is how many rates are tried at most, without repetitions.
func (s *Search) Steps() int {
	doublings := int(math.Ceil(math.Log2(s.To / s.From)))
	halvings := int(math.Ceil(math.Log2(math.Ln2 / math.Log1p(s.Precision))))
	return 1 + doublings + max(0, halvings)
}

// digits3 is a rate that people would have chosen.
func digits3(rate float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(rate, 'e', 2, 64), 64) // what FormatFloat wrote parses
	return r
}

func text(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
