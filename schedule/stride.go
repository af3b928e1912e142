package schedule

import "fmt"

type stride struct {
	s    Schedule
	i, n uint64
}

// Stride is shard i of n of a schedule: the arrivals with Seq % n == i. The shards
// together are the whole. It panics unless i < n.
func Stride(s Schedule, i, n uint64) Schedule {
	if i >= n {
		panic(fmt.Sprintf("schedule: shard %d of %d", i, n))
	}
	return &stride{s, i, n}
}

func (t *stride) Next() (Arrival, bool) {
	for {
		a, ok := t.s.Next()
		if !ok || a.Seq%t.n == t.i {
			return a, ok
		}
	}
}
