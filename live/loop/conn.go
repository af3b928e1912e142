//go:build linux

package loop

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"openload/correct"
	"openload/engine"
	"openload/request"
	"openload/transport"
)

// A conn is one connection.
type conn struct {
	pool       *pool // the host's
	beside     bool  // it is dialled, and no shot waits for it
	fd         int
	generation int32 // tells it from one before it with the same descriptor
	state      state
	served     int  // requests that went over it
	used       bool // a request went over it
	rested     bool // it lay idle
	written    bool // a byte of this request did
	failed     bool // writing did: nothing follows this response
	watched    bool // for room to write, too

	job    job
	sent   time.Duration
	rest   []byte // of the request: not written yet
	parser transport.Parser
	secret *secret // nil without TLS

	cut        time.Duration // when it is given up, being dialled or busy
	class      correct.Class // and as what
	prev, next *conn         // in the list of those

	wrote   time.Duration    // when the last byte of the request was, if not at once; 0: at once
	first   time.Duration    // when the first byte of the response was read, if not with the last; 0: with it
	freed   time.Duration    // when it became idle
	began   time.Duration    // of the dial
	opening *correct.Opening // for the first request
	pick    transport.Pick   // addresses to dial
	address int              // the one that is dialled, or was
	peer    int              // whom it reached, among those of the counters
}

type state uint8

const (
	dialling state = iota
	idle
	busy
	closed
)

// A job is a shot on its way.
type job struct {
	shot    engine.Shot
	message request.Message
	late    time.Duration // how long we may have kept it from a connection that was there
	stale   bool          // a connection was dead already
}

// start sends the job's request over c, which is open and has nothing to do.
func (w *World) start(c *conn, j job, now time.Duration) {
	c.state, c.job, c.sent = busy, j, now
	c.cut, c.class = j.shot.Cut(now)
	c.written, c.failed = false, false
	c.wrote, c.first = 0, 0
	c.rest = j.message.Bytes
	c.parser.Reset(j.message.Head, c.pool.parts.Bodies)
	w.busy.add(c)
	if c.cut <= now {
		return // given up before a byte is written
	}
	w.write(c)
}

// write hands over what is left of the request.
func (w *World) write(c *conn) {
	var e error
	if c.secret != nil {
		e = c.secret.send(c)
	} else {
		e = c.send()
	}
	if e != nil && !c.written {
		w.unwritten(c, e)
		return
	}
	if e != nil {
		// A server may answer and close before it has read the whole request: its
		// answer counts, if it is complete.
		c.rest, c.failed = nil, true
	}
	c.used = c.used || c.written
	if more := c.blocked(); more != c.watched {
		c.watched = more
		if !more {
			c.wrote = w.polled // which told that there is room
		}
		events := uint32(unix.EPOLLIN)
		if more {
			events |= unix.EPOLLOUT
		}
		w.watch(unix.EPOLL_CTL_MOD, c, events)
	}
}

// send writes what the socket takes.
func (c *conn) send() error {
	for len(c.rest) > 0 {
		n, e := send(c.fd, c.rest)
		if e == unix.EAGAIN {
			return nil
		}
		if e != 0 {
			return e
		}
		c.written = true
		c.rest = c.rest[n:]
	}
	return nil
}

// blocked reports whether there is more to write than the socket takes.
func (c *conn) blocked() bool {
	return len(c.rest) > 0 || c.secret != nil && c.secret.blocked()
}

// unwritten ends a request of which no byte was written. A connection that had been
// open before died while it was idle: the request is sent over another one. It has
// failed if that was dialled for it, and is dead before anything was sent on it.
func (w *World) unwritten(c *conn, err error) {
	j, now := c.job, w.now()
	o := transport.Unwritten(err)
	if o.Class == correct.Reset && (c.used || c.rested) {
		o.Class = correct.Stale
	}
	if o.Class == correct.Stale && (c.used || !j.stale) {
		w.close(c)
		j.stale = true
		p := c.pool
		p.push(j)
		copy(p.pending[1:], p.pending) // it is the oldest
		p.pending[0] = j
		p.dial()
		return
	}
	w.ready = append(w.ready, w.answer(c, o, now, 0))
}

