package run_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
	"openload/lab"
	"openload/plan"
	"openload/report"
	"openload/retry"
	"openload/run"
	"openload/schedule"
	"openload/seed"
	"openload/sim"
	"openload/sla"
	"openload/watch"
)

// A case for --abort-on-fail: some load on a server that is sometimes too slow.
type broken struct {
	plan   plan.Plan
	server string
}

func (b broken) run(t require.TestingT, abort bool, see func(correct.Sample)) *report.Report {
	p := b.plan
	p.AbortOnFail = abort
	require.NoError(t, p.Check())
	spec, err := lab.Parse(b.server)
	require.NoError(t, err)
	return run.Run(context.Background(), context.Background(), run.Setup{
		Ready: run.Prepare(&p), World: sim.New(spec.Model(p.Seed.Stream("server")), p.Expect.Has), Engine: "sim", Observe: see,
	})
}

var brokens = rapid.Custom(func(t *rapid.T) (b broken) {
	pick := func(name string, from ...string) string { return rapid.SampledFrom(from).Draw(t, name) }
	rate, err := schedule.ParseRate(pick("rate", "5", "12.5", "19", "25"))
	require.NoError(t, err)
	law, err := schedule.ParseLaw(pick("law", "even", "poisson", "uniform"))
	require.NoError(t, err)
	b.plan = plan.Plan{
		Schedule: schedule.Spec{Shape: schedule.Constant(rate), Law: law, N: rapid.Uint64Range(1, 400).Draw(t, "n")},
		Seed:     seed.Seed(rapid.Uint64Range(1, 1000).Draw(t, "seed")), Connections: rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "connections"),
		Timeout: rapid.SampledFrom([]time.Duration{0, time.Second}).Draw(t, "timeout"), Deadline: rapid.SampledFrom([]time.Duration{0, 1500 * ms}).Draw(t, "deadline"),
		Drain: time.Minute, Confidence: rapid.SampledFrom([]float64{0, 0, 95}).Draw(t, "confidence"), Target: plan.Target{Method: "GET"},
	}
	for range rapid.IntRange(1, 3).Draw(t, "rules") {
		rule, err := sla.Parse(pick("rule", "p50<100ms", "p90<=500ms", "p99<500ms", "max<2s", "ok.p95<400ms", "settled.p99<1s", "raw.p99<300ms", "errors<5%", "errors<=2%", "useful>90%", "first_try>90%", "mean<200ms"))
		require.NoError(t, err)
		b.plan.Rules = append(b.plan.Rules, rule)
	}
	if len(sla.Follow(b.plan.Rules, 0, false)) == 0 {
		b.plan.Rules = append(b.plan.Rules, sla.Rule{Metric: sla.Errors, Billionths: 1e7})
	}
	b.plan.Retry, err = retry.Parse(pick("retry", "", "", "attempts=3 backoff=fixed base=100ms"))
	require.NoError(t, err)
	b.server = fmt.Sprintf("service=%dms workers=%s stall=%d:%dms errors=%s", rapid.SampledFrom([]int{10, 40, 50}).Draw(t, "service"), pick("workers", "1", "2", "0"),
		rapid.IntRange(1, 400).Draw(t, "stalled"), rapid.SampledFrom([]int{0, 600, 2000, 5000}).Draw(t, "stall"), pick("errors", "0%", "3%", "20%", "100%"))
	return b
})

// An aborted run is a FAIL, and so is the same run to its end: openload never gives up
// on a run that might have been anything else. What it did send, it reports in full.
func TestAbortingNeverChangesTheVerdict(t *testing.T) {
	aborted, early := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		b := brokens.Draw(t, "run")
		whole := b.run(t, false, nil)
		short := b.run(t, true, nil)
		c := short.Counts
		require.Equal(t, c.Scheduled, c.Fired+c.Dropped)
		require.Zero(t, c.Unfinished, "what was sent settles as it would have")
		if !short.Run.Aborted {
			require.Equal(t, whole.Verdict, short.Verdict)
			require.Equal(t, whole.Counts, short.Counts)
			return
		}
		require.Equal(t, "fail", short.Verdict)
		require.Equal(t, "fail", whole.Verdict)
		require.LessOrEqual(t, c.Scheduled, whole.Counts.Scheduled)
		require.True(t, hasNote(short, "aborted"))
		aborted++
		if c.Scheduled < whole.Counts.Scheduled {
			early++
		}
	})
	require.Positive(t, aborted)
	require.Positive(t, early, "some runs end before all is sent")
}

