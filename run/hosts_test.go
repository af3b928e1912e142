package run_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/engine"
	"openload/plan"
	"openload/request"
	"openload/run"
)

// two is a World of two hosts in virtual time, each of which takes 10 ms for a request,
// however many there are.
type two struct {
	now time.Duration
	out []correct.Sample
}

func (w *two) Pools() int                           { return 2 }
func (w *two) Pool(seq uint64) int                  { return int(seq % 2) }
func (w *two) Room(n int, _ time.Duration) int      { return n }
func (w *two) RoomIn(_, n int, _ time.Duration) int { return n }

func (w *two) Held(k int) bool { return k == 0 }

func (w *two) Fire(s engine.Shot) {
	x := s.Sample()
	x.Sent, x.Done, x.Written, x.Status = w.now, w.now+10*ms, true, 200
	w.out = append(w.out, x)
}

func (w *two) Wait(_ context.Context, until time.Duration) (time.Duration, correct.Sample, bool) {
	if len(w.out) == 0 || w.out[0].Done > until {
		w.now = max(w.now, until)
		return w.now, correct.Sample{}, false
	}
	x := w.out[0]
	w.out = w.out[1:]
	w.now = max(w.now, x.Done)
	return w.now, x, true
}

// A cap is that of each host, and no closed loop is predicted: it would have been one
// queue before both.
func TestSeveralHosts(t *testing.T) {
	for _, tt := range []struct {
		name    string
		cap     int
		reached bool
	}{
		{"no host reaches the cap, though both together have more out", 15, false},
		{"each reaches it", 5, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &plan.Plan{Schedule: even(t, "2000", 400), Drain: time.Minute, Target: plan.Target{Hosts: []string{"http://a", "http://b"}}, Rules: rules(t, "max<1s")}
			r := run.Run(context.Background(), context.Background(), run.Setup{Ready: run.Prepare(p), World: new(two), Engine: "sim", Cap: tt.cap})
			require.Equal(t, "pass", r.Verdict)
			require.Equal(t, tt.reached, r.Evidence.AutoCapReached)
			require.Nil(t, r.Latency.ClosedLoop)
			require.Zero(t, r.Evidence.Descriptors)
			require.Equal(t, []string{"http://a", "http://b"}, r.Plan.Hosts)
			require.EqualValues(t, 400, r.Counts.OK)
		})
	}
	p := &plan.Plan{Schedule: even(t, "10", 40), Drain: time.Minute, Rules: rules(t, "max<1s")}
	require.NotNil(t, simulate(t, p, "service=10ms").Latency.ClosedLoop)
}

// Only where connections were opened slowly is a wait ours: what the other host's
// operations waited for behind the plan's cap counts, and fails its rule.
func TestAWaitIsItsHostsOwn(t *testing.T) {
	mix, err := request.NewMix([]request.Item{
		{Name: "held", Request: request.Request{URL: "http://a/"}}, {Name: "full", Request: request.Request{URL: "http://b/"}},
	}, request.Cycle, nil)
	require.NoError(t, err)
	for rule, want := range map[string]string{"held: p50<20ms": "invalid", "full: p50<20ms": "fail", "p90<20ms": "fail", "p50<20ms": "invalid"} {
		p := &plan.Plan{
			Schedule: even(t, "400", 200), Drain: time.Minute, Connections: 1, Mix: mix,
			Target: plan.Target{Hosts: []string{"http://a", "http://b"}}, Rules: rules(t, rule),
		}
		r := run.Run(context.Background(), context.Background(), run.Setup{
			Ready: run.Prepare(p), World: new(two), Engine: "sim",
			Connections: func() run.Connections { return run.Connections{Held: true} },
		})
		require.Equal(t, want, r.Verdict, "%s: %v", rule, r.Reasons)
	}
}
