package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/experiment"
	"openload/report"
)

// simulated makes an experiment of the repository in virtual time.
func simulated(t *testing.T, name string, flags ...string) *experiment.Result {
	var out, complaints bytes.Buffer
	status := execute(append([]string{"experiment", "../../experiments/" + name, "--sim", "--out", "json"}, flags...), streams{out: &out, err: &complaints})
	require.Empty(t, complaints.String())
	require.Equal(t, statusDone, status, out.String())
	r := new(experiment.Result)
	require.NoError(t, json.Unmarshal(out.Bytes(), r))
	require.True(t, r.Valid())
	return r
}

// median is a variant's for a measure.
func medianOf(t *testing.T, r *experiment.Result, variant, measure string) float64 {
	for m, info := range r.Measures {
		for _, a := range r.Variants {
			if a.Name == variant && info.Name == measure {
				require.NotNil(t, a.Medians[m], "%s of %s", measure, variant)
				return *a.Medians[m]
			}
		}
	}
	t.Fatalf("no %s of %s", measure, variant)
	return 0
}

func pOf(t *testing.T, r *experiment.Result, a, b, measure string) float64 {
	for _, c := range r.Comparisons {
		if c.Measure == measure && (c.A == a && c.B == b || c.A == b && c.B == a) {
			return *c.P
		}
	}
	t.Fatalf("%s and %s are not compared", a, b)
	return 0
}

// The stampede's oracle: the peak follows the spread alone, the median the mean alone.
// Bands are 5 to 95 % over many seeds of single runs.
func TestTheStampedeExperiment(t *testing.T) {
	t.Parallel()
	r := simulated(t, "stampede.yaml", "--repeats", "5")
	for _, tt := range []struct {
		variant   string
		attempts  float64 // T1, T2, T3
		p50       time.Duration
		low, high float64 // of the peak in 100 ms: T8
	}{
		{"none", 150, 3 * time.Second, 0, 0},
		{"fixed b", 450, 10_500 * time.Millisecond, 150, 150},
		{"fixed b/2", 450, 9750 * time.Millisecond, 150, 150},
		{"full jitter", 450, 9750 * time.Millisecond, 36, 46},
		{"centred", 450, 10_500 * time.Millisecond, 36, 46},
	} {
		require.Equal(t, tt.attempts, medianOf(t, r, tt.variant, "attempts"), tt.variant)
		require.InDelta(t, tt.p50.Seconds(), medianOf(t, r, tt.variant, "settled.p50")/1e9, 0.1, tt.variant)
		peak := medianOf(t, r, tt.variant, "peak")
		require.GreaterOrEqual(t, peak, tt.low, tt.variant)
		require.LessOrEqual(t, peak, tt.high, tt.variant)
		if tt.attempts == 450 {
			require.EqualValues(t, 150, medianOf(t, r, tt.variant, "peak@1s"), "T9")
		}
	}
	require.EqualValues(t, 450, medianOf(t, r, "fixed b", "server.held"), "T11")
	require.InDelta(t, 1./126, pOf(t, r, "full jitter", "fixed b", "peak"), 1e-12, "spreading takes the peak out")
	require.InDelta(t, 1./126, pOf(t, r, "centred", "fixed b", "peak"), 1e-12)
	require.EqualValues(t, 1, pOf(t, r, "fixed b/2", "fixed b", "peak"), "shortening does nothing for it")
	require.InDelta(t, 1./126, pOf(t, r, "fixed b/2", "fixed b", "settled.p50"), 1e-12)
	require.Greater(t, pOf(t, r, "centred", "fixed b", "settled.p50"), 0.05)
}

func TestTheLayersExperiment(t *testing.T) {
	t.Parallel()
	r := simulated(t, "layers.yaml")
	for variant, want := range map[string]float64{
		"3 x 3 x 3":                   27, // Q7
		`4 x 4 x 4, said "3 retries"`: 64,
		"only the caller":             3,
		"only the last layer":         3,
		"20 % for the caller":         1.2 * 9,     // Q9, of one layer
		"20 % for all three":          345.0 / 200, // Q9: 1.2³, but for a repetition that was not paid for
		"a deadline of 250 ms":        18,          // the third attempt would come too late
	} {
		require.InDelta(t, want, medianOf(t, r, variant, "server.amplification"), 1e-9, variant)
	}
	require.EqualValues(t, 200, medianOf(t, r, "20 % for the caller", "denied"))
}

// Every experiment of the repository keeps the schema of plans, is sound where it can be,
// and its plan can be run by itself.
func TestExperimentsKeepTheSchema(t *testing.T) {
	files, err := filepath.Glob("../../experiments/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		keepsPlanSchema(t, name)
		var out, complaints bytes.Buffer
		require.Zero(t, execute([]string{"sim", "-f", name, "--explain"}, streams{out: &out, err: &complaints}), complaints.String())
	}
}

// plansOf are reports of the plans of the repository, in virtual time.
func simulatedPlan(t *testing.T, name string, status int, flags ...string) *report.Report {
	var out, complaints bytes.Buffer
	got := execute(append([]string{"sim", "-f", "../../plans/" + name, "--out", "json"}, flags...), streams{out: &out, err: &complaints})
	require.Equal(t, status, got, complaints.String())
	r := new(report.Report)
	require.NoError(t, json.Unmarshal(out.Bytes(), r))
	return r
}

func peakIn(t *testing.T, r *report.Report, width time.Duration) uint64 {
	for _, p := range r.Peaks.All.Curve {
		if p.Width == width {
			return p.Sliding
		}
	}
	t.Fatal("no peak in", width)
	return 0
}

// The plans of the repository show what they say they show.
func TestThePlansOfTheRepository(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../plans/*.yaml")
	require.NoError(t, err)
	for _, name := range files {
		var out, complaints bytes.Buffer
		require.Zero(t, execute([]string{"lint", name}, streams{out: &out, err: &complaints}), out.String()+complaints.String())
	}
	herd := simulatedPlan(t, "thundering-herd.yaml", statusDone)
	require.EqualValues(t, 600, peakIn(t, herd, time.Millisecond))
	require.EqualValues(t, 3000, herd.Counts.OK)
	require.InDelta(t, 6, herd.Latency.Corrected.Max.Seconds(), 0.01, "600 of 40 ms, four at a time")
	calm := simulatedPlan(t, "thundering-herd.yaml", statusDone, "--arrival", "population=600 period=60s jitter=30s")
	require.Less(t, calm.Latency.Corrected.P50.Seconds(), 0.1)

	avalanche := simulatedPlan(t, "cache-avalanche.yaml", statusDone)
	require.InDelta(t, 100, avalanche.Rate.Asked, 2, "J7")
	require.InDelta(t, 125, float64(peakIn(t, avalanche, time.Second)), 20)
	together := simulatedPlan(t, "cache-avalanche.yaml", statusFail, "--arrival", "population=3000 period=300s")
	require.EqualValues(t, 3000, peakIn(t, together, time.Millisecond))
}
