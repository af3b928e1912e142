package engine

import (
	"container/heap"
	"context"
	"sort"
	"time"

	"openload/correct"
	"openload/schedule"
)

// Closed describes a closed loop: Workers that each wait for their answer before
// they send again.
type Closed struct {
	Workers  int
	N        uint64        // operations in all; 0: no limit
	Duration time.Duration // no operation starts at this instant or later; 0: no limit
	Think    time.Duration // pause between an answer and the worker's next operation

	// Slot, if not nil, paces the workers: worker j may start at Slot(j),
	// Slot(j+Workers), Slot(j+2·Workers) … only. A slot that passes while the worker
	// waits for an answer is skipped, not made up for. Slot must not decrease.
	Slot func(k uint64) time.Duration
}

// RunClosed runs c in w. It returns how many slots were skipped: operations that an
// open model would have sent. There is no Intended in a closed loop: that of its
// samples is when the worker was free, and the slot had come.
func RunClosed(ctx, stop context.Context, c Closed, w World, rec Recorder, lim Limits) (skipped uint64, e End) {
	from := &closed{Closed: c, busy: make(map[uint64]worker, c.Workers)}
	for j := range c.Workers {
		from.free(worker{slot: uint64(j)}, 0)
	}
	lim.InFlight = c.Workers
	end := Forever
	if c.Duration > 0 {
		end = c.Duration + lim.Drain
	}
	e = run(ctx, stop, from, end, w, rec, nil, lim)
	return from.skipped, e
}

type closed struct {
	Closed
	ready   workers           // those that know when they start next
	busy    map[uint64]worker // those that wait for an answer, by their operation
	seq     uint64
	skipped uint64
}

type worker struct {
	at   time.Duration // when it starts its next operation
	slot uint64        // the first slot that it has not used or passed
}

// free makes w ready at the instant t, or at its next slot from then on.
func (c *closed) free(w worker, t time.Duration) {
	w.at = t
	if c.Slot != nil {
		n := uint64(c.Workers)
		// Gallop, then bisect: a long stall passes millions of slots at a high rate.
		far := 1
		for c.Slot(w.slot+uint64(far)*n) < t {
			far *= 2
		}
		passed := uint64(sort.Search(far, func(i int) bool { return c.Slot(w.slot+uint64(i)*n) >= t }))
		c.skipped += c.missed(w.slot, passed)
		w.slot += passed * n
		w.at = c.Slot(w.slot)
	}
	heap.Push(&c.ready, w)
}

// missed is how many of the slots that a worker passed, the first of them given, the
// run still had a use for.
func (c *closed) missed(first, passed uint64) uint64 {
	if c.N > 0 && c.seq >= c.N {
		return 0
	}
	if c.Duration > 0 {
		return uint64(sort.Search(int(passed), func(i int) bool { return c.Slot(first+uint64(i)*uint64(c.Workers)) >= c.Duration }))
	}
	return passed
}

func (c *closed) peek() (schedule.Arrival, bool) {
	if len(c.ready) == 0 || c.over() {
		return schedule.Arrival{}, false
	}
	return schedule.Arrival{Seq: c.seq, At: c.ready[0].at}, true
}

// over reports whether the worker that is ready first is too late to start.
func (c *closed) over() bool {
	return c.N > 0 && c.seq >= c.N || c.Duration > 0 && len(c.ready) > 0 && c.ready[0].at >= c.Duration
}

func (c *closed) pop() {
	w := heap.Pop(&c.ready).(worker)
	w.slot += uint64(c.Workers)
	c.busy[c.seq] = w
	c.seq++
}

func (c *closed) settled(x correct.Sample) {
	w := c.busy[x.Seq]
	delete(c.busy, x.Seq)
	c.free(w, x.Done+c.Think)
}

func (c *closed) exhausted() bool {
	return c.N > 0 && c.seq >= c.N || c.Duration > 0 && len(c.busy) == 0 && c.over()
}

// owed is false: an operation that its worker has not started is nobody's yet.
func (c *closed) owed() bool { return false }

type workers []worker

func (w workers) Len() int { return len(w) }
func (w workers) Less(i, j int) bool {
	return w[i].at < w[j].at || w[i].at == w[j].at && w[i].slot < w[j].slot
}
func (w workers) Swap(i, j int) { w[i], w[j] = w[j], w[i] }
func (w *workers) Push(x any)   { *w = append(*w, x.(worker)) }
func (w *workers) Pop() any {
	old := *w
	x := old[len(old)-1]
	*w = old[:len(old)-1]
	return x
}
