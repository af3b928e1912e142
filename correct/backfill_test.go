package correct

import (
	"slices"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The closed form is the library's loop: the same counts in every bucket, and the
// same exact counts, sum and extremes as adding the samples one by one.
func TestBackfillEqualsTheLoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := time.Duration(rapid.Int64Range(0, 1<<rapid.IntRange(1, 42).Draw(t, "bits")).Draw(t, "v"))
		interval := max(1, v/time.Duration(rapid.IntRange(1, 3000).Draw(t, "parts"))) + time.Duration(rapid.IntRange(0, 3).Draw(t, "off"))
		limits := drawValues(t, "limits")

		got, loop := NewDist(limits...), NewDist(limits...)
		synthetic := got.Backfill(v, interval)

		loop.Record(v)
		var n uint64
		for m := v - interval; m >= interval; m -= interval {
			loop.Record(m)
			n++
		}
		require.Equal(t, n, synthetic)
		requireSame(t, &loop, &got)

		if v <= Longest {
			h := hdrhistogram.New(1, int64(Longest), 3)
			require.NoError(t, h.RecordCorrectedValue(int64(v), int64(interval)))
			require.True(t, h.Equals(got.Histogram()))
		}
	})
}

func TestBackfillRows(t *testing.T) {
	count := func(v, interval time.Duration) uint64 {
		d := NewDist()
		return d.Backfill(v, interval)
	}
	t.Run("L3 2000 at 80", func(t *testing.T) {
		d := NewDist(1920*ms, 1920*ms+1)
		require.EqualValues(t, 24, d.Backfill(2000*ms, 80*ms))
		least, _ := d.Min()
		require.Equal(t, 80*ms, least)
		over, _ := d.Over(1920 * ms)
		require.EqualValues(t, 2, over, "2000 itself and 1920")
		over, _ = d.Over(1920*ms + 1)
		require.EqualValues(t, 1, over)
	})
	t.Run("L4 2050 at 80", func(t *testing.T) {
		d := NewDist()
		require.EqualValues(t, 24, d.Backfill(2050*ms, 80*ms))
		least, _ := d.Min()
		require.Equal(t, 130*ms, least)
	})
	t.Run("L5 around the steps", func(t *testing.T) {
		for v, want := range map[int]uint64{79: 0, 80: 0, 159: 0, 160: 1, 2079: 24, 2080: 25} {
			require.Equal(t, want, count(time.Duration(v)*ms, 80*ms), v)
		}
	})
	t.Run("N4 twice the interval adds one, once adds none", func(t *testing.T) {
		require.EqualValues(t, 1, count(20*ms, 10*ms))
		require.EqualValues(t, 0, count(10*ms, 10*ms))
	})
	t.Run("N3 the greatest stays what it was", func(t *testing.T) {
		d := NewDist()
		d.Backfill(1999999999, 80*ms)
		greatest, _ := d.Max()
		require.EqualValues(t, 1999999999, greatest)
	})
	t.Run("P5 at recording, not on bucket tops", func(t *testing.T) {
		require.EqualValues(t, 23, count(1_999_900*time.Microsecond, 80*ms))
	})
	t.Run("no interval adds nothing", func(t *testing.T) {
		require.Zero(t, count(time.Hour, 0))
	})
	t.Run("N6 an hour at a microsecond is arithmetic", func(t *testing.T) {
		d := NewDist(time.Hour / 2)
		require.EqualValues(t, 3_600_000_000-1, d.Backfill(time.Hour, time.Microsecond))
		over, _ := d.Over(time.Hour / 2)
		require.EqualValues(t, 1_800_000_001, over)
		mean, _ := d.Mean()
		require.Equal(t, time.Hour/2+500*time.Nanosecond, mean)
		p50, _ := d.Quantile(P50)
		require.InDelta(t, float64(time.Hour/2), float64(p50), float64(time.Hour)/1000)
	})
}

// labA is the closed loop's sample of the lab: 149 of 50 ms, one of 2 s, 50 of 50 ms.
func labA() []time.Duration {
	s := slices.Repeat([]time.Duration{50 * ms}, 200)
	s[149] = 2000 * ms
	return s
}

// rank is the exact value at q's nearest rank.
func rank(values []time.Duration, q Quantile) time.Duration {
	return slices.Sorted(slices.Values(values))[q.Rank(uint64(len(values)))-1]
}

// near asserts three significant digits: the histogram's promise.
func near(t *testing.T, want time.Duration, d *Dist, q Quantile) {
	t.Helper()
	got, ok := d.Quantile(q)
	require.True(t, ok)
	require.GreaterOrEqual(t, got, want)
	require.LessOrEqual(t, got, want+want/1000)
}

