package engine

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Law: shares add up to the whole, and differ by 1 at most.
func TestSharesAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 64).Draw(t, "loops")
		whole := rapid.OneOf(rapid.Just(0), rapid.IntRange(n, 1_000_000)).Draw(t, "whole")
		lim := Limits{InFlight: whole, Backlog: whole}
		c := Closed{Workers: whole, N: uint64(whole)}
		var inFlight, backlog, workers int
		var ops uint64
		for i := range n {
			l, own := lim.Share(i, n), c.Share(i, n)
			require.InDelta(t, float64(whole)/float64(n), l.InFlight, 1)
			inFlight, backlog, workers, ops = inFlight+l.InFlight, backlog+l.Backlog, workers+own.Workers, ops+own.N
		}
		require.Equal(t, []int{whole, whole, whole, whole}, []int{inFlight, backlog, workers, int(ops)})
	})
	require.Panics(t, func() { Limits{InFlight: 3}.Share(0, 4) }, "a share of nothing would be no bound")
	require.Panics(t, func() { Closed{Workers: 4, N: 3}.Share(0, 4) })
}

// Law: the slots of all loops' workers are those of the whole, each once.
func TestTheSlotsOfAllLoopsAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "loops")
		whole := Closed{Workers: rapid.IntRange(n, 12).Draw(t, "workers"), Slot: func(k uint64) time.Duration { return time.Duration(k) }}
		const rounds = 4
		seen := map[time.Duration]int{}
		for i := range n {
			own := whole.Share(i, n)
			last := time.Duration(-1)
			for k := range uint64(rounds * own.Workers) {
				at := own.Slot(k)
				require.Greater(t, at, last)
				last = at
				seen[at]++
			}
		}
		require.Len(t, seen, rounds*whole.Workers)
		for k := range rounds * whole.Workers {
			require.Equal(t, 1, seen[time.Duration(k)])
		}
	})
}

// Law: loops that share say what one loop says, but for the microsecond to which a
// lateness is rounded up.
func TestCommonIsWhatOneLoopKnows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Common
		one := poolsOf(nil, nil)
		loops := []pools{poolsOf(nil, &c), poolsOf(nil, &c), poolsOf(nil, &c)}
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			l := &loops[rapid.IntRange(0, len(loops)-1).Draw(t, "loop")]
			by := time.Duration(rapid.Int64Range(0, 5_000_000).Draw(t, "late"))
			switch rapid.SampledFrom([]string{"push", "fire", "land", "pass"}).Draw(t, "step") {
			case "push":
				for _, p := range []*pools{l, &one} {
					p.push(&Shot{})
					p.late(0, by)
				}
			case "fire":
				if l.waiting > 0 {
					for _, p := range []*pools{l, &one} {
						p.all[0].pop()
						p.left(0)
					}
				}
			case "pass":
				if l.waiting > 0 {
					for _, p := range []*pools{l, &one} {
						p.all[0].pop()
						p.passed(0)
					}
				}
			case "land":
				if l.flying > 0 {
					require.Equal(t, rounded(one.land(0, by)), l.land(0, by))
				}
			}
			if rapid.Bool().Draw(t, "show") {
				l.show()
			}
			for i := range loops {
				if other := &loops[i]; other != l {
					other.show()
				}
			}
			waiting, out := l.standing()
			require.Equal(t, []int{one.waiting, one.flying}, []int{waiting, out})
			require.Equal(t, rounded(one.behind(0)), l.behind(0))
		}
	})
}

func rounded(d time.Duration) time.Duration {
	return time.Duration(micros(d)) * time.Microsecond
}

// Whoever is late knows it when it lands, whatever others do at the same time.
func TestNoLatenessIsForgotten(t *testing.T) {
	c := NewCommon(2)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for k := range 20_000 {
				late := time.Duration(i*k%1000) * time.Microsecond
				p := c.pool(int32(k % 2))
				c.stand(1, 0)
				p.join()
				p.late(late)
				c.stand(-1, 1)
				if p.land(0) < late {
					t.Error("lateness forgotten")
					return
				}
				c.stand(0, -1)
			}
		})
	}
	all.Wait()
	waiting, out := c.standing()
	require.Equal(t, []int{0, 0}, []int{waiting, out})
	require.Zero(t, c.pool(0).Load()|c.pool(1).Load())
}

func TestAnUpperBoundStaysOne(t *testing.T) {
	for _, tt := range []struct {
		d    time.Duration
		want uint64
	}{{-1, 0}, {0, 0}, {1, 1}, {999, 1}, {1000, 1}, {1001, 2}, {100 * time.Hour, 1<<32 - 1}} {
		require.Equal(t, tt.want, micros(tt.d), tt.d)
	}
}
