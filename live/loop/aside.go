//go:build linux

package loop

import (
	"cmp"
	"context"
	"crypto/tls"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"openload/correct"
	"openload/transport"
)

// asides are the dials that are more than a connection: those that end in a TLS
// handshake, go through a proxy, or to a Unix socket.
type asides struct {
	world *World
	done  chan handshake
	ctx   context.Context
	end   context.CancelFunc
	all   sync.WaitGroup
}

// A handshake is how a dial ended.
type handshake struct {
	conn    *conn
	outcome transport.Outcome
}

// mostHandshakes bounds the memory of a queue. A dial that has to wait for a place in it
// waits for the loop, which is behind by as many.
const mostHandshakes = 1 << 14

func (t *asides) start(w *World) {
	t.world = w
	dials := 0
	for _, p := range w.pools {
		dials += 2 * p.spread // for shots, and beside them
	}
	t.done = make(chan handshake, min(dials, mostHandshakes))
	t.ctx, t.end = context.WithCancel(context.Background())
}

// stop ends every dial, and waits for it.
func (t *asides) stop() {
	t.end()
	go func() {
		t.all.Wait()
		close(t.done)
	}()
	for h := range t.done {
		if h.outcome.Class == correct.OK {
			unix.Close(h.conn.fd)
		}
	}
}

// dial begins one, from the local address if there is one, to an address of the route by
// its number. One that is not [transport.Anywhere] is dialled beside the shots.
func (t *asides) dial(p *pool, local *address, to int) {
	began := t.world.now()
	t.all.Go(func() {
		c, o := t.open(p, local, to)
		c.began, c.opening.Began, c.opening.Resolved = began, began, began
		t.done <- handshake{c, o}
		t.world.ring()
	})
}

// open makes one.
func (t *asides) open(p *pool, local *address, to int) (*conn, transport.Outcome) {
	w := t.world
	c := &conn{pool: p, address: to, beside: to != transport.Anywhere, opening: new(correct.Opening)}
	ctx, cancel := t.ctx, context.CancelFunc(func() {})
	if w.timeout > 0 {
		ctx, cancel = context.WithTimeout(t.ctx, w.timeout)
	}
	defer cancel()
	var control transport.Control
	if local != nil {
		control = func(_, _ string, raw syscall.RawConn) error {
			var refused error
			err := raw.Control(func(fd uintptr) { refused = local.bind(int(fd)) })
			return cmp.Or(err, refused)
		}
	}
	way, err := p.parts.Route.Connect(ctx, w.timeout, control, to)
	if err != nil {
		return c, transport.Undialled(err)
	}
	defer way.Close() // the loop's socket is a second name of the same one
	c.address, c.opening.Connected = way.Address, w.now()
	if p.parts.TLS != nil {
		s := &stream{Conn: way.Conn, world: w}
		c.secret = &secret{tls.Client(s, p.parts.TLS), s}
		if err := c.secret.HandshakeContext(ctx); err != nil {
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			return c, transport.Unsecured(err)
		}
	}
	if c.fd, err = duplicate(way.Conn.(syscall.Conn)); err != nil { // every socket of ours is one
		return c, transport.Undialled(err)
	}
	if c.secret != nil {
		c.secret.stream.Conn, c.secret.stream.fd = nil, c.fd
	}
	return c, transport.Outcome{}
}

// duplicate returns a second name of a socket.
func duplicate(c syscall.Conn) (fd int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var full error
	err = raw.Control(func(old uintptr) { fd, full = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0) })
	return fd, cmp.Or(err, full)
}

// admit takes the dials that have ended.
func (w *World) admit() {
	for {
		select {
		case h := <-w.aside.done:
			if h.outcome.Class != correct.OK {
				w.dead = append(w.dead, unreached(h))
				continue
			}
			w.adopt(h.conn, unix.EPOLLIN)
			w.opened(h.conn)
		default:
			return
		}
	}
}
