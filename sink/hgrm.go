package sink

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"time"

	"openload/report"
)

// A level is one row of a percentile spectrum: so many values, a share of all of them,
// are value or less.
type level struct {
	share float64 // of all, those that failed included: 0 to 1
	value time.Duration
	count uint64
}

// spectrum is a reading's quantiles at levels that come closer together towards the
// end: ticks of them between 0 and a half, as many between there and three quarters,
// and so on up to the greatest value. Those that failed rank above it, and so no level
// reaches into them: the last one is the share that did not fail. Without a histogram
// there is none.
// Source: HdrHistogram, PercentileIterator.java.
func spectrum(d *report.Dist, ticks int) (levels []level, err error) {
	bars, err := bars(d)
	if err != nil || len(bars) == 0 {
		return nil, err
	}
	next, count := 0.0, uint64(0)
	for _, b := range bars {
		count += b.count
		reached := float64(min(count, d.N-1)) / float64(d.N) // beyond, only the greatest is left
		for next <= reached && next < 1 {
			levels = append(levels, level{next, b.value, count})
			halves := math.Floor(math.Log2(1/(1-next))) + 1
			next += 1 / (float64(ticks) * math.Exp2(halves))
		}
	}
	last := bars[len(bars)-1]
	return append(levels, level{float64(count) / float64(d.N), last.value, count}), nil
}

// hgrm writes the percentiles of what users waited, or of raw in a closed loop, in the
// text format that HdrHistogram's plotter and wrk2's users know, in milliseconds.
func hgrm(w io.Writer, r *report.Report, _ TextOptions) error {
	if r.Latency.Corrected == nil {
		return writeHgrm(w, r, "raw", r.Latency.Raw)
	}
	return writeHgrm(w, r, "corrected", r.Latency.Corrected)
}

// hgrmRaw is hgrm of the raw latencies.
func hgrmRaw(w io.Writer, r *report.Report, _ TextOptions) error {
	return writeHgrm(w, r, "raw", r.Latency.Raw)
}

func writeHgrm(w io.Writer, r *report.Report, name string, d *report.Dist) error {
	levels, err := spectrum(d, 5)
	if err != nil {
		return fmt.Errorf("histogram of %s latencies: %w", name, err)
	}
	const ms = float64(time.Millisecond)
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)")
	for _, l := range levels {
		fmt.Fprintf(b, "%12.6f %2.12f %10d", float64(l.value)/ms, l.share, l.count)
		if l.share < 1 {
			fmt.Fprintf(b, " %14.2f", 1/(1-l.share))
		}
		b.WriteByte('\n')
	}
	var mean, deviation, most float64
	var count uint64
	if len(levels) > 0 {
		mean, deviation, err = moments(d)
		if err != nil {
			return err
		}
		last := levels[len(levels)-1]
		most, count = float64(last.value)/ms, last.count
	}
	fmt.Fprintf(b, "#[Mean    = %12.6f, StdDeviation   = %12.6f]\n", mean/ms, deviation/ms)
	fmt.Fprintf(b, "#[Max     = %12.6f, Total count    = %12d]\n", most, count)
	fmt.Fprintf(b, "#[Buckets = %12d, SubBuckets     = %12d]\n", 32, 2048)
	fmt.Fprintf(b, "# openload %s, %s latencies in ms\n", r.Tool.Version, name)
	if d != nil && d.Failed > 0 {
		fmt.Fprintf(b, "# %d of %d failed: they rank above all rows, and mean and deviation are without them\n", d.Failed, d.N)
	}
	return b.Flush()
}

// moments are the mean and the standard deviation of a reading's values.
func moments(d *report.Dist) (mean, deviation float64, err error) {
	all, err := bars(d)
	if err != nil {
		return 0, 0, err
	}
	var n, sum, squares float64
	for _, b := range all {
		n += float64(b.count)
		sum += float64(b.value) * float64(b.count)
	}
	mean = sum / n
	for _, b := range all {
		squares += (float64(b.value) - mean) * (float64(b.value) - mean) * float64(b.count)
	}
	if d.Mean != nil {
		mean = float64(*d.Mean) // exact, where the histogram has three digits
	}
	return mean, math.Sqrt(squares / n), nil
}
