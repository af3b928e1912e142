//go:build linux

package loop

import (
	"context"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"openload/correct"
	"openload/engine"
	"openload/live"
	"openload/request"
	"openload/transport"
)

const (
	// fresh is how long ago a connection that is used again was last known to be open. To
	// look costs a tenth of a request, and is seldom needed: while waiting for an instant
	// the loop looks all the time.
	fresh = 10 * time.Microsecond
	// nap is a sleep that is worth asking the kernel when the answer came that ended it.
	nap = 200 * time.Microsecond
	// beat is the longest sleep where the kernel doesn't tell, so that a process that was
	// stopped meanwhile knows it to so much.
	beat = 4 * time.Millisecond
	// pause is how long the loop may be away without anybody noticing.
	pause = 2 * time.Millisecond
	// enough is how long a shot waits for a connection while there are answers to read.
	enough = time.Second
	// bufferBytes is read at once, for all connections.
	bufferBytes = 64 << 10
)

// A World is one event loop over a bounded pool of connections, or one for each host.
type World struct {
	epoch   time.Time
	feed    *request.Feed
	local   []address
	turn    int // of the local addresses
	timeout time.Duration
	once    bool // connections take one request
	each    int  // or so many at most; 0: any number
	eager   bool
	pools   []*pool
	several bool // hosts
	of      func(seq uint64) int

	poller
	pace    Pace
	margin  margin
	stamper stamper
	stamps  bool // the kernel notes when bytes come
	audit   audit
	event   unix.EpollEvent // that is being handled
	polled  time.Duration   // when the last poll returned
	clear   time.Duration   // when the last one before that did of which nothing was left
	dry     time.Duration   // when the last one did that had nothing to tell
	calm    time.Duration   // until when a pause of this process may be what shots wait for
	asked   time.Duration   // how long it was to sleep at most
	napped  bool            // it slept for longer than nap
	came    int64           // wall time at which what was read last had come; 0: unknown
	buf     []byte

	ctx    context.Context // whose end is watched for
	unhook func() bool

	byFD  []*conn
	age   int32 // how many connections there were
	busy  cuts
	dials cuts
	more  []*conn // with bytes that no poll tells of
	aside asides
	timed int              // shots with a deadline that wait for a connection
	open  int              // connections there are
	out   int              // shots fired and not answered
	dead  []unreached      // dials that failed
	ready []correct.Sample // answers to be given

	roomier *pool // which could not give all, and may be able to after what just happened

	counters live.Counters
}

// unreached is a dial that failed.
type unreached struct {
	conn    *conn
	outcome transport.Outcome
}

var _ engine.Pooled = (*World)(nil)

// New returns a World without connections, and binds the calling goroutine to its
// thread. That goroutine makes every other call, until Close releases it.
func New(o Options) (*World, error) {
	if o.Connections < 1 {
		panic("loop: a World needs at least one connection")
	}
	w := &World{
		epoch: o.Epoch, feed: o.Feed, timeout: o.ConnectTimeout,
		once: o.NoKeepAlive, each: o.PerConnection, eager: o.Eager || o.NoKeepAlive, of: o.Host,
		pace: o.Pace, margin: margin{most: o.Pace.most()}, stamps: true, buf: make([]byte, bufferBytes),
	}
	if len(o.Clients) == 0 {
		o.Clients = []*transport.Client{o.Client}
	}
	w.several = len(o.Clients) > 1
	dials := o.Dials
	if dials == 0 {
		dials = live.Dials(len(o.Clients))
	}
	if w.once {
		dials = o.Connections // dialling is what the run does, then
	}
	for _, c := range o.Clients {
		w.pools = append(w.pools, w.newPool(c, o.Connections, dials))
	}
	if err := w.sources(o.Local); err != nil {
		return nil, err
	}
	if err := w.poller.open(); err != nil {
		return nil, err
	}
	w.aside.start(w)
	runtime.LockOSThread()
	// It can fail only on kernels without it, where timers are as they are.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	w.polled = w.now()
	w.clear = w.polled
	return w, nil
}

// now is the present instant.
func (w *World) now() time.Duration { return time.Since(w.epoch) }

// Pools is how many hosts there are.
func (w *World) Pools() int { return len(w.pools) }

