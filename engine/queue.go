package engine

// queue holds shots first in, first out, in a ring that grows by doubling.
type queue struct {
	ring  []Shot // its length is a power of two
	first int
	n     int
}

func (q *queue) len() int { return q.n }

// head is the first; it may be looked at until the next push.
func (q *queue) head() *Shot { return &q.ring[q.first] }

func (q *queue) push(s *Shot) {
	if q.n == len(q.ring) {
		ring := make([]Shot, max(64, 2*len(q.ring)))
		m := copy(ring, q.ring[q.first:])
		copy(ring[m:], q.ring[:q.first])
		q.ring, q.first = ring, 0
	}
	q.ring[(q.first+q.n)&(len(q.ring)-1)] = *s
	q.n++
}

func (q *queue) pop() Shot {
	s := q.ring[q.first]
	q.first = (q.first + 1) & (len(q.ring) - 1)
	q.n--
	return s
}
