package report_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/plan"
	"openload/report"
	"openload/schedule"
	"openload/sla"
)

// timed is a run of one operation for each latency, in ms, that began after a while.
func timed(t *testing.T, after time.Duration, took ...int) *report.Report {
	t.Helper()
	perSec, err := schedule.ParseRate("12.5")
	require.NoError(t, err)
	p := &plan.Plan{Schedule: schedule.Spec{Shape: schedule.Constant(perSec), Duration: time.Minute}, Target: plan.Target{Method: "GET"}}
	rec := correct.NewRecorder(correct.Options{Limits: []time.Duration{500 * time.Millisecond}})
	for i, ms := range took {
		at := time.Duration(i) * 80 * time.Millisecond
		rec.Arrive(uint64(i), at, at, 0, 0)
		rec.Record(correct.Sample{Seq: uint64(i), Attempt: 1, Intended: at, Due: at, Dispatched: at, Sent: at, Done: at + time.Duration(ms)*time.Millisecond, Status: 200, Fired: true, Written: true, Final: true})
	}
	s := rec.Snapshot()
	return report.New(p, s, &sla.Verdict{}, report.Meta{
		Engine: "sim", Started: time.Unix(1_800_000_000, 0).Add(after), Planned: uint64(len(took)), Evidence: &sla.Evidence{Snapshot: s, Planned: uint64(len(took))},
	})
}

// times is n times the same.
func times(n, ms int) (all []int) {
	for range n {
		all = append(all, ms)
	}
	return all
}

func TestMergedPercentilesAreNoMeans(t *testing.T) {
	for _, tt := range []struct {
		name         string
		a, b         []int
		means, whole time.Duration
	}{
		{"P6", times(100, 10), append(times(98, 10), 1000, 1000), 505 * time.Millisecond, 10 * time.Millisecond},
		{"P7", append(times(989, 10), times(11, 1000)...), times(10, 10), 505 * time.Millisecond, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := timed(t, 0, tt.a...), timed(t, time.Hour, tt.b...)
			require.InEpsilon(t, tt.means, (*a.Latency.Corrected.P99+*b.Latency.Corrected.P99)/2, 0.001)
			whole, err := report.Merge(named(a, b))
			require.NoError(t, err)
			require.InEpsilon(t, tt.whole, *whole.Latency.Corrected.P99, 0.001)
		})
	}
}

// The whole is what one run of all the operations would have reported, whatever the order.
func TestMergeIsTheWhole(t *testing.T) {
	a, b, c := timed(t, 0, 10, 20, 700), timed(t, time.Minute, 30, 2000), timed(t, 2*time.Minute, 5)
	all := timed(t, 0, 10, 20, 700, 30, 2000, 5)
	one, err := report.Merge(named(a, b, c))
	require.NoError(t, err)
	other, err := report.Merge(named(c, a, b))
	require.NoError(t, err)
	for name, r := range map[string]*report.Report{"in order": one, "in another": other} {
		for set, pair := range map[string][2]*report.Dist{
			"corrected": {all.Latency.Corrected, r.Latency.Corrected}, "raw": {all.Latency.Raw, r.Latency.Raw},
			"less lag": {all.Latency.LessLag, r.Latency.LessLag}, "settled": {all.Latency.Settled, r.Latency.Settled}, "ok": {all.Latency.CorrectedOK, r.Latency.CorrectedOK},
		} {
			require.Equal(t, pair[0], pair[1], "%s, %s", name, set)
		}
		require.EqualValues(t, 6, r.Counts.OK)
		require.EqualValues(t, 6, *r.Counts.Planned)
		require.Nil(t, r.Latency.ClosedLoop)
		again, err := r.Judge(mustRules(t, "p50<500ms", "max<1s", "errors<1%"), 0)
		require.NoError(t, err)
		require.Equal(t, "fail", again.Verdict)
		require.EqualValues(t, 2, *again.SLA[0].Over, "limits that all runs knew stay exact")
	}
	twice, err := report.Merge(named(one, timed(t, time.Hour, 1)))
	require.NoError(t, err)
	require.EqualValues(t, 7, twice.Counts.OK, "what was merged can be merged")
}

func mustRules(t *testing.T, texts ...string) (all []sla.Rule) {
	for _, text := range texts {
		r, err := sla.Parse(text)
		require.NoError(t, err)
		all = append(all, r)
	}
	return all
}

