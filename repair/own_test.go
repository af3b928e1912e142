package repair_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/lab"
	"openload/plan"
	"openload/repair"
	"openload/report"
	"openload/retry"
	"openload/run"
	"openload/schedule"
	"openload/sim"
	"openload/source"
)

// ran simulates a run and returns its report, and its attempts as CSV.
func ran(t *testing.T, p *plan.Plan, server string) (*report.Report, string) {
	require.NoError(t, p.Check())
	spec, err := lab.Parse(server)
	require.NoError(t, err)
	file := []byte(correct.CSVHeader + "\n")
	r := run.Run(context.Background(), context.Background(), run.Setup{
		Ready: run.Prepare(p), World: sim.New(spec.Model(p.Seed.Stream("server")), p.Expect.Has), Engine: "sim",
		Observe: func(x correct.Sample) { file = x.AppendCSV(file, p.Closed != nil) },
	})
	return r, string(r.End().AppendCSV(file, strings.Count(correct.CSVHeader, ",")+1))
}

func open(t *testing.T, rate string, n uint64, policy string, limits ...string) *plan.Plan {
	shape, err := schedule.ParseShape(rate, 0)
	require.NoError(t, err)
	again, err := retry.Parse(policy)
	require.NoError(t, err)
	expect, err := plan.ParseStatuses("200-399")
	require.NoError(t, err)
	return &plan.Plan{
		Schedule: schedule.Spec{Shape: shape, N: n}, Seed: 1, Expect: expect, Retry: again, Rules: rules(t, limits...),
		Timeout: 3 * time.Second, ConnectTimeout: time.Second, Drain: time.Minute, Backlog: 20,
	}
}

// A run judged again from its own rows gives what it gave: every reading, every count
// that rows hold, every verdict.
func TestOwnRunsGiveTheSameAgain(t *testing.T) {
	texts := []string{"p99<500ms", "raw.p50<1s", "max<5s", "errors<1%", "attempts<1.2", "rate>=99%"}
	for _, tt := range []struct{ name, rate, policy, server string }{
		{"one stall", "12.5", "", "service=50ms stall=150:2s"},
		{"failures", "100", "", "service=2ms errors=5% close=2%"},
		{"retries", "100", "attempts=3 base=50ms", "service=2ms errors=20%"},
		{"timeouts", "10", "attempts=2 base=1s", "service=2ms stall=50:10s"},
		{"a full backlog", "100", "", "service=40ms"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := open(t, tt.rate, 200, tt.policy, texts...)
			p.Connections = 1
			want, file := ran(t, p, tt.server)
			got, err := read(t, file, source.Options{}, repair.Options{Method: repair.None, Rules: rules(t, texts...)})
			require.NoError(t, err)
			require.Equal(t, want.Latency, got.Latency)
			require.Equal(t, want.Rate, got.Rate)
			require.Equal(t, want.Verdict, got.Verdict)
			require.Equal(t, "intended", got.Correction.Method)
			for i := range want.SLA {
				want.SLA[i].Episodes = nil // they need the order of the schedule
			}
			require.Equal(t, want.SLA, got.SLA)
			counts := want.Counts // less what only the run itself knows
			counts.MaxBacklog, counts.LateAnswers, counts.ConnectionsOpened, counts.MaxConnections, counts.Unknown = nil, nil, nil, nil, 0
			require.Equal(t, counts, got.Counts)
			require.Empty(t, noted(got, "missing_rows"))
		})
	}
}

// What is corrected once is never corrected again.
func TestOwnRunsAreNotCorrected(t *testing.T) {
	_, file := ran(t, open(t, "12.5", 200, ""), "service=50ms stall=150:2s")
	for name, opt := range map[string]repair.Options{
		"without being asked": {},
		"by an interval":      {Interval: 80 * ms},
		"by a rate":           {Rate: rate(t, "12.5"), Workers: 1},
		"by force":            {Interval: 80 * ms, Method: repair.Backfill, Force: true},
		"none at an interval": {Interval: 80 * ms, Method: repair.None},
		"as a queue":          {Interval: 80 * ms, Method: repair.Queue},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := read(t, file, source.Options{}, opt)
			require.Nil(t, r)
			var no *repair.Refused
			require.ErrorAs(t, err, &no)
			require.Equal(t, repair.Corrected, no.Code)
			require.Contains(t, no.Do, "--method none")
		})
	}
	_, err := read(t, file, source.Options{}, repair.Options{Method: repair.None, Expect: anyStatus(t)})
	require.ErrorContains(t, err, "--expect-status")
	_, err = read(t, correct.CSVHeader+"\n", source.Options{}, repair.Options{Method: repair.None})
	require.ErrorContains(t, err, "no samples in it")
}

// A closed loop's own file is repaired like another tool's: the lab's stall, with the
// 24 samples that it displaced.
func TestOwnClosedLoopIsBackfilled(t *testing.T) {
	p := open(t, "12.5", 0, "")
	slots := rate(t, "12.5")
	p.Schedule, p.Closed, p.Connections = schedule.Spec{}, &plan.Closed{N: 200, Rate: &slots}, 1
	run, file := ran(t, p, "service=50ms stall=150:2s")
	r, err := read(t, file, source.Options{}, repair.Options{Interval: 80 * ms, Rules: rules(t, "p99<500ms")})
	require.NoError(t, err)
	require.Equal(t, "backfill", r.Correction.Method)
	require.EqualValues(t, 24, r.Correction.Synthetic)
	r.Latency.Raw.Over = nil // the run had no rules, and so no limits
	require.Equal(t, run.Latency.Raw, r.Latency.Raw)
	require.Equal(t, "fail", r.Verdict)
}

// Rows that are missing are said to be.
func TestOwnRunWithRowsMissing(t *testing.T) {
	row := func(seq, attempt int, final bool) string {
		x := correct.Sample{Seq: uint64(seq), Attempt: attempt, Done: ms, Fired: true, Written: true, Final: final}
		return string(x.AppendCSV(nil, false))
	}
	for name, rows := range map[string]string{
		"2 operations between": row(0, 1, true) + row(3, 1, true),
		"2 operations begin":   row(0, 1, true) + row(1, 1, false),
	} {
		r, err := read(t, correct.CSVHeader+"\n"+rows, source.Options{}, repair.Options{Method: repair.None})
		require.NoError(t, err)
		require.Contains(t, noted(r, "missing_rows"), name)
	}
}

// Whatever is in a file, judging it takes no memory by its numbers and never panics.
func TestOwnRunOfHostileNumbers(t *testing.T) {
	year := 366 * 24 * time.Hour
	x := correct.Sample{Seq: 1<<64 - 1, Attempt: 1_000_000, Intended: 0, Done: year, Late: year, Behind: year, Fired: true, Written: true, Final: true}
	y := correct.Sample{Attempt: 1, Intended: year, Due: year, Dispatched: year, Sent: year, Done: year, Fired: true, Final: true}
	file := fmt.Sprintf("%s\n%s%s", correct.CSVHeader, x.AppendCSV(nil, false), y.AppendCSV(nil, false))
	r, err := read(t, file, source.Options{}, repair.Options{Method: repair.None, Rules: rules(t, "p99<1s")})
	require.NoError(t, err)
	require.Equal(t, "invalid", r.Verdict, "lateness of a year decides anything")
}