func TestBackfillOfTheLab(t *testing.T) {
	backfilled := func(interval time.Duration) (*Dist, uint64) {
		d := NewDist(1841*ms, 1840*ms)
		var n uint64
		for _, v := range labA() {
			n += d.Backfill(v, interval)
		}
		return &d, n
	}
	t.Run("L7 L8", func(t *testing.T) {
		d, _ := backfilled(80 * ms)
		require.EqualValues(t, 224, d.N())
		for q, want := range map[Quantile]time.Duration{P50: 50 * ms, P90: 240 * ms, P95: 1120 * ms, P99: 1840 * ms, 995_000_000: 1920 * ms, Max: 2000 * ms} {
			near(t, want, d, q)
		}
		mean, _ := d.Mean()
		require.Equal(t, (17975*ms+56*1)/112, mean) // 17975/112 ms to the nearest ns
		over, _ := d.Over(1841 * ms)
		require.LessOrEqual(t, over, P99.Allowed(224), "p99 is below 1841 exactly")
		over, _ = d.Over(1840 * ms)
		require.Greater(t, over, P99.Allowed(224), "and not below 1840")
	})
	t.Run("L20 the answer depends on the interval", func(t *testing.T) {
		for _, tt := range []struct {
			interval  time.Duration
			synthetic uint64
			p99       time.Duration
		}{{50 * ms, 39, 1900 * ms}, {80 * ms, 24, 1840 * ms}, {100 * ms, 19, 1800 * ms}} {
			d, n := backfilled(tt.interval)
			require.Equal(t, tt.synthetic, n)
			near(t, tt.p99, d, P99)
		}
	})
	t.Run("L13 with 2050 ms", func(t *testing.T) {
		d := NewDist()
		for _, v := range labA() {
			if v > 50*ms {
				v += 50 * ms
			}
			d.Backfill(v, 80*ms)
		}
		near(t, 1890*ms, &d, P99)
	})
	t.Run("N1 ten thousand of 1 ms, then 100 s", func(t *testing.T) {
		d := NewDist()
		for range 10_000 {
			d.Backfill(ms, 10*ms)
		}
		d.Backfill(100*time.Second, 10*ms)
		require.EqualValues(t, 20_000, d.N())
		near(t, ms, &d, P50)
		near(t, 50*time.Second, &d, 750_000_000)
		near(t, 98*time.Second, &d, P99)
		near(t, 99800*ms, &d, P999)
		mean, _ := d.Mean()
		require.InDelta(t, 25.003e9, float64(mean), 1e6)
	})
	t.Run("L33 L34 the interval is one worker's", func(t *testing.T) {
		sample := func(interval time.Duration) (*Dist, uint64, uint64) {
			d := NewDist()
			var normal, stalled uint64
			for range 11_990 {
				normal += d.Backfill(50*ms, interval)
			}
			for range 10 {
				stalled += d.Backfill(2000*ms, interval)
			}
			return &d, normal, stalled
		}
		d, normal, stalled := sample(50 * ms)
		require.EqualValues(t, 390, normal+stalled)
		near(t, 1400*ms, d, P99)
		_, normal, stalled = sample(5 * ms)
		require.EqualValues(t, 107_910, normal)
		require.EqualValues(t, 3_990, stalled)
	})
}

func TestQueueReplay(t *testing.T) {
	replay := func(sample []time.Duration, interval time.Duration) []time.Duration {
		q := Queue{Interval: interval}
		var out []time.Duration
		for _, s := range sample {
			out = append(out, q.Next(s))
		}
		return out
	}
	t.Run("L9 to L11, L18 the lab's sample at 80 ms", func(t *testing.T) {
		got := replay(labA(), 80*ms)
		for k := range 51 {
			require.Equal(t, max(50*ms, 2000*ms-time.Duration(k)*30*ms), got[149+k])
		}
		for q, want := range map[Quantile]time.Duration{P50: 50 * ms, 750_000_000: 500 * ms, P90: 1400 * ms, P95: 1700 * ms, P99: 1940 * ms, Max: 2000 * ms} {
			require.Equal(t, want, rank(got, q))
		}
	})
	t.Run("L19 the rate at which p99 crosses 500 ms", func(t *testing.T) {
		for interval, want := range map[time.Duration]time.Duration{799 * ms: 502 * ms, 800 * ms: 500 * ms, 801 * ms: 498 * ms} {
			require.Equal(t, want, rank(replay(labA(), interval), P99))
		}
	})
	t.Run("never below the service time", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			sample := drawValues(t, "sample")
			for i, v := range replay(sample, rapid.Custom(func(t *rapid.T) time.Duration { return drawValues(t, "i")[0] }).Draw(t, "interval")) {
				require.GreaterOrEqual(t, v, sample[i])
			}
		})
	})
}

func BenchmarkBackfill(b *testing.B) {
	for _, tt := range []struct {
		name        string
		v, interval time.Duration
	}{{"1s at 10us", time.Second, 10 * time.Microsecond}, {"1s at 1ms", time.Second, ms}, {"1h at 1us", time.Hour, time.Microsecond}} {
		b.Run(tt.name, func(b *testing.B) {
			d := NewDist()
			for b.Loop() {
				d.Backfill(tt.v, tt.interval)
			}
		})
	}
}
