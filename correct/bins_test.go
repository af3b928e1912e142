package correct

import (
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The buckets are the library's: the same values in them, the same counts, and the same
// bytes once written.
func TestBinsAreTheLibrarys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hdrhistogram.New(1, int64(Longest), 3)
		var one, all Dist
		values := drawValues(t, "values")
		for i, v := range values {
			v = min(v, Longest)
			values[i] = v
			one.Record(v)
			require.NoError(t, h.RecordValue(int64(v)))
			require.LessOrEqual(t, binFloor(bin(v)), v)
			require.GreaterOrEqual(t, binTop(bin(v)), v)
			require.Equal(t, bin(v), bin(binTop(bin(v))))
			require.Equal(t, bin(v)+1, bin(binTop(bin(v))+1))
			require.True(t, h.ValuesAreEquivalent(int64(v), int64(binFloor(bin(v)))))
		}
		all.recordAll(values[:len(values)/2])
		all.recordAll(values[len(values)/2:])
		require.Equal(t, one, all)
		require.True(t, h.Equals(one.Histogram()))
		text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		require.NoError(t, err)
		require.Equal(t, string(text), one.Encoded())

		var bars []hdrhistogram.Bar
		for _, b := range h.Distribution() {
			if b.Count > 0 {
				bars = append(bars, b)
			}
		}
		one.bins.each(func(i uint, n uint64) bool {
			require.Equal(t, bars[0], hdrhistogram.Bar{From: int64(binFloor(i)), To: int64(binTop(i)), Count: int64(n)})
			bars = bars[1:]
			return true
		})
		require.Empty(t, bars)
		rank := rapid.Int64Range(1, h.TotalCount()).Draw(t, "rank")
		require.EqualValues(t, h.ValueAtPercentile(100*float64(rank)/float64(h.TotalCount())), one.bins.at(uint64(rank)))
	})
}

// Values beyond what the buckets hold, and limits: one by one or together is the same.
func TestOneByOneOrTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values, limits := drawValues(t, "values"), drawValues(t, "limits")
		n := rapid.IntRange(0, len(values)).Draw(t, "n")
		got := NewDist(limits...)
		got.recordAll(values[:n])
		got.recordAll(values[n:])
		require.Equal(t, *of(values, limits...), got)
	})
	d := NewDist()
	require.Panics(t, func() { d.recordAll([]time.Duration{5, -5}) })
}

func BenchmarkTogether(b *testing.B) {
	d := NewDist(500*time.Millisecond, 300*time.Microsecond)
	all := make([]time.Duration, 64)
	for i := range all {
		all[i] = 100*time.Microsecond + time.Duration(i*i)*100
	}
	for b.Loop() {
		d.recordAll(all)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/value")
}