func TestMergeNamesWhatIsLost(t *testing.T) {
	a, b := timed(t, 0, times(10, 10)...), timed(t, time.Minute, times(10, 10)...)
	*b.Counts.Planned, b.Evidence.Planned = 15, 15
	a.Run.Engine, b.Run.Engine = "loop", "loop"
	b.Verdict, b.Reasons = "invalid", []report.Reason{{Code: "incomplete", Text: "5 of 15 planned operations were never scheduled"}}
	whole, err := report.Merge(named(a, b))
	require.NoError(t, err)
	var texts []string
	for _, n := range whole.Notes {
		texts = append(texts, n.Text)
	}
	require.Contains(t, texts, "f.json run 2 lacks 5 of its 15 planned operations")
	require.Contains(t, texts, "nothing was sent for 59.3s before f.json run 2 began")
	judged, err := whole.Judge(mustRules(t, "p99<1s"), 0)
	require.NoError(t, err)
	require.Equal(t, "invalid", judged.Verdict)

	a.Run.Engine, b.Run.Engine = "sim", "sim"
	b.Evidence.Lacks = "its file was cut off"
	whole, err = report.Merge(named(a, b))
	require.NoError(t, err)
	for _, n := range whole.Notes {
		require.NotEqual(t, "gap", n.Code, "between runs in virtual time there is nothing")
	}
	require.Equal(t, "its file was cut off", whole.Evidence.Lacks)
}

func TestWhatDoesNotMerge(t *testing.T) {
	a, b := timed(t, 0, 10), timed(t, time.Minute, 10)
	_, err := report.Merge(named(a))
	require.ErrorContains(t, err, "two runs or more")
	_, err = report.Merge(named(a, a))
	require.ErrorContains(t, err, "are the same run")
	b.Plan.URL = "http://127.0.0.1:1/"
	_, err = report.Merge(named(a, b))
	require.ErrorContains(t, err, "only runs of one plan are one sample")
	_, err = report.Merge(named(a, runOf(t, "25", time.Second, 10, 0)))
	require.ErrorContains(t, err, "differ in schedule")
}

// When two runs in virtual time were made says nothing about how long they took.
func TestRunsInVirtualTimeFollowOneAnother(t *testing.T) {
	a, b := timed(t, 0, 10, 20), timed(t, time.Millisecond, 30, 40)
	whole, err := report.Merge(named(a, b))
	require.NoError(t, err)
	require.Equal(t, a.Run.Duration+b.Run.Duration, whole.Run.Duration)
}

// Where no window lies over two runs, the peak of the whole is one run's; where one may, it
// is bounded by both.
func TestMergedPeaks(t *testing.T) {
	peaks := func(n ...uint64) *report.Peaks {
		p := report.Peaks{Resolution: time.Microsecond, All: report.Arrivals{N: 100, Wave: &report.Wave{N: n[0]}}}
		for i, most := range n {
			p.All.Curve = append(p.All.Curve, report.Peak{Width: []time.Duration{time.Millisecond, time.Second, 10 * time.Second}[i], Sliding: most, Aligned: most - 1, At: time.Duration(most)})
		}
		return &p
	}
	for _, tt := range []struct {
		name   string
		after  time.Duration // b begins, of a run of 720 ms
		engine string
		want   []uint64
		atMost bool
	}{
		{"side by side", 100 * time.Millisecond, "loop", []uint64{8, 30, 200}, true},
		{"a second apart", 1720 * time.Millisecond, "loop", []uint64{5, 20, 200}, true},
		{"a minute apart", time.Minute, "loop", []uint64{5, 20, 100}, false},
		{"virtual time", 0, "sim", []uint64{5, 20, 100}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := timed(t, 0, times(10, 0)...), timed(t, tt.after, times(10, 1)...)
			a.Run.Engine, b.Run.Engine = tt.engine, tt.engine
			a.Peaks, b.Peaks = peaks(3, 20, 100), peaks(5, 10, 100)
			whole, err := report.Merge(named(b, a))
			require.NoError(t, err)
			var got []uint64
			for _, p := range whole.Peaks.All.Curve {
				got = append(got, p.Sliding)
			}
			require.Equal(t, tt.want, got)
			require.Equal(t, tt.atMost, whole.Peaks.All.AtMost)
			require.EqualValues(t, 200, whole.Peaks.All.N)
			require.EqualValues(t, 5, whole.Peaks.All.Wave.N)
			require.EqualValues(t, 5, whole.Peaks.All.Curve[0].At)
		})
	}
}

