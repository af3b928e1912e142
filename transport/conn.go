package transport

import (
	"errors"
	"net"
	"os"
	"time"

	"openload/correct"
	"openload/request"
)

// A Conn is one connection. One goroutine uses it.
type Conn struct {
	client  *Client
	address int      // its number in the client's route
	plain   net.Conn // beneath TLS
	stream  net.Conn // plain, or TLS over it
	written *int64   // bytes handed to the kernel beneath TLS; nil without TLS
	arrival arrival
	reader  reader
	peeker  peeker
	used    bool        // a request was written
	broken  bool        // the last exchange failed
	unhook  func() bool // ends the watch on the context of the dial
}

// Alive reports whether the server still holds an idle connection open: false if it
// has closed it, or sent something that nobody asked for, or its address is the target's no
// more. It does not wait.
func (c *Conn) Alive() bool {
	if c.client.route.Gone(c.address) {
		return false
	}
	switch c.peeker.peek() {
	case nothing:
		return true
	case data:
		return c.client.tls != nil && !c.used // session tickets follow the handshake
	}
	return false
}

// Exchange sends m, or the client's request if it is nil, and reads the response, both
// by deadline; a zero deadline is none. The class is Stale if a connection that was used before turned
// out to be closed before a byte was written. Then, and only then, may the same
// request be sent on another connection.
func (c *Conn) Exchange(m *request.Message, deadline time.Time) Outcome {
	if m == nil {
		m = &c.client.message
	}
	o := c.exchange(m, deadline)
	c.broken = o.Class != correct.OK && o.Class != correct.BadStatus
	return o
}

func (c *Conn) exchange(m *request.Message, deadline time.Time) Outcome {
	var written bool
	err := c.stream.SetDeadline(deadline)
	if err == nil {
		written, err = c.write(m.Bytes)
	}
	wrote := c.client.clock()
	c.arrival.reads = 0
	if !written && err != nil {
		o := failed(readClass(err, false))
		if o.Class == correct.Reset && c.used {
			o.Class = correct.Stale
		}
		return o
	}
	c.used = true
	var o Outcome
	if errors.Is(err, os.ErrDeadlineExceeded) {
		o = failed(readClass(err, false))
	} else {
		// A server may answer and close before it has read the whole request: its
		// answer counts, if it is complete.
		o = c.read(m.Head)
	}
	o.Written, o.Wrote = true, wrote
	if c.arrival.reads > 1 {
		o.First = c.arrival.first
	}
	o.Keep = o.Keep && err == nil && !m.Close && !c.client.route.Gone(c.address)
	return o
}

// write hands the request over and reports whether any of it went out.
func (c *Conn) write(b []byte) (written bool, err error) {
	if c.written == nil {
		n, err := c.stream.Write(b)
		return n > 0, err
	}
	before := *c.written
	_, err = c.stream.Write(b)
	return *c.written > before, err
}

func (c *Conn) read(head bool) Outcome {
	resp, err := c.reader.response(head)
	var o Outcome
	if err != nil {
		o = failed(readClass(err, resp.began))
	} else {
		o.Status, o.Keep, o.RetryAfter = resp.status, resp.keep, resp.pause
		o.Location = resp.goTo
		if !c.client.expect(resp.status) {
			o.Class = correct.BadStatus
		}
	}
	o.Bytes = resp.bytes
	return o
}

// Close closes the connection. It does not wait for anything to be sent.
func (c *Conn) Close() {
	c.unhook()
	if c.broken {
		c.plain.Close() // TLS would first try to say goodbye, for up to five seconds
		return
	}
	c.stream.Close()
}

// sight is what a look at an idle connection shows.
type sight int

const (
	nothing sight = iota // as it should be
	data
	ended // closed by the server, or broken
)