func hasNote(r *report.Report, code string) bool {
	for _, n := range r.Notes {
		if n.Code == code {
			return true
		}
	}
	return false
}

// The stall that breaks the rule is over at 6.0 s; nobody needs the other 124 requests.
func TestAbortAfterTheStall(t *testing.T) {
	p := plan.Plan{Schedule: even(t, "12.5", 200), Connections: 1, Drain: time.Minute, Rules: rules(t, "p99<500ms")}
	r := broken{p, "service=50ms stall=50:2s"}.run(t, true, nil)
	require.Equal(t, "fail", r.Verdict)
	require.EqualValues(t, 76, r.Counts.Scheduled, "those due by when the third slow one was answered")
	require.EqualValues(t, 76, r.Counts.OK)
	require.EqualValues(t, 200, *r.Counts.Planned)
}

func TestAbortNeedsSomethingToDecide(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rules []string
		n     uint64
		want  string
	}{
		{"no rules", nil, 200, "--abort-on-fail has nothing to fail: give a rule, such as --sla 'p99<500ms'"},
		{"rules that only the end decides", []string{"mean<1s", "rate>=99%"}, 200, "--abort-on-fail: none of the rules can be decided before the end; percentiles, max, errors, useful and first_try can"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := plan.Plan{Schedule: even(t, "12.5", tt.n), Rules: rules(t, tt.rules...), AbortOnFail: true}
			require.EqualError(t, p.Check(), tt.want)
		})
	}
	closed := plan.Plan{Closed: &plan.Closed{Duration: time.Second}, Connections: 1, Rules: rules(t, "raw.p99<1s"), AbortOnFail: true}
	require.EqualError(t, closed.Check(), "--abort-on-fail needs to know how many operations there are: give --n as well")
}

// Somebody who looks on changes nothing, and sees the same as the report in the end; what
// budgets count while a run goes on is what the judge counts then.
func TestWatchingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := brokens.Draw(t, "run")
		alone := b.run(t, false, nil)
		budgets := sla.Follow(b.plan.Rules, b.plan.Deadline, b.plan.Connections == 0)
		w := watch.New(b.plan.Rules, b.plan.Deadline, b.plan.Connections == 0)
		spec, err := lab.Parse(b.server)
		require.NoError(t, err)
		watched := run.Run(context.Background(), context.Background(), run.Setup{
			Ready: run.Prepare(&b.plan), World: sim.New(spec.Model(b.plan.Seed.Stream("server")), b.plan.Expect.Has), Engine: "sim", Watch: w,
			Observe: func(x correct.Sample) {
				if x.Seq%16 == 0 {
					w.Ask()
				}
				for i := range budgets {
					budgets[i].Record(x)
				}
			},
		})
		require.Equal(t, alone, watched)
		for _, budget := range budgets {
			require.LessOrEqual(t, budget.Surely, budget.Over)
			for _, judged := range alone.SLA {
				if judged.Rule == budget.Rule.String() && judged.Over != nil {
					require.Equal(t, []uint64{*judged.Over, *judged.Allowed}, []uint64{budget.Over, budget.Allowed(judged.Of)}, judged.Rule)
				}
			}
		}
		w.Ask()
		w.Turn(0)
		s, ok := w.Look(0)
		require.True(t, ok)
		require.Equal(t, []uint64{alone.Counts.Scheduled, alone.Counts.Scheduled, 0}, []uint64{s.Due, s.Done, s.Waiting})
		for _, x := range []struct {
			seen watch.Value
			want *time.Duration
		}{{s.Corrected.P50, alone.Latency.Corrected.P50}, {s.Corrected.P99, alone.Latency.Corrected.P99}, {s.Corrected.Max, alone.Latency.Corrected.Max}, {s.Raw.P90, alone.Latency.Raw.P90}} {
			require.Equal(t, x.want == nil, x.seen.Failed)
			if x.want != nil {
				require.InEpsilon(t, max(1, *x.want), max(1, x.seen.D), 0.003)
			}
		}
	})
}
