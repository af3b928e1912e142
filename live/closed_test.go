package live_test

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
	"openload/engine"
	"openload/lab"
	"openload/live"
	"openload/sim"
)

// Law: in virtual time a live closed loop equals a simulated one. Which of several workers
// is answered first at one instant is settled in the simulation only, so those are compared
// by what was sent and answered when, against a server to which all requests are the same.
func TestLiveClosedEqualsSim(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlan(rt)
		c := engine.Closed{
			Workers: rapid.IntRange(1, 6).Draw(rt, "closed workers"), N: rapid.Uint64Range(1, 150).Draw(rt, "closed n"),
			Think: rapid.SampledFrom([]time.Duration{0, 10 * ms}).Draw(rt, "think"),
		}
		if period := time.Duration(rapid.IntRange(0, 100).Draw(rt, "period")) * ms; period > 0 {
			c.Slot = func(k uint64) time.Duration { return time.Duration(k) * period }
		}
		if rapid.Bool().Draw(rt, "for a time") {
			c.Duration = time.Duration(rapid.IntRange(1, 3000).Draw(rt, "duration"))*ms + 500*time.Microsecond
		}
		if c.Workers > 1 {
			var err error
			p.server, err = lab.Parse(rapid.SampledFrom([]string{"service=7ms", "service=50ms workers=2", "service=20ms workers=0", "service=5ms freeze=200ms:1s"}).Draw(rt, "server"))
			require.NoError(rt, err)
		}
		want, skips := p.runClosed(t.Context(), c, sim.New(p.model(), success))
		var got []correct.Sample
		synctest.Test(t, func(t *testing.T) {
			m := &modelled{model: p.model(), epoch: time.Now(), turn: make(chan struct{}, 1), place: map[attempt]int{}}
			m.turn <- struct{}{}
			w := live.New(live.Options{Epoch: m.epoch, Dialer: m, Pacer: virtual{live.Timer()}, Connections: 1000})
			defer w.Close()
			var skipped uint64
			got, skipped = p.runClosed(t.Context(), c, observed{w, m})
			require.Equal(rt, skips, skipped)
		})
		require.Len(rt, got, len(want))
		for i := range got {
			if got[i] != want[i] {
				rt.Fatalf("live %+v\n sim %+v", got[i], want[i])
			}
		}
	})
}

// runClosed returns the samples by when they were sent, and of several workers without
// what tells them apart.
func (p plan) runClosed(ctx context.Context, c engine.Closed, w engine.World) ([]correct.Sample, uint64) {
	var all samples
	skipped, _ := engine.RunClosed(ctx, ctx, c, w, &all, p.lim)
	if c.Workers > 1 {
		for i := range all {
			all[i].Seq, all[i].Worker = 0, 0
		}
	}
	slices.SortFunc(all, func(a, b correct.Sample) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Sent, b.Sent), cmp.Compare(a.Done, b.Done), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Intended, b.Intended))
	})
	return all, skipped
}
