//go:build linux

package loop

import (
	"crypto/tls"
	"io"
	"net"
	"time"

	"golang.org/x/sys/unix"

	"openload/correct"
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
		return w.answer(c, c.pool.client.Answer(&c.job.message, &c.parser, err), now, w.late(now)), true
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
	c.pool.roomier()
}
