package peak

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const (
	ms = time.Millisecond
	s  = time.Second
)

// instants draws arrivals that come together now and then, sorted.
func instants() *rapid.Generator[[]time.Duration] {
	return rapid.Custom(func(t *rapid.T) (at []time.Duration) {
		step := time.Duration(rapid.SampledFrom([]int64{1, int64(ms), int64(s)}).Draw(t, "step"))
		var now time.Duration
		for _, gap := range rapid.SliceOf(rapid.SampledFrom([]int64{0, 0, 1, 1, 2, 3, 7, 10, 90, 100, 5000})).Draw(t, "gaps") {
			now += time.Duration(gap) * step
			at = append(at, now)
		}
		return at
	})
}

func durations(most time.Duration) *rapid.Generator[time.Duration] {
	return rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.Int64Range(1, int64(most)).Draw(t, "ns"))
	})
}

func width(t *rapid.T) time.Duration {
	return rapid.OneOf(rapid.SampledFrom(Widths()), durations(100*ms), durations(20*s)).Draw(t, "width")
}

// T10: for any times, width and phase sliding/2 <= aligned <= sliding.
func TestT10AlignedIsAtLeastHalfOfSliding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at, h := instants().Draw(t, "at"), width(t)
		phase := time.Duration(rapid.Int64Range(-int64(20*s), int64(20*s)).Draw(t, "phase"))
		sliding, aligned := Sliding(at, h).Sliding, Aligned(at, h, phase)
		require.LessOrEqual(t, aligned, sliding)
		require.LessOrEqual(t, sliding, 2*aligned)
	})
}

func TestSlidingIsTheGreatestOfAllWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at, h := instants().Draw(t, "at"), width(t)
		p := Sliding(at, h)
		var most uint64
		for _, x := range at {
			n := uint64(0)
			for _, y := range at {
				if y >= x && y < x+h {
					n++
				}
			}
			most = max(most, n)
		}
		require.Equal(t, most, p.Sliding)
		if most > 0 { // it is where it says
			first, _ := slices.BinarySearch(at, p.At)
			require.Equal(t, p.At+p.Span, at[first+int(most)-1])
			require.Less(t, p.Span, h)
		}
	})
}

func TestPeakGrowsWithWidthAndNoFasterThanIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at, h := instants().Draw(t, "at"), width(t)
		k := rapid.Int64Range(1, 20).Draw(t, "times")
		one, wider, many := Sliding(at, h), Sliding(at, h+durations(s).Draw(t, "more")), Sliding(at, h*time.Duration(k))
		require.GreaterOrEqual(t, wider.Sliding, one.Sliding)
		require.LessOrEqual(t, many.Sliding, uint64(k)*one.Sliding)
	})
}

// When all instants move, no sliding peak does.
func TestSlidingDoesNotDependOnTheLaunch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at, h := instants().Draw(t, "at"), width(t)
		by := time.Duration(rapid.Int64Range(-int64(s), int64(s)).Draw(t, "by"))
		moved := slices.Clone(at)
		for i := range moved {
			moved[i] += by
		}
		p, q := Sliding(at, h), Sliding(moved, h)
		if p.Sliding > 0 {
			q.At -= by
		}
		require.Equal(t, p, q)
		require.Equal(t, Aligned(at, h, 0), Aligned(moved, h, by))
	})
}

// The peak of two sets together is at least the greater and at most the sum.
func TestPeakOfTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, h := instants().Draw(t, "a"), instants().Draw(t, "b"), width(t)
		whole := slices.Concat(a, b)
		slices.Sort(whole)
		x, y, z := Sliding(a, h).Sliding, Sliding(b, h).Sliding, Sliding(whole, h).Sliding
		require.GreaterOrEqual(t, z, max(x, y))
		require.LessOrEqual(t, z, x+y)
		sum, _ := Of(a).plus(Of(b)).At(100 * ms)
		true100, _ := Of(whole).At(100 * ms)
		require.GreaterOrEqual(t, sum.Sliding, true100.Sliding)
		require.GreaterOrEqual(t, sum.Aligned, true100.Aligned)
	})
}

func TestOf(t *testing.T) {
	at := []time.Duration{199 * ms, 0, 200 * ms, 99 * ms, 100 * ms, 150 * ms} // in any order
	require.Equal(t, Curve{N: 6, Points: []Point{
		{Width: 1 * ms, Sliding: 1, Aligned: 1},
		{Width: 100 * ms, Sliding: 3, At: 99 * ms, Span: 51 * ms, Aligned: 3},
		{Width: 101 * ms, Sliding: 4, At: 99 * ms, Span: 100 * ms, Aligned: 3},
		{Width: s, Sliding: 6, Span: 200 * ms, Aligned: 6},
	}}, Of(at, 1*ms, 100*ms, 101*ms, s))
	require.Len(t, Of(nil).Points, len(Widths()))
	require.Panics(t, func() { Sliding(at, 0) })
	require.Panics(t, func() { Aligned(at, -1, 0) })
}

// T6: of 150 in 5 and in 10 equal cells the greatest has 36.495 and 21.223 on average.
func TestT6TheGreatestBinOfAWave(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 0))
	const runs = 4000
	var five, ten float64
	at := make([]time.Duration, 150)
	for range runs {
		for i := range at {
			at[i] = time.Duration(r.Int64N(int64(500 * ms)))
		}
		slices.Sort(at)
		five += float64(Aligned(at, 100*ms, 0))
		ten += float64(Aligned(at, 50*ms, 0))
	}
	// Their standard deviations are 2.9 and 2.1: 4000 runs tell the means to 0.05.
	require.InDelta(t, 36.495, five/runs, .2)
	require.InDelta(t, 21.223, ten/runs, .15)
}

// How far a spread of 500 ms lowers the peak depends on the window, and from its own
// width on it does not at all.
func TestWhatASpreadShowsDependsOnTheWindow(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 0))
	const runs = 1500
	sum := map[time.Duration]float64{}
	for range runs {
		var at []time.Duration
		for range 150 {
			at = append(at, time.Duration(r.Int64N(int64(500*ms))))
		}
		for _, p := range Of(at, 10*ms, 50*ms, 100*ms, 200*ms, 250*ms, 500*ms, s).Points {
			sum[p.Width] += float64(p.Sliding)
		}
	}
	for h, want := range map[time.Duration]float64{10 * ms: 16.8, 50 * ms: 6.2, 100 * ms: 3.7, 200 * ms: 2.1, 250 * ms: 1.8, 500 * ms: 1, s: 1} {
		require.InEpsilon(t, want, 150*runs/sum[h], .03, h)
	}
	for _, h := range []time.Duration{50 * ms, 100 * ms, 200 * ms} {
		require.InDelta(t, spreadPeak(150, 500*ms, h), sum[h]/runs, 1, h)
	}
}
