package conformance

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/live"
	"openload/transport"
)

// network holds a World to the ways that connections take.
func network(t *testing.T, open func(*testing.T, Options) World) {
	certificate, roots := Certify(t, time.Now().Add(time.Hour))
	secure := &tls.Config{Certificates: []tls.Certificate{certificate}}
	// through makes a World of connections to url over n.
	through := func(t *testing.T, url string, n transport.Network, keep bool) (World, *transport.Route) {
		r := plain(url)
		target, err := r.Target()
		require.NoError(t, err)
		route, err := n.Route(t.Context(), target)
		require.NoError(t, err)
		return open(t, Options{
			Epoch: time.Now(), Connections: 1, ConnectTimeout: 5 * time.Second, NoKeepAlive: !keep,
			Client: client(t, transport.Config{Request: r, Route: route, NoKeepAlive: !keep, Security: transport.Security{Roots: roots}, Clock: time.Now}),
		}), route
	}
	shots := func(t *testing.T, w World, n int) (ended []correct.Class) {
		for range n {
			ended = append(ended, Drive(t, w, []time.Duration{0}, nil)[0].Class)
		}
		return ended
	}
	everywhere := func(t *testing.T) (port string, hits func() map[string]int) {
		l, err := net.Listen("tcp", "0.0.0.0:0")
		require.NoError(t, err)
		var mu sync.Mutex
		at := map[string]int{}
		serve(t, l, nil, func(_ int, p peer) {
			for _, ok := p.request(); ok; _, ok = p.request() {
				host, _, _ := net.SplitHostPort(p.LocalAddr().String())
				mu.Lock()
				at[host]++
				mu.Unlock()
				p.say(hello)
			}
		})
		_, port, _ = net.SplitHostPort(l.Addr().String())
		return port, func() map[string]int {
			mu.Lock()
			defer mu.Unlock()
			return at
		}
	}
	three := func(_ context.Context, _, _ string) ([]netip.Addr, error) {
		return addrs("127.0.0.1", "127.0.0.2", "127.0.0.3"), nil
	}

	t.Run("C17 spread over all addresses", func(t *testing.T) {
		port, hits := everywhere(t)
		w, _ := through(t, "http://three.test:"+port, transport.Network{Lookup: three}, false)
		shots(t, w, 9)
		w.Close()
		require.Equal(t, map[string]int{"127.0.0.1": 3, "127.0.0.2": 3, "127.0.0.3": 3}, hits())
		require.Equal(t, []live.Peer{
			{Address: "127.0.0.1:" + port, Opened: 3, Attempts: 3},
			{Address: "127.0.0.2:" + port, Opened: 3, Attempts: 3},
			{Address: "127.0.0.3:" + port, Opened: 3, Attempts: 3},
		}, w.Counters().Peers)
	})

	t.Run("C17 the addresses change", func(t *testing.T) {
		port, hits := everywhere(t)
		now := "127.0.0.1"
		w, route := through(t, "http://changes.test:"+port, transport.Network{Lookup: func(context.Context, string, string) ([]netip.Addr, error) {
			return addrs(now), nil
		}}, true)
		shots(t, w, 3)
		now = "127.0.0.2"
		changed, err := route.Refresh(t.Context())
		require.NoError(t, err)
		require.True(t, changed)
		shots(t, w, 4) // none of them over the old connection
		w.Close()
		require.Equal(t, map[string]int{"127.0.0.1": 3, "127.0.0.2": 4}, hits())
	})

	t.Run("C17 the addresses behind a SOCKS proxy change", func(t *testing.T) {
		port, hits := everywhere(t)
		proxy := listen(t, "127.0.0.1", nil, func(_ int, p peer) { socksProxy(p, func(string) {}) })
		by, err := transport.ParseProxy("socks5://" + proxy.Addr().String())
		require.NoError(t, err)
		now := "127.0.0.1"
		w, route := through(t, "http://changes.test:"+port, transport.Network{Proxy: by, Lookup: func(_ context.Context, _, host string) ([]netip.Addr, error) {
			return addrs(now), nil
		}}, true)
		shots(t, w, 3)
		now = "127.0.0.2"
		changed, err := route.Refresh(t.Context())
		require.NoError(t, err)
		require.True(t, changed)
		shots(t, w, 4)
		w.Close()
		require.Equal(t, map[string]int{"127.0.0.1": 3, "127.0.0.2": 4}, hits())
		require.Equal(t, []live.Peer{
			{Address: "proxy " + proxy.Addr().String() + " to 127.0.0.1:" + port, Opened: 1, Attempts: 3},
			{Address: "proxy " + proxy.Addr().String() + " to 127.0.0.2:" + port, Opened: 1, Attempts: 4},
		}, w.Counters().Peers)
	})

	t.Run("C11 an address that leads nowhere", func(t *testing.T) {
		s := listen(t, "127.0.0.1", nil, always(hello))
		_, port, _ := net.SplitHostPort(s.Addr().String())
		both := func(_ context.Context, family, _ string) ([]netip.Addr, error) {
			if family == string(transport.IPv4) {
				return addrs("127.0.0.1"), nil
			}
			return addrs("::1", "127.0.0.1"), nil
		}
		for _, n := range []transport.Network{{Lookup: both}, {Lookup: both, Family: transport.IPv4}} {
			for _, keep := range []bool{true, false} {
				w, _ := through(t, "http://both.test:"+port, n, keep)
				require.Equal(t, []correct.Class{correct.OK, correct.OK, correct.OK}, shots(t, w, 3), "the other one does")
				w.Close()
				require.Equal(t, "127.0.0.1:"+port, w.Counters().Peers[0].Address)
				require.Equal(t, 3, w.Counters().Peers[0].Attempts)
			}
		}
	})

	t.Run("a Unix socket", func(t *testing.T) {
		for _, config := range []*tls.Config{nil, secure} {
			path := filepath.Join(t.TempDir(), "s")
			l, err := net.Listen("unix", path)
			require.NoError(t, err)
			hosts := make(chan string, 10)
			serve(t, l, config, func(_ int, p peer) {
				for r, ok := p.request(); ok; r, ok = p.request() {
					hosts <- r.Host
					p.say(hello)
				}
			})
			url := "http://example.test/x"
			if config != nil {
				url = "https://example.test/x"
			}
			w, _ := through(t, url, transport.Network{Unix: path}, true)
			require.Equal(t, []correct.Class{correct.OK, correct.OK}, shots(t, w, 2))
			w.Close()
			require.Equal(t, "example.test", <-hosts)
			require.Equal(t, []live.Peer{{Address: "unix:" + path, Opened: 1, Attempts: 2}}, w.Counters().Peers)

			gone, _ := through(t, url, transport.Network{Unix: path + "x"}, true)
			require.Equal(t, []correct.Class{correct.Network}, shots(t, gone, 1))
			gone.Close()
		}
	})

	for _, tt := range []struct {
		name   string
		proxy  string // before its address
		serve  func(peer, func(string))
		secure bool
		ended  correct.Class
		detail string
		asked  string // what the proxy was asked; the target's address is T
	}{
		{"HTTP proxy", "http://", httpProxy, false, correct.OK, "", "GET http://T/x"},
		{"HTTP proxy with a password", "http://user:pass@", httpProxy, false, correct.OK, "", "GET http://T/x Basic dXNlcjpwYXNz"},
		{"HTTP proxy and TLS", "http://", httpProxy, true, correct.OK, "", "CONNECT //T"},
		{"HTTP proxy and TLS with a password", "http://user:pass@", httpProxy, true, correct.OK, "", "CONNECT //T Basic dXNlcjpwYXNz"},
		{"a proxy that wants a password", "http://", func(p peer, _ func(string)) {
			p.request()
			p.say("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
		}, true, correct.Proxy, "it answered CONNECT with 407 Proxy Authentication Required", ""},
		{"a proxy that closes", "http://", func(p peer, _ func(string)) { p.request() }, true, correct.Proxy, "it closed the connection", ""},
		{"no proxy", "http://", func(p peer, _ func(string)) { p.say("220 mail\r\n\r\n") }, true, correct.Proxy, "it does not speak HTTP", ""},
		{"SOCKS by address", "socks5://", socksProxy, false, correct.OK, "", "T"},
		{"SOCKS by name and TLS", "socks5h://", socksProxy, true, correct.OK, "", "T"},
		{"SOCKS that refuses", "socks5://", func(p peer, _ func(string)) {
			io.ReadFull(p.r, make([]byte, 3))
			p.say("\x05\x00")
			io.ReadFull(p.r, make([]byte, 10))
			p.say("\x05\x05\x00\x01\x00\x00\x00\x00\x00\x00")
		}, false, correct.Proxy, "unknown error connection refused", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			config, scheme := (*tls.Config)(nil), "http://"
			if tt.secure {
				config, scheme = secure, "https://"
			}
			target := listen(t, "127.0.0.1", config, always(hello))
			asked := make(chan string, 10)
			proxy := listen(t, "127.0.0.1", nil, func(_ int, p peer) { tt.serve(p, func(what string) { asked <- what }) })
			through1, err := transport.ParseProxy(tt.proxy + proxy.Addr().String())
			require.NoError(t, err)
			w, _ := through(t, scheme+target.Addr().String()+"/x", transport.Network{Proxy: through1}, true)
			require.Equal(t, []correct.Class{tt.ended, tt.ended}, shots(t, w, 2))
			w.Close()
			if tt.ended != correct.OK {
				require.Equal(t, []live.Failure{{Class: tt.ended, Text: tt.detail, Count: 2}}, w.Counters().Failures)
				return
			}
			want := tt.asked
			for i := range want {
				if want[i] == 'T' && (i == 0 || want[i-1] == '/') {
					want = want[:i] + target.Addr().String() + want[i+1:]
					break
				}
			}
			require.Equal(t, want, <-asked)
			peer := "proxy " + proxy.Addr().String()
			if tt.proxy == "socks5://" {
				peer += " to " + target.Addr().String()
			}
			require.Equal(t, []live.Peer{{Address: peer, Opened: 1, Attempts: 2}}, w.Counters().Peers)
		})
	}
	t.Run("nothing listens where the proxy should be", func(t *testing.T) {
		gone := listen(t, "127.0.0.1", nil, always(hello))
		gone.Close()
		proxy, err := transport.ParseProxy(gone.Addr().String())
		require.NoError(t, err)
		w, _ := through(t, "http://127.0.0.1:1/", transport.Network{Proxy: proxy}, true)
		defer w.Close()
		require.Equal(t, []correct.Class{correct.Proxy}, shots(t, w, 1))
		require.Equal(t, "it cannot be reached: refused", w.Counters().Failures[0].Text)
	})
}

