package watch

import (
	"time"

	"openload/correct"
	"openload/engine"
	"openload/sla"
)

// A budget is one rule's, with what waits of the rule's own target.
type budget struct {
	sla.Budget
	of      what
	waiting *ages // nil where the whole run's serve
}

// what is it that counts against a rule while it still waits.
type what uint8

const (
	nothing    what = iota
	operations      // since they were intended
	attempts        // since they were handed over
)

func budgetOf(b sla.Budget) budget {
	w := budget{Budget: b}
	switch r := b.Rule; {
	case r.OfRaw(), r.Metric == sla.Attempts:
		w.of = attempts
	case r.OfLatency() && r.Set == correct.Corrected:
		w.of = operations
	}
	if b.Rule.Target != "" && w.of != nothing {
		w.waiting = new(ages)
	}
	return w
}

func (b *budget) arrive(seq uint64, intended time.Duration) {
	b.Arrive(seq)
	if b.waiting != nil && b.of == operations && b.Counts(seq) {
		b.waiting.add(intended)
	}
}

func (b *budget) fire(s engine.Shot) {
	if b.waiting != nil && b.of == attempts && b.Counts(s.Seq) {
		b.waiting.add(s.Handed)
	}
}

func (b *budget) record(x correct.Sample) {
	b.Record(x)
	switch {
	case b.waiting == nil || !b.Counts(x.Seq):
	case b.of == operations && x.Final:
		b.waiting.remove(x.Intended)
	case b.of == attempts && x.Fired:
		b.waiting.remove(x.Handed)
	}
}

func (b *budget) copyTo(dst *budget) {
	waiting := dst.waiting
	*dst = *b
	if dst.waiting = waiting; waiting != nil {
		b.waiting.copyTo(waiting)
	}
}

// A Standing is what stands against a rule so far.
type Standing struct {
	sla.Budget // what waits has been added to what is over as measured

	// Episodes are the separate stretches of operations over the limit, up to the oldest
	// one that has not settled; 0 where nobody counts them.
	Episodes uint64
}

func (b *budget) standing(s *state, now time.Duration) Standing {
	v := Standing{Budget: b.Budget}
	if b.of == nothing {
		return v
	}
	waiting := b.waiting
	switch {
	case waiting != nil:
	case b.of == operations:
		waiting = &s.open
	default:
		waiting = &s.flying
	}
	limit, counts := b.Rule.Limit()
	switch {
	case counts:
		v.Over += waiting.atLeast(limit, now)
	case b.Rule.Metric == sla.Attempts:
		v.Over += waiting.n
	case !b.Failed():
		v.Over += uint64(waiting.total(now))
	}
	for _, x := range s.stretches {
		if counts && b.of == operations && b.Rule.Target == "" && x.Limit == limit {
			v.Episodes = x.Count
			// What has waited longest comes next after what is counted.
			if !x.Open && v.Over > b.Over {
				v.Episodes++
			}
		}
	}
	return v
}
