package engine

import (
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

	Round uint64 // operations of a round in which targets take turns; 0: they do not

	shard       *schedule.Shard // its operations; nil: all
	first, step uint64          // of the numbers of workers; see Share
}

// RunClosed runs c in w, with an attempt an operation and no backlog: a worker waits
// for room as it waits for its answer. It returns how many slots were skipped:
// operations that an open model would have sent. There is no Intended in a closed loop:
// that of its samples is when the worker was free, and the slot had come. Of lim it
// heeds Timeout, Deadline, Drain and Enough; for stop and ctx see [Run].
func RunClosed(ctx, stop context.Context, c Closed, w World, rec Recorder, lim Limits) (skipped uint64, e End) {
	cut, giveUp := context.WithCancel(ctx)
	defer giveUp()
	c.step = max(1, c.step)
	l := closed{Closed: c, rec: rec, lim: lim, workers: make([]worker, c.Workers), pools: poolsOf(w, lim.Common), end: Forever}
	if c.Duration > 0 {
		l.end = c.Duration + lim.Drain
	}
	l.watch, _ = rec.(Watcher)
	for j := range l.workers {
		l.workers[j].slot = uint64(j)
		l.free(j, 0)
	}
	for l.pending() {
		given, stopped := ctx.Err() != nil, stop.Err() != nil // once: a signal may come between two looks
		e.Interrupted = e.Interrupted || given || stopped
		if given || l.now >= l.end {
			giveUp()
			l.end = min(l.end, l.now)
			l.halt()
		} else if stopped {
			l.end = min(l.end, l.now+lim.Drain)
			l.halt()
		}
		if !l.pending() {
			break
		}
		until := l.until()
		if stop.Done() != nil {
			until = min(until, l.now+glance)
		}
		now, x, answered := w.Wait(cut, until)
		l.now = max(l.now, now)
		if answered {
			l.settle(x)
		}
		if !l.enough && lim.enough() {
			l.enough, l.end = true, min(l.end, l.now+lim.Drain)
		}
		l.fire() // those that waited for room go first
		l.dispatch()
		l.show()
		if l.watch != nil {
			l.watch.Turn(l.now)
		}
	}
	l.show()
	e.At = l.now
	return l.skipped, e
}

// closed is the loop. A worker is in exactly one place: in ready, or on its way with a
// shot that is in waiting or in the World.
type closed struct {
	Closed
	rec   Recorder
	watch Watcher // rec, if it is one
	lim   Limits

	workers []worker
	ready   line // workers that know when they start next
	pools        // shots that are out, or that the World had no room for

	seq     uint64 // how many operations have started
	skipped uint64
	now     time.Duration
	end     time.Duration // when draining ends, as far as that is known
	enough  bool          // no operation starts any more; those that have settle
	stopped bool          // nothing starts any more
}

type worker struct {
	at   time.Duration // when it starts its next operation
	slot uint64        // the first slot that it has not used or passed
}

// pending reports whether anything is still to happen.
func (l *closed) pending() bool {
	return l.flying > 0 || l.waiting > 0 || l.due() < Forever
}

// due is when the next worker starts, if it is known already.
func (l *closed) due() time.Duration {
	if l.stopped || l.enough || l.ready.n == 0 || l.N > 0 && l.seq >= l.N {
		return Forever
	}
	at := l.workers[l.ready.first()].at
	if l.Duration > 0 && at >= l.Duration {
		return Forever
	}
	return at
}

// until is when the loop has something to do even if no answer comes.
func (l *closed) until() time.Duration {
	until := min(l.due(), l.end)
	if l.waiting > 0 && l.lim.Deadline > 0 {
		until = min(until, l.deadline())
	}
	return until
}

// settle takes an answer.
func (l *closed) settle(x correct.Sample) {
	x.Behind = l.land(l.of(x.Seq), x.Late)
	l.conclude(x)
}

// conclude records an operation that has ended, and frees its worker.
func (l *closed) conclude(x correct.Sample) {
	x.Final = true
	l.rec.Record(x)
	l.free(int(x.Worker)/int(l.step), x.Done+l.Think)
}

// dispatch starts every worker whose time has come.
func (l *closed) dispatch() {
	for l.due() <= l.now {
		j := l.ready.pop()
		at := l.workers[j].at
		l.workers[j].slot += uint64(l.Workers)
		seq, worker := l.seq, l.first+uint64(j)*l.step
		if l.shard != nil {
			seq = l.shard.Number(l.seq)
		}
		s := Shot{Seq: seq, Worker: int32(worker), Pool: l.of(seq), Attempt: 1, Intended: at, Due: at, Dispatched: l.now, Timeout: l.lim.Timeout}
		if l.lim.Deadline > 0 {
			s.Deadline = at + l.lim.Deadline
		}
		l.seq++
		if l.N > 0 && l.seq == l.N {
			l.end = min(l.end, l.now+l.lim.Drain) // that was the last one
		}
		waiting, out := l.standing()
		l.rec.Arrive(s.Seq, at, l.now, waiting, out)
		l.push(&s)
		l.late(s.Pool, l.now-at)
		l.fire()
	}
}

// fire starts what waits, as far as there is room, oldest first.
func (l *closed) fire() {
	l.pools.fire(l.now, 0, l.watch, func(s Shot) { l.abort(s, correct.Deadline, max(s.Deadline, s.Dispatched)) })
}

// abort ends an operation that was never fired.
func (l *closed) abort(s Shot, class correct.Class, done time.Duration) {
	x := s.Sample()
	x.Sent, x.Done, x.Class, x.Behind, x.Fired = done, done, class, l.behind(s.Pool), false
	l.conclude(x)
}

// halt starts no more. What waits is unfinished; what is on the wire may still be
// answered, until the end.
func (l *closed) halt() {
	l.stopped = true
	l.drain(func(s Shot) { l.abort(s, correct.Unfinished, l.now) })
}

// free makes worker j ready at the instant t, or at its next slot from then on.
func (l *closed) free(j int, t time.Duration) {
	w := &l.workers[j]
	w.at = t
	if l.Slot != nil {
		n := uint64(l.Workers)
		// Gallop, then bisect: a long stall passes millions of slots at a high rate.
		far := 1
		for l.Slot(w.slot+uint64(far)*n) < t {
			far *= 2
		}
		passed := uint64(sort.Search(far, func(i int) bool { return l.Slot(w.slot+uint64(i)*n) >= t }))
		l.skipped += l.missed(w.slot, passed)
		w.slot += passed * n
		w.at = l.Slot(w.slot)
	}
	l.ready.insert(j, l.workers)
}

// missed is how many of the slots that a worker passed, the first of them given, the
// run still had a use for.
func (l *closed) missed(first, passed uint64) uint64 {
	if l.N > 0 && l.seq >= l.N {
		return 0
	}
	if l.Duration > 0 {
		return uint64(sort.Search(int(passed), func(i int) bool { return l.Slot(first+uint64(i)*uint64(l.Workers)) >= l.Duration }))
	}
	return passed
}
