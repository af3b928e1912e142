package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/plan"
	"openload/report"
	"openload/sla"
)

// small is the report of a run of four operations, of which one failed.
func small(t testing.TB) *report.Report {
	t.Helper()
	rec := correct.NewRecorder(correct.Options{Limits: []time.Duration{time.Second}})
	for i := range uint64(4) {
		at := time.Duration(i) * time.Second
		rec.Arrive(i, at, at, 0, 0)
		x := correct.Sample{Seq: i, Attempt: 1, Intended: at, Due: at, Dispatched: at, Sent: at, Done: at + 50*time.Millisecond, Status: 200, Fired: true, Written: true, Final: true}
		if i == 3 {
			x.Class, x.Status = correct.BadStatus, 503
		}
		rec.Record(x)
	}
	s := rec.Snapshot()
	return report.New(&plan.Plan{}, s, verdict(), report.Meta{Evidence: &sla.Evidence{Snapshot: s, Planned: 4}})
}

func TestReadGivesBackWhatWasWritten(t *testing.T) {
	r := small(t)
	one, err := report.Read(bytes.NewReader(encode(t, r)))
	require.NoError(t, err)
	require.Equal(t, report.NewRuns(1, []*report.Report{r}), one)

	text, err := json.Marshal(report.NewRuns(3, []*report.Report{r, r}))
	require.NoError(t, err)
	several, err := report.Read(bytes.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, report.NewRuns(3, []*report.Report{r, r}), several)
}

func TestWhatIsNoReport(t *testing.T) {
	whole := string(encode(t, small(t)))
	for name, tt := range map[string]struct{ in, says string }{
		"nothing":            {" \n", "the file is empty"},
		"text":               {"hello", "it is no JSON"},
		"a list":             {"[]", "it is JSON and no report, but a array"},
		"some object":        {`{"a": 1}`, `there is no "schema"`},
		"some other schema":  {`{"schema": "https://a/b"}`, "no report of openload's"},
		"a later version":    {strings.Replace(whole, "report/v1", "report/v2", 1), "this openload reads openload/report/v1"},
		"half of it":         {whole[:len(whole)/2], "it was cut off"},
		"two of them":        {whole + whole, "invalid character"},
		"a word for a count": {strings.Replace(whole, `"scheduled":4`, `"scheduled":"x"`, 1), "counts.scheduled is a string"},
		"a count too high":   {strings.Replace(whole, `"ok":3`, `"ok":4`, 1), "they do not add up"},
		"no verdict":         {strings.Replace(whole, `"verdict":"none"`, `"verdict":"maybe"`, 1), `"maybe" is no verdict`},
		"no run":             {`{"schema":"openload/runs/v1","runs":[]}`, "there are no runs"},
		"a run that is null": {`{"schema":"openload/runs/v1","runs":[null]}`, "it is null"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := report.Read(strings.NewReader(tt.in))
			require.ErrorContains(t, err, tt.says)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

// Whatever is read either comes with an error or can be judged and merged, without panic.
func FuzzRead(f *testing.F) {
	f.Add(encode(f, small(f)))
	drawn := small(f)
	bar := hdrhistogram.New(1, int64(time.Hour), 1)
	require.NoError(f, bar.RecordValues(50e6, 7))
	drawn.Flow = &report.Flow{Width: 20 * time.Millisecond, Sent: []uint64{1, 2}, Ended: []uint64{3}}
	drawn.Heat = &report.Heat{Width: 40 * time.Millisecond, Raw: []string{correct.Encoded(bar), ""}, Failed: []uint64{1}}
	f.Add(encode(f, drawn))
	rules := []sla.Rule{}
	for _, text := range []string{"p99<1s", "raw.max<2s", "settled.mean<1s", "ok.p50<1ms", "errors<1%", "rate>=99%", "useful>1%", "attempts<2"} {
		r, err := sla.Parse(text)
		require.NoError(f, err)
		rules = append(rules, r)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		all, err := report.Read(bytes.NewReader(in))
		if err != nil {
			return
		}
		for _, r := range all.Runs {
			if again, err := r.Judge(rules, 95); err == nil {
				require.Len(t, again.SLA, len(rules))
			}
			later := *r
			later.Run.Started = later.Run.Started.Add(time.Hour)
			if whole, err := report.Merge([]report.Named{{File: "a", Report: r}, {File: "b", Report: &later}}); err == nil {
				require.Equal(t, 2*r.Counts.OK, whole.Counts.OK)
			}
		}
	})
}
