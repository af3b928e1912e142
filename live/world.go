package live

import (
	"context"
	"sync"
	"time"

	"openload/correct"
	"openload/engine"
	"openload/request"
	"openload/transport"
)

// Options say what a World is made of.
type Options struct {
	Epoch  time.Time // instant 0
	Dialer Dialer
	Feed   *request.Feed // what shots send; nil: the dialer knows
	Pacer  Pacer         // nil: Precise

	Connections    int           // most connections at once, those being dialled included; at least 1
	ConnectTimeout time.Duration // of each dial; 0: none
	NoKeepAlive    bool          // a connection takes one request
	PerConnection  int           // most requests that one takes; 0: any number
}

// A Dialer opens connections. [Over] makes one of a transport.
type Dialer interface {
	// Dial opens a connection within timeout, or says in o.Class why there is none.
	// When ctx ends, Dial and every exchange on its connections return at once.
	Dial(ctx context.Context, timeout time.Duration) (c Conn, o transport.Outcome)
}

// A Conn is one connection, used by one goroutine.
type Conn interface {
	// Alive reports whether an idle connection can still be used, without waiting.
	Alive() bool
	// Exchange sends the shot's request, which is m unless that is nil, and reads the
	// response by deadline; a zero one is none.
	Exchange(s engine.Shot, m *request.Message, deadline time.Time) transport.Outcome
	Close()
}

// MaxDials is how many connections are dialled at the same time. Without a limit a
// single hiccup turns an open model into a storm of dials that never ends.
const MaxDials = 32

// A World is a bounded pool of connections. One goroutine calls its methods.
type World struct {
	epoch   time.Time
	dialer  Dialer
	feed    *request.Feed
	timeout time.Duration
	once    bool // connections take one request
	each    int  // or so many at most; 0: any number
	most    int
	dials   int // most dials under way

	pacer  Pacer
	target time.Duration // the instant that the pacer is set to
	meter  meter
	ctx    context.Context // ends when everything out is given up
	end    context.CancelFunc
	owners sync.WaitGroup

	events   chan *worker // as long as there can be workers, so that none ever blocks on it
	early    *worker      // an answer that came after the instant asked for
	idle     []*worker    // the one that was used last is last
	pending  []job        // fired, and waiting for a connection; oldest first
	timed    int          // of them with a deadline
	open     int          // connections there are, and being dialled
	dialing  int          // of them being dialled
	out      int          // shots fired and not answered
	dialTime recent       // how long dials took

	hungry bool          // Room could not give all that was asked for
	grow   time.Duration // when it could give more, if nothing else happens

	counters Counters
}

var _ engine.World = (*World)(nil)

// New returns a World without connections. It must be closed.
func New(o Options) *World {
	if o.Connections < 1 {
		panic("live: a World needs at least one connection")
	}
	w := &World{
		epoch: o.Epoch, dialer: o.Dialer, feed: o.Feed, timeout: o.ConnectTimeout, once: o.NoKeepAlive, each: o.PerConnection,
		most: o.Connections, dials: min(MaxDials, o.Connections),
		pacer: o.Pacer, target: engine.Forever, grow: engine.Forever,
		events: make(chan *worker, o.Connections),
	}
	if w.once {
		w.dials = o.Connections // dialling is what the run does, then
	}
	if w.pacer == nil {
		w.pacer = Precise()
	}
	w.ctx, w.end = context.WithCancel(context.Background())
	w.meter.last.Store(int64(w.now()))
	w.owners.Go(func() { w.meter.run(w.ctx, w.now) })
	return w
}

// now is the present instant.
func (w *World) now() time.Duration { return time.Since(w.epoch) }

