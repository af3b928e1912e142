package correct

import (
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const ms = time.Millisecond

func drawValues(t *rapid.T, label string) []time.Duration {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) time.Duration {
		// All magnitudes alike, and some beyond what the histogram holds.
		return time.Duration(rapid.Uint64Range(0, 1<<rapid.IntRange(1, 43).Draw(t, "bits")).Draw(t, "ns"))
	}), 1, 200).Draw(t, label)
}

func of(values []time.Duration, limits ...time.Duration) *Dist {
	d := NewDist(limits...)
	for _, v := range values {
		d.Record(v)
	}
	return &d
}

var quantiles = []Quantile{1, P50, 750_000_000, P90, P95, P99, 995_000_000, P999, Max}

// The law of ranks: at least a share q of the sample is at or below the value, and
// less than q is below it, counted in rationals.
func TestRankIsNearestRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(1, 1<<40).Draw(t, "n")
		q := Quantile(rapid.Uint64Range(1, uint64(Max)).Draw(t, "q"))
		share := func(k uint64) *big.Rat {
			return new(big.Rat).SetFrac(new(big.Int).SetUint64(k), new(big.Int).SetUint64(n))
		}
		want := big.NewRat(int64(q), int64(Max))
		rank := q.Rank(n)
		require.GreaterOrEqual(t, share(rank).Cmp(want), 0)
		if rank > 1 {
			require.Negative(t, share(rank-1).Cmp(want))
		}
		require.Equal(t, n-rank, q.Allowed(n))
	})
}

func TestRankRows(t *testing.T) {
	for _, tt := range []struct {
		name       string
		n          uint64
		percentile string
		want       uint64
	}{
		{"P1 p50 of 200", 200, "50", 100},
		{"P1 p90 of 200", 200, "90", 180},
		{"P1 p95 of 200", 200, "95", 190},
		{"P1 p99 of 200", 200, "99", 198},
		{"P1 p99.5 of 200", 200, "99.5", 199},
		{"P1 p99.9 of 200", 200, "99.9", 200},
		{"P2 p99.9 of 1000 in integers", 1000, "99.9", 999},
		{"P3 p99 of 160, where the library says 158", 160, "99", 159},
		{"N11 p99 of 2", 2, "99", 2},
		{"N11 p99 of 16", 16, "99", 16},
		{"p0.0000001 of 1", 1, "0.0000001", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, err := ParseQuantile(tt.percentile)
			require.NoError(t, err)
			require.Equal(t, tt.want, q.Rank(tt.n))
		})
	}
	require.Zero(t, P99.Rank(0))
}

func TestParseQuantile(t *testing.T) {
	for _, s := range []string{"50", "99.9", "0.1", "99.9999999"} {
		q, err := ParseQuantile(s)
		require.NoError(t, err)
		require.Equal(t, "p"+s, q.String())
	}
	for _, s := range []string{"", "0", "100", "101", "-1", ".5", "99.99999999", "1e1", "99,9", "p99", "18446744073709551617"} {
		_, err := ParseQuantile(s)
		require.Error(t, err, s)
	}
}

// A quantile is the value at its rank to three digits: never below it, at most a
// thousandth above, never outside the extremes.
func TestQuantileIsTheValueAtItsRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := drawValues(t, "values")
		failed := rapid.Uint64Range(0, 20).Draw(t, "failed")
		d := of(values)
		d.Fail(failed)
		slices.Sort(values)
		for _, q := range quantiles {
			got, ok := d.Quantile(q)
			rank := q.Rank(uint64(len(values)) + failed)
			require.Equal(t, rank <= uint64(len(values)), ok, q)
			if !ok {
				continue
			}
			want := values[rank-1]
			if want > Longest {
				require.Equal(t, values[len(values)-1], got)
				continue
			}
			require.GreaterOrEqual(t, got, want)
			require.LessOrEqual(t, got, want+want/1000+1)
			require.LessOrEqual(t, got, values[len(values)-1])
		}
	})
}

func TestExactCountsAndSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := drawValues(t, "values")
		limits := drawValues(t, "limits")
		d := of(values, limits...)
		total := new(big.Int)
		for _, v := range values {
			total.Add(total, big.NewInt(int64(v)))
		}
		for _, limit := range limits {
			var want uint64
			for _, v := range values {
				if v >= limit {
					want++
				}
			}
			got, ok := d.Over(limit)
			require.True(t, ok)
			require.Equal(t, want, got)
		}
		n := big.NewInt(int64(len(values)))
		mean, ok := d.Mean()
		require.True(t, ok)
		nearest := new(big.Int).Add(total, new(big.Int).Rsh(n, 1))
		require.Equal(t, nearest.Div(nearest, n).Int64(), int64(mean))
		_, ok = d.Over(-1)
		require.False(t, ok, "a limit that was not given beforehand has no exact count")
	})
}

func TestMergeOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, limits := drawValues(t, "a"), drawValues(t, "b"), drawValues(t, "limits")
		whole := of(append(slices.Clone(a), b...), limits...)
		for _, parts := range [][2]*Dist{{of(a, limits...), of(b, limits...)}, {of(b, limits...), of(a, limits...)}} {
			parts[0].Merge(parts[1])
			requireSame(t, whole, parts[0])
		}
	})
}

