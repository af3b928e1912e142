package retry_test

// What retries do to a server, through the engine and in virtual time: 150 callers at
// one instant and a server that hangs, ten callers and one that takes three at a time.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
	"openload/engine"
	"openload/lab"
	"openload/retry"
	"openload/schedule"
	"openload/seed"
	"openload/sim"
)

const (
	ms = time.Millisecond
	s  = time.Second
)

func policy(t require.TestingT, text string) retry.Policy {
	p, err := retry.Parse(text)
	require.NoError(t, err)
	return p
}

// samples records every attempt as it ends.
type samples []correct.Sample

func (l *samples) Arrive(uint64, time.Duration, time.Duration, int, int) {}
func (l *samples) Record(x correct.Sample)                               { *l = append(*l, x) }

// sent is when the attempts left, without the first ones: those are known by their
// number, not by their time.
func (l samples) sent() (at []time.Duration) {
	for _, x := range l {
		if x.Attempt > 1 {
			at = append(at, x.Sent)
		}
	}
	slices.Sort(at)
	return at
}

// p50 is the median of what the callers waited, whatever came of it.
func (l samples) p50() time.Duration {
	var all []time.Duration
	for _, x := range l {
		if x.Final {
			all = append(all, x.Corrected())
		}
	}
	slices.Sort(all)
	return all[correct.P50.Rank(uint64(len(all)))-1]
}

func (l samples) last() (done time.Duration) {
	for _, x := range l {
		done = max(done, x.Done)
	}
	return done
}

// fire sends n operations at one instant.
func fire(n uint64, m lab.Model, p retry.Policy, r seed.Seed, lim engine.Limits) samples {
	burst := schedule.Spec{Law: schedule.Law{Kind: schedule.Burst}, N: n}
	return run(burst.Open(nil), m, p, r, lim)
}

func run(from schedule.Schedule, m lab.Model, p retry.Policy, r seed.Seed, lim engine.Limits) (got samples) {
	lim.Drain = 10 * time.Hour
	policy := retry.New(p, retry.Options{
		Method: "GET", Deadline: lim.Deadline,
		Chance: func(seq uint64) *rand.Rand { return r.At("retry", seq) },
	})
	w := sim.New(m, func(status int) bool { return status < 400 })
	engine.Run(context.Background(), context.Background(), from, w, &got, policy, lim)
	return got
}

func server(t require.TestingT, text string, r *rand.Rand) lab.Model {
	spec, err := lab.Parse(text)
	require.NoError(t, err)
	return spec.Model(r)
}

// stampede is 150 callers who wait 3 s each for a server that hangs for 8 s.
func stampede(t require.TestingT, p retry.Policy, r seed.Seed) samples {
	return fire(150, server(t, "hang=8s workers=0", nil), p, r, engine.Limits{Timeout: 3 * s})
}

// sliding is the most arrivals in any window [x, x+h).
func sliding(at []time.Duration, h time.Duration) (most int) {
	j := 0
	for i := range at {
		for at[i]-at[j] >= h {
			j++
		}
		most = max(most, i-j+1)
	}
	return most
}

// aligned is the most arrivals in a bin of width h, counted from the launch.
func aligned(at []time.Duration, h time.Duration) (most int) {
	bins := map[time.Duration]int{}
	for _, t := range at {
		bins[t/h]++
		most = max(most, bins[t/h])
	}
	return most
}

const exponential = "attempts=3 backoff=exponential base=500ms"

func TestStampedeWithoutJitter(t *testing.T) {
	for _, tt := range []struct {
		name, policy string
		attempts     int
		p50          time.Duration
		peak         int // in 100 ms, first attempts not counted
		waves        []time.Duration
	}{
		{"T1 T5 three attempts", exponential, 450, 10_500 * ms, 150, []time.Duration{0, 3500 * ms, 7500 * ms}},
		{"T3 none", "none", 150, 3 * s, 0, []time.Duration{0}},
		{"T4 four attempts", "attempts=4 backoff=exponential base=500ms", 600, 15_500 * ms, 150, []time.Duration{0, 3500 * ms, 7500 * ms, 12_500 * ms}},
		{"T8b half the base", "attempts=3 backoff=exponential base=250ms", 450, 9750 * ms, 150, []time.Duration{0, 3250 * ms, 6750 * ms}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := stampede(t, policy(t, tt.policy), 1)
			require.Len(t, got, tt.attempts)
			require.Equal(t, tt.p50, got.p50())
			require.Equal(t, tt.peak, sliding(got.sent(), 100*ms))
			var waves []time.Duration
			for _, x := range got {
				waves = append(waves, x.Sent)
			}
			slices.Sort(waves)
			require.Equal(t, tt.waves, slices.Compact(waves))
		})
	}
}

