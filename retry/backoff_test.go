package retry

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/seed"
)

// Every delay lies within the support of theory's table, and the cap bounds the window.
func TestDelaysStayWithinTheirSupport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := policy(t, texts().Draw(t, "policy"))
		b, r := p.backoff, seed.Seed(rapid.Uint64().Draw(t, "seed"))
		k := rapid.IntRange(0, 40).Draw(t, "k")
		delay, least := b.delay(r.Stream("a"), k)
		again, _ := b.delay(r.Stream("a"), k)
		require.Equal(t, delay, again, "an operation's delay depends on its stream alone")
		if b.kind == decorrelated {
			require.Equal(t, b.base, least)
			most := b.cap
			if k > 0 {
				before, _ := b.delay(r.Stream("a"), k-1)
				most = min(most, 3*before)
			} else {
				most = min(most, 3*b.base)
			}
			require.GreaterOrEqual(t, delay, b.base)
			require.LessOrEqual(t, delay, most)
			return
		}
		w := float64(b.base)
		if b.kind == exponential {
			w = min(float64(b.cap), w*math.Exp2(float64(k)))
		}
		support := map[jitter][2]float64{none: {1, 1}, full: {0, 1}, equal: {.5, 1}, centred: {.5, 1.5}, proportional: {.8, 1.2}, wide: {0, 2}}[b.jitter]
		require.InDelta(t, support[0]*w, float64(least), 1)
		require.GreaterOrEqual(t, float64(delay), support[0]*w-1)
		require.LessOrEqual(t, float64(delay), support[1]*w+1)
	})
}

// grid is a source whose numbers are evenly spaced, so that a mean over it is an integral.
type grid struct{ i uint64 }

const points = 1 << 15

func (g *grid) Uint64() uint64 {
	g.i++
	return (g.i-1)<<49 + 1<<48
}

// moments are the mean and the variance of the first delay.
func moments(b backoff) (mean, variance float64) {
	r := rand.New(&grid{})
	var sum, squares float64
	for range points {
		d, _ := b.delay(r, 0)
		sum += d.Seconds()
		squares += d.Seconds() * d.Seconds()
	}
	mean = sum / points
	return mean, squares/points - mean*mean
}

func TestMomentsOfTheJitters(t *testing.T) {
	for _, tt := range []struct {
		name           string
		b              backoff
		mean, variance float64
	}{
		{"J4 J6 full", backoff{kind: exponential, base: time.Second, cap: time.Hour, jitter: full}, .5, 1. / 12},
		{"J4 J6 equal", backoff{kind: exponential, base: time.Second, cap: time.Hour, jitter: equal}, .75, 1. / 48},
		{"J4 decorrelated, U(1, 3)", backoff{kind: decorrelated, base: time.Second, cap: time.Hour}, 2, 4. / 12},
		{"centred", backoff{kind: exponential, base: time.Second, cap: time.Hour, jitter: centred}, 1, 1. / 12},
		{"proportional", backoff{kind: exponential, base: time.Second, cap: time.Hour, jitter: proportional}, 1, 1. / 75},
		{"wide", backoff{kind: fixed, base: time.Second, jitter: wide}, 1, 1. / 3},
		{"none", backoff{kind: fixed, base: time.Second}, 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mean, variance := moments(tt.b)
			require.InDelta(t, tt.mean, mean, 1e-6)
			require.InDelta(t, tt.variance, variance, 1e-6)
		})
	}
}

func TestJ5DecorrelatedGrowsInTheMean(t *testing.T) {
	const n = 40_000
	b := backoff{kind: decorrelated, base: time.Second, cap: maxTime}
	for k, want := range []float64{2, 3.5, 5.75, 9.125} {
		var sum float64
		for i := range uint64(n) {
			d, _ := b.delay(seed.Seed(5).At("j5", i), k)
			sum += d.Seconds()
		}
		require.InEpsilon(t, want, sum/n, .02, "step %d", k+1)
	}
}

// Cap before jitter keeps the callers apart once they have reached the cap;
// decorrelated, capped after its draw, gathers them there.
func TestTheCapStandsBeforeTheJitter(t *testing.T) {
	atCap := func(b backoff) (n int) {
		for i := range uint64(1000) {
			if d, _ := b.delay(seed.Seed(3).At("cap", i), 9); d == b.cap {
				n++
			}
		}
		return n
	}
	require.Zero(t, atCap(backoff{kind: exponential, base: time.Second, cap: 8 * time.Second, jitter: full}))
	require.Zero(t, atCap(backoff{kind: exponential, base: time.Second, cap: 8 * time.Second, jitter: centred}))
	require.Greater(t, atCap(backoff{kind: decorrelated, base: time.Second, cap: 8 * time.Second}), 400)

	rapid.Check(t, func(t *rapid.T) {
		b := policy(t, texts().Draw(t, "policy")).backoff
		if b.kind != exponential || b.jitter == none || b.cap < 1000 {
			t.Skip()
		}
		_, width := b.jitter.spread(b.window(60))
		require.GreaterOrEqual(t, int64(width), int64(b.cap)*2/5-4, "late retries are spread as far as the cap lets the jitter")
	})
}

func TestWindows(t *testing.T) {
	b := backoff{kind: exponential, base: 500 * ms, cap: 20 * time.Second}
	for k, want := range []time.Duration{500 * ms, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 20 * time.Second, 20 * time.Second} {
		require.Equal(t, want, b.window(k))
	}
	require.Equal(t, maxTime, backoff{kind: exponential, base: maxTime/2 + 1, cap: maxTime}.window(999), "no overflow")
}

// 300 s and up to 30 s more, drawn anew for each of 3,000 entries of a cache.
func TestJ7EntriesThatExpireApart(t *testing.T) {
	const keys, runs = 3000, 50
	b := backoff{kind: fixed, base: 30 * time.Second, jitter: full}
	var sum, greatest time.Duration
	var peaks int
	for run := range seed.Seed(runs) {
		inSecond := map[time.Duration]int{}
		most := 0
		for i := range uint64(keys) {
			spread, _ := b.delay(run.At("ttl", i), 0)
			ttl := 300*time.Second + spread
			sum += ttl
			greatest = max(greatest, ttl)
			inSecond[ttl.Truncate(time.Second)]++
			most = max(most, inSecond[ttl.Truncate(time.Second)])
		}
		require.Len(t, inSecond, 30, "100 a second are expected")
		peaks += most
	}
	require.InDelta(t, 315, (sum / (keys * runs)).Seconds(), .1)
	require.InDelta(t, 330, greatest.Seconds(), .01)
	require.LessOrEqual(t, greatest, 330*time.Second)
	require.InDelta(t, 121, float64(peaks)/runs, 2, "in place of 3,000")
}
