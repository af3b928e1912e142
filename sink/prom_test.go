package sink_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
	"openload/report"
	"openload/sink"
)

// scraped is what Prometheus' own parser makes of a text.
func scraped(t require.TestingT, text string) map[string]*dto.MetricFamily {
	p := expfmt.NewTextParser(model.LegacyValidation)
	families, err := p.TextToMetricFamilies(strings.NewReader(text))
	require.NoError(t, err, text)
	return families
}

func value(f *dto.MetricFamily, label string) float64 {
	for _, m := range f.GetMetric() {
		if label == "" || m.GetLabel()[0].GetValue() == label {
			return m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return -1
}

// below are a histogram's cumulative counts by upper bound, in seconds.
func below(f *dto.MetricFamily) map[float64]uint64 {
	counts := map[float64]uint64{}
	for _, b := range f.GetMetric()[0].GetHistogram().GetBucket() {
		counts[b.GetUpperBound()] = b.GetCumulativeCount()
	}
	return counts
}

func TestProm(t *testing.T) {
	raw, corrected := correct.NewDist(), correct.NewDist()
	raw.RecordN(50*time.Millisecond, 199)
	raw.Record(2 * time.Second)
	corrected.RecordN(40*time.Millisecond, 150)
	corrected.RecordN(700*time.Millisecond, 40)
	corrected.Record(2 * time.Hour)
	corrected.Fail(9)
	r := failing()
	r.Plan.URL = "http://127.0.0.1/\"\\\n"
	r.Latency.Raw, r.Latency.Corrected = report.WithHistogram(&raw), report.WithHistogram(&corrected)
	r.SLA = append(r.SLA, r.SLA[0])
	f := scraped(t, as(t, "prom", r))
	require.EqualValues(t, 1, value(f["openload_verdict"], "fail"))
	require.EqualValues(t, 0, value(f["openload_verdict"], "pass"))
	require.EqualValues(t, 180, value(f["openload_operations_total"], "ok"))
	require.EqualValues(t, 12, value(f["openload_operations_total"], "bad_status"))
	require.EqualValues(t, 2, value(f["openload_operations_total"], "refused"))
	require.EqualValues(t, 1, value(f["openload_operations_total"], "deadline"))
	require.EqualValues(t, 12.5, value(f["openload_asked_operations_per_second"], ""))
	require.Len(t, f["openload_rule_outcome"].GetMetric(), 1)

	h := f["openload_raw_seconds"].GetMetric()[0].GetHistogram()
	require.EqualValues(t, 200, h.GetSampleCount())
	require.InDelta(t, 11.95, h.GetSampleSum(), 1e-9)
	require.EqualValues(t, 199, below(f["openload_raw_seconds"])[0.1])
	require.EqualValues(t, 200, below(f["openload_raw_seconds"])[2.5])
	c := below(f["openload_corrected_seconds"])
	require.EqualValues(t, 150, c[0.05])
	require.EqualValues(t, 190, c[1])
	require.EqualValues(t, 190, c[60], "neither two hours nor a failure is a minute or less")
	require.EqualValues(t, 200, f["openload_corrected_seconds"].GetMetric()[0].GetHistogram().GetSampleCount())
}

// Whatever a report holds, Prometheus can read what becomes of it.
func TestPromOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := reports().Draw(t, "report")
		o, err := sink.Parse("prom")
		require.NoError(t, err)
		var b bytes.Buffer
		if err := o.Write(&b, r, sink.TextOptions{}); err != nil {
			require.ErrorContains(t, err, "histogram of")
			return
		}
		scraped(t, b.String())
	})
}

// What a Meter says at the end of a run is what the run's report says, but for values so
// close to a bucket's end that three digits don't tell.
func TestTheMeterAgreesWithTheReport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		closed := rapid.Bool().Draw(t, "closed")
		rec := correct.NewRecorder(correct.Options{Closed: closed})
		m := &sink.Meter{Closed: closed}
		n := rapid.IntRange(0, 50).Draw(t, "n")
		for i := range n {
			at := time.Duration(i) * 100 * time.Millisecond
			took := []time.Duration{3 * time.Millisecond, 30 * time.Millisecond, 300 * time.Millisecond, 90 * time.Second}[rapid.IntRange(0, 3).Draw(t, "took")]
			class := rapid.SampledFrom([]correct.Class{correct.OK, correct.OK, correct.BadStatus, correct.Refused}).Draw(t, "class")
			x := correct.Sample{Seq: uint64(i), Attempt: 1, Intended: at, Due: at, Dispatched: at, Sent: at, Done: at + took, Class: class, Fired: true, Written: true, Final: true}
			rec.Arrive(x.Seq, at, at, 0, 0)
			rec.Record(x)
			m.Arrive()
			m.Observe(x)
		}
		late := rapid.IntRange(0, 3).Draw(t, "still waiting")
		for range late {
			m.Arrive()
		}
		s := rec.Snapshot()
		r := &report.Report{Latency: report.Latency{Raw: report.WithHistogram(s.Dist(correct.Raw)), Corrected: report.WithHistogram(s.Dist(correct.Corrected))}}
		r.Counts = report.Counts{Scheduled: s.Counts.Scheduled, OK: s.Counts.OK, Attempts: s.Counts.Attempts}
		var b bytes.Buffer
		require.NoError(t, m.WriteMetrics(&b))
		got, want := scraped(t, b.String()), scraped(t, as(t, "prom", r))
		for _, name := range []string{"openload_raw_seconds", "openload_corrected_seconds"} {
			if closed && name == "openload_corrected_seconds" {
				require.Nil(t, got[name])
				continue
			}
			require.Equal(t, below(want[name]), below(got[name]))
			g, w := got[name].GetMetric()[0].GetHistogram(), want[name].GetMetric()[0].GetHistogram()
			require.Equal(t, w.GetSampleCount(), g.GetSampleCount())
			require.InDelta(t, w.GetSampleSum(), g.GetSampleSum(), 0.01*w.GetSampleSum()+1e-9)
		}
		require.Equal(t, value(want["openload_operations_total"], "ok"), value(got["openload_operations_total"], "ok"))
		require.Equal(t, value(want["openload_attempts_total"], ""), value(got["openload_attempts_total"], ""))
		require.Equal(t, value(want["openload_operations_scheduled_total"], "")+float64(late), value(got["openload_operations_scheduled_total"], ""))
		require.EqualValues(t, late, value(got["openload_operations_waiting"], ""))
		require.Zero(t, value(got["openload_lag_max_seconds"], ""))
	})
}
