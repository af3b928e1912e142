package correct

import "time"

// A Set names one reading of a run's samples.
type Set uint8

// The sets. One attempt is a value of the first group, one operation of the second.
const (
	Raw  Set = iota // Sent to Done; failed attempts rank above
	Lag             // Due to Dispatched
	Wait            // Dispatched to Sent, of attempts that were sent

	Corrected   // Intended to Done; failed, dropped and unfinished operations rank above
	CorrectedOK // the same of successes alone
	LessLag     // Corrected without our own lateness; failures that are ours count as fast
	LessWait    // LessLag without the wait for a connection either, where that may be ours
	Settled     // Intended to Done of every operation that ended, whatever the outcome

	ClosedLoop // what a closed loop of one worker would have said; see Recorder

	Sets // how many there are
)

var setNames = [Sets]string{
	Raw: "raw", Lag: "lag", Wait: "wait", Corrected: "corrected", CorrectedOK: "corrected_ok",
	LessLag: "corrected_less_lag", LessWait: "corrected_less_lag_and_wait", Settled: "settled", ClosedLoop: "closed_loop",
}

// String is the set's name in JSON.
func (s Set) String() string { return setNames[s] }

// Options are what a Recorder must know before the run.
type Options struct {
	Limits  []time.Duration   // durations at or over which to count exactly
	Closed  bool              // a closed loop: there is no schedule, so Raw, Lag and Wait are all there is
	Unknown func(Sample) bool // whether a failed operation may have had its effect; nil: none may
	Hosts   int               // how many servers operations go to; of several, no closed loop is predicted

	// Again is for samples that a run recorded before, and that come back from a
	// file: without Arrive, and without what needs neighbours or could be made to
	// grow with a number in the file: episodes, series, peaks.
	Again bool
}

// A Recorder takes one shard's samples, in order of Done. It locks nothing and
// belongs to one goroutine.
type Recorder struct {
	opt      Options
	snap     Snapshot
	block    block
	episodes episodes
	statuses [600]uint64 // responses by status, as far as it is below 600
	lastDone time.Duration
	lastSeq  uint64

	// What speaks for and against one queue: see closedLoop.
	idle       time.Duration // least service time of an operation that found nothing in flight
	busy, fast uint64        // operations that did find something; of them, those served in half of idle or less
}

// NewRecorder returns an empty recorder: less than a megabyte once it has seen samples,
// and what a [peak.Stream] takes, twice if there are retries.
func NewRecorder(opt Options) *Recorder {
	r := &Recorder{opt: opt}
	for i := range r.snap.dists {
		r.snap.dists[i] = NewDist(opt.Limits...)
	}
	r.snap.closed = opt.Closed
	r.snap.ordered = !opt.Closed && opt.Hosts < 2
	r.snap.single = true
	r.episodes = newEpisodes(r.snap.dists[Corrected].limits)
	return r
}

// Arrive notes that an operation was dispatched while waiting operations stood in
// the backlog and out were under way, itself not counted.
func (r *Recorder) Arrive(seq uint64, intended, dispatched time.Duration, waiting, out int) {
	s := &r.snap
	if s.Counts.Scheduled == 0 {
		s.FirstIntended, s.FirstDispatched = intended, dispatched
	}
	if !s.closed {
		r.episodes.arrive(seq)
	}
	s.Counts.Scheduled++
	s.LastIntended, s.LastDispatched = intended, dispatched
	s.MaxBacklog = max(s.MaxBacklog, waiting)
	s.MaxFlying = max(s.MaxFlying, out)
	s.growth.arrive(uint64(out + waiting))
	s.series.arrive(intended, waiting, out)
}

// Record adds one attempt.
func (r *Recorder) Record(x Sample) {
	s := &r.snap
	if r.usual(&x) {
		r.hold(&x)
	} else {
		if s.phases.parts(&x) {
			r.fold()
			s.phases.part(&s.dists[Raw])
		}
		r.attempt(&x)
		if !x.Final {
			return
		}
		r.operation(&x)
		if !s.closed && !r.opt.Again {
			s.series.settle(&x)
		}
	}
	if !s.closed && !r.opt.Again {
		r.episodes.settle(x.Seq, x.Corrected(), x.Class != OK)
	}
}

