//go:build linux

package loop

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/engine"
)

// Law: the list is in order of the cuts, whatever is added and taken out.
func TestCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list cuts
		var in []*conn
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			if len(in) > 0 && rapid.Bool().Draw(t, "remove") {
				i := rapid.IntRange(0, len(in)-1).Draw(t, "which")
				list.remove(in[i])
				in = slices.Delete(in, i, i+1)
			} else {
				c := &conn{cut: time.Duration(rapid.IntRange(0, 9).Draw(t, "cut"))}
				list.add(c)
				in = append(in, c)
			}
			var forth, back []*conn
			for c := list.first; c != nil; c = c.next {
				forth = append(forth, c)
			}
			for c := list.last; c != nil; c = c.prev {
				back = append(back, c)
			}
			slices.Reverse(back)
			if !slices.Equal(forth, back) || len(forth) != len(in) {
				t.Fatal("the links are broken")
			}
			if !slices.IsSortedFunc(forth, func(a, b *conn) int { return int(a.cut - b.cut) }) {
				t.Fatal("out of order")
			}
			due := engine.Forever
			for _, c := range in {
				due = min(due, c.cut)
			}
			if list.due() != due {
				t.Fatal("not the first one")
			}
		}
	})
}

func TestRecent(t *testing.T) {
	var r recent
	require.Zero(t, r.median(), "nothing is known")
	r.add(5)
	r.add(100)
	require.EqualValues(t, 5, r.median(), "one that was lost does not count for much")
	for range len(r.took) {
		r.add(7)
	}
	require.EqualValues(t, 7, r.median(), "what is long past does not count")
}
