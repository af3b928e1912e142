package repair

import (
	"time"

	"openload/correct"
)

// line replays the requests of one worker through one first-come-first-served queue:
// at the interval, half and double of it, and, where no interval is known, at any.
type line struct {
	queues []correct.Queue
	dists  [3]correct.Dist // of requests that had to wait, and of failures; of all if every is set
	every  bool
	waited uint64 // how many had to at the interval

	blocks [][]time.Duration // service times, if the interval is unknown
	n      uint64
}

// mostTimes take 32 MB.
const (
	mostTimes = 1 << 22
	blockSize = 1 << 16
)

// newLine makes a line at the interval, and at half and double of it if that is the
// correction asked for. With every it counts each request itself.
func newLine(interval time.Duration, asked, every bool, limits []time.Duration) *line {
	l := &line{every: every}
	for i, factor := range factors {
		l.dists[i] = correct.NewDist(limits...)
		if interval > 0 && (i == 0 || asked) {
			l.queues = append(l.queues, correct.Queue{Interval: time.Duration(float64(interval) * factor)})
		}
	}
	return l
}

// add takes the next request and reports whether it would have had to wait. If not,
// its latency is what it took, and for the caller to count, unless every is set.
func (l *line) add(took time.Duration, ok bool) (waits bool) {
	l.n++
	if len(l.queues) == 0 {
		l.keep(took, ok)
		return false
	}
	var latency [3]time.Duration
	for i := range l.queues {
		latency[i] = l.queues[i].Next(took)
		waits = waits || latency[i] > took
	}
	if latency[0] > took {
		l.waited++
	}
	for i := range l.queues {
		switch {
		case !ok:
			l.dists[i].Fail(1)
		case waits || l.every:
			l.dists[i].Record(latency[i])
		}
	}
	return waits
}

func (l *line) keep(took time.Duration, ok bool) {
	if l.n > mostTimes {
		return
	}
	last := len(l.blocks) - 1
	if last < 0 || len(l.blocks[last]) == blockSize {
		l.blocks = append(l.blocks, make([]time.Duration, 0, blockSize))
		last++
	}
	if !ok {
		took = -took // a failure holds the queue up, and is over every limit
	}
	l.blocks[last] = append(l.blocks[last], took)
}

// over is how many requests fail, or take at least limit, if one comes every interval.
func (l *line) over(limit, interval time.Duration) (n uint64) {
	q := correct.Queue{Interval: interval}
	for _, block := range l.blocks {
		for _, took := range block {
			if q.Next(max(took, -took)) >= limit || took < 0 {
				n++
			}
		}
	}
	return n
}

// kept is how many of the requests over looks at.
func (l *line) kept() uint64 { return min(l.n, mostTimes) }
