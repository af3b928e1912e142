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

// runOf is a run of n operations of which all took the same but for the slow ones, and
// so many failed.
func runOf(t *testing.T, rate string, took time.Duration, n, failed uint64) *report.Report {
	t.Helper()
	perSec, err := schedule.ParseRate(rate)
	require.NoError(t, err)
	p := &plan.Plan{Schedule: schedule.Spec{Shape: schedule.Constant(perSec), N: n}, Target: plan.Target{Method: "GET", URL: "http://127.0.0.1:8080/"}}
	rec := correct.NewRecorder(correct.Options{})
	for i := range n {
		at := time.Duration(i) * 80 * time.Millisecond
		rec.Arrive(i, at, at, 0, 0)
		x := correct.Sample{Seq: i, Attempt: 1, Intended: at, Due: at, Dispatched: at, Sent: at, Done: at + took, Status: 200, Fired: true, Written: true, Final: true}
		if i < failed {
			x.Class, x.Status = correct.BadStatus, 503
		}
		rec.Record(x)
	}
	s := rec.Snapshot()
	return report.New(p, s, &sla.Verdict{}, report.Meta{Engine: "sim", Evidence: &sla.Evidence{Snapshot: s, Planned: n}})
}

func named(all ...*report.Report) (runs []report.Named) {
	for i, r := range all {
		runs = append(runs, report.Named{File: "f.json", Run: i + 1, Report: r})
	}
	return runs
}

// several are runs that took so many milliseconds.
func several(t *testing.T, took ...int) (all []*report.Report) {
	for _, ms := range took {
		all = append(all, runOf(t, "12.5", time.Duration(ms)*time.Millisecond, 600, 0))
	}
	return all
}

func gates(t *testing.T, texts ...string) (all []report.Gate) {
	for _, text := range texts {
		g, err := report.ParseGate(text)
		require.NoError(t, err)
		all = append(all, g)
	}
	return all
}

func TestCompare(t *testing.T) {
	failing := func(n int) (all []*report.Report) {
		for range n {
			all = append(all, runOf(t, "12.5", 50*time.Millisecond, 600, 60))
		}
		return all
	}
	for _, tt := range []struct {
		name       string
		base, new  []*report.Report
		gate       string
		verdict    string
		p99, gates string
	}{
		{"S8: three a side are too few, however far apart", several(t, 141, 150, 121), several(t, 39, 36, 38), "p99 +10%", "inconclusive", report.TooFewRuns, report.TooFewRuns},
		{"S9: four a side are enough", several(t, 39, 36, 38, 37), several(t, 141, 150, 121, 130), "p99 +10%", "fail", report.Worse, report.Worse},
		{"the other way round it got better", several(t, 141, 150, 121, 130), several(t, 39, 36, 38, 37), "p99 +10%", "pass", report.Better, "within"},
		{"worse, but within what the gate allows", several(t, 100, 101, 102, 103), several(t, 105, 106, 107, 108), "p99 +10%", "pass", report.Worse, "within"},
		{"worse, and the gate is about time", several(t, 100, 101, 102, 103), several(t, 105, 106, 107, 108), "p99 +1ms", "fail", report.Worse, report.Worse},
		{"nothing changed", several(t, 100, 103, 101, 104), several(t, 102, 100, 103, 101), "p99 +0%", "pass", report.NotSignificant, report.NotSignificant},
		{"a percentile among the failures is worse than any", several(t, 100, 103, 101, 104), failing(4), "p99 +10%", "fail", report.Worse, report.Worse},
		{"errors are a share of the operations", several(t, 50, 50, 50, 50), failing(4), "errors +5%", "fail", report.Worse, report.Worse},
		{"one run each decides nothing", several(t, 50), several(t, 500), "p99 +10%", "inconclusive", report.Apart, report.TooFewRuns},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := report.Compare(named(tt.base...), named(tt.new...), report.CompareOptions{Confidence: 95, Gates: gates(t, tt.gate)})
			require.NoError(t, err)
			require.Equal(t, tt.verdict, c.Verdict)
			require.Equal(t, tt.p99, c.Changes[3].Answer)
			require.Equal(t, tt.gates, c.Gates[0].Answer)
			require.Len(t, c.Changes[3].Base, len(tt.base))
			if ci := c.Changes[3]; ci.Lower != nil {
				require.Equal(t, tt.p99 == report.Worse, *ci.Lower > 0, "the interval agrees with the test")
				require.Equal(t, tt.p99 == report.Better, *ci.Upper < 0)
			}
		})
	}
}

func TestRunsThatDoNotCount(t *testing.T) {
	spoilt := several(t, 50, 50, 50)
	spoilt[0].Verdict, spoilt[0].Reasons = "invalid", []report.Reason{{Code: "rate_off", Text: "it was late"}}
	spoilt[1].Run.Interrupted = true
	spoilt[2].Run.Aborted = true
	c, err := report.Compare(named(append(several(t, 50), spoilt...)...), named(spoilt...), report.CompareOptions{Confidence: 95, Gates: gates(t, "p99 +1%")})
	require.NoError(t, err)
	require.Equal(t, "invalid", c.Verdict)
	require.Equal(t, 1, c.Base.Runs)
	require.Equal(t, []string{"f.json run 1: it was INVALID: it was late", "f.json run 2: it was interrupted", "f.json run 3: it stopped early (--abort-on-fail)"}, c.New.Left)
}

func TestRunsThatAreNotAlike(t *testing.T) {
	a := runOf(t, "12.5", 50*time.Millisecond, 400, 0)
	b := runOf(t, "25", 50*time.Millisecond, 400, 0)
	b.Plan.URL, b.Run.Machine, b.Correction.Method = "http://127.0.0.2:8080/", "another", "backfill"
	_, err := report.Compare(named(a), named(b), report.CompareOptions{Confidence: 95})
	require.ErrorContains(t, err, "differ in schedule")
	require.ErrorContains(t, err, "differ in correction (intended / backfill)")
	c, err := report.Compare(named(a), named(b), report.CompareOptions{Confidence: 95, Force: true})
	require.NoError(t, err)
	var what []string
	for _, d := range c.Differences {
		what = append(what, d.What)
	}
	require.Equal(t, []string{"schedule", "correction", "URL", "machine"}, what)

	_, err = report.Compare(named(several(t, make([]int, 13)...)...), named(several(t, make([]int, 12)...)...), report.CompareOptions{Confidence: 95})
	require.ErrorContains(t, err, "25 runs are more than the 24")
	_, err = report.Compare(nil, named(a), report.CompareOptions{Confidence: 95})
	require.Error(t, err)
}

func TestParseGate(t *testing.T) {
	for text, want := range map[string]string{
		"p99 +10%": "p99 +10%", "p99+10%": "p99 +10%", " raw.p50  + 5ms ": "raw.p50 +5ms", "errors +0.5%": "errors +0.5%", "max +1s": "max +1s", "cart: mean +0%": "cart: mean +0%",
	} {
		g, err := report.ParseGate(text)
		require.NoError(t, err, text)
		require.Equal(t, want, g.String())
	}
	for _, text := range []string{"", "p99", "p99 10%", "p99 +", "p99 +10", "p99 +-1%", "p99 +1e99%", "errors +5ms", "attempts +1%", "rate +1%", "+10%", "p99 +NaN%"} {
		_, err := report.ParseGate(text)
		require.ErrorContains(t, err, "write how much worse it may get", text)
	}
}
