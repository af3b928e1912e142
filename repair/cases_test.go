package repair_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/engine"
	"openload/repair"
	"openload/report"
	"openload/source"
)

// What a tool did after a stall shows in its rows, whatever its format says.
func TestSkippingIsToldFromCatchingUp(t *testing.T) {
	for _, server := range []string{"service=5ms stall=50:1s", "service=5ms stall=50:2s stall=120:700ms", "service=20ms freeze=3s:1500ms"} {
		t.Run(server, func(t *testing.T) {
			skips, skipped := closedLoop(t, server, engine.Closed{Workers: 1, N: 200, Slot: every(50 * ms)})
			catches := catchUp(t, server, 1, 200, 50*ms)
			require.NotZero(t, skipped)
			for name, write := range map[string]func([]call) string{"hey": hey, "fortio": fortio, "vegeta": vegeta} {
				r, err := read(t, write(skips), source.Options{}, repair.Options{Interval: 50 * ms})
				require.NoError(t, err, name)
				require.Equal(t, "skips", r.File.Observed, name)
				require.Equal(t, "backfill", r.Correction.Method, name)
				require.InDelta(t, skipped, r.Correction.Synthetic, 1, "%s: one slot may fall on the answer", name)

				_, err = read(t, write(catches), source.Options{}, repair.Options{Interval: 50 * ms, Method: repair.Backfill})
				require.ErrorContains(t, err, "caught up", name)
				forced, err := read(t, write(catches), source.Options{}, repair.Options{Interval: 50 * ms, Method: repair.Backfill, Force: true})
				require.NoError(t, err, name)
				require.Equal(t, "catches up", forced.File.Observed, name)
				require.Contains(t, noted(forced, "forced"), "count those requests twice", name)

				asked := repair.Auto
				if name == "hey" { // hey skips: whatever its rows look like, they are not put back unasked
					asked = repair.Schedule
					_, err = read(t, write(catches), source.Options{}, repair.Options{Interval: 50 * ms})
					require.ErrorContains(t, err, "if it did, use --method schedule")
				}
				r, err = read(t, write(catches), source.Options{}, repair.Options{Interval: 50 * ms, Method: asked})
				require.NoError(t, err, name)
				require.Equal(t, "schedule", r.Correction.Method, name)
				require.Zero(t, r.Correction.Synthetic)
				require.EqualValues(t, 200, r.Latency.Corrected.N)
			}
		})
	}
	t.Run("several workers, each of them named", func(t *testing.T) {
		calls := catchUp(t, "service=5ms workers=4 freeze=2s:1s", 4, 400, 40*ms)
		r := mustRead(t, fortio(calls), repair.Options{Interval: 40 * ms})
		require.Equal(t, "catches up", r.File.Observed)
		require.Equal(t, "schedule", r.Correction.Method)
		require.Equal(t, 4, r.File.Workers)
		require.Equal(t, report.Coordinated, found(r, "scope").Says)
	})
	t.Run("several workers, of whom the rows tell nothing", func(t *testing.T) {
		calls := catchUp(t, "service=5ms workers=4 freeze=2s:1s", 4, 400, 40*ms)
		_, err := read(t, hey(calls), source.Options{}, repair.Options{Interval: 40 * ms, Workers: 4})
		require.ErrorContains(t, err, "has a row for each of the")
		skips, skipped := closedLoop(t, "service=5ms workers=4 freeze=2s:1s", engine.Closed{Workers: 4, N: 400, Slot: every(10 * ms)})
		r := mustRead(t, hey(skips), repair.Options{Interval: 40 * ms, Workers: 4})
		require.Equal(t, "skips", r.File.Observed)
		require.InDelta(t, skipped, r.Correction.Synthetic, 4)
	})
}

// The replay puts an overloaded tool's requests where its schedule had them.
func TestReplayIsTheOpenRun(t *testing.T) {
	calls := catchUp(t, "service=50ms stall=150:2s", 1, 200, 80*ms)
	r := mustRead(t, fortio(calls), repair.Options{Interval: 80 * ms, Rules: rules(t, "p99<500ms")})
	c := r.Latency.Corrected
	near(t, 1400*ms, c.P90)
	near(t, 1940*ms, c.P99)
	require.Equal(t, 356*ms, *c.Mean)
	require.Equal(t, "fail", r.Verdict)
}

