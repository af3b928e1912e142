package live

import (
	"context"
	"time"

	"openload/engine"
	"openload/request"
	"openload/transport"
)

// A routed dialer has a route, and dials its addresses by their numbers.
type routed interface {
	Dialer
	route() *transport.Route
	dialAt(ctx context.Context, timeout time.Duration, address int) (Conn, transport.Outcome)
}

// routeOf is a dialer's route; nil if it has none.
func routeOf(d Dialer) *transport.Route {
	if r, ok := d.(routed); ok {
		return r.route()
	}
	return nil
}

// Over returns the Dialer of a transport.
func Over(c *transport.Client) Dialer { return over{c} }

type over struct{ client *transport.Client }

func (o over) Dial(ctx context.Context, timeout time.Duration) (Conn, transport.Outcome) {
	return o.dialAt(ctx, timeout, transport.Anywhere)
}

// wired is a transport's connection, to which shots are messages.
type wired struct{ *transport.Conn }

func (c wired) Exchange(_ engine.Shot, m *request.Message, deadline time.Time) transport.Outcome {
	return c.Conn.Exchange(m, deadline)
}

func (o over) route() *transport.Route { return o.client.Route() }

func (o over) dialAt(ctx context.Context, timeout time.Duration, address int) (Conn, transport.Outcome) {
	c, out := o.client.DialAt(ctx, timeout, address)
	if c == nil {
		return nil, out // and not a Conn that holds a nil
	}
	return wired{c}, out
}

// OverStreams returns the Dialer of HTTP/2: what it opens are streams.
func OverStreams(s *transport.Streams) Dialer { return overStreams{s} }

type overStreams struct{ streams *transport.Streams }

func (o overStreams) Dial(ctx context.Context, timeout time.Duration) (Conn, transport.Outcome) {
	return o.dialAt(ctx, timeout, transport.Anywhere)
}

func (o overStreams) route() *transport.Route { return o.streams.Route() }

func (o overStreams) dialAt(ctx context.Context, timeout time.Duration, address int) (Conn, transport.Outcome) {
	c, out := o.streams.DialAt(ctx, timeout, address)
	if c == nil {
		return nil, out
	}
	return wiredStream{c}, out
}

type wiredStream struct{ *transport.Stream }

func (c wiredStream) Exchange(_ engine.Shot, m *request.Message, deadline time.Time) transport.Outcome {
	return c.Stream.Exchange(m, deadline)
}
