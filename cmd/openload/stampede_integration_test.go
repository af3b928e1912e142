//go:build integration

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/report"
)

// peakOf is the most attempts after the first within any 100 ms.
func peakOf(t *testing.T, r report.Report) uint64 {
	for _, p := range r.Peaks.Later.Curve {
		if p.Width == 100*time.Millisecond {
			return p.Sliding
		}
	}
	t.Fatal("no peak in 100 ms")
	return 0
}

// The stampede end to end: 150 clients that start at once against a server that hangs,
// each in a process of its own. What is counted is exact; p50 and peak are those of the
// same run in virtual time, as far as sends were punctual: a busy machine gets another
// try, but not for ever. The bands are 5 to 95 % over 1,500 seeds.
func TestIntegrationTheStampede(t *testing.T) {
	t.Parallel()
	const exponential = "attempts=3 backoff=exponential base=500ms"
	for _, tt := range []struct {
		name, retry string
		attempts    uint64
		p50         time.Duration // ideal; with jitter that of the mean, one run's is 41 ms off
		low, high   uint64        // of the peak
	}{
		{"none", "none", 150, 3 * time.Second, 0, 0},
		{"fixed", exponential, 450, 10_500 * time.Millisecond, 150, 150},
		{"full jitter", exponential + " jitter=full", 450, 9750 * time.Millisecond, 36, 46},
		{"fixed, half as long", "attempts=3 backoff=exponential base=250ms", 450, 9750 * time.Millisecond, 150, 150},
		{"centred", exponential + " jitter=centred", 450, 10_500 * time.Millisecond, 36, 46},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			plan := []string{"--arrival", "burst", "--n", "150", "--timeout", "3s", "--retry", tt.retry, "--seed", "1"}
			simulated := during(t, nothing, append([]string{"sim", "--server", "hang=8s workers=0"}, plan...)...).report
			require.Equal(t, tt.attempts, simulated.Counts.Attempts)
			ideal := *simulated.Latency.Settled.P50
			require.InDelta(t, tt.p50.Seconds(), ideal.Seconds(), .15)

			const tries = 3
			for try := 1; ; try++ {
				url := labProcess(t, "hang=8s workers=0")
				r := during(t, nothing, append(plan, url)...).report
				require.Equal(t, tt.attempts, r.Counts.AttemptsSent)
				require.Equal(t, tt.attempts, received(t, url))
				require.EqualValues(t, 150, r.Counts.TimedOut)
				require.Zero(t, r.Counts.Resent)
				p50 := *r.Latency.Settled.P50
				require.GreaterOrEqual(t, p50, ideal-100*time.Microsecond, "no timeout ends early")

				peak := peakOf(t, r)
				if undisturbed := p50 < ideal+200*time.Millisecond && tt.low <= peak && peak <= tt.high; !undisturbed && try < tries {
					t.Logf("try %d: p50 %v, ideal %v, peak %d: the machine is busy", try, p50, ideal, peak)
					continue
				}
				require.InDelta(t, ideal.Seconds(), p50.Seconds(), .2)
				require.LessOrEqual(t, tt.low, peak)
				require.LessOrEqual(t, peak, tt.high)
				return
			}
		})
	}
}
