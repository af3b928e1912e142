package schedule

import "fmt"

// A Shard is one of n loops or machines that make a run together: of every n operations in
// a row it makes one. Which one is the same all the time, or, where targets take turns,
// moves on by one now and then: if n and the length of their round have a divisor in
// common, a shard would otherwise never come to some of the targets.
type Shard struct {
	i, n   uint64
	period uint64 // moves on by one after so many operations; 0: never
	whole  uint64
}

// NewShard is shard i of n, of a run whose targets take turns in rounds of so many
// operations; 0: they do not. whole is how many operations there are, if their shards must
// not number more; 0: any number. It panics unless i is less than n.
func NewShard(i, n, round, whole uint64) Shard {
	if i >= n {
		panic(fmt.Sprintf("schedule: shard %d of %d", i, n))
	}
	s := Shard{i: i, n: n, whole: whole}
	if divisor := gcd(n, round); round > 1 && divisor > 1 {
		s.period = n / divisor * round
	}
	return s
}

func gcd(a, b uint64) uint64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// turn is how far it has moved on by the row of n operations that begins with first. The
// last row, which may be shorter, has not.
func (s Shard) turn(first uint64) uint64 {
	if s.period == 0 || s.whole > 0 && s.whole-first < s.n {
		return 0
	}
	return first / s.period % s.n
}

// Number is the shard's kth operation.
func (s Shard) Number(k uint64) uint64 {
	first := k * s.n
	return first + (s.i+s.turn(first))%s.n
}

// Owner is the number of the shard that makes operation seq.
func (s Shard) Owner(seq uint64) uint64 {
	return (seq%s.n + s.n - s.turn(seq-seq%s.n)) % s.n
}

// Of is the shard's part of a schedule. All parts together are the whole.
func (s Shard) Of(whole Schedule) Schedule { return &part{whole, s} }

// Stride is shard i of n of a schedule: the arrivals with Seq % n == i. The shards
// together are the whole. It panics unless i < n.
func Stride(s Schedule, i, n uint64) Schedule { return NewShard(i, n, 0, 0).Of(s) }

type part struct {
	whole Schedule
	shard Shard
}

func (p *part) Next() (Arrival, bool) {
	for {
		a, ok := p.whole.Next()
		if !ok || p.shard.Owner(a.Seq) == p.shard.i {
			return a, ok
		}
	}
}
