package peak_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/peak"
	"openload/retry"
	"openload/seed"
)

const (
	ms      = time.Millisecond
	s       = time.Second
	clients = 150
	timeout = 3 * s
)

// retries are when the attempts after the first leave, if clients that all began at
// once wait for timeout every time.
func retries(t *testing.T, text string, from seed.Seed) (at []time.Duration) {
	p, err := retry.Parse(text)
	require.NoError(t, err)
	policy := retry.New(p, retry.Options{Method: "GET", Chance: func(seq uint64) *rand.Rand { return from.At("retry", seq) }})
	for seq := range uint64(clients) {
		x := correct.Sample{Seq: seq, Fired: true, Written: true, Class: correct.Timeout}
		for again := true; again; {
			x.Attempt++
			x.Dispatched, x.Sent, x.Done = x.Due, x.Due, x.Due+timeout
			if x.Attempt > 1 {
				at = append(at, x.Sent)
			}
			var delay time.Duration
			delay, again = policy.After(x)
			x.Due = x.Done + delay
		}
	}
	return at
}

// T7 and T8: the mean peak in 100 ms of the retries, in bins from the launch and
// sliding. Spreading lowers it and shortening does not: fixed and half of it are as
// high as each other, and so are full and centred, which are as wide as each other.
// T9: in a second there is nothing to see.
func TestPeaksOfAStampede(t *testing.T) {
	const exponential = "attempts=3 backoff=exponential base=500ms"
	for _, tt := range []struct {
		name, policy     string
		seeds            seed.Seed
		aligned, sliding float64
		second           float64 // sliding, in 1 s; 0: not looked at
	}{
		{"T8a exponential", exponential, 1, 150, 150, 150},
		{"T8b half of it", "attempts=3 backoff=exponential base=250ms", 1, 150, 150, 150},
		{"T7a T8c full", exponential + " jitter=full", 400, 36.5, 40.2, 150},
		{"T7b T8d centred", exponential + " jitter=centred", 400, 35.7, 40.2, 150},
		{"T7c equal", exponential + " jitter=equal", 400, 64.4, 70, 150},
		{"T7d T8e wide", exponential + " jitter=wide", 400, 21.2, 23.9, 0},
		{"T8f proportional", exponential + " jitter=proportional", 400, 80, 84.2, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var aligned, sliding float64
			for k := range tt.seeds {
				at := retries(t, tt.policy, k)
				require.Len(t, at, 2*clients)
				c := peak.Of(at)
				in100, _ := c.At(100 * ms)
				aligned += float64(in100.Aligned)
				sliding += float64(in100.Sliding)
				if tt.second > 0 {
					in1000, _ := c.At(s)
					require.Equal(t, uint64(tt.second), in1000.Sliding, "T9")
				}
			}
			tolerance := 1.
			if tt.seeds == 1 {
				tolerance = 0 // nothing is drawn
			}
			require.InDelta(t, tt.aligned, aligned/float64(tt.seeds), tolerance)
			require.InDelta(t, tt.sliding, sliding/float64(tt.seeds), tolerance)
		})
	}
}
