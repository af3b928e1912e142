package sink_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"openload/internal/golden"
	"openload/report"
	"openload/sink"
)

// found is a search of three steps on the textbook stall, the last of them repeated.
func found(limit string) *report.Find {
	pass, bad := lab(), lab()
	pass.Verdict, pass.Reasons = "pass", nil
	bad.Verdict, bad.Reasons = "invalid", []report.Reason{reason("rate_off", "80 operations a second were planned and 61 left, more than 1 % off: openload did not keep the schedule")}
	f := &report.Find{
		Schema: report.FindSchema, From: 20, To: 1000, Precision: 0.05, Limit: limit, Command: "openload find URL",
		Steps: []report.FindStep{{Rate: 20, Report: pass}, {Rate: 80, Report: bad}, {Rate: 80, Report: bad}, {Rate: 40, Report: pass}},
	}
	f.Holds, f.Above = ptr(40.0), ptr(80.0)
	return f
}

func TestFindText(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, sink.FindText(&b, found(report.ByMeasurement), sink.TextOptions{}))
	golden.Check(t, "find.txt", b.Bytes())

	for _, tt := range []struct {
		name         string
		limit        string
		holds, above *float64
		want         string
	}{
		{"the server", report.ByServer, ptr(40.0), ptr(42.0), " FOUND  p99<500ms holds at 40/s and no longer at 42/s\n"},
		{"the lowest rate", report.ByServer, nil, ptr(20.0), " NOT EVEN  20/s: p99<500ms does not hold at the lowest rate of the search\n"},
		{"the highest rate", report.ByRange, ptr(1000.0), nil, " AT LEAST  1000/s: p99<500ms holds at 1000/s, the highest rate of the search\n"},
		{"nothing measured", report.ByMeasurement, nil, ptr(20.0), " UNDECIDED  nothing was measured at 20/s that could be judged\n"},
		{"interrupted", report.ByUser, ptr(40.0), nil, " INTERRUPTED  after 4 steps; p99<500ms holds at 40/s, the rest is open\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := found(tt.limit)
			f.Holds, f.Above = tt.holds, tt.above
			var b bytes.Buffer
			require.NoError(t, sink.FindText(&b, f, sink.TextOptions{Quiet: true}))
			require.Equal(t, tt.want, b.String())
			require.NoError(t, sink.FindText(&b, f, sink.TextOptions{}))
		})
	}
	growing := found(report.ByServer)
	growing.Steps[3].Report.Notes = []report.Reason{reason("no_steady_state", "no steady state")}
	require.NoError(t, sink.FindText(&b, growing, sink.TextOptions{}))
	require.Contains(t, b.String(), "at 40/s more and more operations were under way")
	b.Reset()
	require.NoError(t, sink.FindText(&b, &report.Find{Limit: report.ByUser}, sink.TextOptions{}))
	require.Equal(t, " INTERRUPTED  after 0 steps\n", b.String())
}

func TestFindJSON(t *testing.T) {
	var b, again bytes.Buffer
	require.NoError(t, sink.FindJSON(&b, found(report.ByServer)))
	var f report.Find
	require.NoError(t, json.Unmarshal(b.Bytes(), &f))
	require.NoError(t, sink.FindJSON(&again, &f))
	require.Equal(t, b.String(), again.String())
}
