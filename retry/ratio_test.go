package retry

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
)

func TestB3TheReserveAndTheDeposits(t *testing.T) {
	r := newRatio(policy(t, "attempts=2 budget=20%+10/s").ratio)
	require.EqualValues(t, 100*token, r.balance(), "cold")
	for i := range 1000 {
		r.original(time.Duration(i) * ms)
	}
	require.EqualValues(t, 300*token, r.balance())
	granted := 0
	for r.withdraw(9 * time.Second) {
		granted++
	}
	require.Equal(t, 300, granted)
	require.Zero(t, r.balance())
}

func TestT13OneBudgetForTheStampede(t *testing.T) {
	for _, tt := range []struct {
		budget           string
		firstWave, inAll int
	}{
		{"grpc:10/0.1", 4, 4},
		{"grpc:100/0.1", 49, 49},
		{"20%+10/s", 130, 130},
	} {
		t.Run(tt.budget, func(t *testing.T) {
			r := retrier(t, "attempts=3 base=500ms budget="+tt.budget)
			made := drive(r, make([]time.Duration, 150), hang)
			waves := map[int]int{}
			for _, x := range made {
				waves[x.Attempt]++
			}
			require.Equal(t, 150, waves[1])
			require.Equal(t, tt.firstWave, waves[2])
			require.Equal(t, tt.inAll, retries(made))
			require.EqualValues(t, 150, r.Counts().Denied, "each operation ends when it is denied one")
		})
	}
}

// What is granted within a window is paid for within it: by the reserve, and by the
// originals. Over a whole run no deposit is spent twice.
func TestAmplificationIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		deposit := rapid.Int64Range(0, 2000).Draw(t, "deposit")
		reserve := rapid.Int64Range(0, 20_000).Draw(t, "reserve")
		if deposit+reserve == 0 {
			t.Skip()
		}
		r := newRatio(allowance{deposit, reserve})
		at := rapid.SliceOfN(rapid.Int64Range(0, 60_000), 1, 300).Draw(t, "ms")
		slices.Sort(at)
		var originals, granted []time.Duration
		for _, x := range at {
			now := time.Duration(x) * ms
			switch rapid.SampledFrom([]string{"original", "retry", "retry", "given back"}).Draw(t, "event") {
			case "original":
				r.original(now)
				originals = append(originals, now)
			case "given back":
				if n := len(granted); n > 0 {
					r.refund(now)
					granted = granted[:n-1]
				}
			default:
				if r.withdraw(now) {
					require.GreaterOrEqual(t, r.balance(), int64(0), "nothing is spent that is not there")
					granted = append(granted, now)
				}
			}
		}
		runs := int64(at[len(at)-1])/9000 + 1 // a slice short of a window, what was spent may be back
		require.LessOrEqual(t, int64(len(granted))*token, deposit*int64(len(originals))+reserve*runs)
	})
}

// The window against all that it forgets: every deposit and every retry in a list.
func TestTheWindowForgetsBySlices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWindow(10 * time.Second)
		type entry struct{ at, a, b int64 }
		var all []entry
		latest := int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "n") {
			at := max(0, latest+rapid.Int64Range(-2_000, 4_000).Draw(t, "step"))
			latest = max(latest, at)
			e := entry{latest, rapid.Int64Range(0, 9).Draw(t, "a"), rapid.Int64Range(0, 9).Draw(t, "b")}
			all = append(all, e)
			i := w.at(time.Duration(at) * ms)
			w.a[i] += e.a
			w.b[i] += e.b
			var a, b int64
			for _, e := range all {
				if latest/1000-e.at/1000 < 10 {
					a, b = a+e.a, b+e.b
				}
			}
			gotA, gotB := w.sums()
			require.Equal(t, []int64{a, b}, []int64{gotA, gotB})
		}
	})
}

// In an outage, with no success at all, the reserve still comes back with time.
func TestTheReserveNeedsNoSuccess(t *testing.T) {
	r := retrier(t, "attempts=2 backoff=fixed base=0s budget=10/s")
	made := drive(r, every(6000, 10*ms), refuse) // a minute at 100 a second
	require.InDelta(t, 600, retries(made), 100)
	require.EqualValues(t, 6000-retries(made), r.Counts().Denied)
}

func TestQ10ABudgetOfAllTrafficIsMore(t *testing.T) {
	r, originals, again := newRatio(allowance{deposit: 200}), 1000, 0
	for range originals {
		r.original(0)
		for r.withdraw(0) {
			again++
			r.original(0) // as if a retry were one
		}
	}
	require.InDelta(t, 1.25, float64(originals+again)/float64(originals), .002)

	made := drive(retrier(t, "attempts=9 backoff=fixed base=0s budget=20%"), every(1000, ms), refuse)
	require.InDelta(t, 1.2, float64(len(made))/1000, .002, "counted on the originals")
}

// An operation that starts deposits once, whether it succeeds or not.
func TestOnlyOriginalsDeposit(t *testing.T) {
	r := retrier(t, "attempts=5 backoff=fixed base=0s budget=50%")
	require.True(t, r.Start(1, 0))
	require.True(t, r.Start(2, 0))
	require.EqualValues(t, 500, r.ratio.balance())
	r.After(correct.Sample{Attempt: 1, Fired: true, Class: correct.OK, Status: 200})
	require.EqualValues(t, 500, r.ratio.balance())
}
