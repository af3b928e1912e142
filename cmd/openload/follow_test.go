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
