package lab

import "time"

// A queue is one first-come queue in front of workers that are all alike.
// Serving costs the logarithm of the workers, whatever waits.
type queue struct {
	pace   pace
	room   uint64        // one more than may wait; 0: no limit
	maxAge time.Duration // of what is worth doing, when it is done; 0: no limit

	// When each worker is next free, in work done by one busy since 0: a heap
	// with the first to be free on top. Nil: every request has its own worker.
	free []work

	waiting line[work] // when those that wait begin, in order; kept if there is a limit
}

// serve returns when the request is finished, or turned away, that came to the server
// at arrived and to the queue at at. It is called in order of at.
func (q *queue) serve(arrived, at time.Duration, request uint64) (done time.Duration, fate Fate) {
	now := q.pace.by(at)
	start := now
	if q.free != nil && now.less(q.free[0]) {
		start = q.free[0]
	}
	if q.room > 0 && !q.enters(now, start) {
		return at, Rejected
	}
	end := start.plus(work{lo: request})
	done = q.instant(at, now, end)
	if request == 0 {
		// No work is left to be delayed, yet a frozen server answers nobody.
		done = q.pace.thaw(done)
	}
	if q.maxAge > 0 && done-arrived > q.maxAge {
		return q.pace.thaw(q.instant(at, now, start)), Expired
	}
	if q.free != nil {
		q.occupy(end)
	}
	return done, Served
}

// instant is when w is done, for a request that came at at, when now was.
func (q *queue) instant(at time.Duration, now, w work) time.Duration {
	if now.less(w) {
		return q.pace.when(w)
	}
	return at
}

// enters reports whether there is room to wait from now until start.
func (q *queue) enters(now, start work) bool {
	for q.waiting.len() > 0 && !now.less(q.waiting.front()) {
		q.waiting.pop()
	}
	if !now.less(start) {
		return true // it does not wait
	}
	if uint64(q.waiting.len()) >= q.room-1 {
		return false
	}
	q.waiting.push(start)
	return true
}

// occupy keeps the worker on top of the heap busy until end.
func (q *queue) occupy(end work) {
	i := 0
	for {
		next := 2*i + 1
		if next+1 < len(q.free) && q.free[next+1].less(q.free[next]) {
			next++
		}
		if next >= len(q.free) || !q.free[next].less(end) {
			break
		}
		q.free[i] = q.free[next]
		i = next
	}
	q.free[i] = end
}
