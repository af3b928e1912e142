package repair_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"openload/engine"
	"openload/repair"
	"openload/sink"
	"openload/source"
)

func TestTheLab(t *testing.T) {
	t.Run("L1 L2 raw", func(t *testing.T) {
		r := mustRead(t, labA(t), repair.Options{Interval: 80 * ms, Rules: rules(t, "raw.p99.5<51ms")})
		raw := r.Latency.Raw
		near(t, 50*ms, raw.P50)
		near(t, 50*ms, raw.P99)
		near(t, 2000*ms, raw.P999)
		require.Equal(t, 2000*ms, *raw.Max)
		require.Equal(t, 59750*time.Microsecond, *raw.Mean)
		require.True(t, r.SLA[0].Pass)
	})
	t.Run("L7 L8 backfill", func(t *testing.T) {
		r := mustRead(t, labA(t), repair.Options{Interval: 80 * ms, Rules: rules(t, "p99<500ms", "p99.5<=1920ms", "p99.5<1920ms")})
		require.Equal(t, "backfill", r.Correction.Method)
		require.EqualValues(t, 24, r.Correction.Synthetic)
		c := r.Latency.Corrected
		require.EqualValues(t, 224, c.N)
		near(t, 50*ms, c.P50)
		near(t, 240*ms, c.P90)
		near(t, 1120*ms, c.P95)
		near(t, 1840*ms, c.P99)
		require.Equal(t, 2000*ms, *c.Max)
		require.Equal(t, 17975*ms/112, *c.Mean)
		require.Equal(t, "fail", r.Verdict)
		require.True(t, r.SLA[0].Flipped)
		require.True(t, r.SLA[1].Pass)
		require.False(t, r.SLA[2].Pass)
	})
	t.Run("L18 the queue is the open run", func(t *testing.T) {
		r := mustRead(t, labA(t), repair.Options{Interval: 80 * ms, Method: repair.Queue})
		q := r.Latency.Queue
		near(t, 50*ms, q.P50)
		near(t, 1400*ms, q.P90)
		near(t, 1700*ms, q.P95)
		near(t, 1940*ms, q.P99)
		require.Equal(t, 2000*ms, *q.Max)
		require.Equal(t, 356*ms, *q.Mean)
		require.Equal(t, q, r.Latency.Corrected)
		require.EqualValues(t, 200, q.N)
		require.Zero(t, r.Correction.Synthetic)
	})
	t.Run("L19 it fails at 1.25 a second and above", func(t *testing.T) {
		r, err := read(t, labA(t), source.Options{}, repair.Options{Rules: rules(t, "p99<500ms", "p99<=500ms", "p99.9<500ms", "max<1h")})
		require.True(t, repair.Raw(err))
		require.Equal(t, "invalid", r.Verdict)
		require.Nil(t, r.Latency.Corrected)
		require.Len(t, r.File.Fails, 4)
		require.Equal(t, 800*ms, *r.File.Fails[0].Interval)
		require.Equal(t, 1.25, *r.File.Fails[0].PerSec)
		require.Equal(t, 800*ms-1, *r.File.Fails[1].Interval)
		require.True(t, r.File.Fails[2].Always)
		require.False(t, r.File.Fails[3].Always)
		require.Nil(t, r.File.Fails[3].Interval)

		var page strings.Builder
		require.NoError(t, sink.Text(&page, r, sink.TextOptions{}))
		text := strings.Join(strings.Fields(page.String()), " ")
		require.Contains(t, text, "p99<500ms fails at 1.25/s and above: one request every 800 ms or less,")
		require.Contains(t, text, "p99<=500ms fails above 1.25/s: with less than 800 ms from one request to the next,", "at 800 ms p99 is 500 ms, which keeps that rule")
	})
	t.Run("L20 half and double the interval", func(t *testing.T) {
		for _, tt := range []struct {
			interval time.Duration
			added    uint64
			p99      time.Duration
		}{{50 * ms, 39, 1900 * ms}, {80 * ms, 24, 1840 * ms}, {100 * ms, 19, 1800 * ms}} {
			half := mustRead(t, labA(t), repair.Options{Interval: 2 * tt.interval}).File.Half
			double := mustRead(t, labA(t), repair.Options{Interval: tt.interval / 2}).File.Double
			r := mustRead(t, labA(t), repair.Options{Interval: tt.interval})
			require.Equal(t, tt.added, r.Correction.Synthetic)
			near(t, tt.p99, r.Latency.Corrected.P99)
			require.Equal(t, tt.added, half.Synthetic)
			near(t, tt.p99, half.P99)
			require.Equal(t, half, double)
		}
	})
	t.Run("L21 what a paced loop omits", func(t *testing.T) {
		calls, skipped := closedLoop(t, "service=50ms stall=150:2s", engine.Closed{Workers: 1, N: 200, Slot: every(80 * ms)})
		require.EqualValues(t, 24, skipped)
		r := mustRead(t, hey(calls), repair.Options{Interval: 80 * ms})
		require.Equal(t, skipped, r.Correction.Synthetic)
		require.Equal(t, "224 requests were due in 17.8s at 80ms, and 200 are in the file: 24 were not sent, or are lost", found(r, "sends").Text)
		require.Equal(t, "skips", r.File.Observed)
	})
	t.Run("L22 the stall's share of the time", func(t *testing.T) {
		r := mustRead(t, labA(t), repair.Options{Interval: 80 * ms})
		require.Equal(t, "slow requests took 16.7 % of the workers' time and are 0.5 % of the requests", found(r, "stall_share").Text)
		require.Equal(t, "199 of 199 requests began as the answer before them came", found(r, "next_start").Text)
		require.Equal(t, "closed", r.File.Observed)
	})
	t.Run("one worker's bracket", func(t *testing.T) {
		b := mustRead(t, labA(t), repair.Options{Interval: 80 * ms}).File.Bracket
		near(t, 50*ms, b.Raw)
		near(t, 1940*ms, b.Queue)
	})
	t.Run("lab B", func(t *testing.T) {
		calls, _ := closedLoop(t, "service=50ms stall=150:2050ms", engine.Closed{Workers: 1, N: 200})
		r := mustRead(t, hey(calls), repair.Options{Interval: 80 * ms})
		near(t, 1890*ms, r.Latency.Corrected.P99, "L13")
		near(t, 1990*ms, r.Latency.Queue.P99, "L13")
		require.EqualValues(t, 24, r.Correction.Synthetic, "L4")
	})
}

