package sim

import (
	"time"

	"openload/correct"
)

// An event is an attempt that ends at Done; or, if again is set, one that failed and
// that a layer before the server sends once more at Done.
type event struct {
	correct.Sample
	cut    time.Duration // when its client gives up
	gaveUp correct.Class // and the class that it then has
	call   uint64        // the number of the latest at the server; see lab.Answer.Again
	again  bool
	alone  bool // its client has given up
}

// before is the order of events: by Done, then Seq.
func (e *event) before(x *event) bool {
	return e.Done < x.Done || e.Done == x.Done && e.Seq < x.Seq
}

// events are those to come, first the one that is before all others. From most servers
// answers come in the order of the requests: those stand in line, in a ring, and only
// what is before one of them goes into the heap. Both hold events, not pointers, so
// that nothing is allocated for one.
type events struct {
	ring  []event // its length is a power of two
	first int
	n     int

	heap []event
}

func (q *events) len() int { return q.n + len(q.heap) }

// next is the first event; there has to be one.
func (q *events) next() *event {
	if q.n == 0 || len(q.heap) > 0 && q.heap[0].before(&q.ring[q.first]) {
		return &q.heap[0]
	}
	return &q.ring[q.first]
}

// push takes a copy of e.
func (q *events) push(e *event) {
	if q.n > 0 && e.before(&q.ring[(q.first+q.n-1)&(len(q.ring)-1)]) {
		q.rise(e)
		return
	}
	if q.n == len(q.ring) {
		ring := make([]event, max(64, 2*len(q.ring)))
		m := copy(ring, q.ring[q.first:])
		copy(ring[m:], q.ring[:q.first])
		q.ring, q.first = ring, 0
	}
	q.ring[(q.first+q.n)&(len(q.ring)-1)] = *e
	q.n++
}

// pop takes out the first event.
func (q *events) pop() event {
	first := q.next()
	e := *first
	if len(q.heap) > 0 && first == &q.heap[0] {
		q.sink()
	} else {
		q.first = (q.first + 1) & (len(q.ring) - 1)
		q.n--
	}
	return e
}

// rise puts e into the heap.
func (q *events) rise(e *event) {
	q.heap = append(q.heap, *e)
	h := q.heap
	i := len(h) - 1
	for i > 0 && e.before(&h[(i-1)/2]) {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = *e
}

// sink takes the first off the heap.
func (q *events) sink() {
	last := q.heap[len(q.heap)-1]
	q.heap = q.heap[:len(q.heap)-1]
	h := q.heap
	if len(h) == 0 {
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child+1 < len(h) && h[child+1].before(&h[child]) {
			child++
		}
		if child >= len(h) || !h[child].before(&last) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = last
}