func requireSame(t require.TestingT, want, got *Dist) {
	for _, q := range quantiles {
		w, wok := want.Quantile(q)
		g, gok := got.Quantile(q)
		require.Equal(t, wok, gok)
		require.Equal(t, w, g, q)
	}
	require.Equal(t, want.N(), got.N())
	require.Equal(t, want.over, got.over)
	require.Equal(t, want.sum, got.sum)
	require.Equal(t, want.min, got.min)
	require.Equal(t, want.bins, got.bins)
}

func TestDistCases(t *testing.T) {
	t.Run("N7 one sample is every percentile", func(t *testing.T) {
		d := of([]time.Duration{575 * ms})
		for _, q := range quantiles {
			got, ok := d.Quantile(q)
			require.True(t, ok)
			require.Equal(t, 575*ms, got)
		}
	})
	t.Run("N8 least and greatest are exact although the histogram rounds", func(t *testing.T) {
		d := of([]time.Duration{1_234_567_890})
		least, _ := d.Min()
		greatest, _ := d.Max()
		require.EqualValues(t, 1_234_567_890, least)
		require.EqualValues(t, 1_234_567_890, greatest)
	})
	t.Run("N9 p50 lies between the extremes", func(t *testing.T) {
		d := NewDist()
		for i := range 100 {
			d.Record(501_250*time.Microsecond + time.Duration(i)*16700*time.Nanosecond)
		}
		got, _ := d.Quantile(P50)
		require.InDelta(t, float64(502*ms), float64(got), float64(ms))
	})
	t.Run("N10 p99 of 1..1000 is 990", func(t *testing.T) {
		d := NewDist()
		for i := range 1000 {
			d.Record(time.Duration(i + 1))
		}
		got, _ := d.Quantile(P99)
		require.EqualValues(t, 990, got)
	})
	t.Run("N13 N16 an empty set has nothing", func(t *testing.T) {
		d := NewDist(ms)
		for _, f := range []func() (time.Duration, bool){d.Min, d.Max, d.Mean, func() (time.Duration, bool) { return d.Quantile(P50) }} {
			_, ok := f()
			require.False(t, ok)
		}
		over, ok := d.Over(ms)
		require.True(t, ok)
		require.Zero(t, over)
	})
	t.Run("N15 a negative duration is refused", func(t *testing.T) {
		d := NewDist()
		require.Panics(t, func() { d.Record(-5) })
	})
	t.Run("N16 nothing but failures has no percentile", func(t *testing.T) {
		d := NewDist(ms)
		d.Fail(200)
		_, ok := d.Quantile(P50)
		require.False(t, ok)
		over, _ := d.Over(ms)
		require.EqualValues(t, 200, over)
	})
	t.Run("P9 how many failures a percentile survives", func(t *testing.T) {
		for _, tt := range []struct {
			n      uint64
			q      Quantile
			failed uint64
		}{{200, P99, 2}, {1000, P999, 1}, {1000, P99, 10}} {
			require.Equal(t, tt.failed, tt.q.Allowed(tt.n))
			for _, failed := range []uint64{tt.failed, tt.failed + 1} {
				d := NewDist()
				d.RecordN(50*ms, tt.n-failed)
				d.Fail(failed)
				_, ok := d.Quantile(tt.q)
				require.Equal(t, failed == tt.failed, ok)
			}
		}
	})
	t.Run("P8 failures do not flatter", func(t *testing.T) {
		d := NewDist()
		d.RecordN(50*ms, 90)
		d.RecordN(100*ms, 10)
		got, _ := d.Quantile(P95)
		require.InDelta(t, float64(100*ms), float64(got), float64(100*ms)/1000)
		d.Fail(100)
		_, ok := d.Quantile(P95)
		require.False(t, ok)
	})
	t.Run("P4 the value is the top of its bucket", func(t *testing.T) {
		h := hdrhistogram.New(1, 3_600_000_000, 3)
		for _, tt := range [][2]int64{{50_000, 50_015}, {1_840_000, 1_840_127}, {1_940_000, 1_940_479}, {2_000_000, 2_000_895}} {
			h.Reset()
			require.NoError(t, h.RecordValue(tt[0]))
			require.Equal(t, tt[1], h.ValueAtPercentile(100))
		}
	})
	t.Run("P6 P7 percentiles of merged samples, not merged percentiles", func(t *testing.T) {
		for _, tt := range []struct {
			a, b [2]uint64 // how many of 10 ms, how many of 1000 ms
			want time.Duration
		}{{[2]uint64{100, 0}, [2]uint64{98, 2}, 10 * ms}, {[2]uint64{989, 11}, [2]uint64{10, 0}, 1000 * ms}} {
			d, o := NewDist(), NewDist()
			d.RecordN(10*ms, tt.a[0])
			d.RecordN(1000*ms, tt.a[1])
			o.RecordN(10*ms, tt.b[0])
			o.RecordN(1000*ms, tt.b[1])
			d.Merge(&o)
			got, _ := d.Quantile(P99)
			require.InDelta(t, float64(tt.want), float64(got), float64(tt.want)/1000)
		}
	})
}
