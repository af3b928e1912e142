package report_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/plan"
	"openload/report"
	"openload/schedule"
	"openload/sla"
)

// timed is a run of one operation for each latency, in ms, that began after a while.
func timed(t *testing.T, after time.Duration, took ...int) *report.Report {
	t.Helper()
	perSec, err := schedule.ParseRate("12.5")
	require.NoError(t, err)
	p := &plan.Plan{Schedule: schedule.Spec{Shape: schedule.Constant(perSec), Duration: time.Minute}, Target: plan.Target{Method: "GET"}}
	rec := correct.NewRecorder(correct.Options{Limits: []time.Duration{500 * time.Millisecond}})
	for i, ms := range took {
		at := time.Duration(i) * 80 * time.Millisecond
		rec.Arrive(uint64(i), at, at, 0, 0)
		rec.Record(correct.Sample{Seq: uint64(i), Attempt: 1, Intended: at, Due: at, Dispatched: at, Sent: at, Done: at + time.Duration(ms)*time.Millisecond, Status: 200, Fired: true, Written: true, Final: true})
	}
	s := rec.Snapshot()
	return report.New(p, s, &sla.Verdict{}, report.Meta{
		Engine: "sim", Started: time.Unix(1_800_000_000, 0).Add(after), Planned: uint64(len(took)), Evidence: &sla.Evidence{Snapshot: s, Planned: uint64(len(took))},
	})
}

// times is n times the same.
func times(n, ms int) (all []int) {
	for range n {
		all = append(all, ms)
	}
	return all
}

func TestMergedPercentilesAreNoMeans(t *testing.T) {
	for _, tt := range []struct {
		name         string
		a, b         []int
		means, whole time.Duration
	}{
		{"P6", times(100, 10), append(times(98, 10), 1000, 1000), 505 * time.Millisecond, 10 * time.Millisecond},
		{"P7", append(times(989, 10), times(11, 1000)...), times(10, 10), 505 * time.Millisecond, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := timed(t, 0, tt.a...), timed(t, time.Hour, tt.b...)
			require.InEpsilon(t, tt.means, (*a.Latency.Corrected.P99+*b.Latency.Corrected.P99)/2, 0.001)
			whole, err := report.Merge(named(a, b))
			require.NoError(t, err)
			require.InEpsilon(t, tt.whole, *whole.Latency.Corrected.P99, 0.001)
		})
	}
}

// The whole is what one run of all the operations would have reported, whatever the order.
func TestMergeIsTheWhole(t *testing.T) {
	a, b, c := timed(t, 0, 10, 20, 700), timed(t, time.Minute, 30, 2000), timed(t, 2*time.Minute, 5)
	all := timed(t, 0, 10, 20, 700, 30, 2000, 5)
	one, err := report.Merge(named(a, b, c))
	require.NoError(t, err)
	other, err := report.Merge(named(c, a, b))
	require.NoError(t, err)
	for name, r := range map[string]*report.Report{"in order": one, "in another": other} {
		for set, pair := range map[string][2]*report.Dist{
			"corrected": {all.Latency.Corrected, r.Latency.Corrected}, "raw": {all.Latency.Raw, r.Latency.Raw},
			"less lag": {all.Latency.LessLag, r.Latency.LessLag}, "settled": {all.Latency.Settled, r.Latency.Settled}, "ok": {all.Latency.CorrectedOK, r.Latency.CorrectedOK},
		} {
			require.Equal(t, pair[0], pair[1], "%s, %s", name, set)
		}
		require.EqualValues(t, 6, r.Counts.OK)
		require.EqualValues(t, 6, *r.Counts.Planned)
		require.Nil(t, r.Latency.ClosedLoop)
		again, err := r.Judge(mustRules(t, "p50<500ms", "max<1s", "errors<1%"), 0)
		require.NoError(t, err)
		require.Equal(t, "fail", again.Verdict)
		require.EqualValues(t, 2, *again.SLA[0].Over, "limits that all runs knew stay exact")
	}
	twice, err := report.Merge(named(one, timed(t, time.Hour, 1)))
	require.NoError(t, err)
	require.EqualValues(t, 7, twice.Counts.OK, "what was merged can be merged")
}

func mustRules(t *testing.T, texts ...string) (all []sla.Rule) {
	for _, text := range texts {
		r, err := sla.Parse(text)
		require.NoError(t, err)
		all = append(all, r)
	}
	return all
}

func TestMergeNamesWhatIsLost(t *testing.T) {
	a, b := timed(t, 0, times(10, 10)...), timed(t, time.Minute, times(10, 10)...)
	*b.Counts.Planned, b.Evidence.Planned = 15, 15
	a.Run.Engine, b.Run.Engine = "loop", "loop"
	b.Verdict, b.Reasons = "invalid", []report.Reason{{Code: "incomplete", Text: "5 of 15 planned operations were never scheduled"}}
	whole, err := report.Merge(named(a, b))
	require.NoError(t, err)
	var texts []string
	for _, n := range whole.Notes {
		texts = append(texts, n.Text)
	}
	require.Contains(t, texts, "f.json run 2 lacks 5 of its 15 planned operations")
	require.Contains(t, texts, "nothing was sent for 59.3s before f.json run 2 began")
	judged, err := whole.Judge(mustRules(t, "p99<1s"), 0)
	require.NoError(t, err)
	require.Equal(t, "invalid", judged.Verdict)

	a.Run.Engine, b.Run.Engine = "sim", "sim"
	b.Evidence.Lacks = "its file was cut off"
	whole, err = report.Merge(named(a, b))
	require.NoError(t, err)
	for _, n := range whole.Notes {
		require.NotEqual(t, "gap", n.Code, "between runs in virtual time there is nothing")
	}
	require.Equal(t, "its file was cut off", whole.Evidence.Lacks)
}

func TestWhatDoesNotMerge(t *testing.T) {
	a, b := timed(t, 0, 10), timed(t, time.Minute, 10)
	_, err := report.Merge(named(a))
	require.ErrorContains(t, err, "two runs or more")
	_, err = report.Merge(named(a, a))
	require.ErrorContains(t, err, "are the same run")
	b.Plan.URL = "http://127.0.0.1:1/"
	_, err = report.Merge(named(a, b))
	require.ErrorContains(t, err, "only runs of one plan are one sample")
	_, err = report.Merge(named(a, runOf(t, "25", time.Second, 10, 0)))
	require.ErrorContains(t, err, "differ in schedule")
}

// When two runs in virtual time were made says nothing about how long they took.
func TestRunsInVirtualTimeFollowOneAnother(t *testing.T) {
	a, b := timed(t, 0, 10, 20), timed(t, time.Millisecond, 30, 40)
	whole, err := report.Merge(named(a, b))
	require.NoError(t, err)
	require.Equal(t, a.Run.Duration+b.Run.Duration, whole.Run.Duration)
}
