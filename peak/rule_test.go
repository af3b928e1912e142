package peak

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// 150 retries within 500 ms: h from 33 to 100 ms, if the sending smears no more than 50.
func TestJudge(t *testing.T) {
	wave := Effect{N: 150, Width: 500 * ms}
	for _, tt := range []struct {
		name   string
		change func(*Effect)
		h      time.Duration
		want   Fit
	}{
		{"a fifth is the widest", func(*Effect) {}, 100 * ms, Fits},
		{"wider than a fifth", func(*Effect) {}, 101 * ms, TooCoarse},
		{"ten in it", func(*Effect) {}, 34 * ms, Fits},
		{"fewer than ten in it", func(*Effect) {}, 33 * ms, TooFew},
		{"smeared over half of it", func(e *Effect) { e.Smear = 50 * ms }, 100 * ms, Fits},
		{"smeared over more", func(e *Effect) { e.Smear = 51 * ms }, 100 * ms, Smeared},
		{"ten steps", func(e *Effect) { e.Resolution = 10 * ms }, 100 * ms, Fits},
		{"fewer than ten steps", func(e *Effect) { e.Resolution = 11 * ms }, 100 * ms, Unresolved},
		{"no spread at all", func(e *Effect) { e.Width = 0 }, ms, TooCoarse},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := wave
			tt.change(&e)
			require.Equal(t, tt.want, e.Judge(tt.h))
		})
	}
	h, ok := wave.Best()
	require.True(t, ok)
	require.Equal(t, 100*ms, h)
	_, ok = Effect{N: 40, Width: 500 * ms}.Best()
	require.False(t, ok, "8 in a fifth")
}

// Spread evenly over 500 ms, 150 need windows of 100 ms, and are seldom taken for less.
func TestTheSpreadOfAWave(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	const runs = 2000
	fit := 0
	for range runs {
		at := make([]time.Duration, 150)
		for i := range at {
			at[i] = 3*s + time.Duration(r.Int64N(int64(500*ms)))
		}
		w, ok := Of(at).Wave(10*s, 0)
		require.True(t, ok)
		require.Equal(t, uint64(150), w.N)
		switch h, _ := w.Effect(0, Quantum).Best(); h {
		case 100 * ms:
			fit++
		default:
			require.Equal(t, 50*ms, h)
		}
	}
	require.InDelta(t, .95, float64(fit)/runs, .02)
}

// The widths that fit have no hole: between two that do, all do.
func TestFittingWidthsAreOneRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Effect{
			N: rapid.Uint64Range(0, 1e6).Draw(t, "n"), Width: durations(20*s).Draw(t, "width"),
			Smear: durations(100*ms).Draw(t, "smear"), Resolution: durations(10*ms).Draw(t, "resolution"),
		}
		var fits []bool
		for _, h := range Widths() {
			fits = append(fits, e.Judge(h) == Fits)
		}
		best, ok := e.Best()
		require.Equal(t, slices.Contains(fits, true), ok)
		fits = slices.Compact(fits)
		require.LessOrEqual(t, len(fits), 3)
		if len(fits) == 3 {
			require.True(t, fits[1])
		}
		if ok {
			require.Equal(t, Fits, e.Judge(best))
			require.NotEqual(t, Fits, e.Judge(5*best), "none is five times as wide")
		}
	})
}

func TestWave(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	spread := func(n int, from, over time.Duration) (at []time.Duration) {
		for range n {
			at = append(at, from+time.Duration(r.Int64N(int64(over))))
		}
		return at
	}
	even := func(perSec int, length time.Duration) (at []time.Duration) {
		gap := s / time.Duration(perSec)
		for x := time.Duration(0); x < length; x += gap {
			at = append(at, x)
		}
		return at
	}
	for _, tt := range []struct {
		name     string
		at       []time.Duration
		observed time.Duration
		smear    time.Duration
		n        uint64 // 0: no wave
		width    time.Duration
	}{
		{"nothing", nil, 10 * s, 0, 0, 0},
		{"all at once", make([]time.Duration, 150), 3 * s, ms, 150, 0},
		{"all at once, answered at once", make([]time.Duration, 150), 5 * ms, ms, 150, 0},
		{"spread over half a second", spread(150, 3*s, 500*ms), 10 * s, 0, 150, 490 * ms},
		{"two waves, the narrower one", append(spread(150, 3*s, 500*ms), spread(150, 7*s, s)...), 11 * s, 0, 150, 490 * ms},
		{"ten every 100 ms", func() (at []time.Duration) {
			for i := range time.Duration(1000) {
				at = append(at, i/10*100*ms)
			}
			return at
		}(), 10 * s, 0, 10, 0},
		{"even at 12.5 a second", even(12, 16*s), 16 * s, 0, 0, 0},
		{"even at 1000 a second", even(1000, 60*s), 60 * s, 0, 0, 0},
		{"as long as the run", even(1000, 5*s), 5 * s, 0, 0, 0},
		{"poisson at 10 a second", spread(6000, 0, 600*s), 600 * s, 0, 0, 0},
		{"poisson at 1000 a second", spread(60_000, 0, 60*s), 60 * s, 0, 0, 0},
		{"a wave over an even flow", append(even(1000, 60*s), spread(3000, 30*s, 900*ms)...), 60 * s, 0, 4000, 990 * ms},
		{"our own stop, then all that was due", append(even(1000, 10*s), make([]time.Duration, 30)...), 10 * s, 40 * ms, 0, 0},
		{"nine are no crowd", make([]time.Duration, 9), 3 * s, 0, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, ok := Of(tt.at).Wave(tt.observed, tt.smear)
			require.Equal(t, tt.n > 0, ok, w)
			require.InEpsilon(t, float64(1+tt.n), float64(1+w.N), .05)
			require.InDelta(t, tt.width.Seconds(), w.Width.Seconds(), .02)
		})
	}
}