func TestScope(t *testing.T) {
	loop := engine.Closed{Workers: 4, N: 2000, Slot: every(20 * ms)}
	t.Run("the whole server stalled", func(t *testing.T) {
		calls, _ := closedLoop(t, "service=10ms workers=4 freeze=5s:2s", loop)
		r := mustRead(t, hey(calls), repair.Options{Interval: 80 * ms, Workers: 4, Rules: rules(t, "p99<500ms")})
		require.Equal(t, report.Coordinated, found(r, "scope").Says)
		require.Equal(t, "fail", r.Verdict)
	})
	t.Run("one request was slow", func(t *testing.T) {
		calls, _ := closedLoop(t, "service=10ms workers=4 stall=500:2s", loop)
		r := mustRead(t, hey(calls), repair.Options{Interval: 80 * ms, Workers: 4, Rules: rules(t, "p99.9<500ms", "p99<500ms")})
		require.Equal(t, report.NotCoordinated, found(r, "scope").Says)
		require.EqualValues(t, 24, r.Correction.Synthetic)
		require.Equal(t, "invalid", r.Verdict, "it fails only by what was added for a stall that nobody else noticed")
		require.Equal(t, "local_stall", r.Reasons[0].Code)
	})
	t.Run("nothing tells with one worker", func(t *testing.T) {
		r := mustRead(t, labA(t), repair.Options{Interval: 80 * ms})
		require.Equal(t, report.Unclear, found(r, "scope").Says)
		require.NotNil(t, r.File.Bracket)
	})
}

// I32: sends that go on while an answer is pending were not coordinated.
func TestOpenDataIsNotCorrected(t *testing.T) {
	var calls []call
	for k := range 300 {
		start := time.Duration(k) * 20 * ms
		end := start + 5*ms
		if stall := 3 * time.Second; start > 2*time.Second && start < stall {
			end = stall + 5*ms
		}
		calls = append(calls, call{start, end, 200, 0})
	}
	for _, tt := range []struct {
		name    string
		content string
		asked   repair.Options
	}{
		{"by its format", vegeta(calls), repair.Options{Interval: 20 * ms, Method: repair.Backfill}},
		{"by its rows, of a tool that skips", hey(calls), repair.Options{Interval: 20 * ms, Method: repair.Backfill}},
		{"although one worker was claimed", hey(calls), repair.Options{Interval: 20 * ms, Workers: 1, Method: repair.Backfill}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(t, tt.content, source.Options{}, tt.asked)
			require.ErrorContains(t, err, "did not wait for answers")
			tt.asked.Method = repair.Auto
			r := mustRead(t, tt.content, tt.asked)
			require.Equal(t, "none", r.Correction.Method)
			require.Equal(t, r.Latency.Raw, r.Latency.Corrected)
			require.Equal(t, report.NotCoordinated, found(r, "under_stalls").Says)
			tt.asked.Method, tt.asked.Force = repair.Backfill, true
			require.NotEmpty(t, noted(mustRead(t, tt.content, tt.asked), "forced"))
		})
	}
}

func TestCorrectedDataIsNeverCorrectedAgain(t *testing.T) {
	h := hdrhistogram.New(1, int64(time.Hour), 3)
	require.NoError(t, h.RecordCorrectedValue(int64(time.Second), int64(10*ms)))
	log := hlog(t, h, "[Logged with jHiccup version 2.0.10]")
	wrk2 := sample(t, "wrk2/fmt-wrk2-c1-R50-d15-L-U.txt")
	for _, tt := range []struct {
		name    string
		content string
		from    source.Options
	}{
		{"I26 a log that is corrected already", log, source.Options{Unit: time.Nanosecond}},
		{"wrk2's recorded latency", wrk2, source.Options{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, opt := range []repair.Options{
				{Interval: 10 * ms}, {Interval: 10 * ms, Force: true}, {Rate: rate(t, "100"), Workers: 1},
				{Method: repair.Backfill}, {Method: repair.Schedule}, {Method: repair.Queue, Force: true},
			} {
				r, err := read(t, tt.content, tt.from, opt)
				require.ErrorContains(t, err, "corrected already")
				require.Nil(t, r)
			}
			r, err := read(t, tt.content, tt.from, repair.Options{})
			require.NoError(t, err)
			require.Equal(t, "none", r.Correction.Method)
			require.Equal(t, "the tool corrected them itself", r.Correction.Source)
			require.Zero(t, r.Correction.Synthetic)
		})
	}
	t.Run("wrk2 has both readings", func(t *testing.T) {
		r := mustRead(t, wrk2, repair.Options{Rules: rules(t, "p99<500ms")})
		require.InEpsilon(t, 15840*time.Microsecond, *r.Latency.Corrected.P50, 0.002)
		require.InEpsilon(t, 2600*time.Microsecond, *r.Latency.Raw.P50, 0.002)
		require.True(t, r.SLA[0].Flipped)
	})
}

