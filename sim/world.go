package sim

import (
	"context"
	"time"

	"openload/correct"
	"openload/engine"
	"openload/lab"
)

// A World is a virtual clock and a modelled server. The server does the work of a
// request even if the client has given it up.
type World struct {
	now    time.Duration
	model  lab.Model
	expect func(status int) bool
	ledger lab.Ledger
	events events
}

var _ engine.World = (*World)(nil)

// New returns a World at instant 0. expect says which statuses are a success.
func New(m lab.Model, expect func(status int) bool) *World {
	return &World{model: m, expect: expect}
}

// Room is all that is asked for: connections cost nothing here.
func (w *World) Room(waiting int, _ time.Duration) int { return waiting }

// Stats lets the server finish what it has taken on, and returns what it has done in
// all. It ends the World. Nobody sends keys here, but an operation that is executed twice
// is a duplicate.
func (w *World) Stats() lab.Stats {
	for w.events.len() > 0 {
		w.next()
	}
	return w.ledger.Stats()
}

// Fire sends the request now.
func (w *World) Fire(s engine.Shot) {
	e := event{Sample: s.Sample(), call: 1}
	e.Sent, e.Written = w.now, true
	e.cut, e.gaveUp = s.Cut(w.now)
	w.ledger.Arrive(s.Attempt)
	w.serve(&e)
}

// serve has the server take the request of e, for the first time or once more.
func (w *World) serve(e *event) {
	a := w.model.Serve(w.now)
	w.ledger.Call(e.call, a)
	again := a.Again(e.call)
	if a.At > e.cut && !e.alone {
		w.end(e, e.cut, e.gaveUp)
		e.alone = true
	}
	if a.Effect {
		w.ledger.Execute(key(e, again > 0 || a.Status == 0))
	}
	switch {
	case again > 0:
		e.Done, e.again, e.call = a.At, true, again
		w.events.push(e)
		return
	case e.alone:
	case a.Status == 0:
		w.end(e, a.At, correct.Reset)
	default:
		e.Status, e.RetryAfter, e.Bytes = a.Status, a.RetryAfter, int64(a.Body)
		class := correct.OK
		if !w.expect(a.Status) {
			class = correct.BadStatus
		}
		w.end(e, a.At, class)
	}
	w.ledger.Leave(a.Status)
}

// end has the attempt of e answered at done.
func (w *World) end(e *event, done time.Duration, c correct.Class) {
	e.Done, e.Class, e.again = done, c, false
	w.events.push(e)
}

// key is under which work for e is remembered: it may be, or may have been, done more
// than once. What is told at the first attempt needs no memory, and a simulation may be
// long.
func key(e *event, unsure bool) uint64 {
	if unsure || e.Attempt > 1 || e.call > 1 || e.alone && e.gaveUp != correct.Deadline {
		return e.Seq + 1
	}
	return 0
}

// Wait jumps to the next answer, or to until.
func (w *World) Wait(ctx context.Context, until time.Duration) (time.Duration, correct.Sample, bool) {
	for w.events.len() > 0 && w.events.next().Done <= until {
		if x, answered := w.next(); answered {
			return w.now, x, true
		}
	}
	if ctx.Err() != nil {
		for w.events.len() > 0 {
			if e := w.events.pop(); !e.alone {
				e.Done, e.Class = w.now, correct.Unfinished
				e.Status, e.Bytes, e.RetryAfter = 0, 0, 0
				return w.now, e.Sample, true
			}
		}
	}
	w.now = max(w.now, until)
	return w.now, correct.Sample{}, false
}

// next jumps to the next event, which may be an answer.
func (w *World) next() (x correct.Sample, answered bool) {
	e := w.events.pop()
	w.now = max(w.now, e.Done)
	if !e.again {
		return e.Sample, true
	}
	e.again = false
	w.serve(&e)
	return correct.Sample{}, false
}
