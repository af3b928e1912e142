package run_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
	"openload/engine"
	"openload/lab"
	"openload/plan"
	"openload/report"
	"openload/request"
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
	targets := []string{""}
	if order := request.Order(rapid.SampledFrom([]int{-1, int(request.Cycle), int(request.Random)}).Draw(t, "order")); int8(order) >= 0 {
		b.plan.Mix, err = request.NewMix([]request.Item{
			{Name: "most", Weight: 6, Request: request.Request{URL: "http://h/most"}}, {Name: "few", Request: request.Request{URL: "http://h/few"}},
			{Name: "most", Weight: 2, Request: request.Request{URL: "http://h/more"}}, {Name: "rare", Request: request.Request{URL: "http://h/rare"}},
		}, order, b.plan.Seed.Numbers("targets"))
		require.NoError(t, err)
		targets = append(targets, "most: ", "few: ", "rare: ")
		if last := b.plan.Planned(); rapid.Bool().Draw(t, "warm") && last > 50 {
			b.plan.Warmup = b.plan.Length() / 4
		}
	}
	for range rapid.IntRange(1, 3).Draw(t, "rules") {
		rule, err := sla.Parse(pick("target", targets...) + pick("rule", "p50<100ms", "p90<=500ms", "p99<500ms", "max<2s", "ok.p95<400ms", "settled.p99<1s", "raw.p99<300ms",
			"errors<5%", "errors<=2%", "useful>90%", "first_try>90%", "mean<200ms", "mean<=60ms", "raw.mean<60ms", "ok.mean<100ms", "settled.mean<400ms", "attempts<1.2", "attempts<=1", "rate>=99%"))
		require.NoError(t, err)
		b.plan.Rules = append(b.plan.Rules, rule)
	}
	if !slices.ContainsFunc(b.plan.Rules, sla.Rule.Early) {
		b.plan.Rules = append(b.plan.Rules, sla.Rule{Metric: sla.Errors, Billionths: 1e7})
	}
	b.plan.Retry, err = retry.Parse(pick("retry", "", "", "attempts=3 backoff=fixed base=100ms", "attempts=4 backoff=fixed base=50ms breaker=50%"))
	require.NoError(t, err)
	b.server = fmt.Sprintf("service=%dms workers=%s stall=%d:%dms errors=%s", rapid.SampledFrom([]int{10, 40, 50}).Draw(t, "service"), pick("workers", "1", "2", "0"),
		rapid.IntRange(1, 400).Draw(t, "stalled"), rapid.SampledFrom([]int{0, 600, 2000, 5000}).Draw(t, "stall"), pick("errors", "0%", "3%", "20%", "100%"))
	return b
})

// An aborted run is a FAIL, and so is the same run to its end: openload never gives up
// on a run that might have been anything else. What it did send, it reports in full.
func TestAbortingNeverChangesTheVerdict(t *testing.T) {
	aborted, early := 0, 0
	by := map[string]int{}
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
			for _, x := range short.SLA {
				if rule, err := sla.Parse(x.Rule); err == nil && len(short.SLA) == 1 {
					by[kind(rule)]++
				}
			}
		}
	})
	require.Positive(t, aborted)
	require.Positive(t, early, "some runs end before all is sent")
	t.Logf("ended early by their only rule: %v", by)
}

func kind(r sla.Rule) string {
	of := ""
	if r.Target != "" {
		of = " of a target"
	}
	return fmt.Sprintf("metric %d set %v", r.Metric, r.Set) + of
}

func hasNote(r *report.Report, code string) bool {
	for _, n := range r.Notes {
		if n.Code == code {
			return true
		}
	}
	return false
}

// A world that wakes late: in virtual time, what a busy machine does to a generator.
type late struct {
	engine.World
	by func() time.Duration
}

func (w late) Wait(ctx context.Context, until time.Duration) (time.Duration, correct.Sample, bool) {
	return w.World.Wait(ctx, until+w.by())
}

