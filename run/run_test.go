package run_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/lab"
	"openload/plan"
	"openload/report"
	"openload/run"
	"openload/schedule"
	"openload/sim"
	"openload/sla"
)

const ms = time.Millisecond

func simulate(t *testing.T, p *plan.Plan, server string) *report.Report {
	require.NoError(t, p.Check())
	spec, err := lab.Parse(server)
	require.NoError(t, err)
	return run.Run(context.Background(), context.Background(), run.Setup{
		Ready: run.Prepare(p), World: sim.New(spec.Model(p.Seed.Stream("server")), p.Expect.Has), Engine: "sim",
	})
}

func even(t *testing.T, rate string, n uint64) schedule.Spec {
	r, err := schedule.ParseRate(rate)
	require.NoError(t, err)
	return schedule.Spec{Shape: schedule.Constant(r), N: n}
}

func rules(t *testing.T, texts ...string) (all []sla.Rule) {
	for _, text := range texts {
		r, err := sla.Parse(text)
		require.NoError(t, err)
		all = append(all, r)
	}
	return all
}

// The figures of the lab, through everything that a run goes through.
func TestTheLabsReport(t *testing.T) {
	p := &plan.Plan{Schedule: even(t, "12.5", 200), Connections: 1, Drain: time.Minute, Rules: rules(t, "p99<500ms", "errors<1%")}
	r := simulate(t, p, "service=50ms stall=150:2s")
	require.Equal(t, "fail", r.Verdict)
	require.EqualValues(t, 200, r.Counts.OK)
	require.EqualValues(t, 200, *r.Counts.Planned)
	require.EqualValues(t, 10, *r.Counts.LateAnswers)
	require.Equal(t, 23, *r.Counts.MaxBacklog)
	require.InEpsilon(t, 1940*ms, *r.Latency.Corrected.P99, 0.001)
	require.Equal(t, 356*ms, *r.Latency.Corrected.Mean)
	require.InEpsilon(t, 50*ms, *r.Latency.Raw.P99, 0.001)
	require.Equal(t, r.Latency.Raw, r.Latency.ClosedLoop)
	corrected := *r.Latency.Corrected
	require.Equal(t, &corrected, r.Latency.LessLag, "a simulated generator is never late")
	require.EqualValues(t, 51, *r.SLA[0].Over)
	require.EqualValues(t, 2, *r.SLA[0].Allowed)
	require.EqualValues(t, 1, *r.SLA[0].Episodes)
	require.True(t, r.SLA[0].Flipped)
	require.True(t, r.SLA[1].Pass)
	require.InDelta(t, 12.5, r.Rate.Offered, 1e-9)
	require.Equal(t, 16_420*ms, r.Run.Duration)
	require.Equal(t, report.Correction{Method: "intended", Source: "the schedule"}, r.Correction)
	require.NotEmpty(t, r.Schedule.SHA256)
}

func TestTheReportOfAClosedLoop(t *testing.T) {
	rate, err := schedule.ParseRate("12.5")
	require.NoError(t, err)
	p := &plan.Plan{Closed: &plan.Closed{N: 200, Rate: &rate}, Connections: 1, Drain: time.Minute, Rules: rules(t, "raw.p99<500ms")}
	r := simulate(t, p, "service=50ms stall=150:2s")
	require.Equal(t, "pass", r.Verdict)
	require.Equal(t, "closed", r.Plan.Model)
	require.EqualValues(t, 24, r.Plan.Closed.Skipped)
	require.Nil(t, r.Latency.Corrected)
	require.Nil(t, r.Latency.ClosedLoop)
	require.Nil(t, r.Rate)
	require.Nil(t, r.Schedule)
	require.Equal(t, "none", r.Correction.Method)
}

func TestOverloadHasNoSteadyState(t *testing.T) {
	p := &plan.Plan{Schedule: even(t, "25", 1000), Drain: time.Hour, Rules: rules(t, "p99<1h")}
	r := simulate(t, p, "service=50ms")
	var codes []string
	for _, n := range r.Notes {
		codes = append(codes, n.Code)
	}
	require.Contains(t, codes, "no_steady_state")
}

func TestAnAutomaticCapIsNotTheServersFault(t *testing.T) {
	spec, err := lab.Parse("service=50ms")
	require.NoError(t, err)
	for _, tt := range []struct {
		name        string
		connections int
		want        string
	}{
		{"the user's cap is part of the plan", 1, "fail"},
		{"ours is not", 0, "invalid"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &plan.Plan{Schedule: even(t, "25", 200), Connections: tt.connections, Drain: time.Hour, Rules: rules(t, "p50<500ms")}
			r := run.Run(context.Background(), context.Background(), run.Setup{
				Ready: run.Prepare(p), World: sim.New(spec.Model(nil), p.Expect.Has), Engine: "sim", Cap: 1,
			})
			require.Equal(t, tt.want, r.Verdict)
		})
	}
}

func TestAnInterruptedRunJudgesNothing(t *testing.T) {
	p := &plan.Plan{Schedule: even(t, "25", 200), Drain: time.Hour, Rules: rules(t, "p50<1ns")}
	spec, err := lab.Parse("service=50ms")
	require.NoError(t, err)
	stop, cancel := context.WithCancel(context.Background())
	defer cancel()
	seen := 0
	r := run.Run(context.Background(), stop, run.Setup{
		Ready: run.Prepare(p), World: sim.New(spec.Model(nil), p.Expect.Has), Engine: "sim",
		Observe: func(correct.Sample) {
			if seen++; seen == 50 {
				cancel()
			}
		},
	})
	require.True(t, r.Run.Interrupted)
	require.NotEqual(t, "pass", r.Verdict)
	require.NotEqual(t, "fail", r.Verdict)
	require.Less(t, r.Counts.Scheduled, *r.Counts.Planned)
	require.Equal(t, r.Counts.Scheduled, r.Counts.Fired)
}
