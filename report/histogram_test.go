package report_test

import (
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/report"
	"openload/sla"
)

// A reading's histogram has each duration, and none of the failures.
func TestWithHistogram(t *testing.T) {
	require.Nil(t, report.WithHistogram(nil))
	d := correct.NewDist()
	d.Fail(7)
	require.Empty(t, report.WithHistogram(&d).Histogram)
	d.RecordN(50*time.Millisecond, 198)
	d.RecordN(2*time.Second, 2)
	got := report.WithHistogram(&d)
	h, err := hdrhistogram.Decode([]byte(got.Histogram))
	require.NoError(t, err)
	require.EqualValues(t, got.N-got.Failed, h.TotalCount())
	require.InEpsilon(t, float64(2*time.Second), float64(h.Max()), 0.001)
	require.EqualValues(t, 198*50*time.Millisecond+2*2*time.Second, *got.Sum)
	require.Equal(t, 2*time.Second, *got.Slowest)
	got.Histogram, got.Sum, got.Slowest = "", nil, nil
	require.Equal(t, report.DistOf(&d), got)
}

// The readings that users and servers have carry it; those of our own lateness don't.
func TestWhichReadingsHaveAHistogram(t *testing.T) {
	rec := correct.NewRecorder(correct.Options{})
	rec.Arrive(0, 0, 0, 0, 0)
	rec.Record(correct.Sample{Attempt: 1, Done: time.Second, Status: 200, Fired: true, Written: true, Final: true})
	d := correct.NewDist()
	d.Record(time.Second)
	l := report.OfFile(&report.Sample{Queue: report.WithHistogram(&d)}, rec.Snapshot(), verdict(), report.Meta{}).Latency
	own := report.OfOwn(&report.Sample{}, rec.Snapshot(), verdict(), report.Meta{}).Latency
	for name, x := range map[string]*report.Dist{
		"corrected": l.Corrected, "raw": l.Raw, "corrected_ok": l.CorrectedOK, "queue": l.Queue,
		"settled": l.Settled, "less lag": own.LessLag, "own corrected": own.Corrected, "own raw": own.Raw, "own closed_loop": own.ClosedLoop,
	} {
		require.NotEmpty(t, x.Histogram, name)
	}
	for name, x := range map[string]*report.Dist{"lag": own.Lag, "wait": own.Wait} {
		require.Empty(t, x.Histogram, name)
	}
}

func verdict() *sla.Verdict { return new(sla.Verdict) }
