// Package conformance holds a World of sockets to what it must make of everything that
// servers do. Each World's tests call [Run]; it makes the test's verdict.
package conformance

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http/httptest"
	"net/netip"
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

// Options say what the World under test is made of.
type Options struct {
	Epoch          time.Time
	Client         *transport.Client
	Clients        []*transport.Client // of several hosts, in place of Client
	Host           func(seq uint64) int
	Feed           *request.Feed
	Connections    int
	ConnectTimeout time.Duration
	NoKeepAlive    bool
	PerConnection  int
}

// A World is one that can be looked at and ended.
type World interface {
	engine.World
	Counters() live.Counters
	Close()
}

// Run holds the Worlds that open makes to all of it, over each loopback address, in the
// clear and over TLS.
func Run(t *testing.T, open func(*testing.T, Options) World) {
	certified := httptest.NewTLSServer(nil)
	certified.Close()
	roots := x509.NewCertPool()
	roots.AddCert(certified.Certificate())

	// start makes a World for a server of handle.
	start := func(t *testing.T, address string, secure bool, with settings, handle func(int, peer)) (*server, World) {
		scheme, config := "http", (*tls.Config)(nil)
		if secure {
			scheme, config = "https", &tls.Config{Certificates: certified.TLS.Certificates}
		}
		s := listen(t, address, config, handle)
		r := with.request
		r.URL = scheme + "://" + s.Addr().String() + "/path?query"
		return s, open(t, Options{
			Epoch: time.Now(), Connections: max(with.connections, 10), ConnectTimeout: 5 * time.Second, NoKeepAlive: with.noKeepAlive, PerConnection: with.perConnection,
			Client: client(t, transport.Config{
				Request: r, Addrs: []netip.Addr{netip.MustParseAddr(address)}, NoKeepAlive: with.noKeepAlive, Security: transport.Security{Roots: roots}, Clock: time.Now,
			}),
		})
	}
	for _, address := range loopbacks() {
		for _, secure := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s TLS=%v", address, secure), func(t *testing.T) {
				for _, tt := range cases {
					t.Run(tt.name, func(t *testing.T) {
						s, w := start(t, address, secure, tt.with, tt.handle)
						var all []correct.Sample
						for range tt.shots {
							all = append(all, Drive(t, w, []time.Duration{0}, func(s *engine.Shot) { s.Timeout = tt.with.timeout })...)
							s.settle(t)
						}
						require.Equal(t, tt.classes, Classes(all))
						opened := 0
						for _, x := range all {
							if x.Opening != nil {
								opened++
								require.Positive(t, x.Phases()[correct.Connecting], "what it took to connect is shown")
							}
							if x.Class != correct.Reset && len(tt.classes) == 1 {
								require.Equal(t, tt.status, x.Status)
								require.Equal(t, tt.bytes, x.Bytes)
							}
							require.True(t, x.Written)
							require.Zero(t, x.Resent)
							require.GreaterOrEqual(t, x.Raw(), tt.with.timeout)
							require.LessOrEqual(t, x.Dispatched, x.Sent)
						}
						require.Equal(t, tt.conns, opened)
						require.Equal(t, tt.conns, w.Counters().Opened)
						w.Close()
						saw := s.await(t, func(is tally) bool { return is.closed >= tt.conns })
						require.Equal(t, tt.shots, saw.requests, "the server sees each request once")
						require.Equal(t, tt.conns, saw.conns)
					})
				}
			})
		}
	}

	t.Run("each shot sends its own", func(t *testing.T) { feeds(t, open) })

	t.Run("C10 C12 what the server reads", func(t *testing.T) {
		for _, address := range loopbacks() {
			var raw atomic.Pointer[string]
			s, w := start(t, address, false, settings{}, func(_ int, p peer) {
				b := make([]byte, 4096)
				n, _ := p.Read(b)
				text := string(b[:n])
				raw.Store(&text)
				p.say(hello)
			})
			Drive(t, w, []time.Duration{0}, nil)
			w.Close()
			require.Equal(t, "GET /path?query HTTP/1.1\r\nHost: "+s.Addr().String()+"\r\n\r\n", *raw.Load())
		}
		var hosts atomic.Pointer[string]
		_, w := start(t, "127.0.0.1", false, settings{request: request.Request{Header: []request.Field{{Name: "Host", Value: "hello"}}}}, func(_ int, p peer) {
			r, _ := p.request()
			hosts.Store(&r.Host)
			p.say(hello)
		})
		Drive(t, w, []time.Duration{0}, nil)
		w.Close()
		require.Equal(t, "hello", *hosts.Load())
	})

	t.Run("C20 nothing listens", func(t *testing.T) {
		s, w := start(t, "127.0.0.1", false, settings{}, always(hello))
		defer w.Close()
		s.Close()
		all := Drive(t, w, make([]time.Duration, 200), nil)
		require.Equal(t, map[correct.Class]int{correct.Refused: 200}, Classes(all))
		for _, x := range all {
			require.False(t, x.Written)
			require.Equal(t, x.Done, x.Sent)
		}
	})

	t.Run("C23 a hundred at once, again and again", func(t *testing.T) {
		s, w := start(t, "127.0.0.1", false, settings{connections: 1000}, always(hello))
		defer w.Close()
		for range 20 {
			all := Drive(t, w, make([]time.Duration, 100), nil)
			require.Equal(t, map[correct.Class]int{correct.OK: 100}, Classes(all))
		}
		saw := s.await(t, func(is tally) bool { return is.waiting == is.conns })
		require.LessOrEqual(t, saw.conns, 100+live.MaxDials)
		require.Equal(t, 2000, saw.requests)
	})

	t.Run("an answer before the request is read", func(t *testing.T) {
		body := request.Request{Body: make([]byte, 8<<20)}
		_, w := start(t, "127.0.0.1", false, settings{request: body}, func(_ int, p peer) {
			p.Read(make([]byte, 1))
			p.say("HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		})
		defer w.Close()
		all := Drive(t, w, []time.Duration{0}, nil)
		require.Equal(t, map[correct.Class]int{correct.BadStatus: 1}, Classes(all))
		require.Equal(t, 413, all[0].Status)
	})

	t.Run("C09 codings", func(t *testing.T) { codings(t, open) })

	t.Run("TLS", func(t *testing.T) { security(t, open) })

	t.Run("C17 addresses", func(t *testing.T) { moves(t, open) })

	t.Run("network", func(t *testing.T) { network(t, open) })

	t.Run("hosts", func(t *testing.T) { hosts(t, open) })

	t.Run("phases", func(t *testing.T) {
		for _, secure := range []bool{false, true} {
			_, w := start(t, "127.0.0.1", secure, settings{}, func(_ int, p peer) {
				for _, ok := p.request(); ok; _, ok = p.request() {
					time.Sleep(10 * time.Millisecond)
					p.say(hello[:len(hello)-2])
					time.Sleep(20 * time.Millisecond)
					p.say(hello[len(hello)-2:])
				}
			})
			all := Drive(t, w, []time.Duration{0}, nil)
			all = append(all, Drive(t, w, []time.Duration{0}, nil)...)
			w.Close()
			for _, x := range all {
				in := x.Phases()
				require.GreaterOrEqual(t, in[correct.Writing]+in[correct.Thinking], 10*time.Millisecond)
				require.GreaterOrEqual(t, in[correct.Reading], 10*time.Millisecond)
			}
			first, second := all[0].Phases(), all[1].Phases()
			require.Positive(t, first[correct.Connecting])
			require.Equal(t, secure, first[correct.Securing] > 0)
			require.Less(t, first[correct.Connecting]+first[correct.Securing], all[0].Wait())
			require.Zero(t, second[correct.Connecting]+second[correct.Securing], "the connection is there")
		}
	})

	t.Run("a body without end", func(t *testing.T) {
		for _, secure := range []bool{false, true} {
			try := func() (endless, other correct.Sample) {
				_, w := start(t, "127.0.0.1", secure, settings{}, func(n int, p peer) {
					p.request()
					if n > 0 {
						p.say(hello)
						return
					}
					p.say("HTTP/1.1 200 OK\r\n\r\n")
					for block := make([]byte, 1<<20); ; {
						if _, err := p.Write(block); err != nil {
							return
						}
					}
				})
				defer w.Close()
				all := Drive(t, w, []time.Duration{0, 20 * time.Millisecond}, func(s *engine.Shot) { s.Timeout = time.Second })
				if all[0].Class == correct.OK { // the connection that was accepted first went to the second
					return all[1], all[0]
				}
				return all[0], all[1]
			}
			// The other shot finds the first connection busy, and is not kept waiting: but by a
			// busy machine, and then not three times.
			endless, other := try()
			for n := 1; n < 3 && (other.Class != correct.OK || other.Done >= endless.Done); n++ {
				endless, other = try()
			}
			require.Equal(t, correct.Timeout, endless.Class)
			require.Positive(t, endless.Bytes)
			require.Equal(t, correct.OK, other.Class)
			require.Less(t, other.Done, endless.Done)
		}
	})

	t.Run("C40 a large body", func(t *testing.T) {
		const size = 256 << 20
		_, w := start(t, "127.0.0.1", false, settings{}, func(_ int, p peer) {
			p.request()
			p.say(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", size))
			block := make([]byte, 1<<20)
			for range size >> 20 {
				p.Write(block)
			}
		})
		defer w.Close()
		all := Drive(t, w, []time.Duration{0}, nil)
		require.EqualValues(t, size, all[0].Bytes)
		require.Equal(t, correct.OK, all[0].Class)
	})
}

func plain(url string) request.Request { return request.Request{URL: url} }

func addrs(all ...string) (parsed []netip.Addr) {
	for _, a := range all {
		parsed = append(parsed, netip.MustParseAddr(a))
	}
	return parsed
}

func client(t *testing.T, c transport.Config) *transport.Client {
	l, err := transport.New(c)
	require.NoError(t, err)
	return l
}

// loopbacks are the addresses that this machine has.
func loopbacks() []string {
	all := []string{"127.0.0.1"}
	if l, err := net.Listen("tcp", "[::1]:0"); err == nil {
		l.Close()
		all = append(all, "::1")
	}
	return all
}

// Drive fires a shot at each instant, which set may change, and returns the answers in
// the same order. Each host of several has a backlog of its own, as in the engine.
func Drive(t *testing.T, w engine.World, at []time.Duration, set func(*engine.Shot)) []correct.Sample {
	t.Helper()
	all := make([]correct.Sample, len(at))
	pools, room := 1, func(_, waiting int, since time.Duration) int { return w.Room(waiting, since) }
	pool := func(uint64) int { return 0 }
	if p, ok := w.(engine.Pooled); ok && p.Pools() > 1 {
		pools, room, pool = p.Pools(), p.RoomIn, p.Pool
	}
	backlogs := make([][]engine.Shot, pools)
	for next, got := 0, 0; got < len(at); {
		until := engine.Forever
		if next < len(at) {
			until = at[next]
		}
		now, s, answered := w.Wait(t.Context(), until)
		switch {
		case answered:
			require.LessOrEqual(t, s.Done, now)
			all[s.Seq] = s
			got++
		case now >= until:
			shot := engine.Shot{Seq: uint64(next), Pool: int32(pool(uint64(next))), Attempt: 1, Intended: until, Due: until, Dispatched: now}
			if set != nil {
				set(&shot)
			}
			backlogs[shot.Pool] = append(backlogs[shot.Pool], shot)
			next++
		}
		for k, backlog := range backlogs {
			if len(backlog) == 0 {
				continue
			}
			for range room(k, len(backlog), backlog[0].Dispatched) {
				w.Fire(backlog[0])
				backlog = backlog[1:]
			}
			backlogs[k] = backlog
		}
	}
	return all
}

// Classes counts samples by how they ended.
func Classes(samples []correct.Sample) map[correct.Class]int {
	n := map[correct.Class]int{}
	for _, s := range samples {
		n[s.Class]++
	}
	return n
}
