package sink

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"openload/correct"
	"openload/report"
)

// hlog writes the raw and the corrected latencies as an HdrHistogram interval log, one
// interval for the whole run: two series, tagged raw and corrected, of nanoseconds.
// Failures have no latency and are not in them; a comment counts them.
// Source: HdrHistogram, HistogramLogWriter.java.
func hlog(w io.Writer, r *report.Report, _ TextOptions) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "#[openload %s, latencies in ns]\n#[Histogram log format version 1.3]\n", r.Tool.Version)
	if at := r.Run.Started.UTC(); !at.IsZero() {
		since := fmt.Sprintf("%d.%03d (seconds since epoch)", at.Unix(), at.Nanosecond()/1e6)
		fmt.Fprintf(b, "#[StartTime: %s, %s]\n#[BaseTime: %s]\n", since, at.Format(time.RFC1123), since)
	}
	var lines []string
	for _, x := range []struct {
		tag  string
		dist *report.Dist
	}{{"raw", r.Latency.Raw}, {"corrected", r.Latency.Corrected}} {
		if x.dist == nil {
			continue
		}
		if n := x.dist.Failed; n > 0 {
			fmt.Fprintf(b, "# %s: %d failed, which are not in it and rank above all that is\n", x.tag, n)
		}
		if x.dist.Histogram == "" {
			continue
		}
		h, err := hdrhistogram.Decode([]byte(x.dist.Histogram))
		if err != nil {
			return fmt.Errorf("histogram of %s latencies: %w", x.tag, err)
		}
		if n := x.dist.N - x.dist.Failed - uint64(h.TotalCount()); n > 0 {
			fmt.Fprintf(b, "# %s: %d took longer than %v and are not in it\n", x.tag, n, correct.Longest)
		}
		// The third number is the maximum in ms, for people: readers take the histogram's.
		lines = append(lines, fmt.Sprintf("Tag=%s,0.000,%.3f,%.3f,%s\n", x.tag, r.Run.Duration.Seconds(), float64(h.Max())/1e6, x.dist.Histogram))
	}
	b.WriteString(`"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"` + "\n")
	for _, line := range lines {
		b.WriteString(line)
	}
	return b.Flush()
}
