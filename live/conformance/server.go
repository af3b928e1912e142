package conformance

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A server is a hostile one. It serves its nth connection with handle.
type server struct {
	net.Listener
	ended sync.WaitGroup

	mu    sync.Mutex
	open  []net.Conn // all that were accepted
	state tally
}

// tally counts connections and requests.
type tally struct {
	conns, requests int
	waiting         int // connections on which a request is awaited
	closed          int // connections that are
}

func (s *server) update(f func(*tally)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.state)
}

// await waits until the server's counts are as they should be.
func (s *server) await(t *testing.T, as func(tally) bool) (now tally) {
	require.Eventually(t, func() bool {
		s.update(func(is *tally) { now = *is })
		return as(now)
	}, 10*time.Second, time.Millisecond)
	return now
}

// settle waits until the server has done all that it does by itself. Then a
// connection that it closes after its answer is closed, and idle here.
func (s *server) settle(t *testing.T) {
	s.await(t, func(is tally) bool { return is.waiting+is.closed == is.conns })
}

// A peer is one connection as the server sees it.
type peer struct {
	net.Conn
	s *server
	r *bufio.Reader
}

// request reads a request and counts it; ok is false once there are no more.
func (p peer) request() (r *http.Request, ok bool) {
	p.s.update(func(is *tally) { is.waiting++ })
	r, err := http.ReadRequest(p.r)
	p.s.update(func(is *tally) { is.waiting-- })
	if err != nil {
		return nil, false
	}
	_, err = io.Copy(io.Discard, r.Body)
	p.s.update(func(is *tally) { is.requests++ })
	return r, err == nil
}

func (p peer) say(text string) { io.WriteString(p, text) }

// listen serves on the loopback address, over TLS if there is a config.
func listen(t *testing.T, address string, secure *tls.Config, handle func(n int, p peer)) *server {
	l, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	require.NoError(t, err)
	return serve(t, l, secure, handle)
}

// serve is listen on a listener that is there.
func serve(t *testing.T, l net.Listener, secure *tls.Config, handle func(n int, p peer)) *server {
	s := &server{Listener: l}
	s.ended.Go(func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if secure != nil {
				c = tls.Server(c, secure)
			}
			s.update(func(is *tally) {
				s.open = append(s.open, c)
				is.conns++
			})
			s.ended.Go(func() {
				handle(n, peer{c, s, bufio.NewReader(c)})
				c.Close()
				s.update(func(is *tally) { is.closed++ })
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		s.mu.Lock()
		for _, c := range s.open {
			c.Close()
		}
		s.mu.Unlock()
		s.ended.Wait()
	})
	return s
}
