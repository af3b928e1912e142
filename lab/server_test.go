// The real server over loopback. The machine is noisy, so these tests assert
// counts, order and what may not happen before its time; that answers come at
// the model's instants is for bubble_test.go.

package lab

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start serves model on loopback until the test ends.
func start(t *testing.T, model func() Model) (s *Server, address string, stop func()) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s = NewServer(model)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln) }()
	stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	t.Cleanup(stop)
	return s, ln.Addr().String(), stop
}

// of makes the models of a spec.
func of(t *testing.T, text string) func() Model {
	s := parsed(t, text)
	return func() Model { return s.Model(chance()) }
}

// A wire is a client's end of one connection.
type wire struct {
	t testing.TB
	net.Conn
	read *bufio.Reader
}

func dial(t *testing.T, address string) *wire {
	t.Helper()
	c, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	return &wire{t, c, bufio.NewReader(c)}
}

func (w *wire) send(method, path string) {
	_, err := fmt.Fprintf(w, "%s %s HTTP/1.1\r\nHost: lab\r\n\r\n", method, path)
	require.NoError(w.t, err)
}

// receive returns the next response, status 0 if the connection is closed
// before its first byte.
func (w *wire) receive(method string) (status int, body string) {
	if _, err := w.read.Peek(1); err != nil {
		require.ErrorIs(w.t, err, io.EOF)
		return 0, ""
	}
	r, err := http.ReadResponse(w.read, &http.Request{Method: method})
	require.NoError(w.t, err)
	content, err := io.ReadAll(r.Body)
	require.NoError(w.t, err)
	return r.StatusCode, string(content)
}

func (w *wire) do(method, path string) (status int, body string) {
	w.send(method, path)
	return w.receive(method)
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	require.Eventually(t, is, time.Minute, time.Millisecond, what)
}

// traffic is what a server counts whatever its clients say of themselves.
func traffic(s Stats) Stats {
	return Stats{Received: s.Received, Answered: s.Answered, Closed: s.Closed, Connections: s.Connections, Status: s.Status}
}

func TestTheServerCountsWhatItsClientsSee(t *testing.T) {
	s, address, _ := start(t, of(t, "service=10us errors=20% close=20%"))
	const n = 200
	seen := map[int]uint64{}
	dials := uint64(1)
	w := dial(t, address)
	for range n {
		status, _ := w.do("GET", "/anything?at=all")
		if seen[status]++; status == 0 {
			w = dial(t, address)
			dials++
		}
	}
	eventually(t, "the last dial is accepted", func() bool { return s.Stats().Connections == dials })
	got := s.Stats()
	require.Len(t, seen, 3, "200, 500 and a closed connection")
	require.Equal(t, Stats{Received: n, Answered: n - seen[0], Closed: seen[0], Connections: dials,
		Status: map[int]uint64{200: seen[200], 500: seen[500]}}, traffic(got))
	require.Equal(t, seen[0]+seen[200], got.Executed, "who is hung up on has had the work done as well")
	require.Equal(t, 1, got.HeldAtOnce)
}

func TestBodiesOfAnswers(t *testing.T) {
	_, address, _ := start(t, of(t, "service=0s"))
	w := dial(t, address)
	status, body := w.do("GET", "/")
	require.Equal(t, 200, status)
	require.Equal(t, "OK\n", body)
	status, body = w.do("HEAD", "/")
	require.Equal(t, 200, status)
	require.Empty(t, body)

	_, address, _ = start(t, of(t, "errors=100%"))
	status, body = dial(t, address).do("GET", "/")
	require.Equal(t, 500, status)
	require.Equal(t, "Internal Server Error\n", body)
}

func TestLargeRequestsAreServed(t *testing.T) {
	s, address, _ := start(t, of(t, "service=0s"))
	w := dial(t, address)
	body := bytes.Repeat([]byte("x"), 5<<20)
	fmt.Fprintf(w, "PUT / HTTP/1.1\r\nHost: lab\r\nCookie: %s\r\nContent-Length: %d\r\n\r\n", strings.Repeat("y", 15<<10), len(body))
	_, err := w.Write(body)
	require.NoError(t, err)
	status, _ := w.receive("PUT")
	require.Equal(t, 200, status)
	require.EqualValues(t, 1, s.Stats().Received)
}

func TestWhatIsNoRequestIsNotCounted(t *testing.T) {
	s, address, _ := start(t, of(t, "service=10000h"))
	w := dial(t, address)
	fmt.Fprint(w, "hello\r\n\r\n")
	status, _ := w.receive("GET")
	require.Equal(t, 400, status)
	require.Equal(t, Stats{Connections: 1, Status: map[int]uint64{}}, traffic(s.Stats()))
}

// No answer of a serial server leaves before all those ahead of it have had
// their time, and being late costs those behind nothing: it ends in time.
func TestFiftyAtOnceAreServedOneByOne(t *testing.T) {
	const n = 50
	s, address, _ := start(t, of(t, "service=1ms stall=1:2s")) // all can be sent in that, on a busy machine too
	wires := make([]*wire, n)
	for i := range wires {
		wires[i] = dial(t, address)
	}
	began := time.Now()
	for i, w := range wires {
		w.send("GET", "/")
		eventually(t, "it arrives before the next is sent", func() bool { return s.Stats().Received == uint64(i+1) })
	}
	for i, w := range wires {
		status, _ := w.receive("GET")
		require.Equal(t, 200, status)
		require.GreaterOrEqual(t, time.Since(began), time.Duration(2000+i)*time.Millisecond, "request %d", i+1)
		require.GreaterOrEqual(t, s.Stats().Answered, uint64(i+1))
	}
	require.Equal(t, Stats{Received: n, Answered: n, Connections: n, Status: map[int]uint64{200: n}}, traffic(s.Stats()))
	require.Equal(t, n, s.Stats().HeldAtOnce)
}

