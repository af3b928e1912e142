package conformance

import (
	"context"
	"crypto/tls"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/engine"
	"openload/live"
	"openload/request"
	"openload/transport"
)

// hosts holds a World to keeping hosts apart: one answers, one does over TLS, one does
// under another name, one never does, and at the last nobody listens.
func hosts(t *testing.T, open func(*testing.T, Options) World) {
	const good, secure, named, stalled, gone = 0, 1, 2, 3, 4
	certificate, roots := Certify(t, time.Now().Add(time.Hour))
	config := &tls.Config{Certificates: []tls.Certificate{certificate}}
	var hosts, names [5]atomic.Pointer[string] // what each server was asked for last
	answering := func(n int) func(int, peer) {
		return func(_ int, p peer) {
			for r, ok := p.request(); ok; r, ok = p.request() {
				hosts[n].Store(&r.Host)
				if c, secure := p.Conn.(*tls.Conn); secure {
					name := c.ConnectionState().ServerName
					names[n].Store(&name)
				}
				p.say(hello)
			}
		}
	}
	silent := func(_ int, p peer) {
		p.request()
		p.request()
	}
	var servers [5]*server
	for n, config := range []*tls.Config{nil, config, config, nil, nil} {
		handle := answering(n)
		if n == stalled {
			handle = silent
		}
		servers[n] = listen(t, "127.0.0.1", config, handle)
	}
	servers[gone].Close()
	// ready returns a World of all of them, of which operation seq goes to seq mod 5.
	ready := func(t *testing.T) (World, []string, *request.Feed) {
		var urls []string
		var items []request.Item
		var clients []*transport.Client
		for n, s := range servers {
			url := "http://" + s.Addr().String()
			if n == secure {
				url = "https://" + s.Addr().String()
			} else if n == named {
				url = "https://example.test:" + port(s)
			}
			urls = append(urls, url)
			items = append(items, request.Item{Request: request.Request{URL: url + "/x"}})
			clients = append(clients, client(t, transport.Config{
				Request: plain(url), Addrs: addrs("127.0.0.1"), Security: transport.Security{Roots: roots}, Clock: time.Now,
			}))
		}
		mix, err := request.NewMix(items, request.Cycle, nil)
		require.NoError(t, err)
		wire, err := request.NewWire(mix, request.WireOptions{KeepAlive: true})
		require.NoError(t, err)
		feed := wire.Feed(func(k uint64) uint64 { return k })
		return open(t, Options{
			Epoch: time.Now(), Connections: 2, ConnectTimeout: 5 * time.Second, Feed: feed, Clients: clients, Host: wire.TargetOf,
		}), urls, feed
	}

	t.Run("each is as it would be alone", func(t *testing.T) {
		w, urls, feed := ready(t)
		defer feed.Close()
		const shots = 4
		at := make([]time.Duration, 5*shots)
		for i := range at {
			at[i] = time.Duration(i) * 2 * time.Millisecond
		}
		all := Drive(t, w, at, func(s *engine.Shot) {
			if s.Pool == stalled {
				s.Timeout = time.Second
			}
		})
		var of [5][]correct.Sample
		for i, x := range all {
			of[i%5] = append(of[i%5], x)
		}
		for n, class := range map[int]correct.Class{good: correct.OK, secure: correct.OK, named: correct.OK, stalled: correct.Timeout, gone: correct.Refused} {
			require.Equal(t, map[correct.Class]int{class: shots}, Classes(of[n]), urls[n])
		}
		// Its connections were busy until the first two timed out. All else was over by then.
		for n := range of {
			for _, x := range of[n] {
				if n != stalled {
					require.Less(t, x.Done, of[stalled][shots-1].Sent)
				}
			}
		}
		c := w.Counters()
		w.Close()
		require.Len(t, c.Hosts, 5)
		sum := live.Host{}
		for n, h := range c.Hosts {
			sum.Opened += h.Opened
			attempts := 0
			for _, p := range h.Peers {
				require.Equal(t, servers[n].Addr().String(), p.Address)
				attempts += p.Attempts
			}
			want := shots
			if n == gone {
				want = 0
			}
			require.Equal(t, want, attempts)
			require.LessOrEqual(t, h.Peak, 2)
		}
		require.Equal(t, shots, c.Hosts[stalled].Opened, "one that timed out is of no use")
		require.True(t, c.Hosts[stalled].CapReached)
		require.Zero(t, c.Hosts[gone].Opened)
		require.Equal(t, sum.Opened, c.Opened)
		require.Equal(t, servers[good].Addr().String(), *hosts[good].Load())
		require.Equal(t, servers[secure].Addr().String(), *hosts[secure].Load())
		require.Equal(t, "example.test:"+port(servers[named]), *hosts[named].Load())
		require.Equal(t, "", *names[secure].Load(), "an address has no SNI")
		require.Equal(t, "example.test", *names[named].Load())
	})

	t.Run("the end is that of all", func(t *testing.T) {
		w, _, feed := ready(t)
		defer feed.Close()
		defer w.Close()
		pooled := w.(engine.Pooled)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for seq := range uint64(2) {
			require.Positive(t, pooled.RoomIn(stalled, 1, 0))
			w.Fire(engine.Shot{Seq: 5*seq + stalled, Pool: stalled, Attempt: 1})
		}
		w.Wait(ctx, 20*time.Millisecond) // they may be sent, or not
		cancel()
		for range 2 {
			_, x, answered := w.Wait(ctx, engine.Forever)
			require.True(t, answered)
			require.Equal(t, correct.Unfinished, x.Class)
		}
	})

	// A World that has no time to wait, since one host sends without end, opens another
	// connection to the other host all the same: its server answers neither request before it
	// has both.
	t.Run("one that floods", func(t *testing.T) {
		try := func() (flood correct.Sample, others []correct.Sample) {
			flooding := listen(t, "127.0.0.1", nil, func(_ int, p peer) {
				p.request()
				p.say("HTTP/1.1 200 OK\r\n\r\n")
				for block := make([]byte, 1<<20); ; {
					if _, err := p.Write(block); err != nil {
						return
					}
				}
			})
			both := make(chan bool, 2)
			patient := listen(t, "127.0.0.1", nil, func(_ int, p peer) {
				for _, ok := p.request(); ok; _, ok = p.request() {
					both <- true
					for began := time.Now(); len(both) < 2 && time.Since(began) < 2*time.Second; {
						time.Sleep(time.Millisecond)
					}
					p.say(hello)
				}
			})
			var clients []*transport.Client
			for _, s := range []*server{flooding, patient} {
				clients = append(clients, client(t, transport.Config{Request: plain("http://" + s.Addr().String()), Addrs: addrs("127.0.0.1"), Clock: time.Now}))
			}
			w := open(t, Options{
				Epoch: time.Now(), Connections: 4, ConnectTimeout: 5 * time.Second,
				Clients: clients, Host: func(seq uint64) int { return int(min(seq, 1)) },
			})
			defer w.Close()
			all := Drive(t, w, []time.Duration{0, 50 * time.Millisecond, 60 * time.Millisecond}, func(s *engine.Shot) {
				if s.Pool == 0 {
					s.Timeout = 700 * time.Millisecond
				}
			})
			return all[0], all[1:]
		}
		flood, others := try()
		for n := 1; n < 3 && max(others[0].Done, others[1].Done) >= flood.Done; n++ {
			flood, others = try() // but for a busy machine
		}
		require.Equal(t, correct.Timeout, flood.Class)
		for _, x := range others {
			require.Equal(t, correct.OK, x.Class)
			require.Less(t, x.Done, flood.Done)
		}
	})
}

// port is a server's.
func port(s *server) string {
	_, port, _ := net.SplitHostPort(s.Addr().String())
	return port
}
