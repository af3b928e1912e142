package correct

import (
	"sort"
	"time"
)

// episodes counts stretches of neighbouring operations that reached a limit, in
// the order of their arrival although they settle in any order: fifty slow operations
// of one stall are one episode. It holds 16 bytes for each operation between the
// oldest unsettled one and the newest.
type episodes struct {
	limits []time.Duration // at most 15; further ones are not counted
	ring   []episode       // a power of two of them, by Seq, which grows
	first  int             // the oldest unsettled operation
	n      int
	inside uint16 // limits whose current stretch is still open
	count  [15]uint64
}

// An episode entry is an operation: the limits that it reached, and settledBit.
type episode struct {
	seq  uint64
	bits uint16
}

const settledBit = 1 << 15

func newEpisodes(limits []time.Duration) episodes {
	return episodes{limits: limits[:min(len(limits), 15)], ring: make([]episode, 64)}
}

func (e *episodes) at(i int) *episode { return &e.ring[(e.first+i)&(len(e.ring)-1)] }

func (e *episodes) arrive(seq uint64) {
	if len(e.limits) == 0 {
		return
	}
	if e.n == len(e.ring) {
		ring := make([]episode, 2*len(e.ring))
		m := copy(ring, e.ring[e.first:])
		copy(ring[m:], e.ring[:e.first])
		e.ring, e.first = ring, 0
	}
	*e.at(e.n) = episode{seq: seq}
	e.n++
}

func (e *episodes) settle(seq uint64, v time.Duration, failed bool) {
	i := 0 // mostly
	if e.n == 0 || e.at(0).seq != seq {
		if i = e.find(seq); i < 0 {
			return // it never arrived
		}
	}
	bits := uint16(settledBit)
	for i, limit := range e.limits {
		if failed || v >= limit {
			bits |= 1 << i
		}
	}
	e.at(i).bits = bits
	for e.n > 0 && e.at(0).bits != 0 {
		if bits := e.at(0).bits; bits&^settledBit|e.inside != 0 {
			e.pass(bits)
		}
		e.first = (e.first + 1) & (len(e.ring) - 1)
		e.n--
	}
}

// find is where the operation is, -1 if it is not.
func (e *episodes) find(seq uint64) int {
	if e.n == 0 {
		return -1
	}
	if i := seq - e.at(0).seq; i < uint64(e.n) && e.at(int(i)).seq == seq { // without gaps before it
		return int(i)
	}
	i := sort.Search(e.n, func(i int) bool { return e.at(i).seq >= seq })
	if i == e.n || e.at(i).seq != seq {
		return -1
	}
	return i
}

func (e *episodes) pass(bits uint16) {
	for i := range e.limits {
		if bit := uint16(1) << i; bits&bit != 0 && e.inside&bit == 0 {
			e.count[i]++
		}
	}
	e.inside = bits &^ settledBit
}

func (e *episodes) counts() []Episode {
	all := make([]Episode, len(e.limits))
	for i, limit := range e.limits {
		all[i] = Episode{limit, e.count[i]}
	}
	return all
}
