package run_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
	"openload/engine"
	"openload/lab"
	"openload/plan"
	"openload/report"
	"openload/retry"
	"openload/run"
	"openload/schedule"
	"openload/seed"
	"openload/sim"
	"openload/sla"
)

// sims are simulated worlds, each with a server and a virtual time of its own.
type sims []engine.World

func newSims(t require.TestingT, p *plan.Plan, server string, n int) (all sims) {
	spec, err := lab.Parse(server)
	require.NoError(t, err)
	for range n {
		all = append(all, sim.New(spec.Model(p.Seed.Stream("server")), p.Expect.Has))
	}
	return all
}

func (s sims) Worlds() []engine.World { return s }
func (s sims) Pause()                 { runtime.Gosched() }
func (s sims) Each(f func(int)) {
	var all sync.WaitGroup
	for i := range s {
		all.Go(func() { f(i) })
	}
	all.Wait()
}

func (s sims) run(ctx, stop context.Context, p *plan.Plan, see func(correct.Sample)) *report.Report {
	return run.Run(ctx, stop, run.Setup{Ready: run.Prepare(p).Share(len(s)), Loops: s, Engine: "sim", Observe: see})
}

// Law: a run of several loops has the report of one, where operations have nothing to do
// with each other.
func TestTheReportOfSeveralLoopsIsThatOfOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(name string, from ...string) string { return rapid.SampledFrom(from).Draw(t, name) }
		rate, err := schedule.ParseRate(pick("rate", "5", "12.5", "1000"))
		require.NoError(t, err)
		law, err := schedule.ParseLaw(pick("law", "even", "poisson", "uniform", "burst=3"))
		require.NoError(t, err)
		p := &plan.Plan{
			Schedule: schedule.Spec{Shape: schedule.Constant(rate), Law: law, N: rapid.Uint64Range(1, 300).Draw(t, "n")},
			Seed:     seed.Seed(rapid.Uint64Range(1, 1000).Draw(t, "seed")), Timeout: rapid.SampledFrom([]time.Duration{0, time.Second}).Draw(t, "timeout"),
			Warmup: rapid.SampledFrom([]time.Duration{0, 10 * ms}).Draw(t, "warmup"),
			Drain:  time.Minute, Target: plan.Target{Method: "GET"},
		}
		p.Retry, err = retry.Parse(pick("retry", "", "attempts=3 backoff=fixed base=100ms", "attempts=2 backoff=exponential base=100ms jitter=full"))
		require.NoError(t, err)
		rule, err := sla.Parse(pick("rule", "p99<30ms", "p50<300ms", "errors<1%"))
		require.NoError(t, err)
		p.Rules = append(p.Rules, rule)
		if p.Check() != nil {
			p.Warmup = 0 // all of it would be warm-up
		}
		require.NoError(t, p.Check())
		server := "workers=0 service=" + pick("service", "10ms", "40ms", "2s")
		one := newSims(t, p, server, 1)
		alone := run.Run(context.Background(), context.Background(), run.Setup{Ready: run.Prepare(p), World: one[0], Engine: "sim"})
		several := newSims(t, p, server, rapid.IntRange(1, 4).Draw(t, "loops")).run(context.Background(), context.Background(), p, nil)
		for _, r := range []*report.Report{alone, several} {
			// They know what else was out, and the loops' times are not one; or what ended first
			// of what took as long.
			r.Counts.LateAnswers, r.Latency.ClosedLoop, r.Notes, r.Worst = nil, nil, nil, nil
			if r.Warmup != nil {
				r.Warmup.Latency.ClosedLoop, r.Warmup.Counts.LateAnswers = nil, nil
			}
			for i := range r.Series {
				r.Series[i].Out = 0
			}
			for i := range r.SLA {
				r.SLA[i].ClosedNS, r.SLA[i].ClosedPass, r.SLA[i].Flipped = nil, nil, false
			}
		}
		require.Equal(t, alone, several)
	})
}

