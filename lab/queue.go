package lab

import "time"

// A queue is one first-come queue in front of workers that are all alike.
// Serving costs the logarithm of the workers, whatever waits.
type queue struct {
	pace    pace
	request uint64  // the work of an ordinary request
	stalls  []stall // those to come, by number; their work is in nanoseconds
	arrived uint64

	// When each worker is next free, in work done by one busy since 0: a heap
	// with the first to be free on top. Nil: every request has its own worker.
	free []work
}

// serve returns when the request that arrives at at is finished. It is called
// in order of arrival.
func (q *queue) serve(at time.Duration) time.Duration {
	q.arrived++
	request := q.request
	if len(q.stalls) > 0 && q.stalls[0].number == q.arrived {
		request, q.stalls = uint64(q.stalls[0].total), q.stalls[1:]
	}

	now := q.pace.by(at)
	end := now
	if q.free != nil && end.less(q.free[0]) {
		end = q.free[0]
	}
	end = end.plus(work{lo: request})
	if q.free != nil {
		q.occupy(end)
	}

	done := at
	if now.less(end) {
		done = q.pace.when(end)
	}
	if request == 0 {
		// No work is left to be delayed, yet a frozen server answers nobody.
		done = q.pace.thaw(done)
	}
	return done
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