// I15: stamps of a second put nothing in order.
func TestCoarseTimes(t *testing.T) {
	var b strings.Builder
	b.WriteString("metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,proto,scenario,service,status,subproto,tls_version,url,extra_tags\n")
	for k := range 100 {
		took := 10.0
		if k == 50 {
			took = 2000
		}
		for _, metric := range []string{"http_reqs", "http_req_duration", "http_req_waiting"} {
			fmt.Fprintf(&b, "%s,%d,%.6f,,,,true,,GET,http://127.0.0.1/,HTTP/1.1,default,,200,,,http://127.0.0.1/,\n", metric, 1_700_000_000+k/10, took)
		}
	}
	r, err := read(t, b.String(), source.Options{}, repair.Options{})
	require.True(t, repair.Raw(err), "it needs an interval")
	require.EqualValues(t, 100, r.File.Rows, "one metric of three")
	r = mustRead(t, b.String(), repair.Options{Interval: 100 * ms})
	require.EqualValues(t, 19, r.Correction.Synthetic)
	require.Equal(t, "times in steps of 1s are too coarse for gaps, order and concurrency", r.File.Findings[0].Text)
	require.Nil(t, found(r, "next_start"))
	require.Nil(t, r.Latency.Queue)
	require.NotEmpty(t, noted(r, "untested"))
	require.NotEmpty(t, noted(r, "missing"), "it leaves out the wait for a connection")
}

// I13: as many rows as hey ever writes.
func TestAFileAtItsToolsCap(t *testing.T) {
	file := strings.Repeat("0.0100,0.0000,0.0000,0.0000,0.0000,0.0000,200,1.0000\n", 1_000_000)
	r := mustRead(t, "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n"+file, repair.Options{Interval: 80 * ms})
	require.EqualValues(t, 1_000_000, r.Latency.Raw.N)
	require.Contains(t, noted(r, "at_cap"), "later requests are lost")
	require.Contains(t, noted(r, "missing"), "got no answer (refused, reset, timed out) are not in the file")
}

func TestMissingSlowRows(t *testing.T) {
	t.Run("a gap that no row covers", func(t *testing.T) {
		r := mustRead(t, sample(t, "hey/fmt-hey-timeout1s.csv"), repair.Options{Interval: 50 * ms})
		require.Equal(t, report.Lossy, found(r, "uncovered_gap").Says)
	})
	t.Run("a maximum just under a timeout", func(t *testing.T) {
		r := mustRead(t, numbers(append(times(3, 500), 4990)...), repair.Options{Interval: 50 * ms})
		require.Equal(t, report.Lossy, found(r, "near_timeout").Says)
	})
	t.Run("many cut off at one value", func(t *testing.T) {
		r := mustRead(t, numbers(append(times(3, 500), times(7020, 12)...)...), repair.Options{Interval: 50 * ms})
		require.Equal(t, report.Lossy, found(r, "plateau").Says)
	})
	t.Run("neither", func(t *testing.T) {
		r := mustRead(t, labA(t), repair.Options{Interval: 80 * ms})
		for _, f := range r.File.Findings {
			require.NotEqual(t, report.Lossy, f.Says, f.Text)
		}
	})
}

