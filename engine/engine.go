package engine

import (
	"context"
	"time"

	"openload/correct"
	"openload/schedule"
)

// A Recorder takes what happened, in order. [correct.Recorder] is one.
type Recorder interface {
	// Arrive is told of every operation when it is dispatched, with the number of
	// operations that wait and of attempts under way before it.
	Arrive(seq uint64, intended, dispatched time.Duration, waiting, out int)
	// Record is told of every attempt when it has ended.
	Record(correct.Sample)
}

// A Watcher is a Recorder that is told more, for somebody who looks on while a run
// goes on.
type Watcher interface {
	Recorder
	// Fire is told of every attempt when it is handed to the World.
	Fire(Shot)
	// Turn is told each time the loop comes round, at least every 20 ms if the run can
	// be stopped.
	Turn(now time.Duration)
}

// A Retry decides which attempts are made. [retry.Retrier] is one.
type Retry interface {
	// Start is asked about every attempt when its time has come; attempt is 1 for the
	// first. If it says no, the attempt is not made and the operation has failed.
	Start(attempt int, now time.Duration) bool
	// After is told of every attempt that Start let through, successes as well, when it
	// has ended. It says whether another follows, and after what delay from its Done.
	After(correct.Sample) (delay time.Duration, again bool)
	// Asks is told of an attempt that another follows, and says whether that one only
	// asks what became of the operation.
	Asks(correct.Sample) bool
}

// Limits bound a run. Zero is no limit, but for Drain: zero waits for nothing.
type Limits struct {
	InFlight int           // most attempts under way at once, in each pool of the World
	Auto     bool          // InFlight is nobody's wish: who waits because of it waits because of us
	Backlog  int           // most operations waiting; one more is dropped and counted
	Timeout  time.Duration // of each attempt, from Sent
	Deadline time.Duration // of each operation, from Intended
	Drain    time.Duration // how long to wait for answers after the last arrival

	// Enough, if set, is asked each time the loop comes round. Once it says yes no operation is sent
	// any more; those that were settle as they would have, within Drain.
	Enough func() bool

	// Common, if set, is what several loops share that make one run together: what they
	// tell of how many wait, are out and how late we were is of all of them.
	Common *Common
}

func (l Limits) enough() bool { return l.Enough != nil && l.Enough() }

// Run fires every arrival of s into w and records every attempt, until all have
// settled. When stop ends it sends no more, drains and returns; when ctx ends it
// gives up at once. Whatever was due by then and has not settled is recorded as
// unfinished, so the balance always adds up. A nil retry never tries again.
func Run(ctx, stop context.Context, s schedule.Schedule, w World, rec Recorder, retry Retry, lim Limits) (e End) {
	cut, giveUp := context.WithCancel(ctx)
	defer giveUp()
	l := loop{schedule: s, rec: rec, retry: retry, lim: lim, pools: poolsOf(w, lim.Common), end: Forever}
	l.auto = lim.Auto
	l.next, l.more = s.Next()
	l.watch, _ = rec.(Watcher)
	for l.pending() {
		given, stopped := ctx.Err() != nil, stop.Err() != nil // once: a signal may come between two looks
		e.Interrupted = e.Interrupted || given || stopped
		if given || l.now >= l.end {
			giveUp()
			l.end = min(l.end, l.now)
			l.halt()
		} else if stopped {
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
		} else if l.now >= l.due() {
			l.dispatch()
		}
		l.fire()
		l.more = l.more && !lim.enough()
		if !l.draining && !l.more {
			l.draining, l.end = true, min(l.end, l.now+l.lim.Drain)
		}
		l.show()
		if l.watch != nil {
			l.watch.Turn(l.now)
		}
	}
	l.show()
	e.At, e.Capped = l.now, l.capped
	return e
}

// End is how a run came to its end.
type End struct {
	At          time.Duration // the loop's last instant
	Interrupted bool          // it was stopped, or given up, before all had settled
	Capped      bool          // attempts waited since as many were under way as may be
}

// glance is how often, at least, the loop looks whether it was asked to stop.
const glance = 20 * time.Millisecond

type loop struct {
	schedule schedule.Schedule
	next     schedule.Arrival // that has not been dispatched, if there is more
	more     bool

	rec   Recorder
	watch Watcher // rec, if it is one
	retry Retry
	lim   Limits

	again retries // attempts waiting for their backoff to end
	pools         // shots dispatched
	now   time.Duration
	end   time.Duration // when draining ends, as far as that is known

	draining bool // no operation comes any more
	stopped  bool // none is sent any more
}

