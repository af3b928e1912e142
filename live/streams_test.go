package live_test

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/coding"
	"openload/correct"
	"openload/engine"
	"openload/live"
	"openload/live/conformance"
	"openload/request"
	"openload/transport"
)

// h2 starts Go's own HTTP/2 server, over TLS or in the clear, and a World of streams.
func h2(t *testing.T, secure bool, set func(*http.Server), r request.Request, most, streams int, handle http.HandlerFunc) (*live.World, *transport.Streams) {
	s := httptest.NewUnstartedServer(handle)
	s.EnableHTTP2 = true
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP2(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	if set != nil {
		set(s.Config)
	}
	how := transport.Prior
	var security transport.Security
	if secure {
		s.StartTLS()
		how = transport.Negotiated
		security.Roots = x509.NewCertPool()
		security.Roots.AddCert(s.Certificate())
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	r.URL = s.URL + r.URL
	c := client(t, transport.Config{
		Request: r, Addrs: []netip.Addr{netip.MustParseAddr("127.0.0.1")}, HTTP2: true, Security: security, Clock: time.Now, Agent: "openload",
	})
	over := transport.NewStreams(c, how, streams)
	w := live.New(live.Options{Epoch: time.Now(), Dialer: live.OverStreams(over), Connections: most, ConnectTimeout: 5 * time.Second})
	t.Cleanup(w.Close)
	return w, over
}

func TestStreams(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS=%v", secure), func(t *testing.T) {
			saw := make(chan *http.Request, 1000)
			w, s := h2(t, secure, nil, request.Request{
				URL: "/a%2Fb?x=1&y", Method: "PUT", Body: []byte("hello"),
				Header: []request.Field{{Name: "X-Own", Value: "1"}, {Name: "X-Own", Value: "2"}, {Name: "Host", Value: "other.test"}},
			}, 50, 0, func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				r.Header.Set("Body", string(b))
				saw <- r
				w.Write(bytes.Repeat([]byte("x"), 100_000))
			})
			all := conformance.Drive(t, w, make([]time.Duration, 50), nil)
			require.Equal(t, map[correct.Class]int{correct.OK: 50}, conformance.Classes(all))
			for _, x := range all {
				require.Equal(t, 200, x.Status)
				require.EqualValues(t, 100_000, x.Bytes)
				require.True(t, x.Written)
				require.Zero(t, x.Resent)
				in := x.Phases()
				require.Positive(t, in[correct.Thinking]+in[correct.Writing])
			}
			r := <-saw
			require.Equal(t, "HTTP/2.0", r.Proto)
			require.Equal(t, "PUT /a%2Fb?x=1&y other.test", r.Method+" "+r.RequestURI+" "+r.Host)
			require.Equal(t, []string{"1", "2"}, r.Header["X-Own"])
			require.Equal(t, "hello", r.Header.Get("Body"))
			require.Equal(t, "openload", r.UserAgent())
			require.Empty(t, r.Header["Accept-Encoding"], "nobody asked for it")
			require.EqualValues(t, 5, r.ContentLength)

			is := s.Counts()
			require.Equal(t, "HTTP/2.0", is.Protocol)
			require.Equal(t, 1, is.Opened, "one connection has room for all")
			require.Equal(t, 50, is.Requests)
			require.Equal(t, 1, w.Counters().Opened)
			require.Equal(t, 1, w.Counters().Peers[0].Opened)
			require.Equal(t, 50, w.Counters().Peers[0].Attempts)
		})
	}
}

// What came in a coding is decoded beside the run, and a sample's bytes are the wire's.
func TestStreamsCodings(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		g := gzip.NewWriter(w)
		g.Write(make([]byte, 1<<20))
		g.Close()
	}))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	defer s.Close()
	var bodies coding.Counter
	c := client(t, transport.Config{Request: request.Request{URL: s.URL}, Addrs: []netip.Addr{netip.MustParseAddr("127.0.0.1")}, Bodies: &bodies})
	w := live.New(live.Options{Epoch: time.Now(), Dialer: live.OverStreams(transport.NewStreams(c, transport.Prior, 0)), Connections: 1})
	defer w.Close()
	x := conformance.Drive(t, w, []time.Duration{0}, nil)[0]
	require.Equal(t, correct.OK, x.Class)
	require.Less(t, x.Bytes, int64(10_000))
	require.Equal(t, coding.Count{
		Bodies: 1, Decoded: 1, Wire: uint64(x.Bytes), Bytes: 1 << 20, Codings: map[string]uint64{"gzip": 1}, Failed: map[string]uint64{},
	}, bodies.Settle(t.Context()))
}

