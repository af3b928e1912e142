package engine

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Law: whatever comes and goes, the one that leaves is due before all that stay.
func TestRetriesLeaveInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h retries
		var all []Shot
		for seq := range uint64(rapid.IntRange(1, 100).Draw(t, "n")) {
			if len(all) > 0 && rapid.Bool().Draw(t, "pop") {
				slices.SortFunc(all, func(a, b Shot) int { return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.Seq, b.Seq)) })
				require.Equal(t, all[0], h.pop())
				all = all[1:]
				continue
			}
			s := Shot{Seq: seq, Due: time.Duration(rapid.IntRange(0, 9).Draw(t, "due"))}
			h.push(s)
			all = append(all, s)
		}
		require.Len(t, h, len(all))
	})
}
