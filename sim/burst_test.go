// Crowds that retry: what they hold in the server, and what a server that takes so many
// in a while makes of them.

package sim_test

import (
	"context"
	"math/rand/v2"
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

// crowd sends n operations at one instant to m and retries them.
func crowd(t require.TestingT, n uint64, m lab.Model, policy string, lim engine.Limits, s seed.Seed) (samples, lab.Stats) {
	p, err := retry.Parse(policy)
	require.NoError(t, err)
	lim.Drain = time.Hour
	var got samples
	w := sim.New(m, func(status int) bool { return status < 400 })
	burst := schedule.Spec{Law: schedule.Law{Kind: schedule.Burst}, N: n}
	engine.Run(context.Background(), context.Background(), burst.Open(nil), w, &got, retry.New(p, retry.Options{
		Method: "GET", Chance: func(seq uint64) *rand.Rand { return s.At("retry", seq) },
	}), lim)
	return got, w.Stats()
}

// watched remembers when the last request leaves the server.
type watched struct {
	lab.Model
	last time.Duration
}

func (w *watched) Serve(at time.Duration) lab.Answer {
	a := w.Model.Serve(at)
	w.last = max(w.last, a.At)
	return a
}

// Whom the clients give up the server still holds: a shorter hang ends the overlap of
// the waves sooner, and does not lower their peak until the first has gone before the
// third comes.
func TestT11HeldAtOnce(t *testing.T) {
	for _, tt := range []struct {
		hang  string
		held  int
		freed time.Duration
	}{
		{"7s", 300, 14_500 * ms}, {"8s", 450, 15_500 * ms}, {"20s", 450, 27_500 * ms},
	} {
		for _, when := range []string{"hang=", "hang-after="} {
			w := &watched{Model: server(t, when+tt.hang+" workers=0")}
			got, stats := crowd(t, 150, w, "attempts=3 backoff=exponential base=500ms", engine.Limits{Timeout: 3 * time.Second}, 1)
			require.Len(t, got, 450)
			require.Equal(t, tt.held, stats.HeldAtOnce, tt.hang)
			require.Equal(t, tt.freed, w.last, tt.hang)
			require.Equal(t, map[int]uint64{1: 150, 2: 150, 3: 150}, stats.ByAttempt)
			require.EqualValues(t, 450, stats.Executed)
			require.EqualValues(t, 300, stats.Duplicates, "nobody was told, and everybody was served three times")
			for _, x := range got {
				require.Equal(t, correct.Timeout, x.Class)
			}
		}
	}
}

// far is half a second away.
type far struct{ lab.Model }

func (f far) Serve(at time.Duration) lab.Answer {
	a := f.Model.Serve(at + 500*ms)
	a.At += 500 * ms
	return a
}

func ten(t require.TestingT, window, policy string, s seed.Seed) (samples, lab.Stats) {
	return crowd(t, 10, far{server(t, "workers=0 accept=3/"+window)}, policy, engine.Limits{}, s)
}

func TestTenClientsAndThreeAccepted(t *testing.T) {
	for _, tt := range []struct {
		name, policy string
		waves        map[time.Duration]int // by arrival at the server
		done         time.Duration
	}{
		{"J1 fixed", "backoff=fixed base=1s", map[time.Duration]int{500 * ms: 10, 2500 * ms: 7, 4500 * ms: 4, 6500 * ms: 1}, 7000 * ms},
		{"J2 exponential", "backoff=exponential base=1s", map[time.Duration]int{500 * ms: 10, 2500 * ms: 7, 5500 * ms: 4, 10_500 * ms: 1}, 11_000 * ms},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, window := range []string{"100ms", "500ms", "1s"} {
				got, stats := ten(t, window, "attempts=9 "+tt.policy, 1)
				waves := map[time.Duration]int{}
				var done time.Duration
				for _, x := range got {
					waves[x.Sent+500*ms]++
					done = max(done, x.Done)
				}
				require.Len(t, got, 22)
				require.Equal(t, tt.waves, waves)
				require.Equal(t, tt.done, done)
				require.EqualValues(t, 12, stats.Rejected)
			}
		})
	}
}

// J3: all ten come at once and seven are turned away, whatever they do afterwards.
func TestJ3SeventeenAttemptsAtLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]string{"fixed jitter=full", "exponential jitter=equal", "exponential jitter=centred", "decorrelated"}).Draw(t, "kind")
		window := time.Duration(rapid.Int64Range(1, 2000).Draw(t, "window")) * ms
		got, stats := ten(t, window.String(), "attempts=999 base=1s backoff="+kind, seed.Seed(rapid.Uint64().Draw(t, "seed")))
		require.GreaterOrEqual(t, len(got), 17)
		require.EqualValues(t, 10, stats.Executed)
		require.EqualValues(t, len(got)-10, stats.Rejected)
	})
}

// Who is done first does not ask least, and what jitter saves depends on the server.
func TestNoJitterIsTheBestInEverything(t *testing.T) {
	const seeds = 300
	mean := func(window, policy string) (attempts, done float64) {
		for s := range seed.Seed(seeds) {
			got, _ := ten(t, window, "attempts=99 base=1s cap=8s "+policy, s)
			var last time.Duration
			for _, x := range got {
				last = max(last, x.Done)
			}
			attempts += float64(len(got)) / seeds
			done += last.Seconds() / seeds
		}
		return attempts, done
	}
	saved := 5.0 // of 22 attempts: 17 is the least
	for _, window := range []string{"100ms", "500ms", "1s"} {
		full, fullDone := mean(window, "backoff=exponential jitter=full")
		equal, equalDone := mean(window, "backoff=exponential jitter=equal")
		decorrelated, decorrelatedDone := mean(window, "backoff=decorrelated")
		require.Less(t, fullDone, min(equalDone, decorrelatedDone), window)
		require.Less(t, decorrelated, min(full, equal), window)
		require.Less(t, 22-equal, saved, window)
		saved = 22 - equal
	}
	require.Less(t, saved, 0.6, "as wide a window as the jitter: next to nothing")
}

func TestASaidPauseReachesThePolicy(t *testing.T) {
	m := server(t, "service=100ms limit=1 reject=429 retry-after=5s")
	got, _ := crowd(t, 2, m, "attempts=2 backoff=fixed base=1s on=429", engine.Limits{}, 1)
	require.Len(t, got, 3)
	require.Equal(t, 429, got[0].Status)
	require.Equal(t, 5*time.Second, got[0].RetryAfter)
	require.Equal(t, 5*time.Second, got[2].Sent)
	require.Equal(t, correct.OK, got[2].Class)
}

// The first attempt was only slow: its work is done as well, and nobody knows.
func TestWhatASlowAnswerCosts(t *testing.T) {
	got, stats := crowd(t, 1, server(t, "service=10ms stall=1:2s workers=0"), "attempts=2 backoff=fixed base=100ms", engine.Limits{Timeout: time.Second}, 1)
	require.Len(t, got, 2)
	require.Equal(t, correct.OK, got[1].Class)
	require.EqualValues(t, 2, stats.Executed)
	require.EqualValues(t, 1, stats.Duplicates)
	_, stats = crowd(t, 1, server(t, "service=10ms stall=1:2s workers=0"), "attempts=2 backoff=fixed base=100ms", engine.Limits{Deadline: time.Second}, 1)
	require.EqualValues(t, 1, stats.Executed)
	require.Zero(t, stats.Duplicates, "past its deadline it is not tried again")
}
