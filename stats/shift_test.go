package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTails(t *testing.T) {
	inf := math.Inf(1)
	for _, tt := range []struct {
		name         string
		a, b         []float64
		above, below float64
	}{
		{"S8: the wave, fixed and with jitter", []float64{141, 150, 121}, []float64{39, 36, 38}, 1, 1. / 20},
		{"S9: four a side, apart", []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, 1. / 70, 1},
		{"S9: five a side, apart", []float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 1. / 252, 1},
		{"all alike", []float64{5, 5}, []float64{5, 5}, 1, 1},
		{"b failed each time", []float64{1, 2, 3, 4}, []float64{inf, inf, inf, inf}, 1. / 70, 1},
		{"all failed", []float64{inf, inf}, []float64{inf, inf}, 1, 1},
		{"sizes that differ", []float64{9}, []float64{1, 2}, 1, 1. / 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			above, below, ok := Tails(tt.a, tt.b)
			require.True(t, ok)
			require.InDelta(t, tt.above, above, 1e-12)
			require.InDelta(t, tt.below, below, 1e-12)
		})
	}
	_, _, ok := Tails(nil, []float64{1})
	require.False(t, ok)
}

func TestTooFew(t *testing.T) {
	for k, want := range map[int]bool{1: true, 2: true, 3: true, 4: false, 5: false} {
		require.Equal(t, want, TooFew(k, k, 0.95), "S9: %d a side", k)
	}
	require.False(t, TooFew(3, 3, 0.9))
	require.True(t, TooFew(3, 4, 0.95))
	require.True(t, TooFew(0, 9, 0.95))
}

// whole numbers add up exactly.
var whole = rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(-1000, 1000).Draw(t, "value")) })

func TestTailsAreThePermutationTest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := whole
		k := rapid.IntRange(1, 5).Draw(t, "a side")
		a := rapid.SliceOfN(value, k, k).Draw(t, "a")
		b := rapid.SliceOfN(value, k, k).Draw(t, "b")
		above, below, _ := Tails(a, b)
		p, _ := Permutation(a, b)
		require.InDelta(t, p, min(1, 2*min(above, below)), 1e-12)
		below2, above2, _ := Tails(b, a)
		require.InDelta(t, above, above2, 1e-12)
		require.InDelta(t, below, below2, 1e-12)
	})
}

// The interval is what the test does not refute: shifts within are not, shifts beyond are.
func TestShiftCIIsTheTestTurnedRound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := whole
		a := rapid.SliceOfN(value, 3, 6).Draw(t, "a")
		b := rapid.SliceOfN(value, 3, 6).Draw(t, "b")
		conf := rapid.SampledFrom([]float64{0.8, 0.9, 0.95}).Draw(t, "conf")
		lower, upper, ok := ShiftCI(a, b, conf)
		require.Equal(t, !TooFew(len(a), len(b), conf), ok)
		if !ok {
			return
		}
		require.LessOrEqual(t, lower, upper)
		refuted := func(shift float64) bool {
			moved := make([]float64, len(a))
			for i, x := range a {
				moved[i] = x + shift
			}
			above, below, _ := Tails(moved, b)
			return min(above, below) <= (1-conf)/2+1e-12
		}
		const hair = 1e-4 // values are whole, so differences of means lie farther apart
		require.True(t, refuted(lower-hair))
		require.True(t, refuted(upper+hair))
		require.False(t, refuted(lower+hair) && lower+hair < upper)
		require.False(t, refuted(upper-hair) && upper-hair > lower)
	})
}

// It covers the true difference at least as often as it says.
func TestShiftCICovers(t *testing.T) {
	const trials = 2000
	r := rand.New(rand.NewPCG(3, 4))
	missed := uint64(0)
	for range trials {
		a, b := make([]float64, 5), make([]float64, 5)
		for i := range a {
			a[i], b[i] = r.ExpFloat64(), 7+r.ExpFloat64()
		}
		if lower, upper, ok := ShiftCI(a, b, 0.95); !ok || 7 < lower || 7 > upper {
			missed++
		}
	}
	require.Greater(t, AtLeast(missed, trials, 0.05), 1e-4)
}