func TestTheRule(t *testing.T) {
	added := func(t *testing.T, interval time.Duration, values ...float64) uint64 {
		return mustRead(t, numbers(values...), repair.Options{Interval: interval}).Correction.Synthetic
	}
	t.Run("L3 L5 L6 around the steps", func(t *testing.T) {
		for v, want := range map[float64]uint64{79: 0, 80: 0, 159: 0, 160: 1, 2000: 24, 2079: 24, 2080: 25} {
			require.Equal(t, want, added(t, 80*ms, v), v)
		}
	})
	t.Run("N4 twice the interval adds one, once adds none", func(t *testing.T) {
		require.EqualValues(t, 1, added(t, 10*ms, 20, 10))
	})
	t.Run("N1 the textbook stall", func(t *testing.T) {
		r := mustRead(t, numbers(append(times(1, 10000), 100_000)...), repair.Options{Interval: 10 * ms, Rules: rules(t, "p75<=50s", "p75<50s")})
		raw, c := r.Latency.Raw, r.Latency.Corrected
		require.EqualValues(t, 10001, raw.N)
		near(t, ms, raw.P99)
		require.Equal(t, 100*time.Second, *raw.Max)
		near(t, 10999*time.Microsecond, raw.Mean)
		require.EqualValues(t, 20000, c.N)
		near(t, ms, c.P50)
		near(t, 98*time.Second, c.P99)
		near(t, 99800*ms, c.P999)
		require.Equal(t, 100*time.Second, *c.Max)
		near(t, 25003*ms, c.Mean)
		require.True(t, r.SLA[0].Pass)
		require.False(t, r.SLA[1].Pass)
	})
	t.Run("L32 L33 ten workers and one freeze", func(t *testing.T) {
		file := numbers(append(times(50, 11990), times(2000, 10)...)...)
		r := mustRead(t, file, repair.Options{Interval: 50 * ms, Rules: rules(t, "raw.p99.95<2s", "raw.p99.95<=2s")})
		near(t, 50*ms, r.Latency.Raw.P99)
		near(t, 50*ms, r.Latency.Raw.P999)
		require.False(t, r.SLA[0].Pass)
		require.True(t, r.SLA[1].Pass)
		require.EqualValues(t, 390, r.Correction.Synthetic)
		near(t, 1400*ms, r.Latency.Corrected.P99)
	})
	t.Run("L34 the interval of all workers in place of one's", func(t *testing.T) {
		r := mustRead(t, numbers(append(times(50, 11990), times(2000, 10)...)...), repair.Options{Interval: 5 * ms})
		require.EqualValues(t, 111_900, r.Correction.Synthetic)
		require.NotEmpty(t, noted(r, "long_samples"))
		require.NotEmpty(t, noted(r, "mostly_synthetic"))
	})
	t.Run("rate and workers make the same interval", func(t *testing.T) {
		calls, _ := closedLoop(t, "service=50ms stall=150:2s", engine.Closed{Workers: 1, N: 200})
		a := mustRead(t, hey(calls), repair.Options{Interval: 80 * ms})
		b := mustRead(t, hey(calls), repair.Options{Rate: rate(t, "12.5"), Workers: 1})
		require.Equal(t, a.Latency, b.Latency)
		require.Equal(t, 80*ms, *b.Correction.Interval)
	})
	t.Run("P5 a histogram's bucket tops", func(t *testing.T) {
		require.EqualValues(t, 23, added(t, 80*ms, 1999.9))
		h := hdrhistogram.New(1, int64(time.Hour/time.Microsecond), 3)
		require.NoError(t, h.RecordValue(1_999_900))
		r, err := read(t, hlog(t, h), source.Options{Unit: time.Microsecond}, repair.Options{Interval: 80 * ms})
		require.NoError(t, err)
		require.EqualValues(t, 24, r.Correction.Synthetic)
		require.Equal(t, "from 23 to 24 synthetic samples: a bucket's values are taken to be its greatest", noted(r, "bucket_width"))
	})
	t.Run("N2 a stall of ten intervals", func(t *testing.T) {
		r := mustRead(t, numbers(10), repair.Options{Interval: ms})
		require.EqualValues(t, 10, r.Latency.Corrected.N)
		require.Equal(t, 5500*time.Microsecond, *r.Latency.Corrected.Mean, "10, 9 ... 1")
	})
	t.Run("N2 and not twice", func(t *testing.T) {
		// The same stall from intended times: sends went on while it lasted.
		var calls []call
		for k := range 30 {
			start := time.Duration(k) * ms
			calls = append(calls, call{start, max(10*ms, start+ms/2), 200, 0})
		}
		_, err := read(t, vegeta(calls), source.Options{}, repair.Options{Interval: ms, Workers: 1, Method: repair.Backfill})
		require.ErrorContains(t, err, "did not wait for answers")
		r := mustRead(t, vegeta(calls), repair.Options{})
		require.Equal(t, "none", r.Correction.Method)
		require.Equal(t, r.Latency.Raw, r.Latency.Corrected)
	})
}

