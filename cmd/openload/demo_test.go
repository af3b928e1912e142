package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/report"
)

// What passed in ordinary slowness is not the stall's.
func TestLessonTellsTheStallsSendsFromOthers(t *testing.T) {
	const ms = time.Millisecond
	l := lesson{closed: &report.Report{Plan: report.Plan{Closed: &report.Closed{Skipped: 24}}}}
	ordinary := correct.Sample{Due: 80 * ms, Sent: 81 * ms, Done: 240 * ms, Class: correct.OK}
	stall := correct.Sample{Due: 400 * ms, Sent: 400 * ms, Done: 2400 * ms, Class: correct.OK}
	l.keep(ordinary)
	l.keep(stall)
	require.EqualValues(t, 24, l.stalled)
	require.Equal(t, "While the server stood still it let 24 sends pass, so nobody measured what they would have waited.", l.skipped())
	l.closed.Plan.Closed.Skipped = 63
	require.Contains(t, l.skipped(), "let 24 sends pass, so")
	require.Contains(t, l.skipped(), " 39 more passed behind ordinary requests")
}

func TestLessonDoubtsABusyMachine(t *testing.T) {
	text := func(p99, most time.Duration) string {
		l := lesson{open: &report.Report{Verdict: "fail"}}
		l.open.Latency.Lag = &report.Dist{P99: &p99, Max: &most}
		return l.trust()
	}
	require.NotContains(t, text(time.Millisecond, 20*time.Millisecond), "too busy")
	require.Contains(t, text(6*time.Millisecond, 20*time.Millisecond), "this machine is too busy for exact figures")
	require.Contains(t, text(time.Millisecond, 200*time.Millisecond), "too busy")
}
