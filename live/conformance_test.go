package live_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"openload/live"
	"openload/live/conformance"
	"openload/transport"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, func(_ *testing.T, o conformance.Options) conformance.World {
		var dialers []live.Dialer
		for _, c := range o.Clients {
			dialers = append(dialers, live.Over(c))
		}
		return live.New(live.Options{
			Epoch: o.Epoch, Dialer: live.Over(o.Client), Dialers: dialers, Host: o.Host, Feed: o.Feed, Connections: o.Connections, ConnectTimeout: o.ConnectTimeout, NoKeepAlive: o.NoKeepAlive, PerConnection: o.PerConnection,
		})
	})
}

const hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

func client(t *testing.T, c transport.Config) *transport.Client {
	l, err := transport.New(c)
	require.NoError(t, err)
	return l
}
