package run_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/lab"
	"openload/plan"
	"openload/report"
	"openload/run"
	"openload/sim"
)

// saved is r as a file gives it back.
func saved(t require.TestingT, r *report.Report) *report.Report {
	text, err := json.Marshal(r)
	require.NoError(t, err)
	all, err := report.Read(bytes.NewReader(text))
	require.NoError(t, err)
	require.Len(t, all.Runs, 1)
	return all.Runs[0]
}

// A saved run that is judged again by its own rules is judged as it was.
func TestJudgingAgainChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := brokens.Draw(t, "run")
		r := b.run(t, rapid.Bool().Draw(t, "abort"), nil)
		again, err := saved(t, r).Judge(b.plan.Rules, b.plan.Confidence)
		require.NoError(t, err)
		require.Equal(t, r.Verdict, again.Verdict)
		require.Equal(t, r.SLA, again.SLA)
		require.Equal(t, r.Reasons, again.Reasons)
		require.ElementsMatch(t, r.Notes, again.Notes)
	})
}

// A saved run that is judged by other rules is judged as if it had been run with them,
// unless it says that a limit fell inside the deciding bucket.
func TestJudgingAgainByOtherRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, other := brokens.Draw(t, "run"), brokens.Draw(t, "rules")
		for i := range other.plan.Rules {
			if b.plan.Mix == nil {
				other.plan.Rules[i].Target = ""
			}
		}
		r := b.run(t, false, nil)
		again, err := saved(t, r).Judge(other.plan.Rules, other.plan.Confidence)
		require.NoError(t, err)
		b.plan.Rules, b.plan.Confidence = other.plan.Rules, other.plan.Confidence
		want := b.run(t, false, nil)
		if hasNote(again, "limit_in_bucket") {
			return
		}
		require.Equal(t, want.Verdict, again.Verdict)
		for i := range want.SLA {
			require.Equal(t, want.SLA[i].Pass, again.SLA[i].Pass)
			require.Equal(t, want.SLA[i].Outcome, again.SLA[i].Outcome)
			if over := again.SLA[i].Over; over != nil {
				require.Equal(t, want.SLA[i].Over, over)
			}
		}
	})
}

func labPlan(t *testing.T) *plan.Plan {
	return &plan.Plan{Schedule: even(t, "12.5", 200), Connections: 1, Drain: time.Minute}
}

// The limit of 50 ms lies inside the bucket of the service time.
func TestALimitInsideTheDecidingBucketIsSaid(t *testing.T) {
	r := simulate(t, labPlan(t), "service=50ms")
	again, err := saved(t, r).Judge(rules(t, "p99<50ms", "p99<=50ms", "p99<49ms"), 0)
	require.NoError(t, err)
	require.True(t, hasNote(again, "limit_in_bucket"))
	require.Nil(t, again.SLA[0].Over)
	require.EqualValues(t, 200, *again.SLA[2].Over, "all are surely over 49 ms")
	exact := labPlan(t)
	exact.Rules = rules(t, "p99<=50ms")
	again, err = saved(t, simulate(t, exact, "service=50ms")).Judge(exact.Rules, 0)
	require.NoError(t, err)
	require.False(t, hasNote(again, "limit_in_bucket"))
	require.Equal(t, "pass", again.Verdict)
}

// What the automatic cap did to a run is known when it is judged again.
func TestJudgingAgainKnowsTheAutomaticCap(t *testing.T) {
	spec, err := lab.Parse("service=50ms")
	require.NoError(t, err)
	for _, texts := range [][]string{{"p50<500ms"}, nil} {
		p := &plan.Plan{Schedule: even(t, "25", 200), Drain: time.Hour, Rules: rules(t, texts...)}
		r := run.Run(context.Background(), context.Background(), run.Setup{
			Ready: run.Prepare(p), World: sim.New(spec.Model(nil), p.Expect.Has), Engine: "sim", Cap: 1,
		})
		again, err := saved(t, r).Judge(rules(t, "p50<500ms"), 0)
		require.NoError(t, err)
		require.Equal(t, "invalid", again.Verdict)
		require.Equal(t, "auto_cap", again.Reasons[0].Code)
	}
}
