package engine

import (
	"fmt"
	"time"

	"openload/schedule"
)

// Share is loop i's share of what n loops divide among them. The shares differ by 1 at
// most, and together they are the whole.
func Share[T int | uint64](whole T, i, n int) T {
	return (whole + T(n-1-i)) / T(n)
}

// bounded is a share of what bounds the loops, if anything does. It panics if a share
// were nothing, for that would be no bound.
func bounded[T int | uint64](whole T, i, n int) T {
	if 0 < whole && whole < T(n) {
		panic(fmt.Sprintf("engine: %d is too little for %d loops", whole, n))
	}
	return Share(whole, i, n)
}

// Share are the limits of loop i of n that make one run together. It panics if there are
// more loops than one of the limits allows.
func (l Limits) Share(i, n int) Limits {
	l.InFlight, l.Backlog = bounded(l.InFlight, i, n), bounded(l.Backlog, i, n)
	return l
}

// Share is what loop i of n does of a closed loop: its workers are those with j % n == i,
// and its operations are those of a [schedule.Shard]. It panics if there are more loops than
// workers or operations.
func (c Closed) Share(i, n int) Closed {
	own := c
	own.Workers, own.N = bounded(c.Workers, i, n), bounded(c.N, i, n)
	own.first, own.step = uint64(i), uint64(n)
	shard := schedule.NewShard(uint64(i), uint64(n), c.Round, c.N)
	own.shard = &shard
	if c.Slot != nil {
		own.Slot = func(k uint64) time.Duration {
			round, j := k/uint64(own.Workers), k%uint64(own.Workers)
			return c.Slot(round*uint64(c.Workers) + j*uint64(n) + uint64(i))
		}
	}
	return own
}