// Room counts the idle connections, and the dials that may be started for shots that
// wait since the instant given.
func (w *World) Room(waiting int, since time.Duration) int {
	w.hungry, w.grow = false, engine.Forever
	room := len(w.idle)
	if room >= waiting {
		return waiting
	}
	if w.open == w.most {
		w.counters.CapReached = true
	}
	if more := min(w.dials-w.dialing, w.most-w.open); more > 0 {
		if ripe := since + w.patience(); ripe <= w.now() {
			room += more
		} else {
			w.grow = ripe
		}
	}
	w.hungry = room < waiting
	w.counters.Held = w.counters.Held || w.hungry && w.open < w.most
	return min(room, waiting)
}

// patience is how long a shot waits for a busy connection before one more is opened:
// as long as a recent dial took, since a shorter wait gains nothing. It does not wait
// if there were more connections before, for then those that are busy are no pool that
// has proven large enough; nor if each request needs a connection of its own.
func (w *World) patience() time.Duration {
	if w.once || w.open < w.counters.Peak {
		return 0
	}
	return w.dialTime.median()
}

// Fire gives the shot to the connection that was used last, or lets it wait here
// for the next one.
func (w *World) Fire(s engine.Shot) {
	w.out++
	j := job{shot: s, ready: w.now()}
	if w.feed != nil {
		j.message = Said(w.feed, s)
	}
	if n := len(w.idle); n > 0 {
		k := w.idle[n-1]
		w.idle = w.idle[:n-1]
		j.idle = true
		k.jobs <- j
		return
	}
	w.push(j)
	w.dial()
}

// dial opens connections for the shots that no dial under way will serve.
func (w *World) dial() {
	for len(w.pending) > w.dialing && w.dialing < w.dials && w.open < w.most {
		w.open++
		w.dialing++
		k := &worker{world: w, jobs: make(chan job, 1)}
		w.owners.Go(k.dial)
	}
}

// Wait is described by [engine.World]. While shots wait in the backlog it returns
// early if a dial has ended or a connection has died, and when they have waited long
// enough for one more dial, since Room may have grown then.
func (w *World) Wait(ctx context.Context, until time.Duration) (time.Duration, correct.Sample, bool) {
	for settled := false; ; {
		ended := ctx.Err() != nil
		if ended {
			until = engine.Forever // answers that are there count, then all is given up
		}
		now := w.now()
		cut, i := w.firstCut()
		if cut <= min(now, until) {
			return now, w.fail(i, cut, transport.Outcome{Class: correct.Deadline}), true
		}
		if k := w.next(); k != nil {
			if k.at > until && k.state == answered {
				w.early = k
				return now, correct.Sample{}, false
			}
			if s, ok := w.take(k); ok {
				return max(now, s.Done), s, true
			}
			if w.hungry {
				w.hungry = false
				return now, correct.Sample{}, false
			}
			settled = false
			continue
		}
		wake := min(until, w.grow, cut)
		switch {
		case now < wake && !ended:
			w.sleep(ctx, now, wake)
		case !settled:
			w.pacer.Settle()
			settled = true
		case ended:
			return w.giveUp()
		default:
			w.grow = engine.Forever // said once, until Room says it again
			return now, correct.Sample{}, false
		}
	}
}

// sleep waits for an event, the instant wake, or the end of ctx.
func (w *World) sleep(ctx context.Context, now, wake time.Duration) {
	if wake != w.target {
		w.target = wake
		if wake != engine.Forever {
			w.pacer.Set(wake - now)
		}
	}
	select {
	case w.early = <-w.events:
	case <-w.pacer.C():
		w.target = engine.Forever
	case <-ctx.Done():
	}
}

// giveUp ends everything that is out, and answers it shot by shot.
func (w *World) giveUp() (time.Duration, correct.Sample, bool) {
	w.end()
	for w.out > 0 {
		if len(w.pending) > 0 {
			now := w.now()
			return now, w.fail(0, now, transport.Outcome{Class: correct.Unfinished}), true
		}
		k := w.next()
		if k == nil {
			k = <-w.events
		}
		if s, ok := w.take(k); ok {
			return max(w.now(), s.Done), s, true
		}
	}
	return w.now(), correct.Sample{}, false
}

