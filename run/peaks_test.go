package run_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/plan"
	"openload/report"
	"openload/retry"
	"openload/schedule"
	"openload/seed"
)

// stampede is 150 clients that start at once, wait 3 s each and try again.
func stampede(t *testing.T, policy string, from seed.Seed) *report.Report {
	p := &plan.Plan{
		Schedule: schedule.Spec{Law: schedule.Law{Kind: schedule.Burst}, N: 150}, Seed: from,
		Timeout: 3 * time.Second, Drain: time.Minute, Target: plan.Target{Method: "GET"},
	}
	var err error
	p.Retry, err = retry.Parse(policy)
	require.NoError(t, err)
	return simulate(t, p, "hang=8s workers=0")
}

func peakIn(t *testing.T, a report.Arrivals, h time.Duration) report.Peak {
	for _, p := range a.Curve {
		if p.Width == h {
			return p
		}
	}
	t.Fatal("no peak in ", h)
	return report.Peak{}
}

// The peaks of the retries stand apart from the first attempts, which no jitter can
// spread, and the report says which width shows the difference.
func TestPeaksOfAStampede(t *testing.T) {
	const exponential = "attempts=3 backoff=exponential base=500ms"
	fixed := stampede(t, exponential, 1).Peaks
	require.EqualValues(t, 450, fixed.All.N)
	require.EqualValues(t, 300, fixed.Later.N)
	for _, a := range []report.Arrivals{fixed.All, fixed.Later} {
		require.Len(t, a.Curve, 13)
		for _, p := range a.Curve[:11] { // in 5 s two waves come together
			require.EqualValues(t, 150, p.Sliding, p.Width)
		}
		require.NotNil(t, a.Wave)
		require.Nil(t, a.Fit, "what is not spread at all needs no width")
	}
	require.Equal(t, report.Wave{N: 150, At: 3500 * ms}, *fixed.Later.Wave)

	const seeds = 100
	var sum float64
	for from := range seed.Seed(seeds) {
		full := stampede(t, exponential+" jitter=full", from).Peaks
		require.EqualValues(t, 150, peakIn(t, full.All, 100*ms).Sliding)
		require.EqualValues(t, 150, peakIn(t, full.Later, time.Second).Sliding, "T9")
		require.NotNil(t, full.Later.Wave)
		require.EqualValues(t, 150, full.Later.Wave.N)
		require.NotNil(t, full.Later.Fit)
		require.LessOrEqual(t, *full.Later.Fit, 100*ms)
		sum += float64(peakIn(t, full.Later, 100*ms).Sliding)
	}
	require.InDelta(t, 40.2, sum/seeds, 1, "T8c")
}

func TestPeaksOfAnEvenRun(t *testing.T) {
	k := simulate(t, &plan.Plan{Schedule: even(t, "100", 3000), Drain: time.Minute}, "service=5ms").Peaks
	require.EqualValues(t, 3000, k.All.N)
	require.Zero(t, k.Later.N)
	require.Nil(t, k.All.Wave)
	require.EqualValues(t, 10, peakIn(t, k.All, 100*ms).Sliding)
	require.EqualValues(t, 1000, peakIn(t, k.All, 10*time.Second).Aligned)
}

// J7 as load: 3,000 cache entries that expire within 30 s of each other, or all at once.
func TestPeaksOfAPopulation(t *testing.T) {
	avalanche := func(law string) (*report.Report, error) {
		l, err := schedule.ParseLaw(law)
		return simulate(t, &plan.Plan{Schedule: schedule.Spec{Law: l, Duration: 5 * time.Minute}, Seed: 1, Drain: time.Minute}, "service=5ms"), err
	}
	together, err := avalanche("population=3000 period=300s")
	require.NoError(t, err)
	require.EqualValues(t, 3000, peakIn(t, together.Peaks.All, ms).Sliding)
	require.Nil(t, together.Rate, "operations of one instant have no rate")
	apart, err := avalanche("population=3000 period=300s jitter=30s")
	require.NoError(t, err)
	require.EqualValues(t, 3000, apart.Counts.OK)
	require.InDelta(t, 121, peakIn(t, apart.Peaks.All, time.Second).Aligned, 15)
	require.InDelta(t, 100, apart.Rate.Asked, 2)
}
