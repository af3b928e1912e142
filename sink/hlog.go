package sink

import (
	"bufio"
	"fmt"
	"io"

	"github.com/HdrHistogram/hdrhistogram-go"

	"openload/report"
)

// hlog writes the raw and the corrected latencies as an HdrHistogram interval log, one
// interval for all of them, since a report does not know which second they are from: two
// series, tagged raw and corrected, of nanoseconds. Failures have no latency and are not
// in them; a comment counts them, and the last one says how the run ended.
// Source: HdrHistogram, HistogramLogWriter.java.
func hlog(w io.Writer, r *report.Report, _ TextOptions) error {
	b := bufio.NewWriter(w)
	hlogHead(b, r.Tool.Version, r.Run.Started)
	b.WriteString(hlogLegend)
	for _, x := range []struct {
		tag  string
		dist *report.Dist
	}{{"raw", r.Latency.Raw}, {"corrected", r.Latency.Corrected}} {
		if x.dist == nil {
			continue
		}
		var longer uint64
		if x.dist.Histogram != "" {
			h, err := hdrhistogram.Decode([]byte(x.dist.Histogram))
			if err != nil {
				return fmt.Errorf("histogram of %s latencies: %w", x.tag, err)
			}
			longer = x.dist.N - x.dist.Failed - uint64(h.TotalCount())
			hlogLine(b, x.tag, 0, r.Run.Duration, h.Max(), []byte(x.dist.Histogram))
		}
		hlogMissing(b, x.tag, x.dist.Failed, longer)
	}
	b.Write(r.End().AppendCSV(nil, 1))
	return b.Flush()
}
