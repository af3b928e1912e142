package live_test

// What a World must make of everything that servers do, over real sockets. The suite
// takes the World's constructor, so that a second World can be held to it too.

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
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

func TestConformance(t *testing.T) {
	conformance(t, func(o live.Options) world { return live.New(o) })
}

// A world is a World that can be looked at and ended.
type world interface {
	engine.World
	Counters() live.Counters
	Close()
}

// settings of one case.
type settings struct {
	request     request.Request // its URL is filled in
	connections int             // 0: 10
	noKeepAlive bool
	timeout     time.Duration // of each attempt
}

const hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

// always answers every request with text, on connections that it keeps.
func always(text string) func(int, peer) {
	return func(_ int, p peer) {
		for _, ok := p.request(); ok; _, ok = p.request() {
			p.say(text)
		}
	}
}

// once answers one request on each connection with text, and closes it.
func once(text string) func(int, peer) {
	return func(_ int, p peer) {
		if _, ok := p.request(); ok {
			p.say(text)
		}
	}
}

var cases = []struct {
	name    string
	with    settings
	handle  func(n int, p peer)
	shots   int // one after the other
	classes map[correct.Class]int
	status  int
	bytes   int64
	conns   int // that the server saw
}{
	{
		name: "a length", handle: always(hello), shots: 5,
		classes: map[correct.Class]int{correct.OK: 5}, status: 200, bytes: 5, conns: 1,
	}, {
		name: "C01 no length, to the close", handle: once("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 200, bytes: 5, conns: 3,
	}, {
		name: "C01 no length, to a close that was not announced", handle: once("HTTP/1.1 200 OK\r\n\r\nhello"), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 200, bytes: 5, conns: 3,
	}, {
		name: "chunks and trailers", handle: always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\nSum: x\r\n\r\n"), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 200, bytes: 5, conns: 1,
	}, {
		name: "C03 204 with a length", handle: always("HTTP/1.1 204 No Content\r\nContent-Length: 10\r\n\r\n"), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 204, conns: 1,
	}, {
		name: "C03 304 with a length", handle: always("HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n"), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 304, conns: 1,
	}, {
		name: "C03 HEAD with a length", with: settings{request: request.Request{Method: "HEAD"}},
		handle: always("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 200, conns: 1,
	}, {
		name: "interim responses", handle: always("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </s>\r\n\r\n" + hello), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 200, bytes: 5, conns: 1,
	}, {
		name: "C05 some answers close", shots: 6, handle: func(n int, p peer) {
			p.request()
			p.say(hello)
			p.request()
			p.say("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello")
		},
		classes: map[correct.Class]int{correct.OK: 6}, status: 200, bytes: 5, conns: 3,
	}, {
		name: "C05 HTTP/1.0", handle: once("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 200, bytes: 5, conns: 3,
	}, {
		name: "C05 without keep-alive", with: settings{noKeepAlive: true}, handle: always(hello), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 200, bytes: 5, conns: 3,
	}, {
		name: "C05 the user asks for the close", with: settings{request: request.Request{Header: []request.Field{{Name: "Connection", Value: "close"}}}},
		handle: always(hello), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 200, bytes: 5, conns: 3,
	}, {
		name: "C06 a body cut off", handle: once("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), shots: 3,
		classes: map[correct.Class]int{correct.Truncated: 3}, bytes: 5, conns: 3,
	}, {
		name: "C07 every second request of a connection is read and not answered", shots: 10, handle: func(n int, p peer) {
			p.request()
			p.say(hello)
			p.request()
		},
		classes: map[correct.Class]int{correct.OK: 5, correct.Reset: 5}, conns: 5,
	}, {
		name: "C07 the same with POST", with: settings{request: request.Request{Body: []byte("x")}}, shots: 10, handle: func(n int, p peer) {
			p.request()
			p.say(hello)
			p.request()
		},
		classes: map[correct.Class]int{correct.OK: 5, correct.Reset: 5}, conns: 5,
	}, {
		name: "a connection dies while it is idle", handle: once(hello), shots: 5,
		classes: map[correct.Class]int{correct.OK: 5}, status: 200, bytes: 5, conns: 5,
	}, {
		name: "a response that nobody asked for", handle: always(hello + hello), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 200, bytes: 5, conns: 3,
	}, {
		name: "closed without an answer", handle: once(""), shots: 3,
		classes: map[correct.Class]int{correct.Reset: 3}, conns: 3,
	}, {
		name: "C27 every answer is 400", handle: always("HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno"), shots: 3,
		classes: map[correct.Class]int{correct.BadStatus: 3}, status: 400, bytes: 2, conns: 1,
	}, {
		name: "C29 no answer", with: settings{timeout: 30 * time.Millisecond}, shots: 2, handle: func(_ int, p peer) {
			p.request()
			p.request()
		},
		classes: map[correct.Class]int{correct.Timeout: 2}, conns: 2,
	}, {
		name: "C29 half an answer", with: settings{timeout: 30 * time.Millisecond}, shots: 1, handle: func(_ int, p peer) {
			p.request()
			p.say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
			p.request()
		},
		classes: map[correct.Class]int{correct.Timeout: 1}, bytes: 5, conns: 1,
	}, {
		name: "not HTTP", handle: once("220 mail ESMTP\r\n"), shots: 2,
		classes: map[correct.Class]int{correct.Malformed: 2}, conns: 2,
	}, {
		name: "a header without end", shots: 1, handle: func(_ int, p peer) {
			p.request()
			p.say("HTTP/1.1 200 OK\r\n")
			for {
				if _, err := io.WriteString(p, "A: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\n"); err != nil {
					return
				}
			}
		},
		classes: map[correct.Class]int{correct.Malformed: 1}, conns: 1,
	},
}

// conformance runs every case over each loopback address, in the clear and over TLS.
func conformance(t *testing.T, open func(live.Options) world) {
	certified := httptest.NewTLSServer(nil)
	certified.Close()
	roots := x509.NewCertPool()
	roots.AddCert(certified.Certificate())

	// start makes a World for a server of handle.
	start := func(t *testing.T, address string, secure bool, with settings, handle func(int, peer)) (*server, world) {
		scheme, config := "http", (*tls.Config)(nil)
		if secure {
			scheme, config = "https", &tls.Config{Certificates: certified.TLS.Certificates}
		}
		s := listen(t, address, config, handle)
		r := with.request
		r.URL = scheme + "://" + s.Addr().String() + "/path?query"
		return s, open(live.Options{
			Epoch: time.Now(), Connections: max(with.connections, 10), ConnectTimeout: 5 * time.Second, NoKeepAlive: with.noKeepAlive,
			Dialer: live.Over(client(t, transport.Config{
				Request: r, Addrs: []netip.Addr{netip.MustParseAddr(address)}, NoKeepAlive: with.noKeepAlive, Roots: roots,
			})),
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
							all = append(all, drive(t, w, []time.Duration{0}, func(s *engine.Shot) { s.Timeout = tt.with.timeout })...)
							s.settle(t)
						}
						require.Equal(t, tt.classes, classes(all))
						for _, x := range all {
							if x.Class != correct.Reset && len(tt.classes) == 1 {
								require.Equal(t, tt.status, x.Status)
								require.Equal(t, tt.bytes, x.Bytes)
							}
							require.True(t, x.Written)
							require.Zero(t, x.Resent)
							require.GreaterOrEqual(t, x.Raw(), tt.with.timeout)
							require.LessOrEqual(t, x.Dispatched, x.Sent)
						}
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
			drive(t, w, []time.Duration{0}, nil)
			w.Close()
			require.Equal(t, "GET /path?query HTTP/1.1\r\nHost: "+s.Addr().String()+"\r\n\r\n", *raw.Load())
		}
		var hosts atomic.Pointer[string]
		_, w := start(t, "127.0.0.1", false, settings{request: request.Request{Header: []request.Field{{Name: "Host", Value: "hello"}}}}, func(_ int, p peer) {
			r, _ := p.request()
			hosts.Store(&r.Host)
			p.say(hello)
		})
		drive(t, w, []time.Duration{0}, nil)
		w.Close()
		require.Equal(t, "hello", *hosts.Load())
	})

	t.Run("C20 nothing listens", func(t *testing.T) {
		s, w := start(t, "127.0.0.1", false, settings{}, always(hello))
		defer w.Close()
		s.Close()
		all := drive(t, w, make([]time.Duration, 200), nil)
		require.Equal(t, map[correct.Class]int{correct.Refused: 200}, classes(all))
		for _, x := range all {
			require.False(t, x.Written)
			require.Equal(t, x.Done, x.Sent)
		}
	})

	t.Run("C23 a hundred at once, again and again", func(t *testing.T) {
		s, w := start(t, "127.0.0.1", false, settings{connections: 1000}, always(hello))
		defer w.Close()
		for range 20 {
			all := drive(t, w, make([]time.Duration, 100), nil)
			require.Equal(t, map[correct.Class]int{correct.OK: 100}, classes(all))
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
		all := drive(t, w, []time.Duration{0}, nil)
		require.Equal(t, map[correct.Class]int{correct.BadStatus: 1}, classes(all))
		require.Equal(t, 413, all[0].Status)
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
		all := drive(t, w, []time.Duration{0}, nil)
		require.EqualValues(t, size, all[0].Bytes)
		require.Equal(t, correct.OK, all[0].Class)
	})
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
