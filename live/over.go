package live

import (
	"context"
	"time"

	"openload/engine"
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
	return same{c}, out
}

// same sends the same request for every shot.
type same struct{ *transport.Conn }

func (s same) Exchange(_ engine.Shot, deadline time.Time) transport.Outcome {
	return s.Conn.Exchange(deadline)
}
