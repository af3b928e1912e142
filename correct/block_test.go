package correct

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What a block takes comes to the same as what is recorded one by one.
func TestABlockIsItsSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := drawSamples(t)
		if rapid.Bool().Draw(t, "several blocks") {
			var more []Sample
			for _, x := range samples {
				for range 5 {
					x.Seq = uint64(len(more))
					more = append(more, x)
				}
			}
			samples = more
		}
		opt := Options{Limits: drawValues(t, "limits"), Closed: rapid.Bool().Draw(t, "closed"), Again: rapid.Bool().Draw(t, "again")}
		held, alone := NewRecorder(opt), NewRecorder(opt)
		for i := range samples {
			x := &samples[i]
			if rapid.IntRange(0, 30).Draw(t, "slow body") == 0 {
				x.First = x.Raw() / 2
			}
			for _, r := range []*Recorder{held, alone} {
				r.Arrive(x.Seq, x.Intended, x.Dispatched, 0, 0)
			}
			held.Record(*x)

			if s := &alone.snap; s.phases.parts(x) {
				s.phases.part(&s.dists[Raw])
			}
			alone.attempt(x)
			alone.operation(x)
			if !opt.Closed && !opt.Again {
				alone.snap.series.settle(x)
				alone.episodes.settle(x.Seq, x.Corrected(), x.Class != OK)
			}
		}
		got, want := held.Snapshot(), alone.Snapshot()
		require.Equal(t, want.Counts, got.Counts)
		require.Equal(t, want.dists, got.dists)
		require.Equal(t, want.Series(), got.Series())
		require.Equal(t, want.Episodes, got.Episodes)
		require.Equal(t, want.phases, got.phases)
		require.Equal(t, want.arrivals.all.Curve(), got.arrivals.all.Curve())
		require.Equal(t, want.ordered, got.ordered)
		require.Equal(t, want.LastDone, got.LastDone)
		require.Equal(t, want.MaxLate, got.MaxLate)
		require.True(t, reflect.DeepEqual(got, held.Snapshot()), "to look changes nothing")
	})
}