func TestItEndsAtOnceWithRequestsHeld(t *testing.T) {
	const n = 20
	s, address, stop := start(t, of(t, "hang=10000h"))
	held := make([]*wire, n)
	for i := range held {
		held[i] = dial(t, address)
		held[i].send("GET", "/")
	}
	idle := dial(t, address)
	eventually(t, "all are held", func() bool { return s.Stats().Received == n && s.Stats().Connections == n+1 })
	stop()
	for _, w := range append(held, idle) {
		status, _ := w.receive("GET")
		require.Zero(t, status)
	}
	require.Equal(t, Stats{Received: n, Connections: n + 1, Status: map[int]uint64{}}, traffic(s.Stats()))
	_, err := net.Dial("tcp", address)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
}

// A client that has gone away is answered all the same, and nobody is hurt.
func TestWorkGoesOnWithoutTheClient(t *testing.T) {
	s, address, _ := start(t, of(t, "service=20ms"))
	w := dial(t, address)
	w.send("GET", "/")
	eventually(t, "it arrives", func() bool { return s.Stats().Received == 1 })
	w.Close()
	eventually(t, "it is answered", func() bool { return s.Stats().Answered == 1 })
}

// ordinal answers its K-th request with status 200+K.
type ordinal struct{ served int }

func (o *ordinal) Serve(at time.Duration) Answer {
	o.served++
	return Answer{At: at, Status: 200 + o.served}
}

func TestLabRequests(t *testing.T) {
	s, address, _ := start(t, func() Model { return &ordinal{} })
	control, client := dial(t, address), dial(t, address)
	status := func() int { status, _ := client.do("GET", "/"); return status }
	const none = `, "by_attempt": {}, "held_at_once": 0, "rejected": 0, "expired": 0, "executed": 0, "keys": 0, "duplicates": 0, "forgotten": 0}`
	stats := func() string {
		code, body := control.do("GET", "/lab/stats")
		require.Equal(t, 200, code)
		return body
	}

	require.Equal(t, 201, status())
	require.Equal(t, 202, status())
	require.JSONEq(t, `{"received": 2, "answered": 2, "closed": 0, "status": {"201": 1, "202": 1}, "connections": 1`+none, stats())

	code, body := control.do("POST", "/lab/reset")
	require.Equal(t, http.StatusNoContent, code)
	require.Empty(t, body)
	require.JSONEq(t, `{"received": 0, "answered": 0, "closed": 0, "status": {}, "connections": 0`+none, stats())
	require.Equal(t, 201, status(), "the first request of a new model")
	require.JSONEq(t, `{"received": 1, "answered": 1, "closed": 0, "status": {"201": 1}, "connections": 0`+none, stats())

	// A connection is not counted if /lab/ is what it was opened for.
	code, body = dial(t, address).do("GET", "/lab/reset")
	require.Equal(t, http.StatusMethodNotAllowed, code)
	require.Equal(t, "use POST /lab/reset\n", body)
	code, _ = dial(t, address).do("POST", "/lab/stats")
	require.Equal(t, http.StatusMethodNotAllowed, code)
	dial(t, address).do("GET", "/lab/other")
	require.JSONEq(t, `{"received": 2, "answered": 2, "closed": 0, "status": {"201": 1, "202": 1}, "connections": 1`+none, stats())

	var read Stats
	require.NoError(t, json.Unmarshal([]byte(stats()), &read))
	require.Equal(t, s.Stats(), read)
}

func TestLabRequestsDoNotWaitForTheModel(t *testing.T) {
	s, address, _ := start(t, of(t, "service=10000h"))
	dial(t, address).send("GET", "/")
	eventually(t, "it is in service", func() bool { return s.Stats().Received == 1 })
	status, _ := dial(t, address).do("GET", "/lab/stats")
	require.Equal(t, 200, status)
}

// A request that outlives a reset is counted where it arrived.
func TestARequestBelongsToTheEraOfItsArrival(t *testing.T) {
	s, address, _ := start(t, of(t, "service=50ms"))
	w := dial(t, address)
	w.send("GET", "/")
	eventually(t, "it arrives", func() bool { return s.Stats().Received == 1 })
	s.Reset()
	status, _ := w.receive("GET")
	require.Equal(t, 200, status)
	require.Equal(t, Stats{Status: map[int]uint64{}}, traffic(s.Stats()))
}

// failing is a listener whose accept fails.
type failing struct {
	net.Listener
	errs chan error
}

func (f failing) Accept() (net.Conn, error) {
	if err, ok := <-f.errs; ok {
		return nil, err
	}
	return f.Listener.Accept()
}

func TestAcceptErrors(t *testing.T) {
	listen := func(errs ...error) failing {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		f := failing{ln, make(chan error, len(errs))}
		for _, err := range errs {
			f.errs <- err
		}
		close(f.errs)
		return f
	}

	t.Run("without descriptors it waits for some", func(t *testing.T) {
		ln := listen(&net.OpError{Op: "accept", Err: syscall.EMFILE}, syscall.ENFILE)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- NewServer(of(t, "")).Serve(ctx, ln) }()
		status, _ := dial(t, ln.Addr().String()).do("GET", "/")
		require.Equal(t, 200, status)
		cancel()
		require.NoError(t, <-ended)
	})
	t.Run("what is broken is reported", func(t *testing.T) {
		broken := errors.New("out of order")
		ln := listen(broken)
		err := NewServer(of(t, "")).Serve(t.Context(), ln)
		require.ErrorIs(t, err, broken)
		require.EqualError(t, err, fmt.Sprintf("accept connections on %s: out of order", ln.Addr()))
	})
}
