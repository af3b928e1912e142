package correct

import "time"

// episodes counts stretches of neighbouring operations that reached a limit, in
// the order of Seq although they settle in any order: fifty slow operations of one
// stall are one episode. It holds a byte pair for each operation between the oldest
// unsettled one and the newest settled one.
type episodes struct {
	limits []time.Duration // at most 15; further ones are not counted
	step   uint64          // distance of neighbouring Seqs in this shard
	next   uint64          // the oldest unsettled operation
	ring   []uint16        // ring[(first+i)%len] is operation next + i·step: its limits' bits, and settledBit
	first  int
	inside uint16 // limits whose current stretch is still open
	count  [15]uint64
}

const settledBit = 1 << 15

func (e *episodes) init(limits []time.Duration, step uint64) {
	e.limits, e.step = limits[:min(len(limits), 15)], step
	e.ring = make([]uint16, 64)
}

func (e *episodes) start(seq uint64) { e.next = seq }

func (e *episodes) settle(seq uint64, v time.Duration, failed bool) {
	if seq < e.next {
		return
	}
	bits := uint16(settledBit)
	for i, limit := range e.limits {
		if failed || v >= limit {
			bits |= 1 << i
		}
	}
	ahead := int((seq - e.next) / e.step)
	for ahead >= len(e.ring) {
		e.grow()
	}
	e.ring[(e.first+ahead)%len(e.ring)] = bits
	for e.ring[e.first] != 0 {
		e.pass(e.ring[e.first])
		e.ring[e.first] = 0
		e.first = (e.first + 1) % len(e.ring)
		e.next += e.step
	}
}

func (e *episodes) pass(bits uint16) {
	for i := range e.limits {
		if bit := uint16(1) << i; bits&bit != 0 && e.inside&bit == 0 {
			e.count[i]++
		}
	}
	e.inside = bits &^ settledBit
}

func (e *episodes) grow() {
	ring := make([]uint16, 2*len(e.ring))
	n := copy(ring, e.ring[e.first:])
	copy(ring[n:], e.ring[:e.first])
	e.ring, e.first = ring, 0
}

func (e *episodes) counts() []Episode {
	all := make([]Episode, len(e.limits))
	for i, limit := range e.limits {
		all[i] = Episode{limit, e.count[i]}
	}
	return all
}
