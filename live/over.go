package live

import (
	"context"
	"time"

	"openload/engine"
	"openload/request"
	"openload/transport"
)

// Over returns the Dialer of a transport.
func Over(c *transport.Client) Dialer { return over{c} }

type over struct{ client *transport.Client }

func (o over) Dial(ctx context.Context, timeout time.Duration) (Conn, transport.Outcome) {
	c, out := o.client.Dial(ctx, timeout)
	if c == nil {
		return nil, out // and not a Conn that holds a nil
	}
	return wired{c}, out
}

// wired is a transport's connection, to which shots are messages.
type wired struct{ *transport.Conn }

func (c wired) Exchange(_ engine.Shot, m *request.Message, deadline time.Time) transport.Outcome {
	return c.Conn.Exchange(m, deadline)
}

// OverStreams returns the Dialer of HTTP/2: what it opens are streams.
func OverStreams(s *transport.Streams) Dialer { return overStreams{s} }

type overStreams struct{ streams *transport.Streams }

func (o overStreams) Dial(ctx context.Context, timeout time.Duration) (Conn, transport.Outcome) {
	c, out := o.streams.Dial(ctx, timeout)
	if c == nil {
		return nil, out
	}
	return wiredStream{c}, out
}

type wiredStream struct{ *transport.Stream }

func (c wiredStream) Exchange(_ engine.Shot, m *request.Message, deadline time.Time) transport.Outcome {
	return c.Stream.Exchange(m, deadline)
}