// Pool is the host of operation seq.
func (w *World) Pool(seq uint64) int { return w.of(seq) }

// Room is that of the only pool, or the first.
func (w *World) Room(waiting int, since time.Duration) int { return w.pools[0].room(waiting, since) }

// RoomIn is that of a pool.
func (w *World) RoomIn(pool, waiting int, since time.Duration) int {
	return w.pools[pool].room(waiting, since)
}

// Held reports whether a shot of the pool ever waited although more connections might have
// been open.
func (w *World) Held(pool int) bool { return w.pools[pool].host.Held }

// Fire sends the shot over the connection to its host that was used last, or lets it
// wait here for the next one.
func (w *World) Fire(s engine.Shot) {
	w.out++
	now, p := w.now(), w.pools[s.Pool]
	j := job{shot: s, message: p.parts.Message}
	if w.feed != nil {
		j.message = live.Said(w.feed, s)
		if w.feed.Slow() {
			j.late, now = w.now()-now, w.now()
		}
		if j.message.Err != nil {
			w.ready = append(w.ready, w.unmade(j, now))
			return
		}
	}
	p.fire(j, now)
}

// weed throws out the idle connections that can't be used any more.
func (w *World) weed() {
	w.poll(0)
	for i := w.at; i < w.n; i++ {
		if c := w.whose(w.events[i]); c != nil && c.state == idle {
			w.rouse(c)
			w.events[i] = handled
		}
	}
}

// Wait is described by [engine.World]. While shots wait in the backlog it returns
// early if a dial has ended or a connection has died, and when they have waited long
// enough for one more dial, since Room may have grown then.
func (w *World) Wait(ctx context.Context, until time.Duration) (time.Duration, correct.Sample, bool) {
	if ctx != w.ctx {
		w.watchFor(ctx)
	}
	for {
		now, ended := w.now(), ctx.Err() != nil
		if len(w.ready) > 0 {
			s := w.ready[0]
			if s.Done > until && !ended {
				return now, correct.Sample{}, false
			}
			w.ready = w.ready[:copy(w.ready, w.ready[1:])] // seldom more than this one
			return max(now, s.Done), s, true
		}
		if ended {
			s, ok := w.giveUp(now)
			return now, s, ok
		}
		if now >= until {
			return now, correct.Sample{}, false // due sends go before answers that are not read yet
		}
		w.roomier = nil
		s, ok, did := w.step(now)
		switch {
		case ok && s.Done > until:
			w.ready = append(w.ready, s)
		case ok:
			return max(now, s.Done), s, true
		case w.roomier != nil:
			w.roomier.hungry = false
			return now, s, false
		case did:
		case w.grown():
			return now, s, false
		default:
			w.poll(min(until, w.next()) - now)
		}
	}
}

// next is when something happens by itself.
func (w *World) next() time.Duration {
	if len(w.more) > 0 || len(w.dead) > 0 {
		return 0
	}
	_, _, cut := w.firstCut()
	next := min(w.busy.due(), w.dials.due(), cut)
	for _, p := range w.pools {
		if p.hungry {
			next = min(next, p.grow)
		}
	}
	return next
}

// grown reports whether a pool can grow that could not when the engine asked. It says so
// once, until Room says it again.
func (w *World) grown() (any bool) {
	for _, p := range w.pools {
		if p.hungry && p.dry() >= p.grow {
			p.grow, any = engine.Forever, true
		}
	}
	return any
}

// step does one thing that has happened. did is false if there is none.
func (w *World) step(now time.Duration) (s correct.Sample, ok, did bool) {
	if e, any := w.poller.next(); any {
		s, ok = w.handle(e)
		return s, ok, true
	}
	if len(w.dead) > 0 {
		s, ok = w.bury()
		return s, ok, true
	}
	// Time is up only once the answers that had come by then have been taken.
	if c := w.busy.first; c != nil && c.cut <= w.polled {
		return w.answer(c, transport.Outcome{Class: c.class, Bytes: c.parser.Bytes()}, now, 0), true, true
	}
	if c := w.dials.first; c != nil && c.cut <= w.polled {
		w.redial(c, os.ErrDeadlineExceeded)
		return s, false, true
	}
	if p, i, cut := w.firstCut(); cut <= w.polled {
		return p.fail(i, cut, transport.Outcome{Class: correct.Deadline}), true, true
	}
	if n := len(w.more); n > 0 {
		c := w.more[n-1]
		w.more = w.more[:n-1]
		w.poll(0) // so that a body without end does not keep the others waiting
		if c.state == busy {
			s, ok = w.read(c)
		}
		return s, ok, true
	}
	return s, false, false
}