// read reads what has come, and answers the shot if the response is complete with it.
func (w *World) read(c *conn) (s correct.Sample, ok bool) {
	if c.secret != nil {
		return w.readSecret(c)
	}
	n, e := w.receive(c.fd, w.buf)
	if e == unix.EAGAIN {
		return s, false
	}
	now := w.now()
	var done bool
	var err error
	switch {
	case e != 0:
		err = e
	case n == 0:
		err = c.parser.End()
	default:
		if done, err = c.parser.Feed(w.buf[:n]); !done && err == nil {
			c.came(now)
			return s, false
		}
	}
	return w.answer(c, c.pool.client.Answer(&c.job.message, &c.parser, err), now, w.late(now)), true
}

// came notes that a part of the response was read at now.
func (c *conn) came(now time.Duration) {
	if c.first == 0 {
		c.first = now
	}
}

// receive reads from a socket. After a nap, and for the audit, it asks the kernel when
// the bytes had come.
func (w *World) receive(fd int, b []byte) (n int, e syscall.Errno) {
	audited := w.audit.turn()
	if w.stamps && (w.napped || audited) {
		n, w.came, e = w.stamper.receive(fd, b)
		if audited && w.came != 0 {
			lay := time.Duration(time.Now().UnixNano() - w.came)
			w.audit.note(lay, w.late(w.now())) // later, so that a pause in between is allowed for
		}
		return n, e
	}
	w.came = 0
	return receive(fd, b)
}

// late bounds for how long what was read just now had lain there: it had not come yet
// when the poll before the one that told of it returned. After a nap it is most likely
// what ended the nap, and only the kernel knows when it came.
func (w *World) late(now time.Duration) time.Duration {
	most := now - w.clear
	switch {
	case !w.napped:
		return most
	case w.came != 0:
		return max(0, min(most, time.Duration(time.Now().UnixNano()-w.came)))
	}
	return max(0, most-w.asked)
}

// answer ends the exchange on c. late bounds for how long its end lay there unread.
func (w *World) answer(c *conn, o transport.Outcome, done, late time.Duration) correct.Sample {
	if o.Status > 0 && done > c.cut {
		o = o.TooLate(c.class)
	}
	s := c.job.shot.Sample()
	s.Sent, s.Done = c.sent, done
	s.Class, s.Status, s.Bytes, s.Written, s.RetryAfter = o.Class, o.Status, o.Bytes, c.written, o.RetryAfter
	if !c.written {
		s.Sent = s.Done
	} else {
		s.Wrote, s.First = max(0, c.wrote-c.sent), max(0, c.first-c.sent)
		s.Opening, c.opening = c.opening, nil
	}
	s.Late = c.job.late + min(late, s.Done-s.Sent)
	w.out--
	w.count(o)
	w.counters.Bytes += s.Bytes
	c.parser.Leave()
	w.drop(&c.job)
	if c.written {
		c.pool.host.Wrote(c.peer)
		c.served++
	}
	if o.Keep && (w.each == 0 || c.served < w.each) && !c.pool.parts.Route.Gone(c.address) && !c.failed && !c.blocked() && !w.once && !w.ended(c) {
		if to, ok := c.pool.spare(c, done); ok {
			w.close(c)
			c.pool.dialAt(to)
		} else {
			w.busy.remove(c)
			c.pool.free(c, done)
		}
	} else {
		c.failed = c.failed || o.Class != correct.OK && o.Class != correct.BadStatus
		w.close(c)
		c.pool.dial()
	}
	return s
}

// ended reports whether the event that told of the answer told of the end, too.
func (w *World) ended(c *conn) bool {
	return w.event.Fd == int32(c.fd) && w.event.Events&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0
}

// close closes c, whatever it did.
func (w *World) close(c *conn) {
	p := c.pool
	switch c.state {
	case closed:
		return
	case idle:
		p.places.Closed(c.address, c)
	case busy:
		w.busy.remove(c)
		p.places.Closed(c.address, c)
	case dialling:
		w.dials.remove(c)
		p.dialled(c)
		w.open++ // it never was
	}
	if c.secret != nil && !c.failed {
		c.secret.goodbye()
	}
	c.state = closed
	w.byFD[c.fd] = nil
	unix.Close(c.fd)
	p.open--
	w.open--
}
