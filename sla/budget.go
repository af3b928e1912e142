package sla

import (
	"math"
	"math/bits"
	"sort"
	"time"

	"openload/correct"
	"openload/stats"
)

// A Course is what a plan says beforehand of how its rules may come out.
type Course struct {
	Deadline time.Duration // of each operation; 0: none
	AutoCap  bool          // the cap on connections is left to us
	Attempts int           // most of them at one operation; 0 is 1

	// Planned is how many of the plan's operations are judged, at most: all of them, or
	// those of a target. Nil or 0: nobody knows.
	Planned func(target string) uint64

	// Target names what an operation is sent to. It is not asked where no rule has one.
	Target func(seq uint64) string
}

// A Budget counts, attempt by attempt while a run goes on, what stands against a rule.
// Its counts are those that Judge finds in the end.
//
// A mean is a budget of time: the operations together may take so long, and those to
// come take 0 at least. A failure has no mean, and takes all there is. A rule on attempts
// is a budget of them: of the operations to come some may never be tried.
type Budget struct {
	Rule Rule

	// Planned is how many operations the rule is about, or attempts if it is about raw
	// latency: at most, with what is still to come. 0: nobody knows.
	Planned uint64

	Due    uint64 // operations of the rule that have arrived
	Over   uint64 // as measured: operations, attempts, or nanoseconds that they took
	Surely uint64 // of it, what stays with all that may be our own doing taken out

	course Course
}

// beyond is more time than there is: a failure's, where a mean is asked for.
const beyond = math.MaxUint64

// Early reports whether a run may break r before its end. All rules but those on the
// rate do, which no server breaks: they are kept, or the run is invalid.
func (r Rule) Early() bool { return r.Metric != 0 && r.Metric != Rate }

// Follow returns a budget for each of the rules that are Early.
func Follow(rules []Rule, c Course) (all []Budget) {
	for _, r := range rules {
		if !r.Early() {
			continue
		}
		b := Budget{Rule: r, course: c}
		if c.Planned != nil {
			b.Planned = c.Planned(r.Target)
		}
		if r.latency() && r.Set == correct.Raw {
			b.Planned *= uint64(max(1, c.Attempts))
		}
		all = append(all, b)
	}
	return all
}

// Allowed is what the rule lets n operations have against them, or attempts of a rule on
// raw latency.
func (b *Budget) Allowed(n uint64) uint64 {
	switch b.Rule.Metric {
	case Mean:
		hi, lo := bits.Mul64(n, uint64(b.Rule.bound()))
		return below(hi, lo)
	case Attempts:
		hi, lo := bits.Mul64(n, b.Rule.Billionths)
		if hi >= billion {
			return beyond - 1
		}
		whole, rest := bits.Div64(hi, lo, billion)
		if b.Rule.Equal || rest > 0 {
			return whole
		}
		return below(0, whole)
	}
	return b.Rule.allowed(n)
}

// below is the greatest number under one of 128 bits, if it is less than beyond.
func below(hi, lo uint64) uint64 {
	if hi > 0 {
		return beyond - 1
	}
	return lo - min(lo, 1)
}

// Counts reports whether operation seq is one that the rule is about.
func (b *Budget) Counts(seq uint64) bool {
	return b.Rule.Target == "" || b.course.Target(seq) == b.Rule.Target
}

// Arrive adds an operation that is due.
func (b *Budget) Arrive(seq uint64) {
	if b.Counts(seq) {
		b.Due++
	}
}

// Record adds an attempt.
func (b *Budget) Record(x correct.Sample) {
	raw := b.Rule.latency() && b.Rule.Set == correct.Raw
	tries := raw || b.Rule.Metric == Attempts
	if tries && !x.Fired || !tries && !x.Final || !b.Counts(x.Seq) {
		return
	}
	over, surely := b.against(&x, raw)
	b.Over = plus(b.Over, over)
	b.Surely = plus(b.Surely, surely)
}

// against is what x has against it, as measured and surely.
func (b *Budget) against(x *correct.Sample, raw bool) (over, surely uint64) {
	switch {
	case b.Rule.Metric == Attempts:
		return 1, 1
	case b.Rule.Metric == Mean && raw:
		return timeOf(x.Class != correct.OK, x.Raw()), timeOf(x.Class != correct.OK && !x.Class.Ours(), max(0, x.Raw()-x.Late))
	case b.Rule.Metric == Mean:
		return b.time(x)
	case raw:
		return b.attempt(x)
	case b.measured(x):
		return 1, one(b.surely(x))
	}
	return 0, 0
}

func one(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// plus is a sum that ends at beyond, and but for failures under it.
func plus(a, b uint64) uint64 {
	if a == beyond || b == beyond {
		return beyond
	}
	sum, carry := bits.Add64(a, b, 0)
	if carry > 0 {
		return beyond - 1
	}
	return min(sum, beyond-1)
}

func timeOf(failed bool, took time.Duration) uint64 {
	if failed {
		return beyond
	}
	return uint64(took)
}

// time is what an operation adds to those whose mean is limited.
func (b *Budget) time(x *correct.Sample) (over, surely uint64) {
	failed := x.Class != correct.OK
	switch {
	case failed && b.Rule.Set == correct.CorrectedOK,
		b.Rule.Set == correct.Settled && (x.Class == correct.Dropped || x.Class == correct.Unfinished):
		return 0, 0
	case b.Rule.Set == correct.Settled:
		return uint64(x.Corrected()), uint64(b.punctual(x))
	case failed && x.Excused():
		return beyond, 0
	}
	return timeOf(failed, x.Corrected()), timeOf(failed, b.punctual(x))
}

func (b *Budget) attempt(x *correct.Sample) (over, surely uint64) {
	failed := x.Class != correct.OK
	if !failed && x.Raw() < b.Rule.bound() {
		return 0, 0
	}
	return 1, one(failed && !x.Class.Ours() || !failed && x.Raw()-x.Late >= b.Rule.bound())
}

func (b *Budget) measured(x *correct.Sample) bool {
	ok, slow := x.Class == correct.OK, x.Corrected() >= b.Rule.bound()
	switch b.Rule.Metric {
	case Errors:
		return !ok
	case Useful:
		return !ok || b.course.Deadline > 0 && x.Corrected() > b.course.Deadline
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
func (b *Budget) surely(x *correct.Sample) bool {
	v := b.punctual(x)
	slow := v >= b.Rule.bound()
	failed := x.Class != correct.OK && !x.Excused()
	switch b.Rule.Metric {
	case Errors:
		return failed || x.Class == correct.Dropped
	case Useful:
		return failed || x.Class == correct.Dropped || x.Class == correct.OK && v > b.course.Deadline
	case FirstTry:
		return x.Class == correct.OK || !x.Class.Ours() || x.Class == correct.Dropped
	}
	switch b.Rule.Set {
	case correct.CorrectedOK, correct.Settled:
		return slow
	}
	return failed || x.Class == correct.OK && slow
}

// punctual is what x would have taken then.
func (b *Budget) punctual(x *correct.Sample) time.Duration {
	v := x.LessLag()
	if b.course.AutoCap {
		v = max(0, v-x.Wait())
	}
	return v
}

// Lost is the least Surely with which the rule is broken, whatever the rest of the plan
// comes to. confidence is in percent, or 0. It may be more than there can be.
func (b *Budget) Lost(confidence float64) uint64 {
	n := b.Planned
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
	case Attempts:
		return "attempts"
	case Mean:
		return "in all"
	}
	return "over the limit"
}

// Failed reports whether a failure has used up a budget of time.
func (b *Budget) Failed() bool { return b.Over == beyond }
