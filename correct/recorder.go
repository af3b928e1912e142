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
	LessWait    // LessLag without the wait for a connection either
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
	Shards  uint64            // this recorder sees every Shards-th operation; 0 means 1
	Unknown func(Sample) bool // whether a failed operation may have had its effect; nil: none may
	Tally   *Tally            // if set, kept up to date for whoever watches
}

// A Recorder takes one shard's samples, in order of Done. It locks nothing and
// belongs to one goroutine.
type Recorder struct {
	opt      Options
	snap     Snapshot
	episodes episodes
	lastDone time.Duration
	lastSeq  uint64
}

// NewRecorder returns an empty recorder: about 2.4 MB once it has seen samples.
func NewRecorder(opt Options) *Recorder {
	r := &Recorder{opt: opt}
	for i := range r.snap.dists {
		r.snap.dists[i] = NewDist(opt.Limits...)
	}
	r.snap.closed = opt.Closed
	r.snap.ordered = !opt.Closed
	r.snap.single = true
	r.episodes.init(r.snap.dists[Corrected].limits, max(1, opt.Shards))
	if opt.Tally == nil {
		r.opt.Tally = new(Tally)
	}
	return r
}

// Arrive notes that an operation was dispatched while waiting operations stood in
// the backlog and out were under way, itself not counted.
func (r *Recorder) Arrive(seq uint64, intended, dispatched time.Duration, waiting, out int) {
	s := &r.snap
	if s.Counts.Scheduled == 0 {
		s.FirstIntended, s.FirstDispatched = intended, dispatched
		r.episodes.start(seq)
	}
	s.Counts.Scheduled++
	s.LastIntended, s.LastDispatched = intended, dispatched
	s.MaxBacklog = max(s.MaxBacklog, waiting)
	s.MaxFlying = max(s.MaxFlying, out)
	s.growth.arrive(uint64(out + waiting))
	s.series.arrive(intended, waiting)
	r.opt.Tally.Scheduled.Store(s.Counts.Scheduled)
}

// Record adds one attempt.
func (r *Recorder) Record(x Sample) {
	s := &r.snap
	r.attempt(x)
	if !x.Final {
		return
	}
	r.operation(x)
	if !s.closed {
		r.episodes.settle(x.Seq, x.Corrected(), x.Class != OK)
		s.series.settle(x)
	}
	t := r.opt.Tally
	t.Settled.Store(s.Counts.Fired + s.Counts.Dropped)
	t.OK.Store(s.Counts.OK)
}

func (r *Recorder) attempt(x Sample) {
	s := &r.snap
	if x.Fired || x.Attempt == 1 {
		s.dists[Lag].Record(x.Lag())
		r.opt.Tally.MaxLag.Store(int64(s.dists[Lag].max))
	}
	s.LastDone = max(s.LastDone, x.Done)
	if !x.Fired {
		return
	}
	s.Counts.Attempts++
	s.Counts.Resent += uint64(x.Resent)
	if x.Class == OK {
		s.dists[Raw].Record(x.Raw())
	} else {
		s.dists[Raw].Fail(1)
	}
	if x.Written {
		s.Counts.AttemptsSent++
		s.dists[Wait].Record(x.Wait())
		s.arrivals.sent(x)
	}
	if x.Class == Timeout {
		s.Counts.Cut++
	}
	if x.Status > 0 {
		s.Counts.status(x.Status)
	}
	s.MaxLate = max(s.MaxLate, x.Late)
}

func (r *Recorder) operation(x Sample) {
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
	s.Counts.made(made)
	if x.Class != OK && r.opt.Unknown != nil && r.opt.Unknown(x) {
		s.Counts.Unknown++
	}
	if x.Class == OK {
		if x.Attempt == 1 {
			s.Counts.FirstTry++
		}
		s.Counts.OK++
	}
	if s.closed {
		return
	}
	switch {
	case x.Class == OK:
		s.dists[Corrected].Record(x.Corrected())
		s.dists[LessLag].Record(x.LessLag())
		s.dists[LessWait].Record(max(0, x.LessLag()-x.Wait()))
	case x.Class.Ours() || x.Class.TimedOut() && x.Corrected()-x.LessLag() >= x.Corrected()/10:
		// Not the target's fault, or perhaps not: had it not lost a tenth of its time
		// or more to our lateness, it might have been as fast as any.
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
// have sent before the answer to the operation before. Once an answer overtakes
// another the server is no such queue and the prediction is withdrawn.
func (r *Recorder) closedLoop(x Sample) {
	s := &r.snap
	if s.Counts.Fired > 1 && x.Seq < r.lastSeq || x.Done < r.lastDone || x.Attempt > 1 || x.Class != OK {
		s.ordered = false
	}
	if s.ordered {
		s.dists[ClosedLoop].Record(x.Done - max(x.Sent, r.lastDone))
	}
	r.lastSeq, r.lastDone = x.Seq, x.Done
}

// Snapshot is a copy of all that was recorded so far.
func (r *Recorder) Snapshot() *Snapshot {
	c := r.snap.clone()
	if !r.opt.Closed {
		c.Episodes = r.episodes.counts()
	}
	return c
}