// hlog is an interval log that the Go library writes.
func hlog(t *testing.T, h *hdrhistogram.Histogram, comments ...string) string {
	var b bytes.Buffer
	w := hdrhistogram.NewHistogramLogWriter(&b)
	for _, c := range comments {
		require.NoError(t, w.OutputComment(c))
	}
	require.NoError(t, w.OutputLogFormatVersion())
	require.NoError(t, w.OutputLegend())
	require.NoError(t, w.OutputIntervalHistogram(h))
	return b.String()
}

// The sample files' numbers, from a script that knows no histogram: p50, p99 and max
// in ms. Every row is read as an answer.
func TestSampleFiles(t *testing.T) {
	type three [3]float64
	for _, tt := range []struct {
		file     string
		from     source.Options
		interval time.Duration
		method   repair.Method
		n, added uint64
		raw      three
		want     three
	}{
		{"hey/fmt-hey-c1-q12.5-stall2s.csv", source.Options{}, 80 * ms, repair.Auto, 80, 24, three{3.4, 2008.3, 2008.3}, three{3.8, 1928.3, 2008.3}},
		{"hey/fmt-hey-timeout1s.csv", source.Options{}, 50 * ms, repair.Auto, 59, 0, three{3.2, 32.3, 32.3}, three{3.2, 32.3, 32.3}},
		{"jmeter/fmt-jmeter213-csv-2threads-tx.jtl", source.Options{}, 100 * ms, repair.Auto, 60, 35, three{28, 1532, 1532}, three{53, 1532, 1532}},
		{"jmeter/fmt-jmeter213-csv-2threads-tx.jtl", source.Options{Nested: true}, 100 * ms, repair.Backfill, 120, 70, three{28, 1532, 1532}, three{53, 1532, 1532}},
		{"accesslog/fmt-nginx-json.jsonl", source.Options{TimeField: "request_time", Unit: time.Second}, 100 * ms, repair.Auto, 60, 14, three{4, 1507, 1507}, three{4, 1507, 1507}},
		// Tools that catch up: their schedule, and what the wrong method makes of them.
		{"vegeta/fmt-vegeta-rate12-maxworkers1.csv", source.Options{}, 83333333, repair.Auto, 72, 0, three{3.29, 2003.933, 2003.933}, three{13.464, 2003.933, 2003.933}},
		{"fortio/fmt-fortio-access.jsonl", source.Options{}, 81311 * time.Microsecond, repair.Auto, 62, 0, three{11.521, 2029.288, 2029.288}, three{56.954, 2033.562, 2033.562}},
		{"ghz/fmt-ghz-c1-rps20.json", source.Options{}, 0, repair.Auto, 100, 0, three{3.944, 9.965, 1504.734}, three{4.564, 1457.874, 1504.734}},
		{"vegeta/fmt-vegeta-rate12-maxworkers1.json", source.Options{}, 83333333, repair.Backfill, 72, 23, three{3.29, 2003.933, 2003.933}, three{3.943, 2003.933, 2003.933}},
		{"fortio/fmt-fortio-access.jsonl", source.Options{}, 80 * ms, repair.Backfill, 62, 24, three{11.521, 2029.288, 2029.288}, three{16.489, 2029.288, 2029.288}},
		{"h2load/fmt-h2load-h1-c2-rps25.tsv", source.Options{}, 40 * ms, repair.Backfill, 150, 36, three{2.95, 30.35, 1507.776}, three{3.62, 1467.776, 1507.776}},
		{"ghz/fmt-ghz-c1-rps20.json", source.Options{}, 50 * ms, repair.Backfill, 100, 29, three{3.944, 9.965, 1504.734}, three{4.143, 1454.734, 1504.734}},
	} {
		t.Run(fmt.Sprintf("%s %s", tt.file, tt.method), func(t *testing.T) {
			r, err := read(t, sample(t, tt.file), tt.from, repair.Options{
				Interval: tt.interval, Method: tt.method, Force: tt.method == repair.Backfill, Expect: anyStatus(t),
			})
			require.NoError(t, err)
			require.Equal(t, tt.n, r.Latency.Raw.N)
			require.Equal(t, tt.n+tt.added, r.Latency.Corrected.N)
			require.Equal(t, tt.added, r.Correction.Synthetic)
			for i, got := range []*time.Duration{r.Latency.Raw.P50, r.Latency.Raw.P99, r.Latency.Raw.Max} {
				near(t, time.Duration(tt.raw[i]*1e6), got, "raw", i)
			}
			for i, got := range []*time.Duration{r.Latency.Corrected.P50, r.Latency.Corrected.P99, r.Latency.Corrected.Max} {
				near(t, time.Duration(tt.want[i]*1e6), got, "corrected", i)
			}
		})
	}
	t.Run("by default a failed row is no fast answer", func(t *testing.T) {
		r := mustRead(t, sample(t, "hey/fmt-hey-c1-q12.5-stall2s.csv"), repair.Options{Interval: 80 * ms})
		require.EqualValues(t, 1, r.File.Failed)
		require.Nil(t, r.Latency.Raw.P99, "the last of 80 failed")
		require.EqualValues(t, 104, r.Latency.Corrected.N)
		require.Nil(t, r.Latency.Corrected.Max)
		require.EqualValues(t, 103, r.Latency.CorrectedOK.N)
	})
	t.Run("ab has no rate", func(t *testing.T) {
		r, err := read(t, sample(t, "ab/fmt-ab-n200-c2-gnuplot.tsv"), source.Options{}, repair.Options{})
		require.True(t, repair.Raw(err))
		require.EqualValues(t, 200, r.Latency.Raw.N)
		near(t, 14*ms, r.Latency.Raw.P99)
	})
}
