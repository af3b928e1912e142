//go:build linux

package loop

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/engine"
	"openload/live/conformance"
	"openload/request"
	"openload/transport"
)

// A connection that dies between the last look at it and the write is replaced, and
// nothing is counted as sent twice.
func TestDiesJustBeforeTheWrite(t *testing.T) {
	die, dead := make(chan bool), make(chan bool)
	addr := conformance.Listen(t, func(c net.Conn) {
		b := make([]byte, 4096)
		c.Read(b)
		c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
		if _, ok := <-die; ok {
			c.(*net.TCPConn).SetLinger(0) // a reset, so that the write fails
			c.Close()
			dead <- true
		}
	})
	w := over(t, "http://"+addr, Options{})
	defer close(die)
	exchange := func() correct.Sample {
		require.Equal(t, 1, w.Room(1, 0))
		w.Fire(engine.Shot{Attempt: 1})
		for {
			if _, s, answered := w.Wait(t.Context(), engine.Forever); answered {
				return s
			}
		}
	}
	require.Equal(t, correct.OK, exchange().Class)
	die <- true
	<-dead
	w.polled = engine.Forever / 2 // so that Fire does not look again
	s := exchange()
	require.Equal(t, correct.OK, s.Class)
	require.True(t, s.Written)
	require.Zero(t, s.Resent)
	require.Equal(t, 2, w.Counters().Opened)
}

// over returns a World of the server at url, which ends with the test.
func over(t *testing.T, url string, o Options) *World {
	client, err := transport.New(transport.Config{
		Request: request.Request{URL: url}, Addrs: []netip.Addr{netip.MustParseAddr("127.0.0.1")}, Security: transport.Security{Insecure: true},
	})
	require.NoError(t, err)
	o.Epoch, o.Client, o.Connections = time.Now(), client, 4
	w, err := New(o)
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return w
}

// Nothing is written once the deadline has passed.
func TestTooLate(t *testing.T) {
	w := over(t, "http://"+conformance.Listen(t, conformance.Hello), Options{})
	conformance.Drive(t, w, make([]time.Duration, 1), nil)
	s := conformance.Drive(t, w, make([]time.Duration, 1), func(s *engine.Shot) { s.Deadline = 1 })[0]
	require.Equal(t, correct.Deadline, s.Class)
	require.False(t, s.Written)
}

// What older kernels lack is done without: sleeps to the nanosecond, and stamps.
func TestOlderKernels(t *testing.T) {
	for _, tt := range []struct {
		name string
		lack func(*World)
	}{
		{"no epoll_pwait2", func(w *World) { w.coarse = true }},
		{"no stamps", func(w *World) { w.stamps = false }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := over(t, "http://"+conformance.Listen(t, conformance.Hello), Options{})
			tt.lack(w)
			at := make([]time.Duration, 20)
			for i := range at {
				at[i] = time.Duration(i) * 7 * time.Millisecond
			}
			all := conformance.Drive(t, w, at, nil)
			require.Equal(t, map[correct.Class]int{correct.OK: 20}, conformance.Classes(all))
			for _, s := range all {
				require.GreaterOrEqual(t, s.Dispatched, s.Due)
				require.LessOrEqual(t, s.Late, s.Done-s.Dispatched)
			}
		})
	}
}

func TestLocalTLS(t *testing.T) {
	from := make(chan string, 1)
	s := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { from <- r.RemoteAddr }))
	defer s.Close()
	w := over(t, s.URL, Options{Local: []netip.Addr{netip.MustParseAddr("127.0.0.2")}})
	require.Equal(t, correct.OK, conformance.Drive(t, w, make([]time.Duration, 1), nil)[0].Class)
	require.Equal(t, "127.0.0.2", netip.MustParseAddrPort(<-from).Addr().String())
}

// A handshake that does not end is given up with the dial, and with the World.
func TestHandshakeHangs(t *testing.T) {
	silent := conformance.Listen(t, func(c net.Conn) {
		for b := make([]byte, 4096); ; {
			if _, err := c.Read(b); err != nil {
				return
			}
		}
	})
	w := over(t, "https://"+silent, Options{ConnectTimeout: 50 * time.Millisecond})
	all := conformance.Drive(t, w, make([]time.Duration, 3), nil)
	require.Equal(t, map[correct.Class]int{correct.ConnectTimeout: 3}, conformance.Classes(all))
	require.Equal(t, "in the TLS handshake", w.Counters().Failures[0].Text)

	w = over(t, "https://"+silent, Options{})
	require.Equal(t, 1, w.Room(1, 0))
	w.Fire(engine.Shot{Attempt: 1})
	_, _, answered := w.Wait(t.Context(), w.now()+20*time.Millisecond)
	require.False(t, answered)
}

// An answer that was read after the timeout is one, although it had come before. That it
// was we who were late is known, so that nobody else is blamed.
func TestAnswerReadTooLate(t *testing.T) {
	w := over(t, "http://"+conformance.Listen(t, conformance.Hello), Options{})
	conformance.Drive(t, w, make([]time.Duration, 1), nil) // opens the connection
	now := w.now()
	require.Equal(t, 1, w.Room(1, now))
	w.Fire(engine.Shot{Seq: 1, Attempt: 1, Intended: now, Due: now, Dispatched: now, Timeout: 100 * time.Millisecond})
	time.Sleep(300 * time.Millisecond) // nobody reads
	var x correct.Sample
	for answered := false; !answered; {
		_, x, answered = w.Wait(t.Context(), engine.Forever)
	}
	require.Equal(t, correct.Timeout, x.Class)
	require.Zero(t, x.Status)
	require.Greater(t, x.Raw(), 200*time.Millisecond)
	require.True(t, x.Excused(), "%+v", x)
	require.Equal(t, "the answer was read after that", w.Counters().Failures[0].Text)
}

// One read in 64 is audited, and the first one. The kernel begins to note when bytes come
// some time after the first socket asked for it.
func TestAudit(t *testing.T) {
	w := over(t, "http://"+conformance.Listen(t, conformance.Hello), Options{Pace: Balanced})
	var all uint64
	drive := func() (audited uint64) {
		before := all
		conformance.Drive(t, w, make([]time.Duration, 200), nil)
		late := w.Counters().Reads.Late
		all = late.N()
		return all - before
	}
	for began := time.Now(); drive() == 0; {
		require.Less(t, time.Since(began), time.Minute)
	}
	audited := drive()
	require.Equal(t, "balanced", w.Counters().Pace)
	require.GreaterOrEqual(t, audited, uint64(200/auditEvery))
	require.Less(t, audited, uint64(200/8), "reads that found nothing are no reads of ours")

	var a audit
	require.True(t, a.turn())
	for range auditEvery - 1 {
		require.False(t, a.turn())
	}
	require.True(t, a.turn())
}
