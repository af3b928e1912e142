package engine

import (
	"context"
	"time"

	"openload/correct"
)

// A Shot is one attempt that leaves now.
type Shot struct {
	Seq        uint64
	Worker     int32         // whose it is, in a closed loop
	Pool       int32         // of connections that it needs, if the World is Pooled
	Attempt    int           // 1 for the first
	Intended   time.Duration // when the schedule wanted the operation to start
	Due        time.Duration // when this attempt should have started
	Dispatched time.Duration // when the loop got round to it
	Handed     time.Duration // when the loop handed it to the World

	Timeout  time.Duration // most time from Sent to Done; 0: none
	Deadline time.Duration // the instant at which the operation gives up; 0: none

	Earlier bool // an earlier attempt put a byte on the wire
	Query   bool // it only asks what became of the operation
}

// Sample starts the record of s; the World fills in the rest.
func (s Shot) Sample() correct.Sample {
	return correct.Sample{
		Seq: s.Seq, Worker: s.Worker, Attempt: s.Attempt, Fired: true, Earlier: s.Earlier, Query: s.Query,
		Intended: s.Intended, Due: s.Due, Dispatched: s.Dispatched, Handed: s.Handed,
	}
}

// Forever is later than any instant of a run.
const Forever = time.Duration(1<<63 - 1)

// Cut returns the instant at which an attempt sent at sent is given up, and the
// class it then has: the earlier of timeout and deadline, Forever if it has neither.
// On a tie the deadline wins, since the operation is over.
func (s Shot) Cut(sent time.Duration) (time.Duration, correct.Class) {
	cut, class := Forever, correct.Timeout
	if s.Timeout > 0 && sent <= Forever-s.Timeout {
		cut = sent + s.Timeout
	}
	if s.Deadline > 0 && s.Deadline <= cut {
		cut, class = s.Deadline, correct.Deadline
	}
	return cut, class
}

// A World is where shots land: sockets and the machine's clock, or a model and
// a virtual one. One goroutine calls it.
type World interface {
	// Room reports how many of the waiting shots can be fired now; the first of
	// them has waited since the instant given. A World of connections decides
	// here whether to open more.
	Room(waiting int, since time.Duration) int

	// Fire starts an attempt and returns at once. It is called at most as often
	// as Room allowed. Each shot fired is answered exactly once by Wait.
	Fire(Shot)

	// Wait returns the next answer with Done at or before until, as soon as there
	// is one, or else the present instant: at until or later, or earlier if Room may
	// have grown. Once until has passed it returns without waiting. When ctx ends, every
	// attempt still out is given up and answered, as correct.Unfinished, without delay.
	Wait(ctx context.Context, until time.Duration) (now time.Duration, s correct.Sample, answered bool)
}
