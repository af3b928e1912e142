package correct

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Filling a whole sample is backfilling its values one by one, and so what the
// library's RecordCorrectedValue does: the same counts in every bucket.
func TestFillEqualsBackfillingOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		interval := time.Duration(rapid.Int64Range(1, 1<<rapid.IntRange(1, 30).Draw(t, "bits")).Draw(t, "interval"))
		// On a grid values share their places, off it they don't.
		grid := rapid.SampledFrom([]time.Duration{1, interval, 2 * interval / 2, max(1, interval/4), 100}).Draw(t, "grid")
		values := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) time.Duration {
			return min(Longest+5, grid*time.Duration(rapid.Int64Range(0, max(1, int64(300*interval/grid))).Draw(t, "times")))
		}), 0, 60).Draw(t, "values")
		limits := drawValues(t, "limits")

		want, got := NewDist(limits...), NewDist(limits...)
		h := hdrhistogram.New(1, int64(Longest), 3)
		var synthetic uint64
		for _, v := range values {
			synthetic += want.Backfill(v, interval)
			got.Record(v)
			if v <= Longest {
				require.NoError(t, h.RecordCorrectedValue(int64(v), int64(interval)))
			}
		}
		require.Equal(t, synthetic, got.Fill(values, interval))
		requireSame(t, &want, &got)
		if top, ok := want.Max(); ok && top <= Longest {
			require.True(t, h.Equals(got.Histogram()))
		}
	})
}

func TestFillWithoutAnIntervalAddsNothing(t *testing.T) {
	d := NewDist()
	require.Zero(t, d.Fill([]time.Duration{time.Hour}, 0))
	require.Zero(t, d.N())
}

// stalls are 10,000 answers of up to 2 s in steps of 100 µs: what ten million rows
// of hey's hold over 100 ms if one in a thousand is slow.
func stalls() []time.Duration {
	rng := rand.New(rand.NewPCG(1, 2))
	all := make([]time.Duration, 10_000)
	for i := range all {
		all[i] = 100*ms + time.Duration(rng.IntN(19_000))*100*time.Microsecond
	}
	return all
}

func BenchmarkFill(b *testing.B) {
	for _, interval := range []time.Duration{10 * time.Microsecond, 100 * time.Microsecond, ms, 80 * ms} {
		values := stalls()
		b.Run(fmt.Sprintf("whole sample at %v", interval), func(b *testing.B) {
			for b.Loop() {
				d := NewDist()
				d.Fill(values, interval)
			}
		})
		if interval < ms {
			continue // the loop takes minutes
		}
		b.Run(fmt.Sprintf("RecordCorrectedValue at %v", interval), func(b *testing.B) {
			for b.Loop() {
				h := hdrhistogram.New(1, int64(Longest), 3)
				for _, v := range values {
					if err := h.RecordCorrectedValue(int64(v), int64(interval)); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