// Spreading lowers the peak, shortening does not: full and centred are as wide as each
// other and differ in the mean; base/2 is as short as full and not spread.
func TestStampedeWithJitter(t *testing.T) {
	const seeds = 300
	for _, tt := range []struct {
		name, policy     string
		aligned, sliding float64 // means over many seeds
		p50              float64 // seconds
	}{
		{"T2 T7a T8c full", exponential + " jitter=full", 36.5, 40.2, 9.75},
		{"T7b T8d centred", exponential + " jitter=centred", 35.7, 40.2, 10.5},
		{"T7c equal", exponential + " jitter=equal", 64.4, 70, 10.125},
		{"T7d T8e wide", exponential + " jitter=wide", 21.2, 23.9, 10.5},
		{"T8f proportional", exponential + " jitter=proportional", 80, 84.2, 10.5},
		{"decorrelated", "attempts=3 backoff=decorrelated base=500ms cap=2s", 21.2, 23.9, 11.53},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var inBins, inWindow, p50 float64
			for r := range seed.Seed(seeds) {
				got := stampede(t, policy(t, tt.policy), r)
				require.Len(t, got, 450)
				require.Len(t, got.sent(), 300)
				inBins += float64(aligned(got.sent(), 100*ms))
				inWindow += float64(sliding(got.sent(), 100*ms))
				p50 += got.p50().Seconds()
			}
			require.InDelta(t, tt.aligned, inBins/seeds, 1)
			require.InDelta(t, tt.sliding, inWindow/seeds, 1)
			require.InDelta(t, tt.p50, p50/seeds, .02)
		})
	}
	t.Run("T9 a window as wide as the jitter shows nothing", func(t *testing.T) {
		require.Equal(t, 150, sliding(stampede(t, policy(t, exponential), 1).sent(), s))
		require.Equal(t, 150, sliding(stampede(t, policy(t, exponential+" jitter=full"), 1).sent(), s))
	})
}

// T6 in closed form, and the first wave of retries against it.
func TestT6TheGreatestCellOfAWave(t *testing.T) {
	require.InDelta(t, 36.495, greatestCell(150, 5), 5e-4)
	require.InDelta(t, 21.223, greatestCell(150, 10), 5e-4)
	const seeds = 600
	var five, ten float64
	for r := range seed.Seed(seeds) {
		p := policy(t, "attempts=2 backoff=fixed base=500ms jitter=full")
		five += float64(aligned(stampede(t, p, r).sent(), 100*ms)) // from 3 s on, five bins
		ten += float64(aligned(stampede(t, p, r).sent(), 50*ms))
	}
	require.InDelta(t, 36.495, five/seeds, .5)
	require.InDelta(t, 21.223, ten/seeds, .5)
}

// greatestCell is the mean of the greatest of k cells into which n fall at random: the
// sum over m of 1 - P(all ≤ m), where P is n!/kⁿ times the coefficient of xⁿ in
// (Σ_{j≤m} xʲ/j!)ᵏ.
func greatestCell(n, k int) (mean float64) {
	for m := range n {
		poly := []float64{1}
		for range k {
			next := make([]float64, min(n, len(poly)-1+m)+1)
			for i, a := range poly {
				term := a
				for j := 0; j <= m && i+j <= n; j++ {
					next[i+j] += term
					term /= float64(j + 1)
				}
			}
			poly = next
		}
		all := 0.0
		if len(poly) > n {
			lg, _ := math.Lgamma(float64(n + 1))
			all = poly[n] * math.Exp(lg-float64(n)*math.Log(float64(k)))
		}
		mean += 1 - all
	}
	return mean
}

func TestT12NoAttemptThatCannotFinish(t *testing.T) {
	for deadline, want := range map[time.Duration]struct {
		attempts int
		released time.Duration
	}{
		3500 * ms: {1, 3 * s}, 6 * s: {2, 6 * s}, 7 * s: {2, 6500 * ms}, 7500 * ms: {2, 6500 * ms}, 8 * s: {3, 8 * s}, 10_500 * ms: {3, 10_500 * ms},
	} {
		got := fire(1, server(t, "hang=20s workers=0", nil), policy(t, exponential), 1, engine.Limits{Timeout: 3 * s, Deadline: deadline})
		require.Len(t, got, want.attempts, deadline)
		require.Equal(t, want.released, got.last(), deadline)
	}
}

// C6: a loop that sleeps after its last failure too takes 16, 37 and 12 s. The last
// sleep buys nothing and is not slept here.
func TestC6TheLastSleepBuysNothing(t *testing.T) {
	for _, tt := range []struct {
		policy                   string
		timeout                  time.Duration
		loop, slept, lastOfSleep time.Duration
	}{
		{"attempts=3 backoff=exponential base=1s", 3 * s, 16 * s, 7 * s, 4 * s},
		{"attempts=3 backoff=exponential base=1s", 10 * s, 37 * s, 7 * s, 4 * s},
		{"attempts=3 backoff=fixed base=1s", 3 * s, 12 * s, 3 * s, 1 * s},
	} {
		got := fire(1, server(t, "hang=1h workers=0", nil), policy(t, tt.policy), 1, engine.Limits{Timeout: tt.timeout})
		require.Equal(t, tt.loop-tt.lastOfSleep, got.last())
		require.Equal(t, tt.slept-tt.lastOfSleep, got.last()-3*tt.timeout)
	}
}