// C37: each of many requests on one connection has an instant of its own at which it
// was sent, and a slow one delays no other.
func TestC37EachStreamHasItsOwnTimes(t *testing.T) {
	var n atomic.Int32
	w, s := h2(t, true, nil, request.Request{URL: "/"}, 10, 0, func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) == 1 {
			time.Sleep(300 * time.Millisecond)
		}
	})
	at := []time.Duration{0, 50 * time.Millisecond, 100 * time.Millisecond}
	all := conformance.Drive(t, w, at, nil)
	require.Equal(t, 1, s.Counts().Opened)
	for i, x := range all {
		require.GreaterOrEqual(t, x.Sent, at[i])
		require.Equal(t, x.Corrected(), x.Lag()+x.Wait()+x.Raw())
	}
	slow := slices.IndexFunc(all, func(x correct.Sample) bool { return x.Raw() >= 300*time.Millisecond })
	require.GreaterOrEqual(t, slow, 0)
	for i, x := range all {
		require.True(t, i == slow || x.Done < all[slow].Done)
	}
}

// The server's limit of streams, and ours, are kept to: more connections are opened.
func TestStreamLimits(t *testing.T) {
	for _, tt := range []struct {
		name         string
		server, ours int
	}{{"the server's", 5, 0}, {"ours", 100, 5}} {
		t.Run(tt.name, func(t *testing.T) {
			var out, most atomic.Int32
			w, s := h2(t, true, func(s *http.Server) { s.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: tt.server} },
				request.Request{URL: "/"}, 20, tt.ours, func(w http.ResponseWriter, r *http.Request) {
					if n := out.Add(1); n > most.Load() {
						most.Store(n)
					}
					time.Sleep(20 * time.Millisecond)
					out.Add(-1)
				})
			conformance.Drive(t, w, []time.Duration{0}, nil) // the server's limit is known then
			all := conformance.Drive(t, w, make([]time.Duration, 60), nil)
			require.Equal(t, map[correct.Class]int{correct.OK: 60}, conformance.Classes(all))
			is := s.Counts()
			require.GreaterOrEqual(t, is.Opened, 4)
			resent := 0
			for _, x := range all {
				resent += x.Resent
			}
			require.Equal(t, is.Refused, resent, "what was refused was sent again, and counts")
			require.Equal(t, 61+resent, is.Requests)
		})
	}
}

// C35: a server that says GOAWAY after some requests. Others are opened, nothing is
// lost, and what the server had not looked at is sent again and counted.
func TestC35GoAway(t *testing.T) {
	const each = 100
	var served atomic.Int32
	w, s := h2(t, true, nil, request.Request{URL: "/"}, 10, 0, func(w http.ResponseWriter, r *http.Request) {
		if served.Add(1)%each == 0 {
			w.Header().Set("Connection", "close") // Go's server says GOAWAY then
		}
	})
	at := make([]time.Duration, 1000)
	for i := range at {
		at[i] = time.Duration(i) * 200 * time.Microsecond
	}
	all := conformance.Drive(t, w, at, nil)
	require.Equal(t, map[correct.Class]int{correct.OK: 1000}, conformance.Classes(all))
	resent := 0
	for _, x := range all {
		resent += x.Resent
	}
	is := s.Counts()
	require.GreaterOrEqual(t, is.Opened, 1000/each)
	require.Equal(t, 1000+resent, is.Requests)
	require.Equal(t, is.Refused, resent)
}

