package sink

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
	"openload/report"
)

func hgrmOf(t require.TestingT, d *correct.Dist) string {
	var b strings.Builder
	require.NoError(t, hgrm(&b, &report.Report{Latency: report.Latency{Corrected: report.WithHistogram(d)}}, TextOptions{}))
	return b.String()
}

// Each row's value is the quantile at its level, its count is how many values are no
// greater; levels ascend, and end where the failures begin.
func TestSpectrumIsTheQuantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := correct.NewDist()
		for range rapid.IntRange(1, 40).Draw(t, "values") {
			d.RecordN(time.Duration(rapid.Int64Range(0, int64(correct.Longest)).Draw(t, "v")>>rapid.IntRange(0, 40).Draw(t, "shift")), rapid.Uint64Range(1, 1000).Draw(t, "n"))
		}
		d.Fail(rapid.SampledFrom([]uint64{0, 0, 1, 1000}).Draw(t, "failed"))
		r := report.WithHistogram(&d)
		levels, err := spectrum(r, 5)
		require.NoError(t, err)
		for i, l := range levels[:len(levels)-1] {
			if i > 0 {
				require.Greater(t, l.share, levels[i-1].share)
				require.GreaterOrEqual(t, l.value, levels[i-1].value)
				require.GreaterOrEqual(t, l.count, levels[i-1].count)
			}
			least, most := quantile(t, &d, l.share-1e-9), quantile(t, &d, l.share+1e-9) // a level is a float, a rank is not
			require.GreaterOrEqual(t, l.value, least-least/500-1, "at %v", l.share)
			require.LessOrEqual(t, l.value, most+most/500+1, "at %v", l.share)
		}
		last := levels[len(levels)-1]
		require.InDelta(t, 1-float64(r.Failed)/float64(r.N), last.share, 1e-12)
		require.Equal(t, r.N-r.Failed, last.count)
		if r.Max != nil {
			require.Equal(t, *r.Max, last.value)
		}
		require.Less(t, len(levels), 5*int(math.Log2(float64(r.N))+3))
	})
}

// quantile is the value at a share of all.
func quantile(t require.TestingT, d *correct.Dist, share float64) time.Duration {
	q, err := correct.ParseQuantile(strconv.FormatFloat(100*min(max(share, 2e-9), 1-2e-9), 'f', 7, 64))
	require.NoError(t, err)
	if v, ok := d.Quantile(q); ok {
		return v
	}
	return d.Slowest() // just beyond the last that did not fail
}

// The table of a known distribution: head, rows, and a footer that gives the whole away.
func TestHgrm(t *testing.T) {
	d := correct.NewDist()
	for i := range 1000 {
		d.Record(time.Duration(i+1) * time.Millisecond)
	}
	d.Fail(24)
	lines := strings.Split(strings.TrimSuffix(hgrmOf(t, &d), "\n"), "\n")
	require.Equal(t, []string{"Value", "Percentile", "TotalCount", "1/(1-Percentile)"}, strings.Fields(lines[0]))
	require.Empty(t, lines[1])
	rows := lines[2 : len(lines)-5]
	for _, row := range rows {
		f := strings.Fields(row)
		require.Len(t, f, 4, "no row is the end: failures are beyond")
		share, err := strconv.ParseFloat(f[1], 64)
		require.NoError(t, err)
		value, err := strconv.ParseFloat(f[0], 64)
		require.NoError(t, err)
		require.InDelta(t, math.Max(1, share*1024), value, 1.5)
	}
	require.Equal(t, "1000", strings.Fields(rows[len(rows)-1])[2])
	require.Regexp(t, `^#\[Mean    = +500\.\d+, StdDeviation   = +288\.\d+\]$`, lines[len(lines)-5])
	require.Regexp(t, `^#\[Max     = +1000\.\d+, Total count    = +1000\]$`, lines[len(lines)-4])
	require.Equal(t, "# 24 of 1024 failed: they rank above all rows, and mean and deviation are without them", lines[len(lines)-1])
}

func TestHgrmOfNothing(t *testing.T) {
	d := correct.NewDist()
	require.Contains(t, hgrmOf(t, &d), "Total count    =            0]")
}
