package correct

import (
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A picture that was written down and drawn again is the same picture.
func TestRedrawnIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		closed := rapid.Bool().Draw(t, "closed")
		p := NewPicture(closed)
		for i := range rapid.IntRange(0, 60).Draw(t, "n") {
			at := time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "at"))
			took := time.Duration(rapid.Int64Range(0, int64(time.Duration(1)<<rapid.IntRange(0, 41).Draw(t, "size"))).Draw(t, "took"))
			p.Record(&Sample{
				Seq: uint64(i), Attempt: 1, Intended: at, Due: at, Dispatched: at, Sent: at, Done: at + took, Fired: true, Written: true, Final: true,
				Class: rapid.SampledFrom([]Class{OK, OK, Reset}).Draw(t, "class"),
			})
		}
		flow, heat := p.Flow(), p.Heat()
		if flow.Width == 0 {
			return // nothing was drawn
		}
		again, err := Redraw(flow, heat, closed)
		require.NoError(t, err)
		require.Equal(t, flow, again.Flow())
		require.Equal(t, heat, again.Heat())
	})
}

func TestWhatCannotBeRedrawn(t *testing.T) {
	good := Flow{Width: 10 * time.Millisecond}
	for name, tt := range map[string]struct {
		flow Flow
		heat Heat
	}{
		"no width":       {Flow{}, Heat{Width: 10 * time.Millisecond}},
		"an odd width":   {good, Heat{Width: 30 * time.Millisecond}},
		"a finer width":  {Flow{Width: time.Millisecond}, Heat{Width: 10 * time.Millisecond}},
		"too many bins":  {Flow{Width: 10 * time.Millisecond, Bins: make([]Bin, mostBins+1)}, Heat{Width: 10 * time.Millisecond}},
		"too many in it": {good, Heat{Width: 10 * time.Millisecond, Columns: []Column{{Raw: crowd(1 << 33)}}}},
	} {
		_, err := Redraw(tt.flow, tt.heat, false)
		require.Error(t, err, name)
	}
}

func crowd(n int64) *hdrhistogram.Histogram {
	h := hdrhistogram.New(1, int64(Longest), 1)
	if err := h.RecordValues(1e6, n); err != nil {
		panic(err)
	}
	return h
}
