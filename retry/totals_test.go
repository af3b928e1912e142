package retry

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var delivery, payment = Totals{1204, 2891, 12}, Totals{3102, 3118, 0}

func TestWhatThreeTotalsSay(t *testing.T) {
	value := func(v float64, ok bool) float64 {
		require.True(t, ok)
		return v
	}
	t.Run("C1 nine of ten operations, four of ten attempts", func(t *testing.T) {
		require.InDelta(t, 2.4012, value(delivery.Average()), 5e-5)
		require.InDelta(t, .99, value(delivery.OperationSuccess()), 5e-3)
		require.InDelta(t, .4123, value(delivery.AttemptSuccess()), 5e-5)
	})
	t.Run("C2", func(t *testing.T) {
		require.InDelta(t, 1.01, value(payment.Average()), 5e-3)
		require.EqualValues(t, 16, payment.Attempts-payment.Operations)
	})
	t.Run("C3 at most 360 can have succeeded at once", func(t *testing.T) {
		least, most, ok := delivery.FirstTry(3)
		require.Equal(t, []any{uint64(0), uint64(360), true}, []any{least, most, ok})
		least, most, ok = delivery.LastTry(3)
		require.Equal(t, []any{uint64(471), uint64(831), true}, []any{least, most, ok})
	})
	t.Run("C4 attempts that knew nothing of each other would have failed 582 operations", func(t *testing.T) {
		require.InDelta(t, 582.4, value(delivery.Independent(3)), .05)
	})
	t.Run("C5", func(t *testing.T) {
		for failure, want := range map[float64]float64{0: 1, .1: 1.11, .5: 1.75, .9: 2.71, 1: 3} {
			require.InDelta(t, want, Expected(failure, 3), 1e-9)
		}
	})
	t.Run("nothing is said of nothing", func(t *testing.T) {
		for _, of := range []func() (float64, bool){Totals{}.Average, Totals{}.OperationSuccess, Totals{}.AttemptSuccess} {
			_, ok := of()
			require.False(t, ok)
		}
		_, ok := Totals{}.Independent(3)
		require.False(t, ok)
		_, _, ok = Totals{Operations: 10, Attempts: 9}.FirstTry(3)
		require.False(t, ok, "fewer attempts than operations")
		_, _, ok = Totals{Operations: 10, Attempts: 31}.LastTry(3)
		require.False(t, ok, "more than each could make")
	})
}

// The bounds hold for every run with these totals, and some run meets each of them.
func TestBoundsAreTight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		attempts := rapid.Uint64Range(1, 4).Draw(t, "attempts")
		var all []Totals
		first, last := map[Totals][]uint64{}, map[Totals][]uint64{}
		operations := rapid.Uint64Range(1, 7).Draw(t, "operations")
		// Every way in which operations can end: at try 1, 2 … attempts, or not at all.
		var each func(left, try uint64, at []uint64)
		each = func(left, try uint64, at []uint64) {
			if try > attempts {
				x := Totals{Operations: operations, Failed: left, Attempts: left * attempts}
				for i, n := range at {
					x.Attempts += uint64(i+1) * n
				}
				all = append(all, x)
				first[x] = append(first[x], at[0])
				last[x] = append(last[x], at[attempts-1])
				return
			}
			for n := range left + 1 {
				each(left-n, try+1, append(at[:try-1:try-1], n))
			}
		}
		each(operations, 1, nil)
		extremes := func(xs []uint64) (least, most uint64) {
			least = xs[0]
			for _, x := range xs {
				least, most = min(least, x), max(most, x)
			}
			return least, most
		}
		for _, x := range all {
			wantLeast, wantMost := extremes(first[x])
			least, most, ok := x.FirstTry(attempts)
			require.True(t, ok)
			require.Equal(t, []uint64{wantLeast, wantMost}, []uint64{least, most}, "first of %+v in %d", x, attempts)
			wantLeast, wantMost = extremes(last[x])
			least, most, ok = x.LastTry(attempts)
			require.True(t, ok)
			require.Equal(t, []uint64{wantLeast, wantMost}, []uint64{least, most}, "last of %+v in %d", x, attempts)
		}
	})
}
