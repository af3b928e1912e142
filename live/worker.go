package live

import (
	"slices"
	"time"

	"openload/correct"
	"openload/engine"
	"openload/request"
	"openload/transport"
)

// A worker owns one connection. Each of its events is the worker itself: it fills in
// what happened, hands itself to the loop, and touches nothing before the next job.
type worker struct {
	world   *World
	pool    *pool // the host's
	address int   // of its route; Anywhere before the dial
	beside  bool  // no shot waits for it
	served  int   // requests that went over the connection
	jobs    chan job
	conn    Conn
	used    bool // a request went over the connection
	gone    bool // the connection is closed and the worker has left

	state   state
	at      time.Duration    // of the event
	took    time.Duration    // the dial
	opening *correct.Opening // for the first request
	peer    int              // among those of the Counters; the loop's
	outcome transport.Outcome
	sample  correct.Sample // if answered
	job     job            // if stale
}

// state says what an event is.
type state int

const (
	dialled   state = iota // there is a connection
	undialled              // there is none
	stale                  // the connection was dead before a byte was written: here is the job back
	answered               // the job is done
)

// A job is a shot on its way.
type job struct {
	shot    engine.Shot
	message request.Message // if there is a feed
	ready   time.Duration   // when both it and a connection were there
	late    time.Duration   // how long after that the worker began
	idle    bool            // the connection lay idle before
	stale   bool            // a connection was dead already
	writes  int             // times that a byte of it went out
	full    int             // times that a connection had no stream left
}

// dial opens the connection. It has a goroutine of its own, since dialling needs a
// deep stack, which each connection would then keep: 8 KiB instead of 4.
func (k *worker) dial() {
	w := k.world
	began := w.now()
	if k.beside {
		k.conn, k.outcome = k.pool.dialer.(routed).dialAt(w.ctx, w.timeout, k.address)
	} else {
		k.conn, k.outcome = k.pool.dialer.Dial(w.ctx, w.timeout)
	}
	k.at = w.now()
	k.took = k.at - began
	if k.outcome.Class == correct.OK {
		k.opening = w.opening(began, k.outcome)
		k.state = dialled
		w.owners.Go(k.run)
	} else {
		k.state = undialled
	}
	w.events <- k
}

// run does jobs until there are no more, or the connection is closed.
func (k *worker) run() {
	for j := range k.jobs {
		k.serve(j)
		gone := k.gone // what follows belongs to the loop
		if gone {
			k.conn.Close()
		}
		k.world.events <- k
		if gone {
			return
		}
	}
	k.conn.Close()
}

// serve makes one exchange.
func (k *worker) serve(j job) {
	w := k.world
	began := w.now()
	j.late += began - j.ready
	// One that was dialled just now is not asked: a server that accepts and closes has
	// answered.
	if (k.used || j.idle) && !k.conn.Alive() {
		k.dead(j, began)
		return
	}
	s := j.shot.Sample()
	s.Sent = w.now()
	cut, class := j.shot.Cut(s.Sent)
	var deadline time.Time
	if cut != engine.Forever {
		deadline = w.epoch.Add(cut)
	}
	o := w.exchange(k.conn, &j, deadline)
	s.Done = w.now()
	if o.Written {
		s.Wrote, s.First = w.since(s.Sent, o.Wrote), w.since(s.Sent, o.First)
		s.Opening, k.opening = k.opening, nil
		k.used = true
		k.served++
		j.writes++
	} else {
		s.Sent = s.Done
	}
	switch {
	case o.Full && j.full < crowded:
		j.full++
		k.handBack(j, s.Done)
		return
	case o.Class == correct.Stale && j.writes <= refusals:
		k.dead(j, s.Done)
		return
	case o.Class == correct.Stale:
		o.Class, o.Detail = correct.Reset, "refused by the server, again and again"
	case o.Class == correct.Timeout:
		o.Class = class
	case o.Status > 0 && s.Done > cut:
		o = o.TooLate(class)
	}
	w.drop(&j)
	s.Class, s.Status, s.Bytes, s.Written, s.RetryAfter = o.Class, o.Status, o.Bytes, o.Written, o.RetryAfter
	s.Resent = max(0, j.writes-1) + o.Resent
	s.Late = j.late + w.meter.late(s.Sent, s.Done)
	k.answer(s, o, o.Keep && !w.once && (w.each == 0 || k.served < w.each))
}

// refusals is how often a request is sent again that the server says it has not
// processed.
const refusals = 3

// crowded is how often a request looks for another connection, since the one that it
// was to go over lends fewer streams than it seemed to.
const crowded = 100

// exchange sends what the job's shot sends.
func (w *World) exchange(c Conn, j *job, deadline time.Time) transport.Outcome {
	switch {
	case w.feed == nil:
		return c.Exchange(j.shot, nil, deadline)
	case j.message.Err != nil:
		return transport.Unmade(j.message.Err)
	}
	return c.Exchange(j.shot, &j.message, deadline)
}

// dead gives the job back. It has failed if it was dialled for anew already and even
// that connection, on which nothing was ever sent, is dead.
func (k *worker) dead(j job, at time.Duration) {
	if j.stale && !k.used {
		k.world.drop(&j)
		s := j.shot.Sample()
		s.Sent, s.Done, s.Class, s.Late = at, at, correct.Stale, j.late
		k.answer(s, transport.Outcome{Class: correct.Stale}, false)
		return
	}
	j.stale = true
	k.handBack(j, at)
}

// handBack gives the job and the connection up.
func (k *worker) handBack(j job, at time.Duration) {
	k.state, k.at, k.job, k.gone = stale, at, j, true
	k.outcome = transport.Outcome{}
}

func (k *worker) answer(s correct.Sample, o transport.Outcome, keep bool) {
	k.state, k.at, k.sample, k.outcome, k.gone = answered, s.Done, s, o, !keep
}

// recent holds how long the last successful dials took.
type recent struct {
	took [8]time.Duration
	n    int
}

func (r *recent) add(d time.Duration) {
	r.took[r.n%len(r.took)] = d
	r.n++
}

// median is 0 before the first dial. One dial whose packet was lost does not count
// for much in it.
func (r *recent) median() time.Duration {
	sorted := r.took
	n := min(r.n, len(sorted))
	if n == 0 {
		return 0
	}
	slices.Sort(sorted[:n])
	return sorted[(n-1)/2]
}