// Whom the connections reached adds up.
func TestMergedNetworks(t *testing.T) {
	a, b := timed(t, 0, 10), timed(t, time.Minute, 20)
	a.Network = &report.Network{Protocol: "HTTP/1.1", BodyBytes: 3, Peers: []report.Peer{{Address: "x", Connections: 1, Attempts: 2}}, Lookups: &report.Lookups{N: 1, Slowest: 5}}
	b.Network = &report.Network{Protocol: "HTTP/1.1", BodyBytes: 4, Peers: []report.Peer{{Address: "y", Attempts: 1}, {Address: "x", Connections: 1, Attempts: 3}}, Lookups: &report.Lookups{N: 2, Failed: 1, Slowest: 4}, HTTP2: &report.HTTP2{Streams: 2}}
	a.Network.Hosts = []report.Host{{URL: "http://a", Connections: 1, MaxConnections: 1, Attempts: 2, Peers: a.Network.Peers}}
	b.Network.Hosts = []report.Host{{URL: "http://a", Connections: 2, MaxConnections: 2, Attempts: 3, Held: true, Peers: a.Network.Peers}, {URL: "http://b", Attempts: 1}}
	a.Network.Decoded = &report.Decoded{Bodies: 2, Decoded: 1, Wire: 10, Bytes: 30, Codings: map[string]uint64{"gzip": 2}, Failed: map[string]uint64{"gzip": 1}}
	b.Network.Decoded = &report.Decoded{Bodies: 3, Decoded: 3, Wire: 20, Bytes: 50, Codings: map[string]uint64{"br": 3}}
	a.Network.TLS, b.Network.TLS = &report.TLS{Handshakes: 2, Resumed: 1}, &report.TLS{Handshakes: 3}
	whole, err := report.Merge(named(a, b))
	require.NoError(t, err)
	require.Equal(t, &report.Network{
		TLS: &report.TLS{Handshakes: 5, Resumed: 1},
		Hosts: []report.Host{
			{URL: "http://a", Connections: 3, MaxConnections: 3, Attempts: 5, Held: true, Peers: []report.Peer{{Address: "x", Connections: 2, Attempts: 4}}},
			{URL: "http://b", Attempts: 1, Peers: []report.Peer{}},
		},
		Decoded:  &report.Decoded{Bodies: 5, Decoded: 4, Wire: 30, Bytes: 80, Codings: map[string]uint64{"gzip": 2, "br": 3}, Failed: map[string]uint64{"gzip": 1}},
		Protocol: "HTTP/1.1", BodyBytes: 7, Peers: []report.Peer{{Address: "x", Connections: 2, Attempts: 5}, {Address: "y", Attempts: 1}},
		Lookups: &report.Lookups{N: 3, Failed: 1, Slowest: 5}, HTTP2: &report.HTTP2{Streams: 2},
	}, whole.Network)
}

// Windows of runs that were cut differently are put together as the widest are.
func TestMergedSeries(t *testing.T) {
	a, b := timed(t, 0, 10, 20, 30, 40), timed(t, time.Minute, 10, 20, 30, 40)
	require.Equal(t, 100*time.Millisecond, a.Series[0].Width)
	b.Series = []report.Window{{Width: 200 * time.Millisecond, Scheduled: 3, OK: 3, Backlog: 2}, {At: 200 * time.Millisecond, Width: 200 * time.Millisecond, Scheduled: 1, OK: 1}}
	whole, err := report.Merge(named(a, b))
	require.NoError(t, err)
	require.Len(t, whole.Series, 2)
	require.Equal(t, []uint64{6, 2}, []uint64{whole.Series[0].Scheduled, whole.Series[1].Scheduled})
	require.Equal(t, 2, whole.Series[0].Backlog)
	require.Equal(t, 30*time.Millisecond, *whole.Series[0].CorrectedMax)

	b.Series[0].Width = 70 * time.Millisecond
	whole, err = report.Merge(named(a, b))
	require.NoError(t, err)
	require.Empty(t, whole.Series)
	require.Contains(t, whole.Notes[len(whole.Notes)-1].Text, "the windows over time, which are cut differently")
}

