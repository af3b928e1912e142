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

	// Several hosts have a dialer each in place of Dialer, and a pool of connections. Host
	// says to which of them operation seq goes.
	Dialers []Dialer
	Host    func(seq uint64) int

	Connections    int           // most connections to a host at once, those being dialled included; at least 1
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

// A World is a bounded pool of connections, or one for each host. One goroutine calls its
// methods.
type World struct {
	epoch   time.Time
	feed    *request.Feed
	timeout time.Duration
	once    bool // connections take one request
	each    int  // or so many at most; 0: any number
	pools   []*pool
	host    func(seq uint64) int

	pacer  Pacer
	target time.Duration // the instant that the pacer is set to
	meter  meter
	ctx    context.Context // ends when everything out is given up
	end    context.CancelFunc
	owners sync.WaitGroup

	events chan *worker // as long as there can be workers, so that none ever blocks on it
	early  *worker      // an answer that came after the instant asked for
	timed  int          // shots with a deadline that wait for a connection
	out    int          // shots fired and not answered
	open   int          // connections there are

	counters Counters
}

var _ engine.Pooled = (*World)(nil)

// mostEvents bounds the memory of a queue. A worker that has to wait for a place in it
// waits for the loop, which is behind by as many answers.
const mostEvents = 1 << 16

// New returns a World without connections. It must be closed.
func New(o Options) *World {
	if o.Connections < 1 {
		panic("live: a World needs at least one connection")
	}
	w := &World{
		epoch: o.Epoch, feed: o.Feed, timeout: o.ConnectTimeout, once: o.NoKeepAlive, each: o.PerConnection,
		host: o.Host, pacer: o.Pacer, target: engine.Forever,
	}
	if len(o.Dialers) == 0 {
		o.Dialers = []Dialer{o.Dialer}
	}
	dials := Dials(len(o.Dialers))
	if w.once {
		dials = o.Connections // dialling is what the run does, then
	}
	for _, d := range o.Dialers {
		w.pools = append(w.pools, w.newPool(d, o.Connections, dials))
	}
	w.events = make(chan *worker, min(len(w.pools)*o.Connections, mostEvents))
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

// Pools is how many hosts there are.
func (w *World) Pools() int { return len(w.pools) }

// Pool is the host of operation seq.
func (w *World) Pool(seq uint64) int { return w.host(seq) }

// Room is that of the only pool, or the first.
func (w *World) Room(waiting int, since time.Duration) int { return w.pools[0].room(waiting, since) }

// RoomIn is that of a pool.
func (w *World) RoomIn(pool, waiting int, since time.Duration) int {
	return w.pools[pool].room(waiting, since)
}

// Held reports whether a shot of the pool ever waited although more connections might have
// been open.
func (w *World) Held(pool int) bool { return w.pools[pool].host.Held }

// Fire gives the shot to the connection to its host that was used last, or lets it wait
// here for the next one.
func (w *World) Fire(s engine.Shot) {
	w.out++
	j := job{shot: s, ready: w.now()}
	if w.feed != nil {
		j.message = Said(w.feed, s)
	}
	w.pools[s.Pool].fire(j)
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
		cut, p, i := w.firstCut()
		if cut <= min(now, until) {
			return now, p.fail(i, cut, transport.Outcome{Class: correct.Deadline}), true
		}
		if k := w.next(); k != nil {
			if k.at > until && k.state == answered {
				w.early = k
				return now, correct.Sample{}, false
			}
			if s, ok := w.take(k); ok {
				return max(now, s.Done), s, true
			}
			if k.pool.hungry {
				k.pool.hungry = false
				return now, correct.Sample{}, false
			}
			settled = false
			continue
		}
		wake := min(until, w.ripe(), cut)
		switch {
		case now < wake && !ended:
			w.sleep(ctx, now, wake)
		case !settled:
			w.pacer.Settle()
			settled = true
		case ended:
			return w.giveUp()
		default:
			w.grown(now)
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

// ripe is when a pool could grow by itself.
func (w *World) ripe() time.Duration {
	ripe := engine.Forever
	for _, p := range w.pools {
		ripe = min(ripe, p.grow)
	}
	return ripe
}

// grown notes that the engine is told of the pools that could grow by now. That is said
// once, until Room says it again.
func (w *World) grown(now time.Duration) {
	for _, p := range w.pools {
		if p.grow <= now {
			p.grow = engine.Forever
		}
	}
}

// giveUp ends everything that is out, and answers it shot by shot.
func (w *World) giveUp() (time.Duration, correct.Sample, bool) {
	w.end()
	for w.out > 0 {
		for _, p := range w.pools {
			if len(p.pending) > 0 {
				now := w.now()
				return now, p.fail(0, now, transport.Outcome{Class: correct.Unfinished}), true
			}
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
func (w *World) firstCut() (cut time.Duration, in *pool, first int) {
	cut = engine.Forever
	if w.timed == 0 {
		return cut, nil, 0
	}
	for _, p := range w.pools {
		for i := range p.pending {
			if d := p.pending[i].shot.Deadline; d > 0 && d < cut {
				cut, in, first = d, p, i
			}
		}
	}
	return cut, in, first
}

// take handles an event, and returns the answer if it was one.
func (w *World) take(k *worker) (s correct.Sample, ok bool) {
	p := k.pool
	if !k.beside || k.state != undialled {
		w.counters.count(k.outcome)
	}
	switch k.state {
	case dialled:
		p.dialled(k, true)
		k.address, k.beside = k.outcome.Address, false
		p.places.Opened(k.address)
		w.open++
		w.counters.Peak = max(w.counters.Peak, w.open)
		p.host.Peak = max(p.host.Peak, p.open-p.dialing-p.beside)
		k.peer = p.host.Reached(k.outcome.Peer, !k.outcome.Shared)
		p.dialTime.add(k.took)
		p.free(k)
	case undialled:
		p.dialled(k, false)
		p.open--
		if len(p.pending) > 0 && !k.beside {
			s, ok = p.fail(0, k.at, k.outcome), true
		}
	case stale:
		p.places.Closed(k.address, k)
		p.lose()
		p.push(k.job)
		copy(p.pending[1:], p.pending) // it is the oldest
		p.pending[0] = k.job
	case answered:
		w.out--
		s, ok = k.sample, true
		w.counters.Bytes += s.Bytes
		if s.Written {
			p.host.Wrote(k.peer)
		}
		if k.gone {
			p.places.Closed(k.address, k)
			p.lose()
		} else if to, ok := p.spare(k); ok {
			p.end(k)
			p.dialAt(to)
		} else {
			p.free(k)
		}
	}
	p.dial()
	return s, ok
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

// Counters tells what happened to the connections so far.
func (w *World) Counters() Counters {
	hosts := make([]Host, len(w.pools))
	for i, p := range w.pools {
		hosts[i] = p.host
	}
	return w.counters.Over(hosts)
}

// Close gives up what is out, closes every connection and waits for every goroutine.
func (w *World) Close() {
	w.end()
	left := func() (n int) {
		for _, p := range w.pools {
			p.most = 0 // dial no more
			for _, k := range p.places.All() {
				p.end(k)
			}
			n += p.open
		}
		return n
	}
	for left() > 0 {
		k := w.next()
		if k == nil {
			k = <-w.events
		}
		w.take(k)
	}
	w.owners.Wait()
	w.pacer.Close()
}
