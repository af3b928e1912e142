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
		`"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"`,
	}, lines[:5])
	require.Equal(t, []string{
		"# corrected: 9 failed, which are not in it and rank above all that is",
		"# corrected: 1 took longer than 1h0m0s and are not in it",
		"# end=complete planned=0 lost=0",
		"",
	}, lines[7:])
	for i, want := range []struct {
		head string
		dist *correct.Dist
	}{{"Tag=raw,0.000,16.420,2000.683,", &raw}, {"Tag=corrected,0.000,16.420,1000.342,", &corrected}} {
		payload, ok := strings.CutPrefix(lines[5+i], want.head)
		require.True(t, ok, lines[5+i])
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

// An interval a second, by when things ended: together they are the whole run's
// latencies, and none holds what another does.
func TestHlogOfARun(t *testing.T) {
	for _, closed := range []bool{false, true} {
		o, err := sink.Parse("hlog")
		require.NoError(t, err)
		var b bytes.Buffer
		epoch := time.Date(2026, 11, 30, 2, 0, 0, 5_000_000, time.UTC)
		s, err := o.Stream(&b, sink.StreamOptions{Closed: closed, Wait: true, Version: "v1", Started: func() time.Time { return epoch }})
		require.NoError(t, err)
		rec := correct.NewRecorder(correct.Options{Closed: closed})
		for i := range 100 {
			at := time.Duration(i) * 50 * time.Millisecond
			x := correct.Sample{Seq: uint64(i), Attempt: 1, Intended: at, Due: at, Dispatched: at, Sent: at + 10*time.Millisecond, Done: at + time.Duration(11+i)*time.Millisecond, Fired: true, Written: true, Final: true}
			switch {
			case i%10 == 0:
				x.Class = correct.BadStatus
			case i >= 40 && i < 60:
				x.Done += 3 * time.Second // nothing ends in the second second
			}
			rec.Record(x)
			s.Observe(x)
		}
		_, err = s.Close(correct.End{})
		require.NoError(t, err)
		log := hdrhistogram.NewHistogramLogReader(strings.NewReader(b.String()))
		sum := map[string]*hdrhistogram.Histogram{}
		last := map[string]int64{}
		n := 0
		for {
			h, err := log.NextIntervalHistogram()
			require.NoError(t, err)
			if h == nil {
				break
			}
			n++
			require.Greater(t, h.StartTimeMs(), last[h.Tag()])
			require.LessOrEqual(t, h.EndTimeMs()-h.StartTimeMs(), int64(1000))
			require.Zero(t, (h.StartTimeMs()-epoch.UnixMilli())%1000)
			last[h.Tag()] = h.StartTimeMs()
			if sum[h.Tag()] == nil {
				sum[h.Tag()] = hdrhistogram.New(1, int64(correct.Longest), 3)
			}
			sum[h.Tag()].Merge(h)
		}
		whole := rec.Snapshot()
		require.Equal(t, whole.Dist(correct.Raw).Histogram().Distribution(), sum["raw"].Distribution())
		require.Contains(t, b.String(), "# raw: 10 failed")
		if closed {
			require.NotContains(t, b.String(), "corrected")
			require.Equal(t, 5, n)
			continue
		}
		require.Equal(t, whole.Dist(correct.Corrected).Histogram().Distribution(), sum["corrected"].Distribution())
		require.Contains(t, b.String(), "# corrected: 10 failed")
	}
}

// A run that was never begun, or sent nothing, is an empty log.
func TestHlogOfNoRun(t *testing.T) {
	o, err := sink.Parse("hlog")
	require.NoError(t, err)
	var b bytes.Buffer
	s, err := o.Stream(&b, sink.StreamOptions{})
	require.NoError(t, err)
	_, err = s.Close(correct.End{})
	require.NoError(t, err)
	require.Contains(t, b.String(), "#[Histogram log format version 1.3]\n")
	require.NotContains(t, b.String(), "Tag=")
}
