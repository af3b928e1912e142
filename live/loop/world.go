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

// A World is one event loop over a bounded pool of connections.
type World struct {
	epoch   time.Time
	client  *transport.Client
	feed    *request.Feed
	parts   transport.Parts
	address []address // of the route, by their numbers
	local   []address
	turn    int // of the local addresses
	timeout time.Duration
	once    bool // connections take one request
	each    int  // or so many at most; 0: any number
	eager   bool
	most    int
	spread  int // most dials under way

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

	byFD    []*conn
	age     int32 // how many connections there were
	idle    []*conn
	busy    cuts
	dials   cuts
	more    []*conn // with bytes that no poll tells of
	aside   asides
	pending []job               // fired, and waiting for a connection; oldest first
	timed   int                 // of them with a deadline
	open    int                 // connections there are, and being dialled
	dialing int                 // of them being dialled
	out     int                 // shots fired and not answered
	dead    []transport.Outcome // dials that failed
	ready   []correct.Sample    // answers to be given
	took    recent

	hungry  bool          // Room could not give all that was asked for
	grow    time.Duration // when it could give more, if nothing else happens
	roomier bool          // what just happened may have made room

	counters live.Counters
}

var _ engine.World = (*World)(nil)

// New returns a World without connections, and binds the calling goroutine to its
// thread. That goroutine makes every other call, until Close releases it.
func New(o Options) (*World, error) {
	if o.Connections < 1 {
		panic("loop: a World needs at least one connection")
	}
	w := &World{
		epoch: o.Epoch, client: o.Client, feed: o.Feed, parts: o.Client.Parts(), timeout: o.ConnectTimeout,
		once: o.NoKeepAlive, each: o.PerConnection, eager: o.Eager || o.NoKeepAlive, most: o.Connections, spread: min(live.MaxDials, o.Connections),
		pace: o.Pace, margin: margin{most: o.Pace.most()}, stamps: true, buf: make([]byte, bufferBytes),
		grow: engine.Forever,
	}
	if w.once {
		w.spread = o.Connections // dialling is what the run does, then
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

// Room counts the idle connections, the dials under way that no shot waits for, and
// the dials that may be started for shots that wait since the instant given.
func (w *World) Room(waiting int, since time.Duration) int {
	w.hungry, w.grow = false, engine.Forever
	room := len(w.idle) + max(0, w.dialing-len(w.pending))
	if room >= waiting {
		return waiting
	}
	if w.open == w.most {
		w.counters.CapReached = true
	}
	if more := min(w.spread-w.dialing, w.most-w.open); more > 0 {
		patience := w.patience()
		if ripe := max(since+patience, w.calm); patience == 0 || ripe <= w.dry || since+enough <= w.now() {
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
	if w.eager || w.open < w.counters.Peak {
		return 0
	}
	return w.took.median()
}

// Fire sends the shot over the connection that was used last, or lets it wait here
// for the next one.
func (w *World) Fire(s engine.Shot) {
	w.out++
	now := w.now()
	j := job{shot: s, message: w.parts.Message}
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
	n := len(w.idle)
	if n > 0 && now-max(w.polled, w.idle[n-1].freed) > fresh {
		w.weed()
		now, n = w.now(), len(w.idle)
	}
	if n == 0 {
		w.push(j)
		w.dial()
		return
	}
	c := w.idle[n-1]
	w.idle = w.idle[:n-1]
	w.start(c, j, now)
}

// weed throws out the idle connections that can't be used any more.
func (w *World) weed() {
	w.poll(0)
	for i := w.at; i < w.n; i++ {
		if c := w.of(w.events[i]); c != nil && c.state == idle {
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
		w.roomier = false
		s, ok, did := w.step(now)
		switch {
		case ok && s.Done > until:
			w.ready = append(w.ready, s)
		case ok:
			return max(now, s.Done), s, true
		case w.hungry && w.roomier:
			w.hungry = false
			return now, s, false
		case did:
		case w.hungry && w.dry >= w.grow:
			w.grow = engine.Forever // said once, until Room says it again
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
	next := min(w.busy.due(), w.dials.due(), w.firstCut())
	if w.hungry {
		next = min(next, w.grow)
	}
	return next
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
	if cut := w.firstCut(); cut <= w.polled {
		for i := range w.pending {
			if w.pending[i].shot.Deadline == cut {
				return w.fail(i, cut, transport.Outcome{Class: correct.Deadline}), true, true
			}
		}
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
	c := w.of(e)
	if c == nil {
		return s, false // it was closed meanwhile
	}
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

// of returns the connection that an event tells of, nil if it is closed.
func (w *World) of(e unix.EpollEvent) *conn {
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
	w.most = 0 // dial no more
	if len(w.pending) > 0 {
		return w.fail(0, now, transport.Outcome{Class: correct.Unfinished}), true
	}
	if c := w.busy.first; c != nil {
		return w.answer(c, transport.Outcome{Class: correct.Unfinished, Bytes: c.parser.Bytes()}, now, 0), true
	}
	return s, false
}

// Counters tells what happened to the connections so far.
func (w *World) Counters() live.Counters {
	c := w.counters
	c.Pace, c.Reads = w.pace.String(), w.audit.reads
	c.Reads.Late = w.audit.reads.Late.Clone()
	return c
}

// Close gives up what is out, closes every connection, waits for every goroutine, and
// releases the thread.
func (w *World) Close() {
	w.most = 0
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