// What the runs had and the whole has not is said, and what nobody had is not.
func TestMergeNamesWhatItLeavesOut(t *testing.T) {
	a, b := timed(t, 0, 10, 20), timed(t, time.Minute, 30, 40)
	gap := func() string {
		whole, err := report.Merge(named(a, b))
		require.NoError(t, err)
		for _, n := range whole.Notes {
			if n.Code == "not_merged" {
				return n.Text
			}
		}
		return ""
	}
	require.Equal(t, "of the runs, and not of the whole: the prediction for a closed loop; the rate offered; percentiles over time; percentiles of our lag and of the wait for a connection", gap())
	b.Peaks, b.Phases = nil, nil
	a.Run.ReadAudit = &report.ReadAudit{N: 1}
	a.Flow, a.Network = &report.Flow{Width: 10 * time.Millisecond}, &report.Network{}
	for _, what := range []string{"how long answers lay unread", "where the corrected time went", "which not all were drawn with", "how many left at once", "whom connections reached"} {
		require.Contains(t, gap(), what)
	}
	old := timed(t, time.Minute, 30, 40)
	for i := range old.Phases {
		if e := old.Phases[i].Each; e != nil {
			e.Histogram = ""
		}
	}
	b = old
	require.Contains(t, gap(), "which an older openload did not keep")
}

// A picture that openload has not drawn is refused, and not merged into nonsense.
func TestAPictureThatCannotBeIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(*report.Report){
		"10ms":      func(r *report.Report) { r.Flow.Width = 11 * time.Millisecond },
		"too many":  func(r *report.Report) { r.Heat.Failed = make([]uint64, 121) },
		"histogram": func(r *report.Report) { r.Heat.Raw = []string{"nonsense"} },
	} {
		t.Run(name, func(t *testing.T) {
			a, b := timed(t, 0, 10), timed(t, time.Minute, 20)
			for _, r := range []*report.Report{a, b} {
				r.Flow, r.Heat = &report.Flow{Width: 20 * time.Millisecond}, &report.Heat{Width: 40 * time.Millisecond}
			}
			_, err := report.Merge(named(a, b))
			require.NoError(t, err)
			spoil(b)
			_, err = report.Merge(named(a, b))
			require.ErrorContains(t, err, "f.json run 2: ")
		})
	}
}

// Whatever counts something of a run's operations is added up.
func TestMergedCountsForgetNothing(t *testing.T) {
	fill := func(v any) {
		for _, f := range reflect.ValueOf(v).Elem().Fields() {
			switch f.Kind() {
			case reflect.Uint64:
				f.SetUint(3)
			case reflect.Map:
				f.Set(reflect.ValueOf(map[string]uint64{"x": 3}))
			case reflect.Pointer:
				if f.Type() == reflect.TypeFor[*uint64]() {
					f.Set(reflect.ValueOf(new(uint64(3))))
				}
			}
		}
	}
	check := func(v any) {
		for field, f := range reflect.ValueOf(v).Elem().Fields() {
			switch {
			case f.Kind() == reflect.Uint64:
				require.EqualValues(t, 6, f.Uint(), field.Name)
			case f.Kind() == reflect.Map:
				require.Equal(t, map[string]uint64{"x": 6}, f.Interface(), field.Name)
			case f.Type() == reflect.TypeFor[*uint64]():
				require.EqualValues(t, 6, f.Elem().Uint(), field.Name)
			}
		}
	}
	a, b := timed(t, 0, 10), timed(t, time.Minute, 20)
	for _, r := range []*report.Report{a, b} {
		r.Retries, r.Network = &report.Retries{}, &report.Network{HTTP2: &report.HTTP2{}, Decoded: &report.Decoded{}, Lookups: &report.Lookups{}}
		for _, v := range []any{&r.Counts, r.Retries, r.Network, r.Network.HTTP2, r.Network.Decoded, r.Network.Lookups} {
			fill(v)
		}
	}
	whole, err := report.Merge(named(a, b))
	require.NoError(t, err)
	for _, v := range []any{&whole.Counts, whole.Retries, whole.Network, whole.Network.HTTP2, whole.Network.Decoded, whole.Network.Lookups} {
		check(v)
	}

	a.Counts.MaxBacklog, b.Counts.MaxBacklog = new(3), new(2)
	whole, err = report.Merge(named(a, b))
	require.NoError(t, err)
	require.Equal(t, new(3), whole.Counts.MaxBacklog, "the runs were none beside the other")
	b.Counts.MaxBacklog = nil
	whole, err = report.Merge(named(a, b))
	require.NoError(t, err)
	require.Nil(t, whole.Counts.MaxBacklog)
}
