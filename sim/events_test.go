package sim

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
)

// Whatever goes in comes out in order, those at one instant by operation.
func TestEventsComeInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q events
		var held []correct.Sample
		crowd := rapid.IntRange(0, 300).Draw(t, "crowd")
		for seq := range uint64(500) {
			if len(held) > crowd || len(held) > 0 && rapid.IntRange(0, 2).Draw(t, "pop") == 0 {
				slices.SortFunc(held, func(a, b correct.Sample) int {
					return cmp.Or(cmp.Compare(a.Done, b.Done), cmp.Compare(a.Seq, b.Seq))
				})
				require.Equal(t, held[0], q.next().Sample)
				require.Equal(t, held[0], q.pop().Sample)
				held = held[1:]
			}
			x := correct.Sample{Seq: seq, Done: time.Duration(rapid.IntRange(0, 50).Draw(t, "done"))}
			q.push(&event{Sample: x})
			held = append(held, x)
			require.Equal(t, len(held), q.len())
		}
	})
}
