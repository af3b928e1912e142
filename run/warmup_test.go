package run_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/plan"
	"openload/schedule"
)

// coldStart is a server that stands still for its first two seconds.
const coldStart = "service=5ms freeze=0s:2s"

func phasesOf(t *testing.T, texts ...string) *plan.Plan {
	p := &plan.Plan{Drain: time.Minute}
	var all []plan.Phase
	for _, text := range texts {
		x, err := plan.ParsePhase(text)
		require.NoError(t, err)
		all = append(all, x)
	}
	p.SetPhases(all)
	return p
}

// What the warm-up sent is sent, counted, shown, and not judged.
func TestAWarmupIsKeptOutOfTheVerdict(t *testing.T) {
	p := &plan.Plan{Schedule: even(t, "50", 1000), Drain: time.Minute, Rules: rules(t, "max<10ms", "rate>=99%", "errors<=0%")}
	require.Equal(t, "fail", simulate(t, p, coldStart).Verdict)
	p.Warmup = 5 * time.Second
	r := simulate(t, p, coldStart)
	require.Equal(t, "pass", r.Verdict, r.Reasons)
	require.EqualValues(t, 1000, *r.Counts.Planned)
	require.EqualValues(t, 750, r.Counts.Scheduled)
	require.EqualValues(t, 250, r.Warmup.Counts.Scheduled)
	require.EqualValues(t, 250, r.Warmup.Counts.OK)
	require.Equal(t, 5*time.Second, r.Warmup.Until)
	require.Greater(t, *r.Warmup.Latency.Corrected.Max, 1900*ms)
	require.Equal(t, 5*ms, *r.Latency.Corrected.Max)
	require.EqualValues(t, 750, r.Peaks.All.N)
	require.InDelta(t, 50, r.Rate.Asked, 1e-9)
	require.Nil(t, r.Stages)
}

// The phases are the whole: each operation is in one of them, judged or not.
func TestPhasesAreTheWhole(t *testing.T) {
	p := phasesOf(t, "warm-up: 10..50@10s warmup", "0@5s", "base: 50@20s", "spike: 500@2s", "50@20s")
	p.Rules = rules(t, "p50<6ms")
	r := simulate(t, p, coldStart)
	require.Equal(t, "pass", r.Verdict, r.Reasons)
	require.Len(t, r.Stages, 5)
	var sum, warm uint64
	var at time.Duration
	for i, s := range r.Stages {
		require.Equal(t, at, s.At)
		at += s.Length
		sum += s.Counts.Scheduled
		if s.Warmup {
			warm += s.Counts.Scheduled
		}
		require.EqualValues(t, []uint64{300, 0, 1000, 1000, 1000}[i], s.Counts.Scheduled, s.Name)
		require.EqualValues(t, s.Counts.Scheduled, s.Counts.OK)
	}
	require.Equal(t, *r.Counts.Planned, sum)
	require.Equal(t, r.Warmup.Counts.Scheduled, warm)
	require.Equal(t, r.Counts.Scheduled, sum-warm)
	require.Equal(t, 5*ms, *r.Stages[2].Latency.Corrected.Max)
	require.Greater(t, *r.Stages[3].Latency.Corrected.Max, time.Second, "500/s is more than it can do")
	require.Nil(t, r.Stages[1].Latency.Corrected.P50)
}

func TestAWarmupOfAClosedLoop(t *testing.T) {
	p := &plan.Plan{Closed: &plan.Closed{N: 400}, Connections: 1, Warmup: 3 * time.Second, Drain: time.Minute, Rules: rules(t, "raw.max<10ms")}
	r := simulate(t, p, coldStart)
	require.Equal(t, "pass", r.Verdict, r.Reasons)
	require.EqualValues(t, 400, r.Counts.Scheduled+r.Warmup.Counts.Scheduled)
	require.Nil(t, r.Warmup.Latency.Corrected)
}

func TestAWarmupOfABurst(t *testing.T) {
	law, err := schedule.ParseLaw("burst=10")
	require.NoError(t, err)
	p := &plan.Plan{Schedule: even(t, "100", 100), Warmup: 500 * ms, Drain: time.Minute}
	p.Schedule.Law = law
	r := simulate(t, p, "service=1ms")
	require.EqualValues(t, 50, r.Counts.Scheduled)
	require.EqualValues(t, 50, r.Warmup.Counts.Scheduled)
}

// What goes wrong in the warm-up ends no run early.
func TestAWarmupDoesNotAbort(t *testing.T) {
	p := &plan.Plan{Schedule: even(t, "50", 1000), Warmup: 5 * time.Second, AbortOnFail: true, Drain: time.Minute, Rules: rules(t, "p99<10ms")}
	r := simulate(t, p, coldStart)
	require.Equal(t, "pass", r.Verdict)
	require.False(t, r.Run.Aborted)
	r = simulate(t, p, "service=5ms freeze=6s:2s")
	require.Equal(t, "fail", r.Verdict)
	require.True(t, r.Run.Aborted)
	require.Less(t, r.Counts.Scheduled, uint64(300))
}