// next returns an event if there is one.
func (w *World) next() *worker {
	if k := w.early; k != nil {
		w.early = nil
		return k
	}
	select {
	case k := <-w.events:
		return k
	default:
		return nil
	}
}

// firstCut returns the earliest deadline of the shots that wait here, and whose it is.
func (w *World) firstCut() (cut time.Duration, first int) {
	cut = engine.Forever
	if w.timed == 0 {
		return cut, 0
	}
	for i := range w.pending {
		if d := w.pending[i].shot.Deadline; d > 0 && d < cut {
			cut, first = d, i
		}
	}
	return cut, first
}

// take handles an event, and returns the answer if it was one.
func (w *World) take(k *worker) (s correct.Sample, ok bool) {
	w.counters.count(k.outcome)
	switch k.state {
	case dialled:
		w.dialing--
		if !k.outcome.Shared {
			w.counters.Opened++
		}
		k.peer = w.counters.Reached(k.outcome.Peer, !k.outcome.Shared)
		w.counters.Peak = max(w.counters.Peak, w.open-w.dialing)
		w.dialTime.add(k.took)
		w.free(k)
	case undialled:
		w.dialing--
		w.open--
		if len(w.pending) > 0 {
			s, ok = w.fail(0, k.at, k.outcome), true
		}
	case stale:
		w.open--
		w.push(k.job)
		copy(w.pending[1:], w.pending) // it is the oldest
		w.pending[0] = k.job
	case answered:
		w.out--
		s, ok = k.sample, true
		w.counters.Bytes += s.Bytes
		if s.Written {
			w.counters.Wrote(k.peer)
		}
		if k.gone {
			w.open--
		} else {
			w.free(k)
		}
	}
	w.dial()
	return s, ok
}

// free gives a connection to the shot that has waited longest here, or to the idle.
func (w *World) free(k *worker) {
	if len(w.pending) == 0 {
		w.idle = append(w.idle, k)
		return
	}
	j := w.pop(0)
	j.ready, j.idle = max(j.ready, k.at), false
	k.jobs <- j
}

// fail answers a shot that waits here and was never sent.
func (w *World) fail(i int, at time.Duration, o transport.Outcome) correct.Sample {
	w.out--
	j := w.pop(i)
	w.drop(&j)
	s := j.shot.Sample()
	s.Done = max(at, s.Dispatched)
	s.Sent, s.Class, s.Late = s.Done, o.Class, j.late
	return s
}

// Said is what a shot sends.
func Said(f *request.Feed, s engine.Shot) request.Message {
	if s.Query {
		return f.Query(s.Seq, s.Attempt)
	}
	return f.Message(s.Seq, s.Attempt)
}

// drop gives back what j would have sent, or has.
func (w *World) drop(j *job) {
	if w.feed != nil {
		w.feed.Done(j.message)
	}
}

// push and pop keep the shots that wait here, oldest first.
func (w *World) push(j job) {
	if j.shot.Deadline > 0 {
		w.timed++
	}
	w.pending = append(w.pending, j)
}

func (w *World) pop(i int) job {
	j := w.pending[i]
	if j.shot.Deadline > 0 {
		w.timed--
	}
	if i == 0 {
		w.pending = w.pending[1:]
	} else {
		w.pending = append(w.pending[:i], w.pending[i+1:]...)
	}
	return j
}

// Counters tells what happened to the connections so far.
func (w *World) Counters() Counters { return w.counters }

// Close gives up what is out, closes every connection and waits for every goroutine.
func (w *World) Close() {
	w.end()
	w.most = 0 // dial no more
	for {
		w.open -= len(w.idle)
		for _, k := range w.idle {
			close(k.jobs)
		}
		w.idle = nil
		if w.open == 0 {
			break
		}
		k := w.next()
		if k == nil {
			k = <-w.events
		}
		w.take(k)
	}
	w.owners.Wait()
	w.pacer.Close()
}
