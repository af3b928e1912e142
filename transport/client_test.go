package transport_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"openload/correct"
	"openload/live/conformance"
	"openload/request"
	"openload/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	loopback = netip.MustParseAddr("127.0.0.1")
	hello    = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
)

// serve handles every connection to a listener on 127.0.0.1, until the test ends.
func serve(t testing.TB, handle func(net.Conn)) netip.AddrPort {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				handle(c)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		all.Wait()
	})
	return netip.MustParseAddrPort(l.Addr().String())
}

// answer says hello to everything that it reads.
func answer(c net.Conn) {
	for b := make([]byte, 4096); ; {
		if _, err := c.Read(b); err != nil {
			return
		}
		io.WriteString(c, hello)
	}
}

func dial(t testing.TB, c transport.Config) (*transport.Conn, transport.Outcome) {
	l, err := transport.New(c)
	require.NoError(t, err)
	return l.Dial(t.Context(), 5*time.Second)
}

// to is a plain request to addr.
func to(addr netip.AddrPort) transport.Config {
	return transport.Config{Request: request.Request{URL: "http://" + addr.String()}, Addrs: []netip.Addr{addr.Addr()}}
}

func TestExchange(t *testing.T) {
	c, o := dial(t, to(serve(t, answer)))
	require.Equal(t, transport.Outcome{Peer: o.Peer}, o)
	defer c.Close()
	for range 3 {
		require.True(t, c.Alive())
		require.Equal(t, transport.Outcome{Status: 200, Bytes: 5, Written: true, Keep: true}, c.Exchange(nil, time.Now().Add(time.Minute)))
	}
	past := c.Exchange(nil, time.Now().Add(-time.Second))
	require.Equal(t, transport.Outcome{Class: correct.Timeout}, past, "nothing is sent after the deadline")
}

func TestExpect(t *testing.T) {
	config := to(serve(t, answer))
	config.Expect = func(status int) bool { return status == 201 }
	c, _ := dial(t, config)
	defer c.Close()
	require.Equal(t, transport.Outcome{Class: correct.BadStatus, Status: 200, Bytes: 5, Written: true, Keep: true}, c.Exchange(nil, time.Time{}))
}

// C16, C39: what is verified, and what the server is told by name.
func TestTLS(t *testing.T) {
	good, roots := conformance.Certify(t, time.Now().Add(time.Minute))
	old, oldRoots := conformance.Certify(t, time.Now().Add(-time.Minute))
	for _, tt := range []struct {
		name     string
		cert     tls.Certificate
		roots    *x509.CertPool
		host     string
		insecure bool
		class    correct.Class
		detail   string
		sni      string
	}{
		{name: "a name", cert: good, roots: roots, host: "example.test", sni: "example.test"},
		{name: "a name with its last dot", cert: good, roots: roots, host: "example.test.", sni: "example.test"},
		{name: "an address has no name", cert: good, roots: roots, host: "127.0.0.1"},
		{name: "wrong name", cert: good, roots: roots, host: "other.test", class: correct.CertName, detail: "certificate is not for other.test", sni: "other.test"},
		{name: "expired", cert: old, roots: oldRoots, host: "example.test", class: correct.CertExpired, detail: "certificate has expired or is not yet valid", sni: "example.test"},
		{name: "unknown authority", cert: good, roots: oldRoots, host: "example.test", class: correct.CertUntrusted, detail: "certificate of an unknown authority", sni: "example.test"},
		{name: "insecure takes all and still names", cert: old, roots: roots, host: "other.test", insecure: true, sni: "other.test"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sni := make(chan string, 1)
			addr := serve(t, func(c net.Conn) {
				s := tls.Server(c, &tls.Config{Certificates: []tls.Certificate{tt.cert}, GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
					sni <- h.ServerName
					return nil, nil
				}})
				answer(s)
			})
			c, o := dial(t, transport.Config{
				Request: request.Request{URL: "https://" + tt.host + ":" + portOf(addr)}, Addrs: []netip.Addr{loopback}, Security: transport.Security{Roots: tt.roots, Insecure: tt.insecure},
			})
			require.Equal(t, tt.class, o.Class, o.Detail)
			require.Equal(t, tt.detail, o.Detail)
			require.Equal(t, tt.sni, <-sni)
			if c != nil {
				require.True(t, c.Alive())
				require.Equal(t, transport.Outcome{Status: 200, Bytes: 5, Written: true, Keep: true}, c.Exchange(nil, time.Time{}))
				c.Close()
			}
		})
	}
}

