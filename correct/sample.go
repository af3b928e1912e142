package correct

import "time"

// A Sample is one finished attempt at an operation. Every instant is an offset
// from the run's epoch on the monotonic clock.
type Sample struct {
	Seq     uint64 // the operation: its place in the schedule, from 0
	Attempt int    // 1 for the first try

	Intended   time.Duration // when the schedule says that the operation starts; no response can move it
	Due        time.Duration // when this attempt should start: Intended, or the end of its backoff
	Dispatched time.Duration // when our loop got round to it
	Handed     time.Duration // when the loop handed it to the World, whose connection was free then; 0 if it never was
	Sent       time.Duration // when the first byte went to the kernel; Done if none did
	Done       time.Duration // when the last byte was read, or the attempt failed

	Class  Class
	Worker int32 // whose it is, in a closed loop
	Status int   // HTTP status, 0 if no complete response came
	Bytes  int64 // response body bytes read

	Wrote   time.Duration // from Sent until the last byte of the request was handed over; 0: at once
	First   time.Duration // from Sent to the first byte of the response; 0: it came with the last
	Opening *Opening      // of the connection, if it was opened for this attempt or others that waited; nil: it was there

	RetryAfter time.Duration // what the response asked to wait before another attempt; 0: nothing

	Fired   bool // the attempt was made; false if it was dropped, or ended while it waited
	Written bool // a byte of the request was handed to the kernel
	Earlier bool // a byte of an earlier attempt at the operation was
	Query   bool // it only asked what became of the operation
	Final   bool // no further attempt follows: the operation has settled

	// WaitCounts says of one of several hosts that no wait for its connections is our
	// doing: they were opened as fast as they could be, up to the plan's cap.
	WaitCounts bool

	Resent int // times that the transport put this request on the wire again by itself

	// Late bounds our own lateness that Lag cannot see: handing the request to an
	// idle connection's goroutine, and reading the answer after it had arrived.
	Late time.Duration

	// Behind is the greatest lateness of ours, Lag or Late, since nothing was in
	// flight. It bounds what our lateness did to this sample: a first-come-first-served
	// server whose arrivals come at most Behind later also answers at most Behind later.
	Behind time.Duration
}

// Lag is our own lateness: never the server's fault.
func (s *Sample) Lag() time.Duration { return s.Dispatched - s.Due }

// Wait is the time spent waiting for a connection, or dialling.
func (s *Sample) Wait() time.Duration { return s.Sent - s.Dispatched }

// Raw is the service time of the attempt, what a closed-loop tool would report.
func (s *Sample) Raw() time.Duration { return s.Done - s.Sent }

// Corrected is what a user waited for the operation, up to this attempt's end.
// For a first attempt it is exactly Lag + Wait + Raw.
func (s *Sample) Corrected() time.Duration { return s.Done - s.Intended }

// LessLag is Corrected with all of our own lateness taken out, and what it may have
// done by sending in clumps: a lower bound of what a punctual generator would have seen.
func (s *Sample) LessLag() time.Duration {
	return max(0, s.Corrected()-time.Duration(s.Attempt)*s.Behind-s.Late)
}

// LessWait is LessLag without the wait for a connection either, unless that counts.
func (s *Sample) LessWait() time.Duration {
	if s.WaitCounts {
		return s.LessLag()
	}
	return max(0, s.LessLag()-s.Wait())
}

// Excused reports whether a failure is not the target's fault, or perhaps not: it is of
// our own doing, or its time ran out and had it not lost a tenth of it or more to our
// lateness, it might have been as fast as any.
func (s Sample) Excused() bool {
	return s.Class.Ours() || s.Class.TimedOut() && s.Corrected()-s.LessLag() >= s.Corrected()/10
}