func TestStreamsThatFail(t *testing.T) {
	stop := make(chan bool)
	defer close(stop)
	w, _ := h2(t, true, nil, request.Request{URL: "/"}, 10, 0, func(w http.ResponseWriter, r *http.Request) { <-stop })
	all := conformance.Drive(t, w, []time.Duration{0}, func(s *engine.Shot) { s.Timeout = 50 * time.Millisecond })
	require.Equal(t, correct.Timeout, all[0].Class)
	require.True(t, all[0].Written)
	require.Equal(t, 1, w.Counters().Opened)

	for _, tt := range []struct {
		name   string
		handle http.HandlerFunc
		class  correct.Class
		detail string
	}{
		{"aborted before the header", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, correct.Reset, "the stream was reset: INTERNAL_ERROR"},
		{"aborted in the body", func(w http.ResponseWriter, r *http.Request) {
			w.Write(make([]byte, 1000))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, correct.Truncated, "the stream was reset: INTERNAL_ERROR"},
		{"a status", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) }, correct.BadStatus, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, s := h2(t, true, nil, request.Request{URL: "/"}, 10, 0, tt.handle)
			all := append(conformance.Drive(t, w, []time.Duration{0}, nil), conformance.Drive(t, w, []time.Duration{0}, nil)...)
			require.Equal(t, map[correct.Class]int{tt.class: 2}, conformance.Classes(all))
			if tt.detail != "" {
				require.Equal(t, []live.Failure{{Class: tt.class, Text: tt.detail, Count: 2}}, w.Counters().Failures)
			}
			require.Equal(t, 2, s.Counts().Requests)
		})
	}
}

// A server without HTTP/2 is spoken to as it wants.
func TestNoHTTP2(t *testing.T) {
	certificate, roots := conformance.Certify(t, time.Now().Add(time.Hour))
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"http/1.1"}})
	require.NoError(t, err)
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) })}
	go s.Serve(l)
	defer s.Close()
	c := client(t, transport.Config{
		Request: request.Request{URL: "https://" + l.Addr().String()}, Addrs: []netip.Addr{netip.MustParseAddr("127.0.0.1")},
		HTTP2: true, Security: transport.Security{Roots: roots},
	})
	over := transport.NewStreams(c, transport.Negotiated, 0)
	w := live.New(live.Options{Epoch: time.Now(), Dialer: live.OverStreams(over), Connections: 5})
	defer w.Close()
	all := conformance.Drive(t, w, make([]time.Duration, 10), nil)
	require.Equal(t, map[correct.Class]int{correct.OK: 10}, conformance.Classes(all))
	require.Equal(t, "HTTP/1.1", over.Counts().Protocol)
	require.EqualValues(t, len("HTTP/1.1"), all[0].Bytes)
}

// A dial that fails fails one shot, and a server that closes is no success.
func TestStreamsWithoutAServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	url := "http://" + l.Addr().String()
	l.Close()
	c := client(t, transport.Config{Request: request.Request{URL: url}, Addrs: []netip.Addr{netip.MustParseAddr("127.0.0.1")}})
	w := live.New(live.Options{Epoch: time.Now(), Dialer: live.OverStreams(transport.NewStreams(c, transport.Prior, 0)), Connections: 5})
	defer w.Close()
	all := conformance.Drive(t, w, make([]time.Duration, 10), nil)
	require.Equal(t, map[correct.Class]int{correct.Refused: 10}, conformance.Classes(all))

	addr := conformance.Listen(t, func(c net.Conn) {
		b := make([]byte, 1000)
		c.Read(b)
		if strings.HasPrefix(string(b), "PRI") {
			io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
		}
	})
	c = client(t, transport.Config{Request: request.Request{URL: "http://" + addr}, Addrs: []netip.Addr{netip.MustParseAddr("127.0.0.1")}})
	other := live.New(live.Options{Epoch: time.Now(), Dialer: live.OverStreams(transport.NewStreams(c, transport.Prior, 0)), Connections: 5})
	defer other.Close()
	for _, x := range conformance.Drive(t, other, make([]time.Duration, 5), nil) {
		require.NotEqual(t, correct.OK, x.Class)
	}
}
