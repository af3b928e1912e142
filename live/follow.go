package live

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"openload/correct"
	"openload/engine"
	"openload/request"
	"openload/transport"
)

// Hops follows redirects: what comes of a shot is what came of its last request, and its
// times span them all.
type Hops struct {
	// Open returns the dialer of another target that a server redirects to; its error
	// says why there is none. It is asked once for each.
	Open func(ctx context.Context, to request.Target) (Dialer, error)
	// Rewrite changes a request's bytes for its way, if it is set.
	Rewrite func(wire []byte, to request.Target) []byte

	Followed atomic.Int64 // redirects that were

	mu         sync.Mutex
	others     map[request.Target]*other
	led        []Led
	open, most int // connections
}

// Led is what of connections that hops opened went to one target. No attempt is one of
// theirs: each began at the target that it was for.
type Led struct {
	To request.Target
	Host
}

// Opened is what hops opened besides the connections of a run, by target, in the order in
// which they were reached, and how many of them were open at once.
func (h *Hops) Opened() (by []Led, most int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.led), h.most
}

// opened notes a connection to a target, as its dial's outcome tells.
func (h *Hops) opened(to request.Target, o transport.Outcome) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.led, func(l Led) bool { return l.To == to })
	if i < 0 {
		i = len(h.led)
		h.led = append(h.led, Led{To: to})
	}
	h.led[i].Reached(o.Peer, !o.Shared)
	h.open++
	h.most = max(h.most, h.open)
}

// close closes a connection that a hop opened.
func (h *Hops) close(c Conn) {
	c.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open--
}

// other is another target.
type other struct {
	once   sync.Once
	dialer Dialer
	err    error
}

// Follow returns a dialer of connections to target that follow redirects. message is
// what shots send without a feed.
func (h *Hops) Follow(d Dialer, target request.Target, message *request.Message) Dialer {
	return following{h, d, target, message}
}

type following struct {
	hops    *Hops
	dialer  Dialer
	target  request.Target
	message *request.Message
}

func (f following) route() *transport.Route { return routeOf(f.dialer) }

func (f following) Dial(ctx context.Context, timeout time.Duration) (Conn, transport.Outcome) {
	return f.dialAt(ctx, timeout, transport.Anywhere)
}

func (f following) dialAt(ctx context.Context, timeout time.Duration, address int) (c Conn, o transport.Outcome) {
	if address == transport.Anywhere {
		c, o = f.dialer.Dial(ctx, timeout)
	} else {
		c, o = f.dialer.(routed).dialAt(ctx, timeout, address) // it has a route, or nobody would ask
	}
	if c == nil {
		return nil, o
	}
	return &follower{following: f, Conn: c, ctx: ctx, timeout: timeout}, o
}

// follower is a connection, and those to other targets that it was led to.
type follower struct {
	following
	Conn
	ctx     context.Context
	timeout time.Duration
	there   map[request.Target]Conn
}

func (f *follower) Exchange(s engine.Shot, m *request.Message, deadline time.Time) transport.Outcome {
	o := f.Conn.Exchange(s, m, deadline)
	if m == nil {
		m = f.message
	}
	if !o.Redirected() || m == nil {
		return o
	}
	keep, wrote, bytes := o.Keep, o.Wrote, o.Bytes
	at := f.target
	for hop := 1; o.Redirected(); hop++ {
		next, to, err := transport.Follow(m, at, &o)
		if err != nil {
			o.Class, o.Detail = correct.BadStatus, err.Error()
			break
		}
		if hop > transport.MaxHops {
			o.Class, o.Detail = correct.BadStatus, "more than 10 redirects in a row"
			break
		}
		if f.hops.Rewrite != nil {
			next.Bytes = f.hops.Rewrite(next.Bytes, to)
		}
		f.hops.Followed.Add(1)
		if to == f.target && keep {
			o = f.Conn.Exchange(s, &next, deadline)
			keep = o.Keep
		} else {
			o = f.elsewhere(s, to, &next, deadline)
		}
		bytes += o.Bytes
		m, at = &next, to
	}
	if o.Class == correct.Stale {
		o.Class, o.Detail = correct.Reset, "closed between two redirects" // what went before is not sent again
	}
	o.Keep, o.Wrote, o.Bytes, o.Written, o.Full = keep, wrote, bytes, true, false
	return o
}

// elsewhere sends a request to another target, or to this one over another connection.
func (f *follower) elsewhere(s engine.Shot, to request.Target, m *request.Message, deadline time.Time) transport.Outcome {
	for range 2 {
		c := f.there[to]
		if c != nil && !c.Alive() {
			f.hops.close(c)
			delete(f.there, to)
			c = nil
		}
		if c == nil {
			var o transport.Outcome
			if c, o = f.open(to, deadline); c == nil {
				return o
			}
			if f.there == nil {
				f.there = map[request.Target]Conn{}
			}
			f.there[to] = c
		}
		o := c.Exchange(s, m, deadline)
		if !o.Keep {
			f.hops.close(c)
			delete(f.there, to)
		}
		if o.Class != correct.Stale {
			return o
		}
	}
	return transport.Outcome{Class: correct.Reset, Detail: "closed between two redirects"}
}

// open opens a connection to another target, in the time that is left.
func (f *follower) open(to request.Target, deadline time.Time) (Conn, transport.Outcome) {
	d := f.dialer
	if to != f.target {
		f.hops.mu.Lock()
		if f.hops.others == nil {
			f.hops.others = map[request.Target]*other{}
		}
		x := f.hops.others[to]
		if x == nil {
			x = &other{}
			f.hops.others[to] = x
		}
		f.hops.mu.Unlock()
		x.once.Do(func() { x.dialer, x.err = f.hops.Open(f.ctx, to) })
		if x.err != nil {
			if f.ctx.Err() != nil {
				return nil, transport.Outcome{Class: correct.Unfinished}
			}
			return nil, transport.Outcome{Class: correct.DNS, Detail: x.err.Error()}
		}
		d = x.dialer
	}
	timeout := f.timeout
	if !deadline.IsZero() {
		if left := time.Until(deadline); timeout == 0 || left < timeout {
			timeout = max(left, 1)
		}
	}
	c, o := d.Dial(f.ctx, timeout)
	if o.Class == correct.ConnectTimeout && !deadline.IsZero() && !time.Now().Before(deadline) {
		o.Class = correct.Timeout // the attempt's own
	}
	if c != nil {
		f.hops.opened(to, o)
	}
	return c, o
}

func (f *follower) Close() {
	for _, c := range f.there {
		f.hops.close(c)
	}
	f.Conn.Close()
}