func portOf(a netip.AddrPort) string {
	_, port, _ := net.SplitHostPort(a.String())
	return port
}

// Servers that end a dial over TLS in another way.
func TestHandshake(t *testing.T) {
	cert, _ := conformance.Certify(t, time.Now().Add(time.Minute))
	for _, tt := range []struct {
		name   string
		handle func(net.Conn)
		within time.Duration
		class  correct.Class
		detail string
	}{
		{"it does not speak TLS", func(c net.Conn) { io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n") }, 5 * time.Second, correct.TLS, "the server does not speak TLS on this port"},
		{"it closes", func(c net.Conn) { c.Read(make([]byte, 4096)) }, 5 * time.Second, correct.Reset, "closed in the TLS handshake"},
		{"it says nothing", func(c net.Conn) { io.Copy(io.Discard, c) }, 50 * time.Millisecond, correct.ConnectTimeout, "in the TLS handshake"},
		{"it speaks only what is long past", func(c net.Conn) {
			tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}).Handshake()
		}, 5 * time.Second, correct.TLS, "protocol version not supported"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr := serve(t, tt.handle)
			l, err := transport.New(transport.Config{Request: request.Request{URL: "https://" + addr.String()}, Addrs: []netip.Addr{loopback}})
			require.NoError(t, err)
			_, o := l.Dial(t.Context(), tt.within)
			require.Equal(t, transport.Outcome{Class: tt.class, Detail: tt.detail}, o)
		})
	}
}

// When ctx ends, the connections that it dialled are closed under their exchanges.
func TestCtxEnds(t *testing.T) {
	l, err := transport.New(to(serve(t, func(c net.Conn) { io.Copy(io.Discard, c) })))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	c, _ := l.Dial(ctx, 0)
	defer c.Close()
	time.AfterFunc(20*time.Millisecond, cancel)
	require.Equal(t, transport.Outcome{Class: correct.Unfinished, Written: true}, c.Exchange(nil, time.Time{}))
	require.False(t, c.Alive())
	_, o := l.Dial(ctx, 0)
	require.Equal(t, transport.Outcome{Class: correct.Unfinished}, o)
}

// A connection that the server resets while it is idle fails before a byte is written.
func TestResetWhileIdle(t *testing.T) {
	done := make(chan bool)
	c, _ := dial(t, to(serve(t, func(c net.Conn) {
		c.Read(make([]byte, 4096))
		io.WriteString(c, hello)
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
		close(done)
	})))
	defer c.Close()
	require.Equal(t, correct.OK, c.Exchange(nil, time.Time{}).Class)
	<-done
	require.False(t, c.Alive())
	o := c.Exchange(nil, time.Time{})
	require.Equal(t, correct.Stale, o.Class)
	require.False(t, o.Written)
}

func TestProxyIsIgnored(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	c, o := dial(t, to(serve(t, answer)))
	require.Equal(t, correct.OK, o.Class)
	c.Close()
}

func TestNewRefuses(t *testing.T) {
	_, err := transport.New(transport.Config{Request: request.Request{URL: "ftp://h"}, Addrs: []netip.Addr{loopback}})
	require.ErrorContains(t, err, "scheme ftp")
	_, err = transport.New(transport.Config{Request: request.Request{URL: "http://h"}})
	require.EqualError(t, err, "no address given for h")
}

func BenchmarkExchange(b *testing.B) {
	c, _ := dial(b, to(serve(b, func(c net.Conn) {
		answer, buf := []byte(hello), make([]byte, 4096)
		for {
			if _, err := c.Read(buf); err != nil {
				return
			}
			c.Write(answer)
		}
	})))
	defer c.Close()
	b.ReportAllocs()
	for b.Loop() {
		if o := c.Exchange(nil, time.Now().Add(time.Minute)); !c.Alive() || o.Status != 200 {
			b.Fatal(o)
		}
	}
}
