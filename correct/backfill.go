package correct

import "time"

// Backfill adds a closed loop's sample v and the samples that the loop skipped
// while it waited, one interval apart: v−interval, v−2·interval … while at least
// interval. It returns how many were synthesised: max(0, ⌊v/interval⌋ − 1).
//
// It is right for a tool that skips what it missed, and interval is that of one
// worker. An interval of zero or less adds v alone. The cost is that of the
// buckets touched, whatever v/interval is: an hour at 1 µs, 3.6 thousand million
// samples, takes some microseconds.
//
// Source: HdrHistogram's recordValueWithExpectedInterval.
func (d *Dist) Backfill(v, interval time.Duration) (synthetic uint64) {
	d.Record(v)
	return d.FillN(v, 1, interval)
}

// bucketFloor is the least value of v's bucket in a 3-digit histogram from 1 ns:
// buckets are 2^k wide from 2048·2^(k−1) on.
func bucketFloor(v time.Duration) time.Duration {
	if v > Longest {
		return Longest + 1 // kept by no bucket: step through all that lie above in one go
	}
	return binFloor(bin(v))
}

// series adds an arithmetic series of n terms between least and greatest, as often
// as times says.
func (s *sum) series(least, greatest, n, times uint64) {
	// n·(least+greatest)/2, halving whichever factor is even.
	ends := least + greatest
	if ends%2 == 0 {
		s.add(ends/2, n*times)
	} else if n%2 == 0 {
		s.add(ends, n/2*times)
	} else {
		panic("correct: an arithmetic series has a whole sum")
	}
}

// A Queue replays service times through one first-come-first-served server that
// gets a request every interval: Lindley's recursion W' = max(0, W + s − interval).
// What it gives is a prediction of an open-model run, not a measurement.
//
// Source: Lindley, The theory of queues with a single server (1952).
type Queue struct {
	Interval time.Duration
	wait     time.Duration
}

// Next is the latency, waiting included, of the next request if its service takes s.
func (q *Queue) Next(s time.Duration) time.Duration {
	latency := q.wait + s
	q.wait = max(0, latency-q.Interval)
	return latency
}
