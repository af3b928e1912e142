package watch

import (
	"slices"
	"time"

	"openload/correct"
)

// A Sight is how a run stands at one instant.
type Sight struct {
	At                             time.Duration
	Due, Sent, Done, Waiting, Fail uint64 // operations; Waiting are due and not done, Fail are done and no success
	Lag                            time.Duration

	Corrected, Raw Reading
	Budgets        []Standing
}

// A Reading is a distribution so far. What waits is in it with the time that it has
// waited, so that every value is a lower bound of what it comes to for the operations
// that are due by now.
type Reading struct{ P50, P90, P99, Max Value }

// A Value is one percentile.
type Value struct {
	D      time.Duration
	Grows  bool // it is the age of something that still waits
	Failed bool // it lies among the failures: D is none
	None   bool // nothing is due yet
}

func (s *state) sight(now time.Duration) Sight {
	v := Sight{
		At: now, Due: s.scheduled, Sent: s.fired, Done: s.settled,
		Waiting: s.scheduled - min(s.scheduled, s.settled), Fail: s.settled - s.ok, Lag: s.maxLag,
		Corrected: readingOf(&s.corrected, s.open.youngestFirst(now), s.failed),
		Raw:       readingOf(&s.raw, s.flying.youngestFirst(now), s.rawFailed),
	}
	for i := range s.budgets {
		v.Budgets = append(v.Budgets, s.budgets[i].standing(s, now))
	}
	return v
}

func readingOf(b *buckets, waiting []age, failed uint64) Reading {
	n := b.n + failed
	for _, a := range waiting {
		n += a.n
	}
	wanted := []correct.Quantile{correct.P50, correct.P90, correct.P99, correct.Max}
	ranks := make([]uint64, len(wanted))
	values := slices.Repeat([]Value{{None: n == 0, Failed: n > 0}}, len(wanted))
	for i, q := range wanted {
		ranks[i] = q.Rank(n)
	}
	passed, next := uint64(0), 0
	pass := func(v Value, n uint64) {
		passed += n
		for next < len(ranks) && ranks[next] <= passed && ranks[next] > 0 {
			values[next] = v
			next++
		}
	}
	for c := b.lo; b.n > 0 && c <= b.hi; c++ {
		if b.count[c] == 0 {
			continue
		}
		v := b.value(c)
		if c == b.hi {
			v = b.max
		}
		for len(waiting) > 0 && waiting[0].d < v {
			pass(Value{D: waiting[0].d, Grows: true}, waiting[0].n)
			waiting = waiting[1:]
		}
		pass(Value{D: v}, b.count[c])
	}
	for _, a := range waiting {
		pass(Value{D: a.d, Grows: true}, a.n)
	}
	return Reading{values[0], values[1], values[2], values[3]}
}