// A few operations that left late are off every rate, and what openload gave up on is a
// FAIL all the same.
func TestAnAbortedRunFailsThoughWeWereLate(t *testing.T) {
	off := 0
	for chance := range uint64(20) {
		p := plan.Plan{
			Schedule: even(t, "12.5", 200), Seed: seed.Seed(chance + 1), Drain: time.Minute, Rules: rules(t, "errors<=1%"), AbortOnFail: true,
			Target: plan.Target{Method: "GET"},
		}
		require.NoError(t, p.Check())
		spec, err := lab.Parse("service=5ms workers=0 errors=50%")
		require.NoError(t, err)
		rng := rand.New(rand.NewPCG(chance, 1))
		r := run.Run(context.Background(), context.Background(), run.Setup{
			Ready: run.Prepare(&p), Engine: "sim",
			World: late{sim.New(spec.Model(p.Seed.Stream("server")), p.Expect.Has), func() time.Duration { return time.Duration(rng.Int64N(int64(30 * ms))) }},
		})
		require.True(t, r.Run.Aborted)
		require.Equal(t, "fail", r.Verdict, "%v", r.Reasons)
		if x := r.Rate; x != nil && max(x.Asked, x.Offered) > 1.01*min(x.Asked, x.Offered) {
			off++
		}
	}
	require.Greater(t, off, 10)
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

// The rule of a target that has a tenth of the load is lost by as many as the tenth allows,
// and a mean once the time that all may take is used up.
func TestAbortByEveryRule(t *testing.T) {
	for _, tt := range []struct {
		rule, server string
		scheduled    uint64
		why          string
	}{
		{"checkout: p99<100ms", "service=5ms workers=0 errors=10%", 56, "the second checkout that fails, where 1 of 100 may"},
		{"checkout: errors<1%", "service=5ms workers=0 errors=10%", 46, "the first, where none may"},
		{"mean<80ms", "service=500ms workers=0", 209, "160 of 0.5 s are the 80 s that 1,000 may take, and the last of them ends at 2.09 s"},
		{"checkout: mean<80ms", "service=500ms workers=0", 205, "16 of 0.5 s are the 8 s that 100 may take, and the last of them ends at 2.05 s"},
		{"mean<80ms", "service=5ms workers=0 errors=10%", 4, "the first that fails has no mean"},
	} {
		t.Run(tt.rule+" of "+tt.server, func(t *testing.T) {
			p := mixed(t, request.Cycle, tt.rule)
			r := broken{*p, tt.server}.run(t, true, nil)
			require.Equal(t, "fail", r.Verdict)
			require.Equal(t, tt.scheduled, r.Counts.Scheduled, tt.why)
			require.Equal(t, "fail", broken{*p, tt.server}.run(t, false, nil).Verdict)
		})
	}
}

func TestAbortNeedsSomethingToDecide(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rules []string
		n     uint64
		want  string
	}{
		{"no rules", nil, 200, "--abort-on-fail has nothing to fail: give a rule, such as --sla 'p99<500ms'"},
		{"rules that only the end decides", []string{"rate>=99%"}, 200, "--abort-on-fail has nothing to fail: a rule on the rate is kept, or the run is INVALID; give another, such as --sla 'p99<500ms'"},
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
		ready := run.Prepare(&b.plan)
		budgets := ready.Budgets()
		w := watch.New(ready.Budgets())
		w.Warm = b.plan.Warm
		spec, err := lab.Parse(b.server)
		require.NoError(t, err)
		watched := run.Run(context.Background(), context.Background(), run.Setup{
			Ready: run.Prepare(&b.plan), World: sim.New(spec.Model(b.plan.Seed.Stream("server")), b.plan.Expect.Has), Engine: "sim", Watch: w,
			Observe: func(x correct.Sample) {
				if x.Seq%16 == 0 {
					w.Ask()
				}
				for i := range budgets {
					if !b.plan.Warm(x.Intended) {
						budgets[i].Record(x)
						if x.Final {
							budgets[i].Arrive(x.Seq)
						}
					}
				}
			},
		})
		require.Equal(t, alone, watched)
		for _, budget := range budgets {
			require.LessOrEqual(t, budget.Surely, budget.Over)
			for _, judged := range alone.SLA {
				if judged.Rule != budget.Rule.String() {
					continue
				}
				switch {
				case judged.Over != nil:
					require.Equal(t, []uint64{*judged.Over, *judged.Allowed}, []uint64{budget.Over, budget.Allowed(judged.Of)}, judged.Rule)
				case budget.Rule.Metric == sla.Attempts && judged.Of > 0:
					require.InDelta(t, float64(budget.Over)/float64(judged.Of), *judged.Value, 1e-9)
					require.Equal(t, judged.Pass, budget.Over <= budget.Allowed(judged.Of))
				case budget.Rule.Metric == sla.Mean && judged.ValueNS != nil && judged.Pass:
					require.InDelta(t, float64(budget.Over)/float64(judged.Of), float64(*judged.ValueNS), 1)
				}
				if judged.Of > 0 {
					require.LessOrEqual(t, judged.Of, budget.Planned)
				}
				if budget.Rule.Metric == sla.Errors {
					require.Equal(t, judged.Of, budget.Planned, "counted beforehand")
					require.Equal(t, judged.Of, budget.Due)
				}
			}
		}
		w.Ask()
		w.Turn(0)
		s, ok := w.Look(0)
		require.True(t, ok)
		all := b.plan.Planned()
		require.Equal(t, []uint64{all, all, 0}, []uint64{s.Due, s.Done, s.Waiting})
		for i, of := range s.Budgets {
			require.Equal(t, budgets[i].Over, of.Over)
			for _, judged := range alone.SLA {
				if judged.Rule == of.Rule.String() && judged.Episodes != nil {
					require.Equal(t, *judged.Episodes, of.Episodes)
				}
			}
		}
		for _, x := range []struct {
			seen watch.Value
			want *time.Duration
		}{{s.Corrected.P50, alone.Latency.Corrected.P50}, {s.Corrected.P99, alone.Latency.Corrected.P99}, {s.Corrected.Max, alone.Latency.Corrected.Max}, {s.Raw.P90, alone.Latency.Raw.P90}} {
			require.Equal(t, x.want == nil, x.seen.Failed || x.seen.None)
			if x.want != nil {
				require.InEpsilon(t, max(1, *x.want), max(1, x.seen.D), 0.003)
			}
		}
	})
}
