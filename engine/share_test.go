package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/engine"
)

// Where targets take turns, each loop comes to all of them: the operations of both loops
// are the whole, and half of each loop's go to either target.
func TestEachLoopComesToEveryTarget(t *testing.T) {
	seen := map[uint64]int{}
	for i := range 2 {
		var l log
		w := newHosts([]int{9, 9}, func(engine.Shot) time.Duration { return ms })
		c := engine.Closed{Workers: 4, N: 101, Round: 2}.Share(i, 2)
		engine.RunClosed(context.Background(), context.Background(), c, w, &l, engine.Limits{Drain: time.Second})
		odd := 0
		for _, x := range l.samples {
			seen[x.Seq]++
			require.EqualValues(t, i, x.Worker%2)
			odd += int(x.Seq % 2)
		}
		require.InDelta(t, 25, odd, 1)
	}
	require.Len(t, seen, 101)
	for seq, n := range seen {
		require.Less(t, seq, uint64(101))
		require.Equal(t, 1, n)
	}
}
