package live_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/live"
	"openload/live/conformance"
	"openload/request"
	"openload/transport"
)

// named is a route to a name whose addresses are those of at.
func named(t *testing.T, port uint16, at *[]string) *transport.Route {
	n := transport.Network{Lookup: func(context.Context, string, string) (all []netip.Addr, err error) {
		for _, a := range *at {
			all = append(all, netip.MustParseAddr(a))
		}
		return all, nil
	}}
	r, err := n.Route(t.Context(), request.Target{Host: "several.test", Port: port})
	require.NoError(t, err)
	return r
}

func TestPlaces(t *testing.T) {
	at := []string{"127.0.0.1", "127.0.0.2", "127.0.0.3"}
	route := named(t, 80, &at)
	p := live.NewPlaces[string](route)
	require.Empty(t, p.Renew())
	_, ok := p.Wanted(0)
	require.False(t, ok, "the first connection is for the shots that wait")

	p.Opened(0)
	p.Put(0, "a")
	for want := 1; want <= 2; want++ {
		to, ok := p.Wanted(0)
		require.True(t, ok)
		require.Equal(t, want, to)
	}
	_, ok = p.Wanted(0)
	require.False(t, ok, "all are being dialled")

	// What cannot be reached is tried again after one second, two, four, at most thirty.
	p.Beside(1, true, 0)
	p.Opened(1)
	p.Put(1, "b")
	var now time.Duration
	for _, wait := range []time.Duration{1, 2, 4, 8, 16, 30, 30} {
		p.Beside(2, false, now)
		now += wait*time.Second - 1
		_, ok = p.Wanted(now)
		require.False(t, ok)
		now++
		to, ok := p.Wanted(now)
		require.True(t, ok)
		require.Equal(t, 2, to)
	}
	p.Beside(2, true, now)
	p.Opened(2)
	p.Put(2, "c")

	// In turn, and of an address the one that was used last.
	p.Opened(0)
	p.Put(0, "A")
	require.Equal(t, "A", p.Peek())
	require.Equal(t, []string{"A", "b", "c", "a"}, []string{p.Take(), p.Take(), p.Take(), p.Take()})
	require.Zero(t, p.Idle())

	// Whose turn finds nothing idle gets another connection, as long as others have more.
	p.Put(0, "a")
	require.Equal(t, "a", p.Take())
	to, ok := p.Wanted(now)
	require.True(t, ok)
	require.Equal(t, 1, to)
	p.Beside(1, true, now)
	p.Opened(1)

	// Where there may be no more, one gives up what another lacks.
	_, ok = p.Spare(0, now)
	require.False(t, ok, "two and one are as even as can be")
	p.Opened(0)
	to, ok = p.Spare(0, now)
	require.True(t, ok)
	require.Equal(t, 2, to)
	_, ok = p.Spare(0, now)
	require.False(t, ok, "it is on its way")

	// Those to an address that is gone end at once, and it can come back.
	p.Put(0, "a")
	p.Put(0, "A")
	p.Put(1, "b")
	at = []string{"127.0.0.2", "127.0.0.3"}
	_, err := route.Refresh(t.Context())
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"a", "A"}, p.Renew())
	p.Closed(0, "a")
	p.Closed(0, "A")
	require.Equal(t, 1, p.Idle())
	require.Equal(t, "b", p.Take())
	require.Empty(t, p.All())
}

// Streams of HTTP/2, and connections that follow redirects, go to all addresses of a name
// as well.
func TestEveryAddressHasItsShare(t *testing.T) {
	for _, how := range []string{"streams", "redirects"} {
		t.Run(how, func(t *testing.T) {
			var mu sync.Mutex
			hits := map[string]int{}
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				host, _, _ := net.SplitHostPort(r.Context().Value(http.LocalAddrContextKey).(net.Addr).String())
				hits[host]++
			}))
			l, err := net.Listen("tcp", "0.0.0.0:0")
			require.NoError(t, err)
			s.Listener.Close()
			s.Listener = l
			s.Config.Protocols = new(http.Protocols)
			s.Config.Protocols.SetHTTP1(true)
			s.Config.Protocols.SetUnencryptedHTTP2(true)
			s.Start()
			defer s.Close()
			at := []string{"127.0.0.1", "127.0.0.2"}
			target := request.Target{Host: "several.test", Port: uint16(l.Addr().(*net.TCPAddr).Port)}
			r := request.Request{URL: target.URL()}
			c := client(t, transport.Config{Request: r, Route: named(t, target.Port, &at)})
			message := c.Parts().Message
			d := live.OverStreams(transport.NewStreams(c, transport.Prior, 0))
			if how == "redirects" {
				d = new(live.Hops).Follow(live.Over(c), target, &message)
			}
			w := live.New(live.Options{Epoch: time.Now(), Dialer: d, Connections: 10})
			defer w.Close()
			shoot := func() {
				require.Equal(t, correct.OK, conformance.Drive(t, w, []time.Duration{0}, nil)[0].Class)
			}
			for end := time.Now().Add(10 * time.Second); len(w.Counters().Peers) < 2; {
				require.True(t, time.Now().Before(end))
				shoot()
			}
			mu.Lock()
			hits = map[string]int{}
			mu.Unlock()
			for range 20 {
				shoot()
			}
			mu.Lock()
			defer mu.Unlock()
			require.Equal(t, map[string]int{"127.0.0.1": 10, "127.0.0.2": 10}, hits)
		})
	}
}
