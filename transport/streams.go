package transport

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"

	"openload/correct"
)

// HTTP/2, by net/http. Its own pool would send requests again behind our back; a
// ClientConn does not, so connections are kept here, and each lends its streams.

// usualStreams is how many streams a server is taken to allow before it has said so, as
// net/http takes it.
const usualStreams = 100

// Streams opens HTTP/2 connections to the host of a Client, and lends their streams. A
// server that answers the handshake with HTTP/1.1 has connections of one stream each.
type Streams struct {
	client *Client
	most   int // of a connection; 0: as many as the server allows
	http   *http.Transport

	mu     sync.Mutex
	all    []*shared
	counts StreamCounts
}

// StreamCounts tell what became of the connections.
type StreamCounts struct {
	Protocol string // HTTP/2.0, or what the server preferred; "" before the first connection
	Opened   int    // connections
	Most     int    // of them at once
	Requests int    // put on the wire
	Refused  int    // of them, by a server that did not process them
	open     int
}

// shared is a connection whose streams are lent.
type shared struct {
	lent    int
	ready   chan struct{} // closed when it is open, or is not going to be
	failed  *Outcome      // why there is no connection
	conn    *http.ClientConn
	net     net.Conn // beneath TLS
	unhook  func() bool
	opened  Outcome // of its dial
	address int     // of the route; Anywhere while that is open
}

// Known is how HTTP/2 comes about.
type Known bool

// The ways to HTTP/2.
const (
	Negotiated Known = false // by ALPN, over TLS
	Prior      Known = true  // both know, and nobody asks
)

// NewStreams returns a Client's streams, at most so many of one connection; 0 is as many
// as the server allows.
func NewStreams(c *Client, how Known, most int) *Streams {
	if c.message.Close {
		most = 1 // a connection takes one request
	}
	s := &Streams{client: c, most: most}
	var protocols http.Protocols
	if how == Prior {
		protocols.SetHTTP2(true)
		protocols.SetUnencryptedHTTP2(true)
	} else {
		protocols.SetHTTP1(true)
		protocols.SetHTTP2(true)
	}
	there := func(ctx context.Context, _, _ string) (net.Conn, error) { return ctx.Value(connKey{}).(net.Conn), nil }
	s.http = &http.Transport{Protocols: &protocols, DisableCompression: true, DialContext: there, DialTLSContext: there}
	return s
}

// Route is the way that the connections take.
func (s *Streams) Route() *Route { return s.client.route }

// connKey is where the connection of a dial waits for net/http to take it.
type connKey struct{}

// Counts tells what became of the connections so far.
func (s *Streams) Counts() StreamCounts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// Dial lends a stream: of a connection that has one left, or is being opened, or else of
// a new one. It is described by [Client.Dial].
func (s *Streams) Dial(ctx context.Context, timeout time.Duration) (*Stream, Outcome) {
	return s.DialAt(ctx, timeout, Anywhere)
}

// DialAt is Dial to an address of the route by its number.
func (s *Streams) DialAt(ctx context.Context, timeout time.Duration, address int) (*Stream, Outcome) {
	for {
		c, mine := s.lend(address)
		if mine {
			s.open(ctx, timeout, c)
		} else {
			select {
			case <-c.ready:
			case <-ctx.Done():
				s.giveBack(c)
				return nil, Outcome{Class: correct.Unfinished}
			}
		}
		if c.conn == nil {
			s.giveBack(c)
			return nil, *c.failed
		}
		if !mine && s.tooMany(c) {
			continue
		}
		o := c.opened
		o.Shared = !mine
		return &Stream{streams: s, shared: c}, o
	}
}

// lend takes a place on a connection to the address; mine if it is to be opened for it.
func (s *Streams) lend(address int) (c *shared, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.all {
		if c.lent < s.room(c) && (address == Anywhere || address == c.address) {
			c.lent++
			return c, false
		}
	}
	c = &shared{lent: 1, ready: make(chan struct{}), address: address}
	s.all = append(s.all, c)
	return c, true
}

// room is how many streams c may lend. The caller holds mu.
func (s *Streams) room(c *shared) int {
	room := usualStreams
	switch {
	case c.failed != nil:
		return 0
	case c.conn != nil:
		if c.conn.Err() != nil || s.client.route.Gone(c.address) {
			return 0
		}
		room = c.conn.Available() + c.conn.InFlight()
	}
	if s.most > 0 {
		room = min(room, s.most)
	}
	return room
}

// tooMany gives a place back if the connection, now that it is open, has fewer.
func (s *Streams) tooMany(c *shared) bool {
	s.mu.Lock()
	over := c.lent > max(1, s.room(c))
	s.mu.Unlock()
	if over {
		s.giveBack(c)
	}
	return over
}

// giveBack returns a place. The last one closes the connection.
func (s *Streams) giveBack(c *shared) {
	s.mu.Lock()
	c.lent--
	last := c.lent == 0
	if last {
		for i, x := range s.all {
			if x == c {
				s.all = append(s.all[:i], s.all[i+1:]...)
				break
			}
		}
		if c.conn != nil {
			s.counts.open--
		}
	}
	s.mu.Unlock()
	if last && c.conn != nil {
		c.unhook()
		c.conn.Close()
		c.net.Close()
	}
}

// open opens c's connection, or notes why there is none.
func (s *Streams) open(ctx context.Context, timeout time.Duration, c *shared) {
	defer close(c.ready)
	within, cancel := ctx, context.CancelFunc(func() {})
	if timeout > 0 {
		within, cancel = context.WithTimeout(ctx, timeout)
	}
	defer cancel()
	l := s.client
	w, err := l.route.Connect(within, timeout, nil, c.address)
	if err != nil {
		s.give(c, undialled(ctx, dialClass, err))
		return
	}
	c.opened = Outcome{Connected: l.clock(), Peer: l.route.Label(w.Address), Address: w.Address}
	scheme, conn, protocol := "http", w.Conn, "HTTP/2.0"
	if l.tls != nil {
		secured := tls.Client(w.Conn, l.tls)
		if err := secured.HandshakeContext(within); err != nil {
			w.Conn.Close()
			s.give(c, undialled(ctx, handshakeClass, err))
			return
		}
		c.opened.Secured = l.clock()
		scheme, conn = "https", secured
		if secured.ConnectionState().NegotiatedProtocol != "h2" {
			protocol = "HTTP/1.1"
		}
	}
	opened, err := s.http.NewClientConn(context.WithValue(within, connKey{}, conn), scheme, "openload:1")
	if err != nil {
		w.Conn.Close()
		s.give(c, undialled(ctx, dialClass, err))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.address, c.conn, c.net = w.Address, opened, w.Conn
	c.unhook = context.AfterFunc(ctx, func() { w.Conn.Close() })
	s.counts.Protocol = protocol
	s.counts.Opened++
	s.counts.open++
	s.counts.Most = max(s.counts.Most, s.counts.open)
}

// give says why there is no connection.
func (s *Streams) give(c *shared, o Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.failed = &o
}