// pending reports whether anything is still to happen.
func (l *loop) pending() bool {
	return l.flying > 0 || l.waiting > 0 || len(l.again) > 0 || !l.stopped && l.more
}

// due is when the next attempt should start.
func (l *loop) due() time.Duration {
	due := Forever
	if l.more && !l.stopped {
		due = l.next.At
	}
	if len(l.again) > 0 {
		due = min(due, l.again[0].Due)
	}
	return due
}

// until is when the loop has something to do even if no answer comes.
func (l *loop) until() time.Duration {
	until := min(l.due(), l.end)
	if l.waiting > 0 && l.lim.Deadline > 0 {
		until = min(until, l.deadline())
	}
	return until
}

// settle takes an answer.
func (l *loop) settle(x correct.Sample) {
	pool := l.of(x.Seq)
	x.Behind, x.WaitCounts = l.land(pool, x.Late), l.waitCounts(pool)
	l.conclude(x)
}

// conclude records an attempt that has ended, and plans the next one if there is one.
func (l *loop) conclude(x correct.Sample) {
	next, again := l.follow(x)
	x.Final = !again
	l.rec.Record(x)
	if again {
		l.again.push(next)
	}
}

// follow asks whether the operation of x is tried again. An attempt that could only
// start once the deadline has passed is not made.
func (l *loop) follow(x correct.Sample) (next Shot, again bool) {
	if l.retry == nil || l.stopped || x.Class == correct.Dropped || x.Class == correct.Blocked {
		return Shot{}, false
	}
	delay, again := l.retry.After(x)
	if !again || x.Class == correct.OK || x.Class == correct.Deadline || x.Class == correct.Unfinished {
		return Shot{}, false
	}
	next = l.shot(x.Seq, x.Intended)
	next.Attempt, next.Due, next.Earlier = x.Attempt+1, x.Done+delay, x.Earlier || x.Written
	next.Query = l.retry.Asks(x)
	if next.Deadline > 0 && next.Due >= next.Deadline {
		return Shot{}, false
	}
	return next, true
}

// shot is the first attempt at an operation.
func (l *loop) shot(seq uint64, intended time.Duration) Shot {
	s := Shot{Seq: seq, Pool: l.of(seq), Attempt: 1, Intended: intended, Due: intended, Timeout: l.lim.Timeout}
	if l.lim.Deadline > 0 {
		s.Deadline = intended + l.lim.Deadline
	}
	return s
}

// dispatch takes the attempt that is due first.
func (l *loop) dispatch() {
	var s Shot
	if l.more && !l.stopped && (len(l.again) == 0 || l.next.At <= l.again[0].Due) {
		s = l.arrive()
		if l.lim.Backlog > 0 && l.waiting >= l.lim.Backlog && l.all[s.Pool].len() > 0 {
			l.abort(s, correct.Dropped, l.now)
			return
		}
	} else {
		s = l.again.pop()
		s.Dispatched = l.now
	}
	if l.retry != nil && !l.retry.Start(s.Attempt, l.now) {
		l.abort(s, correct.Blocked, l.now)
		return
	}
	l.push(&s)
	l.late(s.Pool, l.now-s.Due)
}

// arrive takes the next arrival of the schedule.
func (l *loop) arrive() Shot {
	a := l.next
	l.next, l.more = l.schedule.Next()
	s := l.shot(a.Seq, a.At)
	s.Dispatched = l.now
	waiting, out := l.standing()
	l.rec.Arrive(a.Seq, a.At, l.now, waiting, out)
	return s
}

// fire starts what waits, as far as there is room, oldest first.
func (l *loop) fire() {
	l.pools.fire(l.now, l.lim.InFlight, l.watch, func(s Shot) { l.abort(s, correct.Deadline, max(s.Deadline, s.Dispatched)) })
}

// abort ends an attempt that was never fired.
func (l *loop) abort(s Shot, class correct.Class, done time.Duration) {
	x := s.Sample()
	x.Sent, x.Done, x.Class, x.Behind, x.Fired = done, done, class, l.behind(s.Pool), false
	l.conclude(x)
}

// halt sends no more. What waits, sleeps or was due already is unfinished; what is
// on the wire may still be answered, until the end of the drain.
func (l *loop) halt() {
	if l.stopped {
		return
	}
	l.stopped = true
	l.end = min(l.end, l.now+l.lim.Drain)
	for l.more && l.next.At <= l.now {
		s := l.arrive()
		l.push(&s)
	}
	for len(l.again) > 0 {
		s := l.again.pop()
		s.Due, s.Dispatched = l.now, l.now
		l.push(&s)
	}
	l.drain(func(s Shot) { l.abort(s, correct.Unfinished, l.now) })
}
