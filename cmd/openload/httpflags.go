package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"openload/coding"
	"openload/live"
	"openload/report"
	"openload/request"
	"openload/transport"
)

// httpFlags say which HTTP is spoken.
type httpFlags struct {
	HTTP2          bool `name:"http2" group:"connection" help:"HTTP/2 over TLS, if the server agrees. -c is then the most streams, and so requests, at once; connections are opened as these need them."`
	PriorKnowledge bool `name:"http2-prior-knowledge" group:"connection" help:"HTTP/2 without asking, as over http:// (h2c)."`
	Streams        int  `group:"connection" placeholder:"N" help:"Most HTTP/2 streams of a connection at once. Default: as many as the server allows."`
	Location       bool `short:"L" group:"request" help:"Follow redirects, 10 at most. A request's times then span all of them, with connecting to where they lead in the time until the first byte; its status is the last one's."`
	Compressed     bool `group:"request" help:"Ask for compressed answers, as browsers do (Accept-Encoding: gzip, deflate, br, zstd). The report counts bytes on the wire and decoded; decoding is done beside the run and is in no latency. Without it none are asked for."`
	PerConnection  int  `name:"requests-per-connection" group:"connection" placeholder:"N" help:"Most requests over a connection, which then ends. Default: as many as the server takes."`
}

// A manner is how requests travel.
type manner struct {
	http2         bool
	prior         bool
	most          int // streams of a connection; 0: as many as the server allows
	perConnection int // requests; 0: any number

	// What is asked for that the event loop does not know, by flag.
	portable []string

	bodies *coding.Counter // of what bodies decode to; nil: no codings were asked for

	handshakes            transport.Handshakes
	before, resumedBefore uint64 // handshakes of the runs before, and those of them that resumed

	mu      sync.Mutex
	streams []*transport.Streams
	hops    *live.Hops // follows redirects; nil: nothing does
}

// manner is what the flags describe, for requests to the targets through the proxy, if
// there is one.
func (f *httpFlags) manner(targets []request.Target, proxy *transport.Proxy) (*manner, error) {
	m := &manner{http2: f.HTTP2 || f.PriorKnowledge, prior: f.PriorKnowledge, most: f.Streams, perConnection: f.PerConnection}
	if f.Compressed {
		m.bodies = new(coding.Counter)
	}
	var wrong []error
	if f.Streams < 0 || f.PerConnection < 0 {
		wrong = append(wrong, errors.New("--streams and --requests-per-connection: give a number above 0"))
	}
	if f.Streams > 0 && !m.http2 {
		wrong = append(wrong, errors.New("--streams: only HTTP/2 has streams; add --http2, or leave it out"))
	}
	for _, t := range targets {
		if m.prior && proxy.Takes(t) {
			wrong = append(wrong, errors.New("--http2-prior-knowledge: a proxy for http:// speaks HTTP/1.1; give a socks5:// one, or none"))
			break
		}
		if m.http2 && !m.prior && !t.TLS {
			wrong = append(wrong, fmt.Errorf("--http2: over http:// nobody can ask for it%s; give an https:// URL, or --http2-prior-knowledge if the server speaks nothing else", amongSeveral(t, targets)))
			break
		}
	}
	switch {
	case m.prior:
		m.portable = append(m.portable, "--http2-prior-knowledge")
	case m.http2:
		m.portable = append(m.portable, "--http2")
	}
	if f.Location {
		m.portable = append(m.portable, "--location")
		m.hops = &live.Hops{}
	}
	return m, usage(errors.Join(wrong...))
}

// ready tells m how hosts are reached that servers redirect to.
func (m *manner) ready(c transport.Config, n transport.Network) {
	if m.hops == nil {
		return
	}
	m.hops.Rewrite = n.Proxy.Rewrite
	m.hops.Open = func(ctx context.Context, to request.Target) (live.Dialer, error) {
		c := c
		c.Request = request.Request{URL: to.URL()}
		client, _, err := reach(ctx, c, n)
		if err != nil {
			return nil, err
		}
		return m.plainly(client), nil
	}
}

// begin notes that a run begins.
func (m *manner) begin() {
	if m != nil {
		m.before, m.resumedBefore = m.handshakes.Counts()
	}
}

// dialers open the connections of a run, to each host its own.
func (m *manner) dialers(clients []*transport.Client) (all []live.Dialer) {
	if m != nil {
		m.streams = nil // those of the run before
		if m.hops != nil {
			m.hops = &live.Hops{Rewrite: m.hops.Rewrite, Open: m.hops.Open}
		}
	}
	for _, c := range clients {
		switch {
		case m == nil:
			all = append(all, live.Over(c))
		case m.hops == nil:
			all = append(all, m.plainly(c))
		default:
			all = append(all, m.hops.Follow(m.plainly(c), c.Target(), nil))
		}
	}
	return all
}