func TestVerdicts(t *testing.T) {
	t.Run("a pass by backfill is no evidence", func(t *testing.T) {
		r := mustRead(t, labA(t), repair.Options{Interval: 80 * ms, Rules: rules(t, "p99<1900ms")})
		require.Equal(t, "pass", r.Verdict)
		require.Equal(t, "not_refuted", r.Reasons[0].Code)
	})
	t.Run("nor does confidence make it one", func(t *testing.T) {
		r := mustRead(t, labA(t), repair.Options{Interval: 80 * ms, Rules: rules(t, "p90<500ms"), Confidence: 95})
		require.Equal(t, "inconclusive", r.Verdict)
	})
	t.Run("without synthetic samples it is", func(t *testing.T) {
		r := mustRead(t, numbers(times(5, 400)...), repair.Options{Interval: 80 * ms, Rules: rules(t, "p99<500ms"), Confidence: 95})
		require.Equal(t, "pass", r.Verdict)
		require.Empty(t, r.Reasons)
	})
	t.Run("a prediction is none", func(t *testing.T) {
		r := mustRead(t, labA(t), repair.Options{Interval: 80 * ms, Method: repair.Queue, Rules: rules(t, "p99<2s")})
		require.Equal(t, "pass", r.Verdict)
		require.Equal(t, "not_refuted", r.Reasons[0].Code)
	})
	t.Run("all failed", func(t *testing.T) {
		r := mustRead(t, sample(t, "vegeta/fmt-vegeta-connrefused.csv"), repair.Options{Rules: rules(t, "p99<500ms")})
		require.Equal(t, "invalid", r.Verdict)
		require.Nil(t, r.Latency.Raw.P50)
	})
	t.Run("no rows", func(t *testing.T) {
		_, err := read(t, "metric_name,timestamp,metric_value\n", source.Options{}, repair.Options{})
		require.ErrorContains(t, err, "no samples")
	})
	t.Run("method none judges raw rules only", func(t *testing.T) {
		_, err := read(t, labA(t), source.Options{}, repair.Options{Method: repair.None, Rules: rules(t, "p99<500ms")})
		require.ErrorContains(t, err, "write raw.p99<500ms")
		r := mustRead(t, labA(t), repair.Options{Method: repair.None, Rules: rules(t, "raw.p99<500ms")})
		require.Equal(t, "pass", r.Verdict)
		require.Nil(t, r.Latency.Corrected)
	})
}

func TestOptionsThatContradict(t *testing.T) {
	for want, opt := range map[string]repair.Options{
		"say the same twice":   {Interval: 80 * ms, Rate: rate(t, "12.5"), Workers: 1},
		"give --workers too":   {Rate: rate(t, "12.5")},
		"--interval: -1s":      {Interval: -time.Second},
		"--workers: -1":        {Workers: -1},
		`--method: "guess"`:    {Method: "guess"},
		"--confidence":         {Confidence: 12},
		"of several, or witho": {Interval: 80 * ms, Method: repair.Queue, Workers: 2},
		"kept no schedule":     {Interval: 80 * ms, Method: repair.Schedule},
	} {
		_, err := read(t, labA(t), source.Options{}, opt)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
	}
}

// Series of a log don't add up.
func TestSeriesAreNeverAddedUpUnasked(t *testing.T) {
	file := sample(t, "hdr/fmt-java2.1.11-tagged.hlog")
	from := source.Options{Unit: time.Nanosecond}
	_, err := read(t, file, from, repair.Options{Interval: 10 * ms})
	require.ErrorContains(t, err, "2 series, which don't add up; choose one with --tag: - (those without a tag), b")
	from.Tag = "b"
	r, err := read(t, file, from, repair.Options{Interval: 10 * ms})
	require.NoError(t, err)
	require.EqualValues(t, 24, r.File.Rows)
}

