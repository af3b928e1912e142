package repair_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/engine"
	"openload/lab"
	"openload/plan"
	"openload/repair"
	"openload/report"
	"openload/schedule"
	"openload/sim"
	"openload/sla"
	"openload/source"
)

const ms = time.Millisecond

// read opens a file's content and corrects it.
func read(t require.TestingT, content string, from source.Options, opt repair.Options) (*report.Report, error) {
	f, err := source.Open(strings.NewReader(content), from)
	require.NoError(t, err)
	return repair.File(f, opt)
}

func mustRead(t require.TestingT, content string, opt repair.Options) *report.Report {
	r, err := read(t, content, source.Options{}, opt)
	require.NoError(t, err)
	return r
}

func rules(t require.TestingT, texts ...string) (all []sla.Rule) {
	for _, text := range texts {
		r, err := sla.Parse(text)
		require.NoError(t, err)
		all = append(all, r)
	}
	return all
}

// cutGzip is content, packed and cut in the middle.
func cutGzip(content string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(content))
	z.Close()
	return b.String()[:b.Len()/2]
}

func anyStatus(t require.TestingT) *plan.Statuses {
	s, err := plan.ParseStatuses("any")
	require.NoError(t, err)
	return &s
}

// numbers is a file of plain numbers of milliseconds.
func numbers(values ...float64) string {
	var b strings.Builder
	for _, v := range values {
		fmt.Fprintf(&b, "%gms\n", v)
	}
	return b.String()
}

func times(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }

// A call is a request that a tool made.
type call struct {
	start, end time.Duration
	status     int
	worker     int
}

// hey is the file that hey writes of calls.
func hey(calls []call) string {
	var b bytes.Buffer
	b.WriteString("response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n")
	for _, c := range byEnd(calls) {
		fmt.Fprintf(&b, "%4.4f,0.0000,0.0000,0.0000,0.0000,0.0000,%d,%4.4f\n", (c.end - c.start).Seconds(), c.status, c.start.Seconds())
	}
	return b.String()
}

// fortio is the access log that fortio writes of calls.
func fortio(calls []call) string {
	var b bytes.Buffer
	for i, c := range byEnd(calls) {
		fmt.Fprintf(&b, `{"latency":%.6f,"timestamp":%d,"thread":%d,"iter":%d,"ok":%t,"details":"%d"}`+"\n",
			(c.end - c.start).Seconds(), 1_700_000_000_000_000_000+int64(c.start), c.worker, i, c.status < 400, c.status)
	}
	return b.String()
}

// vegeta is the CSV that vegeta writes of calls.
func vegeta(calls []call) string {
	var b bytes.Buffer
	for i, c := range byEnd(calls) {
		fmt.Fprintf(&b, "%d,%d,%d,0,2,,,attack,%d,GET,http://127.0.0.1/,\n", 1_700_000_000_000_000_000+int64(c.start), c.status, int64(c.end-c.start), i)
	}
	return b.String()
}

func byEnd(calls []call) []call {
	return slices.SortedStableFunc(slices.Values(calls), func(a, b call) int { return int(a.end - b.end) })
}

// recorder keeps the samples of a run as calls.
type recorder struct{ calls []call }

func (r *recorder) Arrive(uint64, time.Duration, time.Duration, int, int) {}
func (r *recorder) Record(x correct.Sample) {
	r.calls = append(r.calls, call{x.Sent, x.Done, x.Status, 0})
}

// closedLoop is what a closed loop measures of a simulated server.
func closedLoop(t require.TestingT, server string, c engine.Closed) (calls []call, skipped uint64) {
	spec, err := lab.Parse(server)
	require.NoError(t, err)
	var r recorder
	skipped, _ = engine.RunClosed(context.Background(), context.Background(), c,
		sim.New(spec.Model(nil), func(int) bool { return true }), &r, engine.Limits{Drain: time.Hour})
	return r.calls, skipped
}

// every is a slot each interval for all workers together.
func every(interval time.Duration) func(uint64) time.Duration {
	return func(k uint64) time.Duration { return time.Duration(k) * interval }
}

// catchUp is what a client measures whose workers have a schedule each, and send what
// they missed at once when the answer has come, timed from then.
func catchUp(t require.TestingT, server string, workers, n int, interval time.Duration) (calls []call) {
	spec, err := lab.Parse(server)
	require.NoError(t, err)
	model := spec.Model(nil)
	free := make([]time.Duration, workers)
	sent := make([]int, workers)
	for range n {
		// The next to send is the worker whose request can leave first.
		next, at := 0, time.Duration(1<<62)
		for w := range workers {
			phase := interval * time.Duration(w) / time.Duration(workers)
			if start := max(free[w], phase+time.Duration(sent[w])*interval); start < at {
				next, at = w, start
			}
		}
		answer := model.Serve(at)
		sent[next]++
		free[next] = answer.At
		calls = append(calls, call{at, answer.At, answer.Status, next})
	}
	return calls
}

func labA(t require.TestingT) string {
	calls, _ := closedLoop(t, "service=50ms stall=150:2s", engine.Closed{Workers: 1, N: 200})
	return hey(calls)
}

// near holds to the three digits that a histogram keeps.
func near(t require.TestingT, want time.Duration, got *time.Duration, what ...any) {
	require.NotNil(t, got, what...)
	require.InEpsilon(t, float64(want), float64(*got), 0.001, what...)
}

func found(r *report.Report, code string) *report.Finding {
	for i, f := range r.File.Findings {
		if f.Code == code {
			return &r.File.Findings[i]
		}
	}
	return nil
}

func noted(r *report.Report, code string) string {
	for _, n := range r.Notes {
		if n.Code == code {
			return n.Text
		}
	}
	return ""
}

// sample is the content of a file that a tool wrote.
func sample(t require.TestingT, name string) string {
	b, err := os.ReadFile(filepath.Join("..", "testdata", "formats", name))
	require.NoError(t, err)
	return string(b)
}

func rate(t require.TestingT, text string) schedule.Rate {
	r, err := schedule.ParseRate(text)
	require.NoError(t, err)
	return r
}
