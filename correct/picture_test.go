package correct

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawn are samples of a run: in order of Done within a millisecond or so, some failed,
// some tried twice.
func drawn(t *rapid.T) (all []Sample) {
	n := rapid.IntRange(0, 60).Draw(t, "n")
	gap := time.Duration(rapid.Int64Range(1, int64(10*time.Minute)).Draw(t, "gap")) >> rapid.IntRange(0, 30).Draw(t, "shift")
	for i := range n {
		at := time.Duration(i) * gap
		x := Sample{Seq: uint64(i), Attempt: 1, Intended: at, Due: at, Fired: true, Written: true, Final: true}
		x.Dispatched = at + time.Duration(rapid.IntRange(0, 5).Draw(t, "lag"))*time.Microsecond
		x.Sent = x.Dispatched + time.Duration(rapid.IntRange(0, 500).Draw(t, "wait"))*time.Millisecond
		x.Done = x.Sent + time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "raw"))>>rapid.IntRange(0, 40).Draw(t, "shift")
		x.Class = rapid.SampledFrom([]Class{OK, OK, OK, BadStatus, Dropped}).Draw(t, "class")
		if x.Class == Dropped {
			x.Fired, x.Written, x.Sent, x.Done = false, false, x.Dispatched, x.Dispatched
		}
		all = append(all, x)
	}
	return all
}

func pictured(all []Sample) *Picture {
	p := NewPicture(false)
	for i := range all {
		p.Record(&all[i])
	}
	return p
}

// Everything is in the picture once, however wide its bins have grown.
func TestPictureHoldsEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := drawn(t)
		p := pictured(all)
		var want, got Bin
		ok, failed := 0, uint64(0)
		for _, x := range all {
			want.Scheduled++
			if x.Fired {
				want.Sent++
				want.Ended++
				want.Lag = max(want.Lag, x.Lag())
			}
			if x.Class == OK {
				ok++
			} else {
				failed++
			}
		}
		f := p.Flow()
		require.LessOrEqual(t, len(f.Bins), mostBins)
		for _, b := range f.Bins {
			got.add(b)
		}
		require.Equal(t, want, got)

		h := p.Heat()
		require.LessOrEqual(t, len(h.Columns), mostColumns)
		for _, c := range h.Columns {
			failed -= c.Failed
			if c.Corrected != nil {
				ok -= int(c.Corrected.TotalCount())
				require.Equal(t, c.Corrected.TotalCount(), c.Raw.TotalCount())
			}
		}
		require.Zero(t, failed)
		require.Zero(t, ok)
	})
}

// The worst are those that took longest, in order; of those as long the first.
func TestPictureKeepsTheWorst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := drawn(t)
		want := append([]Sample{}, all...)
		slices.SortStableFunc(want, func(a, b Sample) int { return cmp.Compare(b.Corrected(), a.Corrected()) })
		require.Equal(t, want[:min(len(want), mostWorst)], pictured(all).Worst())
	})
}

// Shards' pictures together are the whole's, but for which of equals are the worst.
func TestPicturesMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := drawn(t)
		whole, merged := pictured(all), NewPicture(false)
		var shards [3][]Sample
		for i, x := range all {
			shards[i%3] = append(shards[i%3], x)
		}
		for _, i := range rapid.Permutation([]int{0, 1, 2}).Draw(t, "order") {
			merged.Merge(pictured(shards[i]))
		}
		require.Equal(t, whole.Flow().Bins, merged.Flow().Bins)
		require.Equal(t, whole.Heat().Columns, merged.Heat().Columns)
		took := func(all []Sample) (list []time.Duration) {
			for _, x := range all {
				list = append(list, x.Corrected())
			}
			return list
		}
		require.Equal(t, took(whole.Worst()), took(merged.Worst()))
	})
}

// A place's middle lies in it, and within a sixteenth of all that does.
func TestHeatCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := time.Duration(rapid.Int64Range(0, longestDrawn).Draw(t, "v") >> rapid.IntRange(0, 42).Draw(t, "shift"))
		c := cellOf(v)
		require.Less(t, c, heatCells)
		require.Equal(t, c, cellOf(valueOf(c)))
		require.InDelta(t, float64(v), float64(valueOf(c)), float64(v)/16+0.5)
	})
	require.Equal(t, heatCells-1, cellOf(longestDrawn))
	require.Equal(t, heatCells-1, cellOf(1<<62))
}

// In a closed loop nothing was intended: what counts is raw, by when it was due.
func TestPictureOfAClosedLoop(t *testing.T) {
	p := NewPicture(true)
	p.Record(&Sample{Attempt: 1, Due: time.Second, Dispatched: time.Second, Sent: time.Second, Done: 3 * time.Second, Fired: true, Written: true, Final: true})
	h := p.Heat()
	c := h.Columns[len(h.Columns)-1]
	require.Equal(t, time.Second/h.Width, time.Duration(len(h.Columns)-1))
	require.Nil(t, c.Corrected)
	require.EqualValues(t, 1, c.Raw.TotalCount())
	require.Len(t, p.Worst(), 1)
	for _, b := range p.Flow().Bins {
		require.Zero(t, b.Scheduled)
	}
}

func BenchmarkPicture(b *testing.B) {
	p := NewPicture(false)
	x := Sample{Attempt: 1, Fired: true, Written: true, Final: true}
	for i := range b.N {
		at := time.Duration(i) * 10 * time.Microsecond
		x.Intended, x.Due, x.Dispatched, x.Sent, x.Done = at, at, at, at, at+time.Millisecond
		p.Record(&x)
	}
}