// plainly is dialer without redirects.
func (m *manner) plainly(c *transport.Client) live.Dialer {
	if !m.http2 {
		return live.Over(c)
	}
	s := transport.NewStreams(c, transport.Known(m.prior), m.most)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.streams = append(m.streams, s)
	return live.OverStreams(s)
}

// limit is how many requests a connection takes; 0: any number.
func (m *manner) limit() int {
	if m == nil {
		return 0
	}
	return m.perConnection
}

// why says why the portable engine sends; "" if it need not.
func (m *manner) why() string {
	if m == nil || len(m.portable) == 0 {
		return ""
	}
	return strings.Join(m.portable, " and ")
}

// told adds to a report what bodies and streams came to. When ctx ends, it waits no
// longer for bodies that are still being decoded.
func (m *manner) told(ctx context.Context, c *report.Connections) {
	if m == nil {
		return
	}
	c.Decoded = m.decoded(ctx)
	if all, resumed := m.handshakes.Counts(); all > m.before {
		c.TLS = &report.TLS{Handshakes: all - m.before, Resumed: resumed - m.resumedBefore}
	}
	if m.hops != nil {
		m.led(c)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.streams) == 0 {
		return
	}
	h := &report.HTTP2{}
	c.Opened, c.Most = 0, 0
	for i, s := range m.streams {
		is := s.Counts()
		if i < len(c.Hosts) { // they come before those that servers redirect to
			c.Hosts[i].Connections, c.Hosts[i].MaxConnections = uint64(is.Opened), is.Most
		}
		if is.Protocol != "" {
			c.Protocol = is.Protocol
		}
		c.Opened += uint64(is.Opened)
		c.Most += is.Most
		h.Streams += uint64(is.Requests)
		h.Refused += uint64(is.Refused)
	}
	if c.Protocol == "HTTP/2.0" {
		c.HTTP2 = h
	}
}

// led adds what redirects led to: the connections that hops opened are no attempt's own,
// and count for all that.
func (m *manner) led(c *report.Connections) {
	n := uint64(m.hops.Followed.Load())
	c.Redirects = &n
	all, most := m.hops.Opened()
	c.Most += most
	for _, l := range all {
		c.Opened += uint64(l.Opened)
		c.Peers = report.JoinedPeers(c.Peers, peers(l.Peers))
		for i := range c.Hosts {
			if h := &c.Hosts[i]; h.URL == l.To.URL() {
				h.Connections += uint64(l.Opened)
				h.Peers = report.JoinedPeers(h.Peers, peers(l.Peers))
			}
		}
	}
}

// decoding is how long a report waits for bodies to be decoded that came last.
const decoding = 10 * time.Second

// decoded is what the bodies of a run came to; nil if no codings were asked for.
func (m *manner) decoded(ctx context.Context) *report.Decoded {
	if m.bodies == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, decoding)
	defer cancel()
	n := m.bodies.Settle(ctx)
	return &report.Decoded{
		Bodies: n.Bodies, Codings: n.Codings, Decoded: n.Decoded, Wire: n.Wire, Bytes: n.Bytes, Failed: n.Failed, Skipped: n.Skipped,
	}
}

// accept is the header that asks for codings; "" if none are asked for, or the user has
// written one.
func (f *httpFlags) accept(header []string) string {
	if !f.Compressed || slices.ContainsFunc(header, func(h string) bool {
		name, _, _ := strings.Cut(h, ":")
		return strings.EqualFold(strings.TrimSpace(name), "Accept-Encoding")
	}) {
		return ""
	}
	return "Accept-Encoding: " + coding.Accept
}

// again are the flags that ask for the same.
func (f *httpFlags) again() (flags []string) {
	if f.HTTP2 {
		flags = append(flags, "--http2")
	}
	if f.PriorKnowledge {
		flags = append(flags, "--http2-prior-knowledge")
	}
	if f.Streams > 0 {
		flags = append(flags, fmt.Sprintf("--streams %d", f.Streams))
	}
	if f.Location {
		flags = append(flags, "--location")
	}
	if f.Compressed {
		flags = append(flags, "--compressed")
	}
	if f.PerConnection > 0 {
		flags = append(flags, fmt.Sprintf("--requests-per-connection %d", f.PerConnection))
	}
	return flags
}
