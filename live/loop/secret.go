//go:build linux

package loop

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"openload/correct"
	"openload/transport"
)

// A secret is TLS over a socket that does not block.
type secret struct {
	*tls.Conn
	stream *stream
}

// recordBytes is the most that one TLS record holds.
const recordBytes = 16 << 10

// stream is what crypto/tls reads and writes: a connection that blocks as long as the
// handshake lasts, then the loop's socket.
type stream struct {
	net.Conn // nil after the handshake
	world    *World
	fd       int
	out      []byte // encrypted, and not taken by the socket yet
	n        int64  // bytes written
}

// errAgain is temporary, so that crypto/tls goes on where it was.
var errAgain net.Error = again{}

type again struct{}

func (again) Error() string   { return "nothing has come" }
func (again) Timeout() bool   { return true }
func (again) Temporary() bool { return true }

func (s *stream) Read(b []byte) (int, error) {
	if s.Conn != nil {
		return s.Conn.Read(b)
	}
	n, e := s.world.receive(s.fd, b)
	switch {
	case e == unix.EAGAIN:
		return 0, errAgain
	case e != 0:
		return 0, e
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// Write takes everything: crypto/tls cannot go on after half a record.
func (s *stream) Write(b []byte) (int, error) {
	if s.Conn != nil {
		return s.Conn.Write(b)
	}
	if len(s.out) == 0 {
		n, e := send(s.fd, b)
		if e != 0 && e != unix.EAGAIN {
			return 0, e
		}
		s.n += int64(n)
		if n == len(b) {
			return n, nil
		}
		s.out = append(s.out, b[n:]...)
		return len(b), nil
	}
	s.out = append(s.out, b...)
	return len(b), nil
}

// flush writes what the socket takes now.
func (s *stream) flush() error {
	for len(s.out) > 0 {
		n, e := send(s.fd, s.out)
		if e == unix.EAGAIN {
			return nil
		}
		if e != 0 {
			return e
		}
		s.n += int64(n)
		s.out = s.out[n:]
	}
	s.out = nil
	return nil
}

// The loop has its own limits, and closes its own socket.
func (s *stream) SetReadDeadline(time.Time) error  { return nil }
func (s *stream) SetWriteDeadline(time.Time) error { return nil }
func (s *stream) SetDeadline(time.Time) error      { return nil }

// Close ends a handshake.
func (s *stream) Close() error {
	if s.Conn != nil {
		return s.Conn.Close()
	}
	return nil
}

func (s *secret) blocked() bool { return len(s.stream.out) > 0 }

// send writes what the socket takes of c's request, record by record.
func (s *secret) send(c *conn) error {
	before := s.stream.n
	err := s.stream.flush()
	for err == nil && len(c.rest) > 0 && !s.blocked() {
		n := min(len(c.rest), recordBytes)
		_, err = s.Conn.Write(c.rest[:n])
		c.rest = c.rest[n:]
	}
	c.written = c.written || s.stream.n > before
	return err
}

// goodbye tells the server that the connection ends.
func (s *secret) goodbye() { _ = s.Conn.Close() }

// readSecret is read over TLS. After a few records others have their turn, and since
// no poll tells of what has been read and not decrypted, c is kept in mind.
func (w *World) readSecret(c *conn) (s correct.Sample, ok bool) {
	for range 16 {
		n, err := c.secret.Read(w.buf)
		if err == errAgain { // crypto/tls hands on the very error
			return s, false
		}
		now := w.now()
		done := false
		if n > 0 {
			var wrong error
			if done, wrong = c.parser.Feed(w.buf[:n]); wrong != nil {
				err = wrong
			}
		}
		switch {
		case done:
			err = nil
		case err == io.EOF:
			err = c.parser.End()
		case err == nil:
			c.came(now)
			continue
		}
		return w.answer(c, w.client.Answer(&c.job.message, &c.parser, err), now, w.late(now)), true
	}
	w.more = append(w.more, c)
	return s, false
}

// rouse handles an event on an idle connection: the server has ended it, or said what
// nobody asked for. Only TLS has business of its own, such as session tickets.
func (w *World) rouse(c *conn) {
	if c.secret != nil {
		if n, err := c.secret.Read(w.buf); n == 0 && err == errAgain && !w.ended(c) {
			return
		}
	}
	w.close(c)
	w.roomier = true
}

// secrets makes the dials that end in a TLS handshake.
type secrets struct {
	world *World
	done  chan handshake // as long as there can be dials, so that none blocks on it
	ctx   context.Context
	end   context.CancelFunc
	all   sync.WaitGroup
}

// A handshake is how a dial ended.
type handshake struct {
	conn    *conn
	outcome transport.Outcome
}

func (t *secrets) start(w *World) {
	t.world = w
	t.done = make(chan handshake, w.spread)
	t.ctx, t.end = context.WithCancel(context.Background())
}

// stop ends every dial, and waits for it.
func (t *secrets) stop() {
	t.end()
	t.all.Wait()
	for len(t.done) > 0 {
		if h := <-t.done; h.outcome.Class == correct.OK {
			unix.Close(h.conn.fd)
		}
	}
}

// dial begins one, at the address given, from the local one if there is one.
func (t *secrets) dial(first int, local *address) {
	began := t.world.now()
	t.all.Go(func() {
		c, o := t.shake(first, local)
		c.began, c.opening.Began, c.opening.Resolved = began, began, began
		t.done <- handshake{c, o}
		t.world.ring()
	})
}

// shake makes one.
func (t *secrets) shake(first int, local *address) (*conn, transport.Outcome) {
	w := t.world
	c := &conn{address: first, opening: new(correct.Opening)}
	ctx, cancel := t.ctx, context.CancelFunc(func() {})
	if w.timeout > 0 {
		ctx, cancel = context.WithTimeout(t.ctx, w.timeout)
	}
	defer cancel()
	dialer := net.Dialer{Timeout: w.timeout / time.Duration(len(w.parts.Addrs)), KeepAlive: -1}
	if local != nil {
		dialer.Control = func(_, _ string, raw syscall.RawConn) error {
			var refused error
			err := raw.Control(func(fd uintptr) { refused = local.bind(int(fd)) })
			if err == nil {
				err = refused
			}
			return err
		}
	}
	var tcp net.Conn
	for ; ; c.address = (c.address + 1) % len(w.parts.Addrs) {
		var err error
		if tcp, err = dialer.DialContext(ctx, "tcp", w.parts.Addrs[c.address].String()); err == nil {
			break
		}
		if c.tries++; c.tries == len(w.parts.Addrs) || ctx.Err() != nil {
			return c, transport.Undialled(err)
		}
	}
	c.opening.Connected = w.now()
	defer tcp.Close() // the loop's socket is a second name of the same one
	s := &stream{Conn: tcp, world: w}
	c.secret = &secret{tls.Client(s, w.parts.TLS), s}
	if err := c.secret.HandshakeContext(ctx); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return c, transport.Unsecured(err)
	}
	raw, err := tcp.(*net.TCPConn).SyscallConn()
	if err != nil {
		return c, transport.Undialled(err)
	}
	var full error
	err = raw.Control(func(fd uintptr) { c.fd, full = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) })
	if err = errors.Join(err, full); err != nil {
		return c, transport.Undialled(err)
	}
	s.Conn, s.fd = nil, c.fd
	return c, transport.Outcome{}
}

// admit takes the dials that have ended.
func (w *World) admit() {
	for {
		select {
		case h := <-w.tls.done:
			if h.outcome.Class != correct.OK {
				w.dead = append(w.dead, h.outcome)
				continue
			}
			w.good = h.conn.address
			w.adopt(h.conn, unix.EPOLLIN)
			w.opened(h.conn)
		default:
			return
		}
	}
}
