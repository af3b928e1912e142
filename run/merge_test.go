package run_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/report"
	"openload/seed"
)

// What is merged from files looks like what one picture and one recorder of all samples
// would have shown: arrivals, heat map, the worst operations, and where the time went.
func TestMergedRunsAreDrawnAsOne(t *testing.T) {
	for example := range 25 { // a hundred take seconds
		b := brokens.Example(example)
		picture, snap := correct.NewPicture(false), (*correct.Snapshot)(nil)
		var runs []report.Named
		for k := range 2 + example%2 {
			b.plan.Seed = seed.Seed(k + 1)
			drawn, rec := correct.NewPicture(false), correct.NewRecorder(correct.Options{})
			r := b.run(t, false, func(x correct.Sample) {
				drawn.Record(&x)
				if !b.plan.Warm(x.Intended) {
					rec.Record(x)
				}
			})
			picture.Merge(drawn)
			if k == 0 {
				snap = rec.Snapshot()
			} else {
				snap.Merge(rec.Snapshot())
			}
			runs = append(runs, report.Named{Report: saved(t, r), File: fmt.Sprintf("%d.json", k)})
		}
		whole, err := report.Merge(runs)
		require.NoError(t, err)

		flow := picture.Flow()
		require.Equal(t, flow.Width, whole.Flow.Width)
		require.Len(t, whole.Flow.Ended, len(flow.Bins))
		for i, b := range flow.Bins {
			require.Equal(t, b, correct.Bin{Scheduled: whole.Flow.Scheduled[i], Sent: whole.Flow.Sent[i], Ended: whole.Flow.Ended[i], Lag: whole.Flow.Lag[i], Late: whole.Flow.Late[i]})
		}
		heat := picture.Heat()
		require.Equal(t, heat.Width, whole.Heat.Width)
		require.Len(t, whole.Heat.Raw, len(heat.Columns))
		for i, c := range heat.Columns {
			require.Equal(t, c.Failed, whole.Heat.Failed[i])
			if c.Corrected != nil {
				require.Equal(t, correct.Encoded(c.Corrected), whole.Heat.Corrected[i])
				require.Equal(t, correct.Encoded(c.Raw), whole.Heat.Raw[i])
			}
		}
		worst := picture.Worst()
		require.Len(t, whole.Worst, len(worst))
		for i, x := range worst {
			require.Equal(t, []any{x.Seq, x.Corrected()}, []any{whole.Worst[i].Seq, whole.Worst[i].Took})
			require.Contains(t, []int{1, 2, 3}, whole.Worst[i].Run)
		}

		phases := snap.Phases()
		require.Len(t, whole.Phases, len(phases))
		for i, p := range phases {
			of := whole.Phases[i]
			require.Equal(t, []any{p.Phase.String(), p.Sum.Int64(), p.Mean}, []any{of.Name, *of.Sum, of.Mean})
			if p.Dist == nil {
				require.Nil(t, of.Each)
				continue
			}
			require.Equal(t, report.DistOf(p.Dist).P99, of.Each.P99)
			require.Equal(t, p.Dist.Slowest(), *of.Each.Max)
		}
		if whole.Peaks.All.N > 0 {
			require.False(t, whole.Peaks.All.AtMost, "in virtual time no two are side by side")
		}
		require.Equal(t, snap.Counts.AttemptsSent, whole.Peaks.All.N)
	}
}
