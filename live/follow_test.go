package live_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/engine"
	"openload/live"
	"openload/live/conformance"
	"openload/request"
	"openload/transport"
)

// C14: with redirects on, one sample holds the whole chain.
func TestC14Follow(t *testing.T) {
	var mu sync.Mutex
	var saw []string
	note := func(r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		saw = append(saw, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization")+" "+string(b)))
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note(r)
		io.WriteString(w, "there")
	}))
	defer other.Close()
	here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note(r)
		time.Sleep(5 * time.Millisecond)
		switch path := r.URL.Path; {
		case path == "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case path == "/out":
			http.Redirect(w, r, other.URL+"/x", http.StatusFound)
		case path == "/nowhere":
			http.Redirect(w, r, "http://no..such/", http.StatusFound)
		case path == "/close":
			w.Header().Set("Connection", "close")
			http.Redirect(w, r, "/0", http.StatusFound)
		case path != "/0":
			n, _ := strconv.Atoi(path[1:])
			http.Redirect(w, r, "/"+strconv.Itoa(n-1), http.StatusFound)
		default:
			io.WriteString(w, "here!")
		}
	}))
	defer here.Close()
	for _, tt := range []struct {
		name   string
		path   string
		body   string
		class  correct.Class
		status int
		hops   int64
		opened int
		saw    []string
	}{
		{"none", "/0", "", correct.OK, 200, 0, 0, []string{"GET /0 Basic dTpw"}},
		{"three", "/3", "", correct.OK, 200, 3, 0, []string{"GET /3 Basic dTpw", "GET /2 Basic dTpw", "GET /1 Basic dTpw", "GET /0 Basic dTpw"}},
		{"a POST becomes a GET", "/1", "x", correct.OK, 200, 1, 0, []string{"POST /1 Basic dTpw x", "GET /0 Basic dTpw"}},
		{"ten", "/10", "", correct.OK, 200, 10, 0, nil},
		{"eleven", "/11", "", correct.BadStatus, 302, 10, 0, nil},
		{"for ever", "/loop", "", correct.BadStatus, 302, 10, 0, nil},
		{"to another host, without the password", "/out", "", correct.OK, 200, 1, 1, []string{"GET /out Basic dTpw", "GET /x"}},
		{"to a host that does not exist", "/nowhere", "", correct.DNS, 0, 1, 0, []string{"GET /nowhere Basic dTpw"}},
		{"over a new connection", "/close", "", correct.OK, 200, 1, 1, []string{"GET /close Basic dTpw", "GET /0 Basic dTpw"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			saw = nil
			var network transport.Network
			hops := &live.Hops{Open: func(ctx context.Context, to request.Target) (live.Dialer, error) {
				route, err := network.Route(ctx, to)
				if err != nil {
					return nil, err
				}
				return live.Over(client(t, transport.Config{Request: request.Request{URL: to.URL()}, Route: route})), nil
			}}
			r := request.Request{URL: strings.Replace(here.URL, "http://", "http://u:p@", 1) + tt.path, Body: []byte(tt.body)}
			target, err := r.Target()
			require.NoError(t, err)
			c := client(t, transport.Config{Request: r, Addrs: []netip.Addr{netip.MustParseAddr("127.0.0.1")}, Clock: time.Now})
			message := c.Parts().Message
			w := live.New(live.Options{Epoch: time.Now(), Connections: 1, Dialer: hops.Follow(live.Over(c), target, &message)})
			all := conformance.Drive(t, w, []time.Duration{0}, func(s *engine.Shot) { s.Timeout = 10 * time.Second })
			w.Close()
			x := all[0]
			require.Equal(t, tt.class, x.Class)
			require.Equal(t, tt.status, x.Status)
			require.Equal(t, tt.hops, hops.Followed.Load())
			led, most := hops.Opened()
			opened := 0
			for _, l := range led {
				opened += l.Opened
				require.Equal(t, []live.Peer{{Address: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(l.To.Port)).String(), Opened: 1}}, l.Peers)
			}
			require.Equal(t, tt.opened, opened, "connections that hops opened")
			require.Equal(t, tt.opened, most)
			require.GreaterOrEqual(t, x.Raw(), time.Duration(tt.hops)*5*time.Millisecond)
			require.True(t, x.Written)
			if tt.saw != nil {
				require.Equal(t, tt.saw, saw)
			}
		})
	}
}

func TestFollowRunsOutOfTime(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(30 * time.Millisecond)
		http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	r := request.Request{URL: s.URL + "/"}
	target, _ := r.Target()
	c := client(t, transport.Config{Request: r, Addrs: []netip.Addr{netip.MustParseAddr("127.0.0.1")}})
	message := c.Parts().Message
	w := live.New(live.Options{Epoch: time.Now(), Connections: 1, Dialer: new(live.Hops).Follow(live.Over(c), target, &message)})
	defer w.Close()
	x := conformance.Drive(t, w, []time.Duration{0}, func(s *engine.Shot) { s.Timeout = 100 * time.Millisecond })[0]
	require.Equal(t, correct.Timeout, x.Class)
	require.GreaterOrEqual(t, x.Raw(), 100*time.Millisecond)
}
