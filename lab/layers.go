package lab

import (
	"fmt"
	"strconv"
)

// layers are callers in a chain before the server. Each makes a number of attempts at
// the next one, without a pause and whatever failed, and knows nothing of the others.
type layers struct {
	depth, attempts uint64 // 0 of both: there are none

	// A layer with a budget repeats at most this share, in thousandths, of the calls that
	// were asked of it so far. 0: it has none.
	budget uint64
	funds  []uint64 // of each layer, the deepest first, in thousandths of a repetition
}

// repetition is what one costs.
const repetition = 1000

// funded is l for one server, whose layers have not been asked for anything.
func (l layers) funded() layers {
	if l.budget > 0 {
		l.funds = make([]uint64, l.depth)
	}
	return l
}

// callers is how many layers, the deepest first, make a call of their own for the
// given call at the server. Calls have the numbers that they would have if every layer
// made all its attempts, from 1: the number less 1 has the attempts of the layers before
// it as its digits, to the base of attempts. So the deepest layer makes every call, the
// layer before it only those that begin a new round of attempts of the deepest.
func (l layers) callers(call uint64) (n uint64) {
	round := uint64(1)
	for n < l.depth && (call-1)%round == 0 {
		round *= l.attempts
		n++
	}
	return n
}

// asked pays in to the layers that were asked for something anew with a call: by the
// layer before them, and the first one by the request itself.
func (l layers) asked(call uint64) {
	if l.budget == 0 {
		return
	}
	n := l.callers(call)
	if call > 1 {
		n-- // that one repeats
	}
	for i := range n {
		l.funds[i] += l.budget
	}
}

// repeats reports whether a layer, counted from the deepest, can pay for one more call.
func (l layers) repeats(layer uint64) bool {
	if l.budget == 0 {
		return true
	}
	if l.funds[layer] < repetition {
		return false
	}
	l.funds[layer] -= repetition
	return true
}

// Again is asked once about every answer, with the number of the call that it answers:
// 1 for the first of a request. If a layer before the server sends the request once more,
// at a.At, it returns the number of that call; otherwise 0. A server without layers= is
// never asked twice.
func (a Answer) Again(call uint64) (next uint64) {
	l := a.layers
	if l.depth == 0 {
		return 0
	}
	l.asked(call)
	if failed := a.Status == 0 || a.Status == 429 || a.Status >= 500; !failed {
		return 0
	}
	round := uint64(1)
	for i := range l.depth {
		rounds := (call - 1) / round // that this layer has begun, over all that was asked of it
		if rounds%l.attempts+1 < l.attempts && l.repeats(i) {
			return (rounds+1)*round + 1
		}
		round *= l.attempts
	}
	return 0
}

func (s *Spec) readBudget(value string) error {
	percent, err := readShare(value)
	thousandths := uint64(percent*10 + 0.5)
	if err == nil && thousandths == 0 {
		err = fmt.Errorf("%q lets nobody try again, as attempts=1 does", value)
	}
	s.layers.budget = thousandths
	return err
}

func (s Spec) printBudget() []string {
	if s.layers.budget == 0 {
		return nil
	}
	return []string{strconv.FormatFloat(float64(s.layers.budget)/10, 'g', -1, 64) + "%"}
}
