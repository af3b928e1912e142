package conformance

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/live"
	"openload/transport"
)

// moves holds a World to going to all addresses of a name, and to those that it has now,
// also where one connection would do.
func moves(t *testing.T, open func(*testing.T, Options) World) {
	certificate, roots := Certify(t, time.Now().Add(time.Hour))
	for _, secure := range []bool{false, true} {
		scheme, config := "http", (*tls.Config)(nil)
		if secure {
			scheme, config = "https", &tls.Config{Certificates: []tls.Certificate{certificate}}
		}
		// start makes a server at all loopback addresses, and a World of connections to a
		// name. renew says which addresses the name has from then on.
		start := func(t *testing.T, listenAt string, connections int, names ...string) (w World, renew func(...string), hits func() map[string]int) {
			l, err := net.Listen("tcp", listenAt+":0")
			require.NoError(t, err)
			var mu sync.Mutex
			at := map[string]int{}
			serve(t, l, config, func(_ int, p peer) {
				for _, ok := p.request(); ok; _, ok = p.request() {
					host, _, _ := net.SplitHostPort(p.LocalAddr().String())
					mu.Lock()
					at[host]++
					mu.Unlock()
					time.Sleep(time.Millisecond)
					p.say(hello)
				}
			})
			_, port, _ := net.SplitHostPort(l.Addr().String())
			r := plain(scheme + "://example.test:" + port)
			target, err := r.Target()
			require.NoError(t, err)
			network := transport.Network{Lookup: func(context.Context, string, string) ([]netip.Addr, error) { return addrs(names...), nil }}
			route, err := network.Route(t.Context(), target)
			require.NoError(t, err)
			w = open(t, Options{
				Epoch: time.Now(), Connections: connections, ConnectTimeout: 5 * time.Second,
				Client: client(t, transport.Config{Request: r, Route: route, Security: transport.Security{Roots: roots}, Clock: time.Now}),
			})
			renew = func(to ...string) {
				names = to
				changed, err := route.Refresh(t.Context())
				require.NoError(t, err)
				require.True(t, changed)
			}
			return w, renew, func() map[string]int {
				mu.Lock()
				defer mu.Unlock()
				was := at
				at = map[string]int{}
				return was
			}
		}
		// shots fires n rounds of so many at once, and all of them succeed.
		shots := func(t *testing.T, w World, n, atOnce int) {
			for range n {
				all := Drive(t, w, make([]time.Duration, atOnce), nil)
				require.Equal(t, map[correct.Class]int{correct.OK: atOnce}, Classes(all))
			}
		}
		// settled fires until so many connections were opened in all.
		settled := func(t *testing.T, w World, opened, atOnce int) {
			for end := time.Now().Add(10 * time.Second); w.Counters().Opened < opened; {
				require.True(t, time.Now().Before(end))
				shots(t, w, 1, atOnce)
			}
		}
		tls := fmt.Sprintf(" TLS=%v", secure)

		t.Run("every address has its share"+tls, func(t *testing.T) {
			w, _, hits := start(t, "0.0.0.0", 10, "127.0.0.1", "127.0.0.2", "127.0.0.3")
			settled(t, w, 3, 1)
			hits()
			shots(t, w, 60, 1)
			require.Equal(t, map[string]int{"127.0.0.1": 20, "127.0.0.2": 20, "127.0.0.3": 20}, hits())
			w.Close()
			peers := w.Counters().Peers
			require.Len(t, peers, 3)
			for _, p := range peers {
				require.Equal(t, 1, p.Opened, "one would have done, and each has one")
			}
		})

		t.Run("a new address takes its share"+tls, func(t *testing.T) {
			w, renew, hits := start(t, "0.0.0.0", 10, "127.0.0.1")
			shots(t, w, 5, 1)
			require.Equal(t, map[string]int{"127.0.0.1": 5}, hits())
			renew("127.0.0.1", "127.0.0.2")
			settled(t, w, 2, 1)
			hits()
			shots(t, w, 40, 1)
			require.Equal(t, map[string]int{"127.0.0.1": 20, "127.0.0.2": 20}, hits())
			w.Close()
			require.Equal(t, 2, w.Counters().Opened)
		})

		t.Run("what goes to one that is gone is not used again"+tls, func(t *testing.T) {
			w, renew, hits := start(t, "0.0.0.0", 10, "127.0.0.1", "127.0.0.2")
			shots(t, w, 10, 4)
			hits()
			renew("127.0.0.2", "127.0.0.3")
			settled(t, w, w.Counters().Opened+1, 1)
			require.Zero(t, hits()["127.0.0.1"])
			shots(t, w, 40, 1)
			require.Equal(t, map[string]int{"127.0.0.2": 20, "127.0.0.3": 20}, hits())
			w.Close()
		})

		t.Run("where there may be no more, some change over"+tls, func(t *testing.T) {
			w, renew, hits := start(t, "0.0.0.0", 4, "127.0.0.1")
			shots(t, w, 50, 16)
			require.Equal(t, 4, w.Counters().Opened)
			hits()
			renew("127.0.0.1", "127.0.0.2")
			settled(t, w, 6, 16)
			hits()
			shots(t, w, 50, 16)
			now := hits()
			require.Equal(t, 800, now["127.0.0.1"]+now["127.0.0.2"])
			require.GreaterOrEqual(t, now["127.0.0.1"], 200, now)
			require.GreaterOrEqual(t, now["127.0.0.2"], 200, now)
			w.Close()
			require.Equal(t, 4, w.Counters().Peak)
			require.Equal(t, 6, w.Counters().Opened, "two of them, and only once")
		})

		t.Run("one that cannot be reached costs nobody anything"+tls, func(t *testing.T) {
			w, renew, hits := start(t, "127.0.0.1", 10, "127.0.0.1")
			shots(t, w, 5, 1)
			renew("127.0.0.1", "127.0.0.2")
			shots(t, w, 40, 1)
			require.Equal(t, map[string]int{"127.0.0.1": 45}, hits())
			w.Close()
			peers := w.Counters().Peers
			require.Len(t, peers, 2)
			require.Equal(t, live.Peer{Address: peers[1].Address}, peers[1], "and it is told")
			require.Empty(t, w.Counters().Failures)
		})
	}
}
