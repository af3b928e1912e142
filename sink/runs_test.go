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

// Three runs of the textbook stall: one as it is, one without the stall's failures, one
// in which all fails.
func runs() *report.Runs {
	one, two, three := lab(), lab(), lab()
	two.Verdict, two.Schedule.Seed = "invalid", 2
	two.Reasons = []report.Reason{reason("own_lateness", "p99<500ms hangs on our own lateness")}
	two.Latency.Corrected = dist(200, 0, 50*ms, 60*ms, 70*ms, 80*ms, 90*ms, 90*ms, 95*ms, 61*ms)
	three.Schedule.Seed = 3
	three.Latency.Corrected = failures(200)
	three.Counts.OK = 0
	all := report.NewRuns(3, []*report.Report{one, two, three})
	all.Command = "openload --runs 3 --rate 12.5 URL"
	return all
}

func TestRunsText(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, sink.RunsText(&b, runs(), sink.TextOptions{}))
	golden.Check(t, "runs.txt", b.Bytes())
	for line := range bytes.Lines(b.Bytes()) {
		if !bytes.Contains(line, []byte("rerun:")) {
			require.LessOrEqual(t, sink.Width(string(bytes.TrimRight(line, "\n"))), 80)
		}
	}
	b.Reset()
	require.NoError(t, sink.RunsText(&b, runs(), sink.TextOptions{Quiet: true}))
	require.Equal(t, 1, bytes.Count(b.Bytes(), []byte("\n")))
	b.Reset()
	require.NoError(t, sink.RunsText(&b, report.NewRuns(3, nil), sink.TextOptions{}))
	require.Contains(t, b.String(), "INTERRUPTED")
}

// The document comes back as it went.
func TestRunsJSON(t *testing.T) {
	var b, again bytes.Buffer
	require.NoError(t, sink.RunsJSON(&b, runs()))
	var all report.Runs
	require.NoError(t, json.Unmarshal(b.Bytes(), &all))
	require.NoError(t, sink.RunsJSON(&again, &all))
	require.Equal(t, b.String(), again.String())
	require.Equal(t, report.RunsSchema, all.Schema)
	require.Len(t, all.Runs, 3)
}

func TestNumbered(t *testing.T) {
	for file, want := range map[string]string{
		"": "", "a.csv": "a-2.csv", "dir.d/a.csv.gz": "dir.d/a-2.csv.gz", "plain": "plain-2", ".hidden": ".hidden-2", "/dev/null": "/dev/null-2",
	} {
		require.Equal(t, want, sink.Output{File: file}.Numbered(2).File)
	}
}

// A run that was cut short has a row, and no part in the median.
func TestAnInterruptedRunIsNotCompared(t *testing.T) {
	all := runs()
	all.Runs[2].Run.Interrupted, all.Runs[2].Verdict = true, "none"
	all = report.NewRuns(5, all.Runs)
	var b bytes.Buffer
	require.NoError(t, sink.RunsText(&b, all, sink.TextOptions{}))
	require.Contains(t, b.String(), " INTERRUPTED  after 2 of 5 runs   no verdict\n")
	require.Regexp(t, ` 3 .* failed`, b.String())
	require.NotRegexp(t, ` greatest .* failed`, b.String())
}