func (r *Recorder) attempt(x *Sample) {
	s := &r.snap
	if x.Fired || x.Attempt == 1 {
		s.dists[Lag].Record(x.Lag())
	}
	s.LastDone = max(s.LastDone, x.Done)
	if !x.Fired {
		return
	}
	s.Counts.Attempts++
	if x.Query {
		s.Counts.Queries++
	}
	s.Counts.Resent += uint64(x.Resent)
	if x.Class == OK {
		s.dists[Raw].Record(x.Raw())
	} else {
		s.dists[Raw].Fail(1)
	}
	if x.Written {
		s.Counts.AttemptsSent++
		s.dists[Wait].Record(x.Wait())
		if !r.opt.Again {
			s.arrivals.sent(x)
		}
	}
	if x.Class == Timeout {
		s.Counts.Cut++
	}
	if 0 < x.Status && x.Status < len(r.statuses) {
		r.statuses[x.Status]++
	} else if x.Status > 0 {
		s.Counts.status(x.Status, 1)
	}
	s.MaxLate = max(s.MaxLate, x.Late)
}

func (r *Recorder) operation(x *Sample) {
	s := &r.snap
	s.Counts.ByClass[x.Class]++
	if x.Class == Dropped {
		s.Counts.Dropped++
	} else {
		s.Counts.Fired++
	}
	if x.Written || x.Earlier {
		s.Counts.Sent++
	}
	made := x.Attempt
	if !x.Fired {
		made--
	}
	s.Counts.made(made, 1)
	if x.Class != OK {
		s.Counts.failed(made)
	}
	if x.Class != OK && r.opt.Unknown != nil && r.opt.Unknown(*x) {
		s.Counts.Unknown++
	}
	if x.Class == OK {
		if x.Attempt == 1 {
			s.Counts.FirstTry++
		}
		if x.Query {
			s.Counts.Resolved++
		}
		s.Counts.OK++
		if !s.closed && !r.opt.Again {
			s.phases.add(x)
		}
	}
	if s.closed {
		return
	}
	switch {
	case x.Class == OK:
		s.dists[Corrected].Record(x.Corrected())
		s.dists[LessLag].Record(x.LessLag())
		s.dists[LessWait].Record(x.LessWait())
	case x.Excused():
		s.dists[Corrected].Fail(1)
		s.dists[LessLag].Record(0)
		s.dists[LessWait].Record(0)
	default:
		s.dists[Corrected].Fail(1)
		s.dists[LessLag].Fail(1)
		s.dists[LessWait].Fail(1)
	}
	if x.Class != OK && x.Class != Dropped && x.Class != Unfinished {
		s.dists[Settled].Record(x.Corrected()) // successes stand in Corrected already
	}
	r.closedLoop(x)
}

// closedLoop predicts what one worker in a closed loop would have measured for
// this operation, if the server is one first-come-first-served queue: it could not
// have sent before the answer to the operation before. The prediction is withdrawn
// once an answer overtakes another, and where operations that had to queue would have
// been served much faster than those that did not: then they did not queue, as behind
// a long wire or in a server of many workers.
func (r *Recorder) closedLoop(x *Sample) {
	s := &r.snap
	if !s.ordered {
		return
	}
	if x.Seq < r.lastSeq || x.Done < r.lastDone || x.Attempt > 1 || x.Class != OK {
		s.ordered = false
	}
	if s.ordered {
		service := x.Done - max(x.Sent, r.lastDone)
		s.dists[ClosedLoop].Record(service)
		switch {
		case x.Sent >= r.lastDone && (r.idle == 0 || service < r.idle):
			r.idle = service
		case x.Sent < r.lastDone:
			r.busy++
			if service < r.idle/2 {
				r.fast++
			}
		}
	}
	r.lastSeq, r.lastDone = x.Seq, x.Done
}

// Snapshot is a copy of all that was recorded so far.
func (r *Recorder) Snapshot() *Snapshot {
	r.fold()
	c := r.snap.clone()
	for code, n := range r.statuses {
		if n > 0 {
			c.Counts.status(code, n)
		}
	}
	c.ordered = c.ordered && (r.fast < 3 || 20*r.fast <= r.busy)
	if !r.opt.Closed && !r.opt.Again {
		c.Episodes = r.episodes.counts()
	}
	return c
}
