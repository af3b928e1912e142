package sink_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/report"
	"openload/sink"
)

// latencies is a run of which raw and corrected were recorded, and some failed.
func latencies(raw, corrected *correct.Dist) *report.Report {
	return &report.Report{
		Tool:    report.Tool{Version: "v1"},
		Run:     report.Run{Started: time.Date(2026, 11, 30, 2, 0, 0, 5_000_000, time.FixedZone("CET", 3600)), Duration: 16_420 * time.Millisecond},
		Latency: report.Latency{Raw: report.WithHistogram(raw), Corrected: report.WithHistogram(corrected)},
	}
}

func logOf(t *testing.T, r *report.Report) string {
	o, err := sink.Parse("hlog")
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, o.Write(&b, r, sink.TextOptions{}))
	return b.String()
}

func TestHlog(t *testing.T) {
	raw, corrected := correct.NewDist(), correct.NewDist()
	raw.RecordN(50*time.Millisecond, 199)
	raw.Record(2 * time.Second)
	corrected.RecordN(50*time.Millisecond, 150)
	corrected.RecordN(time.Second, 40)
	corrected.Record(2 * time.Hour)
	corrected.Fail(9)
	lines := strings.Split(logOf(t, latencies(&raw, &corrected)), "\n")
	require.Equal(t, []string{
		"#[openload v1, latencies in ns]",
		"#[Histogram log format version 1.3]",
		"#[StartTime: 1796000400.005 (seconds since epoch), Mon, 30 Nov 2026 01:00:00 UTC]",
		"#[BaseTime: 1796000400.005 (seconds since epoch)]",
		"# corrected: 9 failed, which are not in it and rank above all that is",
		"# corrected: 1 took longer than 1h0m0s and are not in it",
		`"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"`,
	}, lines[:7])
	require.Len(t, lines, 10)
	for i, want := range []struct {
		head string
		dist *correct.Dist
	}{{"Tag=raw,0.000,16.420,2000.683,", &raw}, {"Tag=corrected,0.000,16.420,1000.342,", &corrected}} {
		payload, ok := strings.CutPrefix(lines[7+i], want.head)
		require.True(t, ok, lines[7+i])
		h, err := hdrhistogram.Decode([]byte(payload))
		require.NoError(t, err)
		require.Equal(t, want.dist.Histogram().Distribution(), h.Distribution())
	}
}

// A file of unknown date has no start time; a closed loop has no corrected latency,
// and where all failed there is none at all.
func TestHlogOfLess(t *testing.T) {
	raw, none := correct.NewDist(), correct.NewDist()
	raw.Record(time.Second)
	none.Fail(3)
	r := latencies(&raw, nil)
	r.Run.Started = time.Time{}
	got := logOf(t, r)
	require.NotContains(t, got, "Time:")
	require.Equal(t, 1, strings.Count(got, "\nTag="))
	got = logOf(t, latencies(&none, nil))
	require.NotContains(t, got, "\nTag=")
	require.Contains(t, got, "# raw: 3 failed")
}