// Law: no loop does what another does, and the balance adds up, whoever ends the run.
func TestTheBalanceOfSeveralLoops(t *testing.T) {
	hundred, err := schedule.ParseRate("100")
	require.NoError(t, err)
	thousand, err := schedule.ParseRate("1000")
	require.NoError(t, err)
	again, err := retry.Parse("attempts=3 base=1ms budget=20%+10/s breaker=50%/100ms")
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		loops := rapid.IntRange(1, 4).Draw(t, "loops")
		p := &plan.Plan{
			Seed: 1, Connections: rapid.IntRange(loops, 9).Draw(t, "connections"), Backlog: rapid.SampledFrom([]int{0, 5, 100}).Draw(t, "backlog"), Drain: time.Second,
		}
		if rapid.Bool().Draw(t, "closed") {
			p.Closed = &plan.Closed{N: rapid.Uint64Range(uint64(loops), 120).Draw(t, "n"), Think: time.Duration(rapid.IntRange(0, 20).Draw(t, "think")) * ms}
			if rapid.Bool().Draw(t, "paced") {
				p.Closed.Rate = &hundred
			}
		} else {
			p.Schedule = schedule.Spec{Shape: schedule.Constant(thousand), N: rapid.Uint64Range(1, 120).Draw(t, "n")}
			if rapid.Bool().Draw(t, "retries") {
				p.Retry = again
			}
		}
		require.NoError(t, p.Check())
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		given, stop := context.Background(), ctx
		if rapid.Bool().Draw(t, "at once") {
			given, stop = ctx, given
		}
		after, settled := rapid.IntRange(0, 200).Draw(t, "ended after"), map[uint64]int{}
		var sent []correct.Sample
		if most := run.MostLoops(p); most > 0 {
			loops = min(loops, most)
		}
		r := newSims(t, p, "service=7ms workers=3 errors=10%", loops).run(given, stop, p, func(x correct.Sample) {
			if x.Final {
				settled[x.Seq]++
			}
			if x.Fired {
				sent = append(sent, x)
			}
			if len(settled) == after {
				cancel()
			}
		})
		c := r.Counts
		require.Equal(t, c.Scheduled, c.Fired+c.Dropped)
		require.Equal(t, c.Fired, c.OK+c.BadStatus+c.Unfinished+c.Blocked)
		require.Len(t, settled, int(c.Scheduled))
		for seq, n := range settled {
			require.Equal(t, 1, n, fmt.Sprint(seq))
			require.Less(t, seq, *c.Planned)
		}
		if ctx.Err() == nil {
			require.Equal(t, *c.Planned, c.Scheduled)
		}
		byLoop, byWorker := map[int]int{}, map[int32]int{}
		for _, x := range sent {
			loop := int(x.Seq) % loops
			byLoop[loop] = max(byLoop[loop], overlaps(sent, x.Sent, func(o correct.Sample) bool { return int(o.Seq)%loops == loop }))
			if p.Closed != nil {
				require.Less(t, int(x.Worker), p.Connections)
				require.Equal(t, loop, int(x.Worker)%loops)
				byWorker[x.Worker] = max(byWorker[x.Worker], overlaps(sent, x.Sent, func(o correct.Sample) bool { return o.Worker == x.Worker }))
			}
		}
		for loop, most := range byLoop {
			require.LessOrEqual(t, most, engine.Share(p.Connections, loop, loops))
		}
		for worker, most := range byWorker {
			require.Equal(t, 1, most, worker)
		}
	})
}

// overlaps is how many of those were out at an instant.
func overlaps(all []correct.Sample, at time.Duration, these func(correct.Sample) bool) (n int) {
	for _, x := range all {
		if x.Sent <= at && at < x.Done && these(x) {
			n++
		}
	}
	return n
}

// A run of several loops that ends itself is a FAIL like that of one.
func TestSeveralLoopsAbort(t *testing.T) {
	p := &plan.Plan{Schedule: even(t, "100", 100_000), Drain: time.Minute, Rules: rules(t, "p99<5ms"), AbortOnFail: true}
	require.NoError(t, p.Check())
	r := newSims(t, p, "service=10ms workers=0", 3).run(context.Background(), context.Background(), p, nil)
	require.Equal(t, "fail", r.Verdict)
	require.Zero(t, r.Counts.Unfinished)
}

func TestMostLoops(t *testing.T) {
	for _, tt := range []struct {
		name string
		plan plan.Plan
		want int
	}{
		{"nothing is bounded", plan.Plan{}, 0},
		{"connections", plan.Plan{Connections: 3, Backlog: 100}, 3},
		{"the backlog", plan.Plan{Backlog: 2}, 2},
		{"workers", plan.Plan{Connections: 8, Backlog: 2, Closed: &plan.Closed{}}, 8},
		{"a closed loop's operations", plan.Plan{Connections: 8, Closed: &plan.Closed{N: 5}}, 5},
	} {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, run.MostLoops(&tt.plan)) })
	}
}