// handle does what an event asks for.
func (w *World) handle(e unix.EpollEvent) (s correct.Sample, ok bool) {
	w.event = e
	if e == bellRang {
		w.silence()
		w.admit()
		return s, false
	}
	c := w.whose(e)
	if c == nil {
		return s, false // it was closed meanwhile
	}
	c.pool.heard = w.polled
	switch c.state {
	case dialling:
		w.dialled(c, e.Events)
	case idle:
		w.rouse(c)
	case busy:
		if e.Events&unix.EPOLLOUT != 0 {
			w.write(c)
		}
		if c.state == busy && e.Events&^unix.EPOLLOUT != 0 {
			return w.read(c)
		}
	}
	return s, false
}

// whose returns the connection that an event tells of, nil if it is closed.
func (w *World) whose(e unix.EpollEvent) *conn {
	if e.Fd < 0 || int(e.Fd) >= len(w.byFD) {
		return nil
	}
	if c := w.byFD[e.Fd]; c != nil && c.generation == e.Pad {
		return c
	}
	return nil
}

// poll looks what has happened, and if there is time before d is over sleeps until
// something does. The end of d is not slept through but spun through.
func (w *World) poll(d time.Duration) {
	before := w.polled
	if w.at == w.n {
		w.clear = before
	}
	w.napped, w.asked = false, 0
	if d <= w.margin.now || d <= 0 {
		w.look()
		w.polled = w.now()
	} else {
		w.sleep(d - w.margin.now)
	}
	if away := w.polled - before - w.asked; away > pause {
		w.calm = max(w.calm, w.polled+away) // what came due meanwhile is served in as long again
	}
	if w.n == 0 {
		w.dry = w.polled
	}
}

func (w *World) sleep(d time.Duration) {
	if !w.stamps {
		d = min(d, beat)
	}
	w.asked = d
	began := w.now()
	// A signal ends it early. It has told of nothing then, and is tried again.
	for left := d; !w.wait(max(left, 1)); left = d - (w.now() - began) {
	}
	w.polled = w.now()
	slept := w.polled - began
	w.napped = slept > nap
	if w.n == 0 {
		w.margin.slept(slept - d)
	}
}

// watchFor watches for the end of ctx.
func (w *World) watchFor(ctx context.Context) {
	if w.unhook != nil {
		w.unhook()
	}
	w.ctx, w.unhook = ctx, context.AfterFunc(ctx, w.ring)
}

// giveUp ends something that is out, and answers it; ok is false if nothing is.
func (w *World) giveUp(now time.Duration) (s correct.Sample, ok bool) {
	for _, p := range w.pools {
		p.most = 0 // dial no more
		if len(p.pending) > 0 {
			return p.fail(0, now, transport.Outcome{Class: correct.Unfinished}), true
		}
	}
	if c := w.busy.first; c != nil {
		return w.answer(c, transport.Outcome{Class: correct.Unfinished, Bytes: c.parser.Bytes()}, now, 0), true
	}
	return s, false
}

// Counters tells what happened to the connections so far.
func (w *World) Counters() live.Counters {
	hosts := make([]live.Host, len(w.pools))
	for i, p := range w.pools {
		hosts[i] = p.host
	}
	c := w.counters.Over(hosts)
	c.Pace, c.Reads = w.pace.String(), w.audit.reads
	c.Reads.Late = w.audit.reads.Late.Clone()
	return c
}

// Close gives up what is out, closes every connection, waits for every goroutine, and
// releases the thread.
func (w *World) Close() {
	for _, p := range w.pools {
		p.most = 0
	}
	w.aside.stop()
	for _, c := range w.byFD {
		if c != nil {
			c.failed = c.failed || c.state == busy
			w.close(c)
		}
	}
	if w.unhook != nil {
		w.unhook()
	}
	w.poller.close()
	runtime.UnlockOSThread()
}