// httpProxy serves requests in the absolute form, and tunnels.
func httpProxy(p peer, asked func(string)) {
	for {
		r, err := http.ReadRequest(p.r)
		if err != nil {
			return
		}
		what := r.Method + " " + r.URL.String()
		if a := r.Header.Get("Proxy-Authorization"); a != "" {
			what += " " + a
		}
		asked(what)
		to, err := net.Dial("tcp", r.Host)
		if err != nil {
			return
		}
		defer to.Close()
		if r.Method == http.MethodConnect {
			p.say("HTTP/1.1 200 Connection established\r\n\r\n")
			pipe(p, to)
			return
		}
		r.Header.Del("Proxy-Authorization")
		r.Write(to)
		answer, err := http.ReadResponse(bufio.NewReader(to), r)
		if err != nil {
			return
		}
		answer.Write(p)
	}
}

// socksProxy serves one SOCKS5 connection.
func socksProxy(p peer, asked func(string)) {
	io.ReadFull(p.r, make([]byte, 3))
	p.say("\x05\x00")
	head := make([]byte, 4)
	io.ReadFull(p.r, head)
	size := 4
	if head[3] == 3 { // a name
		n, _ := p.r.ReadByte()
		size = int(n)
	}
	host, port := make([]byte, size), make([]byte, 2)
	io.ReadFull(p.r, host)
	io.ReadFull(p.r, port)
	name := string(host)
	if head[3] == 1 {
		name = net.IP(host).String()
	}
	target := net.JoinHostPort(name, strconv.Itoa(int(binary.BigEndian.Uint16(port))))
	asked(target)
	to, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer to.Close()
	p.say("\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x00")
	pipe(p, to)
}

// pipe copies both ways until one side ends.
func pipe(p peer, to net.Conn) {
	go func() {
		io.Copy(to, p.r)
		to.Close()
	}()
	io.Copy(p, to)
}
