package correct

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// grouped records samples as recordAll does, parted by number and by time.
func grouped(samples []Sample, limits ...time.Duration) *Snapshot {
	g := NewGrouped(Options{Limits: limits},
		Dimension{"target", []string{"a", "b", "c"}, func(seq uint64, _ time.Duration) int { return int(seq % 3) }},
		Dimension{"phase", []string{"warm-up", "steady"}, func(_ uint64, intended time.Duration) int {
			if intended < time.Second {
				return 0
			}
			return 1
		}})
	for _, x := range slices.SortedFunc(slices.Values(samples), func(a, b Sample) int { return int(a.Seq) - int(b.Seq) }) {
		g.Arrive(x.Seq, x.Intended, x.Dispatched, 0, 0)
	}
	for _, x := range samples {
		g.Record(x)
	}
	return g.Snapshot()
}

// Law: the groups of each dimension together are the whole.
func TestGroupsAddUpToTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := drawSamples(t)
		s := grouped(samples, 500*ms)
		for _, dimension := range []string{"target", "phase"} {
			parts := s.PartsOf(dimension)
			sum := parts[0].Snapshot.clone()
			require.Nil(t, sum.Dist(ClosedLoop), "a group is not all that the server answered")
			for _, p := range parts[1:] {
				sum.Merge(p.Snapshot)
			}
			require.Equal(t, s.Counts, sum.Counts)
			require.Equal(t, s.LastDone, sum.LastDone)
			require.Equal(t, s.FirstIntended, sum.FirstIntended)
			require.Equal(t, s.LastDispatched, sum.LastDispatched)
			for set := range ClosedLoop {
				requireSame(t, s.Dist(set), sum.Dist(set))
			}
		}
	})
}

// Law: shards' groups merge to those of the whole, whichever shards have seen them.
func TestGroupsOfShardsMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := drawSamples(t)
		whole := grouped(samples)
		odd := func(x Sample) bool { return x.Seq%2 == 1 }
		even := func(x Sample) bool { return x.Seq%2 == 0 }
		merged := recordAll(nil)
		merged.Merge(grouped(slices.DeleteFunc(slices.Clone(samples), odd)))
		merged.Merge(grouped(slices.DeleteFunc(slices.Clone(samples), even)))
		require.Len(t, merged.Parts, 5)
		for _, p := range whole.Parts {
			got := merged.Part(p.Dimension, p.Name)
			require.Equal(t, p.Snapshot.Counts, got.Counts)
			requireSame(t, p.Snapshot.Dist(Corrected), got.Dist(Corrected))
		}
	})
}

func TestASnapshotOfGroupsIsACopy(t *testing.T) {
	g := NewGrouped(Options{}, Dimension{"target", []string{"a"}, func(uint64, time.Duration) int { return 0 }})
	before := g.Snapshot()
	g.Arrive(0, 0, 0, 0, 0)
	g.Record(Sample{Attempt: 1, Fired: true, Final: true, Done: ms})
	require.Zero(t, before.Part("target", "a").Counts.Scheduled)
	require.EqualValues(t, 1, g.Snapshot().Part("target", "a").Counts.OK)
	require.Nil(t, before.Part("target", "b"))
	require.Panics(t, func() { NewGrouped(Options{}, Dimension{Groups: make([]string, MostGroups+1)}) })
}
