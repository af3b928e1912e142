package sink_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/report"
	"openload/sink"
)

// curve is one with these peaks within 10 ms, 100 ms and 1 s.
func curve(at time.Duration, peaks ...uint64) (c []report.Peak) {
	for i, h := range []time.Duration{10 * ms, 100 * ms, time.Second} {
		c = append(c, report.Peak{Width: h, Sliding: peaks[i], Aligned: peaks[i], At: at})
	}
	return c
}

// stampede is 150 clients at once, whose retries are spread over half a second and more.
func stampede() *report.Report {
	r := lab()
	r.Plan.Connections, r.Plan.ConnectionsLimit, r.Plan.Timeout = 0, 10000, 3*time.Second
	r.Plan.Command = "openload --arrival burst --n 150 --seed 1 --timeout 3s --retry 'attempts=3 base=500ms jitter=full' http://127.0.0.1:8080/checkout"
	r.Schedule.Law, r.Schedule.Description, r.Schedule.Length, r.Rate = "burst", "burst n=150", 0, nil
	r.Run.Duration = 10480 * ms
	r.Counts = report.Counts{
		Planned: ptr(uint64(150)), Scheduled: 150, Fired: 150, Sent: 150, TimedOut: 150, Timeouts: map[string]uint64{"timeout": 150},
		Attempts: 450, AttemptsSent: 450, ConnectionsOpened: ptr(uint64(450)), MaxConnections: ptr(150),
	}
	settled := dist(150, 0, 9*time.Second, 9750*ms, 10100*ms, 10200*ms, 10400*ms, 10480*ms, 10480*ms, 9750*ms)
	r.Latency = report.Latency{Corrected: failures(150), Raw: failures(450), CorrectedOK: failures(0), Settled: settled, Lag: r.Latency.Lag, Wait: r.Latency.Wait}
	r.Retries = &report.Retries{
		Policy: "attempts=3 backoff=exponential base=500ms cap=30s jitter=full", AttemptsPerOperation: ptr(3.), OperationsByAttempts: []uint64{0, 0, 0, 150},
		OperationSuccess: ptr(0.), AttemptSuccess: ptr(0.), Wasted: 450,
	}
	r.Peaks = &report.Peaks{
		Resolution: 100 * time.Microsecond, Smear: 900 * time.Microsecond,
		All:   report.Arrivals{N: 450, Curve: curve(0, 150, 150, 150), Wave: &report.Wave{N: 150}},
		Later: report.Arrivals{N: 300, Curve: curve(3*time.Second, 9, 41, 150), Wave: &report.Wave{N: 150, At: 3002 * ms, Width: 498 * ms}, Fit: ptr(100 * ms)},
	}
	r.SLA, r.Verdict, r.Notes, r.Series = nil, "invalid", nil, nil
	r.Reasons = []report.Reason{reason("no_success", "no operation succeeded")}
	return r
}

func TestPeaksAreShownWhereTheySaySomething(t *testing.T) {
	one := func(change func(k *report.Peaks)) string {
		r := stampede()
		change(r.Peaks)
		return text(t, r, sink.TextOptions{})
	}
	said := func(change func(k *report.Peaks)) string { return strings.Join(strings.Fields(one(change)), " ") }
	require.Contains(t, one(func(*report.Peaks) {}), " peaks               in 10 ms   in 100 ms   in 1 s\n"+
		"   attempts               150         150      150\n"+
		"   after the first          9          41      150\n"+
		"   - 150 attempts left together, at 0 ms\n")

	quiet := func(k *report.Peaks) { k.All.Wave, k.Later = nil, report.Arrivals{} }
	require.NotContains(t, one(quiet), "peaks")
	require.Contains(t, one(func(k *report.Peaks) { k.Later = report.Arrivals{} }), " peaks ", "a crowd without retries")
	require.Contains(t, one(func(k *report.Peaks) { k.All.Wave, k.Later.Wave = nil, nil }), " peaks ", "retries without a crowd")

	require.Contains(t, said(func(k *report.Peaks) { k.Later.Fit = nil }), "no width shows how they are")
	require.Contains(t, said(func(k *report.Peaks) { k.Later.Fit, k.Smear = nil, 249*ms }), "up to 249 ms late")
	require.Contains(t, said(func(k *report.Peaks) { k.All.Late = 2 }), "2 attempts took too long")
	require.Contains(t, said(func(k *report.Peaks) { k.All.AtMost = true }), "never higher")
	require.Contains(t, one(func(k *report.Peaks) { k.All.Curve = slices.Delete(k.All.Curve, 1, 2) }), "   attempts               150           -      150")

	r := stampede()
	r.Peaks = nil
	require.NotContains(t, text(t, r, sink.TextOptions{}), "peaks")
}

func TestTheBreakerIsCountedInWords(t *testing.T) {
	r := stampede()
	for opened, want := range map[uint64]string{1: "the breaker opened once\n", 3: "the breaker opened 3 times\n"} {
		r.Retries.Opened = opened
		require.Contains(t, text(t, r, sink.TextOptions{}), want)
	}
}
