package stats

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPermutation(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b []float64
		want float64
	}{
		{"S8: three runs a side, apart", []float64{141, 150, 121}, []float64{39, 36, 38}, 0.1},
		{"S9: four a side, apart", []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, 1. / 35},
		{"S9: five a side, apart", []float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 1. / 126},
		{"all alike", []float64{5, 5, 5}, []float64{5, 5, 5}, 1},
		{"one against two", []float64{9}, []float64{1, 2}, 1. / 3},
		{"nothing apart", []float64{1, 4}, []float64{2, 3}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, ok := Permutation(tt.a, tt.b)
			require.True(t, ok)
			require.InDelta(t, tt.want, p, 1e-12)
		})
	}
	_, ok := Permutation(nil, []float64{1})
	require.False(t, ok)
	_, ok = Permutation(make([]float64, 13), make([]float64, 12))
	require.False(t, ok)
}

func TestLeastP(t *testing.T) {
	for k, want := range map[int]float64{3: 1. / 10, 4: 1. / 35, 5: 1. / 126} {
		require.InDelta(t, want, LeastP(k, k), 1e-15, "S9")
	}
	require.EqualValues(t, 1, LeastP(0, 3))
}

// It does not matter which group is which, in what unit the values are or where they
// start; no p is below the least one.
func TestPermutationLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Float64Range(-1000, 1000)
		a := rapid.SliceOfN(value, 1, 5).Draw(t, "a")
		b := rapid.SliceOfN(value, 1, 5).Draw(t, "b")
		p, ok := Permutation(a, b)
		require.True(t, ok)
		require.GreaterOrEqual(t, p, LeastP(len(a), len(b))-1e-12)
		require.LessOrEqual(t, p, 1.)
		swapped, _ := Permutation(b, a)
		require.InDelta(t, p, swapped, 1e-12)
		moved := func(all []float64) (out []float64) {
			for _, x := range all {
				out = append(out, 4*x)
			}
			return out
		}
		scaled, _ := Permutation(moved(a), moved(b))
		require.InDelta(t, p, scaled, 1e-12)
	})
}

// Under no difference a p of 5 % or less comes up at most one time in twenty.
func TestPermutationKeepsItsLevel(t *testing.T) {
	const trials = 2000
	low := 0
	r := rand.New(rand.NewPCG(1, 2))
	for range trials {
		a, b := make([]float64, 4), make([]float64, 4)
		for i := range a {
			a[i], b[i] = r.ExpFloat64(), r.ExpFloat64()
		}
		if p, _ := Permutation(a, b); p <= 0.05 {
			low++
		}
	}
	require.Greater(t, AtLeast(uint64(low), trials, 0.05), 1e-4)
}
