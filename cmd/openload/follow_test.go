package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Handshakes that resume are counted, over both engines and HTTP/2.
func TestResumedHandshakesCount(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	for _, args := range [][]string{{"--engine", "portable"}, {}, {"--http2"}} {
		for _, resume := range []string{"on", "off"} {
			r := during(t, nothing, append(args, "-k", "--no-keepalive", "--tls-resume", resume, "--rate", "50", "--n", "10", "-c", "1", s.URL)...)
			require.EqualValues(t, 10, r.report.Counts.OK, r.stdout)
			tls := r.report.Network.TLS
			require.EqualValues(t, *r.report.Counts.ConnectionsOpened, tls.Handshakes, args)
			require.Equal(t, resume == "on", tls.Resumed > 0, args)
			require.Contains(t, r.stdout, "resumed")
		}
	}
}

// What redirects lead to is in the counts of connections, and the report says which
// phase holds the time that hops took.
func TestConnectionsOfRedirectsCount(t *testing.T) {
	t.Parallel()
	var accepted atomic.Int64
	there := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	there.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			accepted.Add(1)
		}
	}
	there.Start()
	defer there.Close()
	here := httptest.NewServer(http.RedirectHandler(there.URL, http.StatusFound))
	defer here.Close()
	r := during(t, nothing, "-L", "--rate", "100", "--n", "20", "-c", "3", here.URL)
	require.EqualValues(t, 20, r.report.Counts.OK, r.stdout)
	at := map[string]uint64{}
	all := uint64(0)
	for _, p := range r.report.Network.Peers {
		at[p.Address] = p.Connections
		all += p.Connections
	}
	require.EqualValues(t, accepted.Load(), at[strings.TrimPrefix(there.URL, "http://")])
	require.Equal(t, all, *r.report.Counts.ConnectionsOpened)
	require.Contains(t, r.stdout, fmt.Sprintf("%s: %d connection", strings.TrimPrefix(there.URL, "http://"), accepted.Load()))
}
