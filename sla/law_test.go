package sla

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
)

// ops draws operations around 500 ms: fast and slow ones, late and punctual ones,
// failures of the server and of ours.
var ops = rapid.Custom(func(t *rapid.T) op {
	milliseconds := func(name string, values ...int) time.Duration {
		return time.Duration(rapid.SampledFrom(values).Draw(t, name)) * ms
	}
	o := op{
		lag:  milliseconds("lag", 0, 0, 0, 1, 60, 200),
		wait: milliseconds("wait", 0, 0, 0, 50, 450),
		raw:  milliseconds("raw", 1, 50, 50, 50, 440, 499, 500, 501, 700, 2000),
		class: rapid.SampledFrom([]correct.Class{
			correct.OK, correct.OK, correct.OK, correct.OK, correct.OK, correct.OK,
			correct.Timeout, correct.Refused, correct.Stale, correct.Unfinished,
		}).Draw(t, "class"),
	}
	if rapid.Bool().Draw(t, "read late") {
		o.late = min(o.raw, milliseconds("late", 1, 70))
	}
	return o
})

// runs draws runs that keep their rate.
var runs = rapid.Custom(func(t *rapid.T) run {
	return run{
		ops:  rapid.SliceOfN(ops, 2, 120).Draw(t, "ops"),
		fast: rapid.SampledFrom([]int{0, 400}).Draw(t, "fast"), interval: time.Minute,
	}
})

// serverRules draws rules on all operations: losing one does not take it from the set.
var serverRules = rapid.SampledFrom([]string{
	"p50<500ms", "p90<=500ms", "p95<501ms", "p99<500ms", "max<2s", "mean<300ms", "errors<1%", "errors<=10%", "useful>80%",
})

// Counting gives what sorting would: a rule holds if the value at its rank is below
// the limit; it is broken for certain if the same is not so of punctual values.
// So PASS and FAIL are never both possible.
func TestCountingAgreesWithSorting(t *testing.T) {
	const never = time.Duration(1<<63 - 1)
	rapid.Check(t, func(t *rapid.T) {
		r := rule(t, rapid.SampledFrom([]string{"p50<500ms", "p90<=500ms", "p99<500ms", "p99.9<=700ms", "max<2s"}).Draw(t, "rule"))
		run := runs.Draw(t, "run")
		var measured, punctual []time.Duration
		for i := range run.ops {
			x := run.sample(i)
			v, least := x.Corrected(), x.LessLag()
			switch {
			case x.Class == correct.OK:
			case x.Class.Ours() || x.Class == correct.Timeout && v-least >= v/10:
				v, least = never, 0
			default:
				v, least = never, never
			}
			measured, punctual = append(measured, v), append(punctual, least)
		}
		for range run.fast {
			measured, punctual = append(measured, 50*ms), append(punctual, 50*ms)
		}
		holds := func(values []time.Duration) bool {
			slices.Sort(values)
			v := values[r.Quantile.Rank(uint64(len(values)))-1]
			return v < r.Latency || v == r.Latency && r.Equal
		}
		pass, fail := holds(measured), !holds(punctual)
		require.False(t, pass && fail)

		want := Invalid
		switch {
		case pass:
			want = Pass
		case fail:
			want = Fail
		}
		res := Judge([]Rule{r}, run.evidence(r)).Results[0]
		require.Equal(t, pass, res.Pass)
		require.Equal(t, want, res.Outcome)
		if res.Latency != nil {
			require.Equal(t, pass, *res.Latency < r.bound(), "the value shown never contradicts the outcome")
		} else {
			require.False(t, pass)
		}
	})
}

// A run that nobody told the limits gives the same answer, unless it says that it
// could not.
func TestHistogramAgreesOrSaysSo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rule(t, serverRules.Draw(t, "rule"))
		run := runs.Draw(t, "run")
		told := Judge([]Rule{r}, run.evidence(r))
		untold := Judge([]Rule{r}, run.evidence())
		if slices.Contains(codes(untold.Notes), "limit_in_bucket") {
			require.False(t, untold.Results[0].Pass, "in doubt, over the limit")
			return
		}
		require.Equal(t, told.Results[0].Pass, untold.Results[0].Pass)
	})
}

// A verdict never improves when an operation is lost or gets slower.
func TestWorseIsNeverBetter(t *testing.T) {
	badness := map[Outcome]int{Pass: 0, Inconclusive: 1, Fail: 2, Invalid: 2}
	rapid.Check(t, func(t *rapid.T) {
		var list []Rule
		for _, text := range rapid.SliceOfN(serverRules, 1, 3).Draw(t, "rules") {
			list = append(list, rule(t, text))
		}
		before := runs.Draw(t, "run")
		evidence := before.evidence(list...)
		evidence.Confidence = rapid.SampledFrom([]float64{0, 95}).Draw(t, "confidence")
		evidence.AutoCapReached = rapid.Bool().Draw(t, "automatic cap")
		i := rapid.IntRange(0, len(before.ops)-1).Draw(t, "which")
		after := before.but(0, nil)
		o := &after.ops[i]
		if rapid.Bool().Draw(t, "lost") {
			o.class = rapid.SampledFrom([]correct.Class{correct.Reset, correct.Timeout, correct.Stale, correct.Dropped, correct.Unfinished}).Draw(t, "as")
		} else {
			o.raw += time.Duration(rapid.IntRange(1, 3000).Draw(t, "slower by")) * ms
		}
		worse := evidence
		worse.Snapshot = after.snapshot(list...)

		was, is := Judge(list, evidence), Judge(list, worse)
		require.GreaterOrEqual(t, badness[is.Outcome], badness[was.Outcome], "%v: %v became %v", list, was.Outcome, is.Outcome)
	})
}

// Nor does it when it is left out: then the plan was not kept.
func TestLeavingOutIsNoWayOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rule(t, serverRules.Draw(t, "rule"))
		run := runs.Draw(t, "run")
		e := run.evidence(r)
		i := rapid.IntRange(0, len(run.ops)-1).Draw(t, "which")
		run.ops = slices.Delete(slices.Clone(run.ops), i, i+1)
		e.Snapshot = run.snapshot(r)
		require.Equal(t, Invalid, Judge([]Rule{r}, e).Outcome)
	})
}
