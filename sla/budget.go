package sla

import (
	"sort"
	"time"

	"openload/correct"
	"openload/stats"
)

// A Budget counts, attempt by attempt while a run goes on, what stands against a rule.
// Its counts are those that Judge finds in the end.
type Budget struct {
	Rule Rule

	Over   uint64 // as measured
	Surely uint64 // of them, those that stay with all that may be our own doing taken out

	deadline time.Duration
	lessWait bool
}

// Follow returns a budget for each of the rules that count something from attempt to
// attempt: percentiles, errors, useful and first_try, but for those of one target. What
// the plan says of deadlines and whether it leaves the cap on connections to us must be
// known, as it is to Judge.
func Follow(rules []Rule, deadline time.Duration, autoCap bool) (all []Budget) {
	for _, r := range rules {
		if _, ok := r.counts(); ok && r.Target == "" {
			all = append(all, Budget{Rule: r, deadline: deadline, lessWait: autoCap})
		}
	}
	return all
}

// Allowed is how many of n operations, or attempts of a rule on raw latency, the rule
// lets be over.
func (b *Budget) Allowed(n uint64) uint64 { return b.Rule.allowed(n) }

// Record adds an attempt.
func (b *Budget) Record(x correct.Sample) {
	if b.Rule.Metric == Percentile && b.Rule.Set == correct.Raw {
		b.attempt(x)
		return
	}
	if !x.Final {
		return
	}
	if b.measured(x) {
		b.Over++
		if b.surely(x) {
			b.Surely++
		}
	}
}

func (b *Budget) attempt(x correct.Sample) {
	if !x.Fired {
		return
	}
	failed := x.Class != correct.OK
	if failed || x.Raw() >= b.Rule.bound() {
		b.Over++
		if failed && !x.Class.Ours() || !failed && x.Raw()-x.Late >= b.Rule.bound() {
			b.Surely++
		}
	}
}

func (b *Budget) measured(x correct.Sample) bool {
	ok, slow := x.Class == correct.OK, x.Corrected() >= b.Rule.bound()
	switch b.Rule.Metric {
	case Errors:
		return !ok
	case Useful:
		return !ok || b.deadline > 0 && x.Corrected() > b.deadline
	case FirstTry:
		return !ok || x.Attempt > 1
	}
	switch b.Rule.Set {
	case correct.CorrectedOK:
		return ok && slow
	case correct.Settled:
		return slow && x.Class != correct.Dropped && x.Class != correct.Unfinished
	}
	return !ok || slow
}

// surely is measured as a generator would have it that was never late, and that had no
// cap which nobody asked for.
func (b *Budget) surely(x correct.Sample) bool {
	v := x.LessLag()
	if b.lessWait {
		v = max(0, v-x.Wait())
	}
	slow := v >= b.Rule.bound()
	failed := x.Class != correct.OK && !x.Excused()
	switch b.Rule.Metric {
	case Errors:
		return failed || x.Class == correct.Dropped
	case Useful:
		return failed || x.Class == correct.Dropped || x.Class == correct.OK && v > b.deadline
	case FirstTry:
		return x.Class == correct.OK || !x.Class.Ours() || x.Class == correct.Dropped
	}
	switch b.Rule.Set {
	case correct.CorrectedOK, correct.Settled:
		return slow
	}
	return failed || x.Class == correct.OK && slow
}

// Lost is the least Surely with which the rule is broken for all of n, whatever the rest of
// them comes to. confidence is in percent, or 0. It may be more than n.
func (b *Budget) Lost(n uint64, confidence float64) uint64 {
	least := b.Allowed(n) + 1
	share, byChance := b.Rule.chance()
	if confidence == 0 || !byChance || least > n {
		return least
	}
	more := sort.Search(int(n-least+1), func(i int) bool { return stats.Disproves(least+uint64(i), n, share, confidence/100) })
	return least + uint64(more)
}

// Offence is what an operation did that counts against the budget, in short.
func (b *Budget) Offence() string {
	switch b.Rule.Metric {
	case Errors:
		return "failed"
	case Useful:
		return "of no use"
	case FirstTry:
		return "not at the first attempt"
	}
	return "over the limit"
}