// Whatever a file holds: what is added is what is more, replays add nothing and make
// nothing faster, and the greatest value of a backfill is that of the file.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var calls []call
		workers := rapid.IntRange(1, 4).Draw(t, "workers")
		free := make([]time.Duration, workers)
		for range rapid.IntRange(1, 200).Draw(t, "n") {
			w := rapid.IntRange(0, workers-1).Draw(t, "worker")
			start := free[w] + time.Duration(rapid.IntRange(0, 50).Draw(t, "idle"))*ms
			took := time.Duration(rapid.IntRange(1, 1<<rapid.IntRange(1, 11).Draw(t, "bits")).Draw(t, "took")) * ms
			free[w] = start + took
			calls = append(calls, call{start, start + took, rapid.SampledFrom([]int{200, 200, 200, 500}).Draw(t, "status"), w})
		}
		interval := time.Duration(rapid.IntRange(1, 500).Draw(t, "interval")) * ms
		write := rapid.SampledFrom([]func([]call) string{hey, fortio, vegeta}).Draw(t, "format")
		method := rapid.SampledFrom([]repair.Method{repair.Auto, repair.Backfill, repair.Schedule, repair.Queue}).Draw(t, "method")
		r, err := read(t, write(calls), source.Options{}, repair.Options{Interval: interval, Method: method, Force: true, Rules: rules(t, "p99<500ms", "max<1s")})
		if err != nil {
			require.ErrorAs(t, err, new(*repair.Refused))
			if r == nil {
				return
			}
		}
		raw, c := r.Latency.Raw, r.Latency.Corrected
		require.EqualValues(t, len(calls), raw.N)
		if c == nil {
			require.Zero(t, r.Correction.Synthetic)
			return
		}
		require.Equal(t, raw.N+r.Correction.Synthetic, c.N)
		require.Equal(t, raw.Failed, c.Failed)
		switch r.Correction.Method {
		case "backfill":
			var want uint64
			for _, x := range calls {
				want += max(2, uint64((x.end-x.start)/interval)+1) - 2
			}
			require.Equal(t, want, r.Correction.Synthetic)
			if raw.Max != nil {
				require.Equal(t, *raw.Max, *c.Max)
			}
		case "schedule", "queue", "none":
			require.Zero(t, r.Correction.Synthetic)
			for i, pair := range [][2]*time.Duration{{raw.Min, c.Min}, {raw.P50, c.P50}, {raw.P99, c.P99}, {raw.Max, c.Max}, {raw.Mean, c.Mean}} {
				if pair[0] != nil {
					require.LessOrEqual(t, *pair[0], *pair[1], i)
				}
			}
		}
		require.False(t, slices.ContainsFunc(r.SLA, func(x report.Rule) bool { return x.Of != c.N }))
	})
}

// A tool that is known to skip, in a file that looks as if it caught up: --force says
// nothing of how, so it changes nothing.
func TestForceDoesNotReplayWhatWasNotKept(t *testing.T) {
	var calls []call
	now := time.Duration(0)
	take := func(took, next time.Duration) {
		calls = append(calls, call{now, now + took, 200, 0})
		now += max(took, next)
	}
	for range 20 {
		take(50*ms, 80*ms)
	}
	take(2000*ms, 0)
	for range 24 {
		take(5*ms, 0)
	}
	for range 20 {
		take(50*ms, 80*ms)
	}
	_, err := read(t, hey(calls), source.Options{}, repair.Options{Interval: 80 * ms, Force: true})
	require.ErrorAs(t, err, new(*repair.Refused))
}

// What catches up can't be put back without an order, and is not backfilled instead.
func TestCatchingUpWithoutTimes(t *testing.T) {
	r, err := read(t, sample(t, "ghz/fmt-ghz-c1.csv"), source.Options{}, repair.Options{Interval: 50 * ms})
	require.ErrorContains(t, err, "its rows have no times")
	require.True(t, repair.Raw(err))
	require.EqualValues(t, r.File.Rows, r.Latency.Raw.N)
	require.Nil(t, r.Latency.Corrected)
	r, err = read(t, sample(t, "ghz/fmt-ghz-c1.csv"), source.Options{}, repair.Options{Interval: 50 * ms, Method: repair.Backfill, Force: true})
	require.NoError(t, err)
	require.NotEmpty(t, noted(r, "forced"))
}

// Only this run's rows follow each other: what lies between two runs is no stall.
func TestRunsJoinedInAFile(t *testing.T) {
	calls, skipped := closedLoop(t, "service=5ms stall=50:1s", engine.Closed{Workers: 1, N: 200, Slot: every(50 * ms)})
	again := slices.Clone(calls)
	for i := range again {
		again[i].start += time.Hour
		again[i].end += time.Hour
	}
	one := mustRead(t, vegeta(calls), repair.Options{Interval: 50 * ms})
	two := mustRead(t, vegeta(append(calls, again...)), repair.Options{Interval: 50 * ms})
	require.Equal(t, 2, two.File.Runs)
	require.Equal(t, 2**one.File.Span, *two.File.Span)
	require.InDelta(t, 2*skipped, two.Correction.Synthetic, 2)
	require.Equal(t, one.Latency.Corrected.P99, two.Latency.Corrected.P99)
	require.Nil(t, found(two, "uncovered_gap"))
	require.NotEmpty(t, noted(two, "runs"))
}
