package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Law: whoever joins a line and leaves it, the first is the one that starts soonest.
func TestLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := make([]worker, rapid.IntRange(1, 9).Draw(t, "workers"))
		var l line
		var in []int
		for j := range all {
			all[j].slot = uint64(j)
			l.insert(j, all)
			in = append(in, j)
		}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			if len(in) > 0 && rapid.Bool().Draw(t, "leaves") {
				slices.SortFunc(in, func(i, j int) int {
					if all[i].before(all[j]) {
						return -1
					}
					return 1
				})
				require.Equal(t, in[0], l.pop())
				in = in[1:]
			} else if out := rapid.IntRange(0, len(all)-1).Draw(t, "who"); !slices.Contains(in, out) {
				all[out] = worker{at: time.Duration(rapid.IntRange(0, 5).Draw(t, "at")), slot: all[out].slot + uint64(len(all))}
				l.insert(out, all)
				in = append(in, out)
			}
			require.Equal(t, len(in), l.n)
		}
	})
}