// three takes three requests in any time as long as window, and turns the others away.
// An answer takes a second: half of it to get there.
type three struct {
	window time.Duration
	took   []time.Duration
}

func (m *three) Serve(at time.Duration) lab.Answer {
	recent := 0
	for _, t := range m.took {
		if t > at-m.window {
			recent++
		}
	}
	if recent == 3 {
		return lab.Answer{At: at + s, Status: 503}
	}
	m.took = append(m.took, at)
	return lab.Answer{At: at + s, Status: 200}
}

func ten(window time.Duration, p retry.Policy, r seed.Seed) samples {
	return fire(10, &three{window: window}, p, r, engine.Limits{})
}

func TestTenCallersWithoutJitter(t *testing.T) {
	for _, tt := range []struct {
		name, policy string
		waves        map[time.Duration]int // by arrival at the server
		done         time.Duration
	}{
		{"J1 fixed", "attempts=9 backoff=fixed base=1s", map[time.Duration]int{500 * ms: 10, 2500 * ms: 7, 4500 * ms: 4, 6500 * ms: 1}, 7 * s},
		{"J2 exponential", "attempts=9 backoff=exponential base=1s", map[time.Duration]int{500 * ms: 10, 2500 * ms: 7, 5500 * ms: 4, 10_500 * ms: 1}, 11 * s},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, window := range []time.Duration{100 * ms, 500 * ms, s} {
				got := ten(window, policy(t, tt.policy), 1)
				require.Len(t, got, 22)
				require.Equal(t, tt.done, got.last())
				waves := map[time.Duration]int{}
				for _, x := range got {
					waves[x.Sent+500*ms]++
				}
				require.Equal(t, tt.waves, waves)
			}
		})
	}
}

// The benefit of jitter depends on the server as much as on the jitter: no ranking holds.
func TestTenCallersWithJitter(t *testing.T) {
	const seeds = 1000
	for _, tt := range []struct {
		policy   string
		window   time.Duration
		attempts float64
		done     float64 // seconds
	}{
		{"backoff=exponential jitter=full", 100 * ms, 17.1, 3.0},
		{"backoff=exponential jitter=equal", 100 * ms, 17.5, 3.9},
		{"backoff=decorrelated", 100 * ms, 17.0, 4.8},
		{"backoff=exponential jitter=full", s, 21.3, 6.2},
		{"backoff=exponential jitter=equal", s, 22.0, 9.5},
		{"backoff=decorrelated", s, 19.2, 9.9},
	} {
		t.Run(tt.policy+" "+tt.window.String(), func(t *testing.T) {
			p := policy(t, "attempts=99 base=1s cap=8s "+tt.policy)
			var attempts, done float64
			for r := range seed.Seed(seeds) {
				got := ten(tt.window, p, r)
				attempts += float64(len(got))
				done += got.last().Seconds()
			}
			require.InDelta(t, tt.attempts, attempts/seeds, .15)
			require.InDelta(t, tt.done, done/seeds, .25)
		})
	}
}

// J3: all ten come at once and seven are turned away, whatever they do afterwards.
func TestJ3JitterCannotUndoTheFirstWave(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]string{"fixed jitter=full", "exponential jitter=equal", "exponential jitter=centred", "exponential jitter=wide", "decorrelated"}).Draw(t, "kind")
		window := time.Duration(rapid.Int64Range(1, 2000).Draw(t, "window")) * ms
		got := ten(window, policy(t, "attempts=999 base=1s backoff="+kind), seed.Seed(rapid.Uint64().Draw(t, "seed")))
		require.GreaterOrEqual(t, len(got), 17)
		ok := 0
		for _, x := range got {
			if x.Class == correct.OK {
				ok++
			}
		}
		require.Equal(t, 10, ok)
	})
}

// B6: at 80 a second a server that does 100 bears 5/4 attempts for each operation.
// With a share f of failures and two attempts there are 1 + f.
func TestB6TheLoadThatIsStillBorne(t *testing.T) {
	longest := func(errors string) (wait time.Duration) {
		rate, err := schedule.ParseRate("80")
		require.NoError(t, err)
		from := schedule.Spec{Shape: schedule.Constant(rate), Duration: 5 * time.Minute}
		m := server(t, "capacity=100/s errors="+errors, seed.Seed(1).Stream("server"))
		for _, x := range run(from.Open(nil), m, policy(t, "attempts=2 backoff=fixed base=100ms"), 1, engine.Limits{}) {
			wait = max(wait, x.Raw())
		}
		return wait
	}
	require.Less(t, longest("20%"), 2*s, "80 x 1.2 is 96 a second")
	// Of 100 answers a second 100·80/(80+r) are to first attempts, and 35 % of these come
	// back: r = 26.3. Each second leaves 6.3 over, and 300 of them leave 19 s of work.
	require.InDelta(t, 19, longest("35%").Seconds(), 2)
}
