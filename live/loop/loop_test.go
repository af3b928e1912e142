//go:build linux

package loop_test

import (
	"context"
	"encoding/json"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"openload/correct"
	"openload/engine"
	"openload/live/conformance"
	"openload/live/loop"
	"openload/request"
	"openload/transport"
)

// childOf names the environment variable that makes this binary a child of
// TestStopped: one shot at the address given.
const childOf = "OPENLOAD_TEST_TARGET"

func TestMain(m *testing.M) {
	if target := os.Getenv(childOf); target != "" {
		child(target)
		return
	}
	goleak.VerifyTestMain(m)
}

func open(t *testing.T, o conformance.Options) conformance.World {
	w, err := loop.New(loop.Options{
		Epoch: o.Epoch, Client: o.Client, Clients: o.Clients, Host: o.Host, Feed: o.Feed, Connections: o.Connections, ConnectTimeout: o.ConnectTimeout, NoKeepAlive: o.NoKeepAlive, PerConnection: o.PerConnection,
	})
	require.NoError(t, err)
	return w
}

// The same rows as for the portable World.
func TestConformance(t *testing.T) {
	conformance.Run(t, open)
}

// to returns a client of the server at addr.
func to(t testing.TB, addr string) *transport.Client {
	c, err := transport.New(transport.Config{
		Request: request.Request{URL: "http://" + addr + "/"}, Addrs: []netip.Addr{netip.MustParseAddrPort(addr).Addr()},
	})
	require.NoError(t, err)
	return c
}

// over returns a World of the server at addr, which ends with the test.
func over(t testing.TB, addr string, o loop.Options) *loop.World {
	o.Epoch, o.Client, o.Connections = time.Now(), to(t, addr), max(1, o.Connections)
	w, err := loop.New(o)
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return w
}

// hanging returns an address to which dials get no answer: its queue of connections
// that wait to be accepted is full.
func hanging(t *testing.T) string {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	require.NoError(t, unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	require.NoError(t, unix.Listen(fd, 0))
	bound, err := unix.Getsockname(fd)
	require.NoError(t, err)
	addr := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(bound.(*unix.SockaddrInet4).Port)).String()
	for {
		c, err := net.DialTimeout("tcp", addr, 50*time.Millisecond)
		if err != nil {
			return addr
		}
		t.Cleanup(func() { c.Close() })
	}
}

func TestDialsHang(t *testing.T) {
	w := over(t, hanging(t), loop.Options{Connections: 4, ConnectTimeout: 100 * time.Millisecond})
	all := conformance.Drive(t, w, make([]time.Duration, 8), nil)
	require.Equal(t, map[correct.Class]int{correct.ConnectTimeout: 8}, conformance.Classes(all))
	for _, s := range all {
		require.GreaterOrEqual(t, s.Wait(), 100*time.Millisecond)
		require.Zero(t, s.Raw())
		require.False(t, s.Written)
	}
	require.Zero(t, w.Counters().Opened)
}

// Connections come from the local addresses in turn.
func TestLocal(t *testing.T) {
	from := make(chan string, 4)
	w := over(t, conformance.Listen(t, func(c net.Conn) {
		from <- netip.MustParseAddrPort(c.RemoteAddr().String()).Addr().String()
		conformance.Hello(c)
	}), loop.Options{Connections: 4, Local: []netip.Addr{netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.3")}})
	all := conformance.Drive(t, w, make([]time.Duration, 4), nil)
	require.Equal(t, map[correct.Class]int{correct.OK: 4}, conformance.Classes(all))
	seen := map[string]int{}
	for range w.Counters().Opened {
		seen[<-from]++
	}
	require.Len(t, seen, 2)

	for _, tt := range []struct{ name, local, err string }{
		{"not of this machine", "192.0.2.1", "connect from 192.0.2.1: cannot assign requested address"},
		{"of the other kind", "::1", "connect from ::1: the target has an address of the other kind"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := loop.New(loop.Options{Epoch: time.Now(), Client: to(t, "127.0.0.1:1"), Connections: 1, Local: []netip.Addr{netip.MustParseAddr(tt.local)}})
			require.EqualError(t, err, tt.err)
		})
	}
}

// A deadline passes for a shot that waits for its dial as for one that was sent, and
// an attempt's timeout only for the latter.
func TestDeadline(t *testing.T) {
	silent := conformance.Listen(t, func(c net.Conn) { c.Read(make([]byte, 4096)); c.Read(make([]byte, 1)) })
	deadline := func(s *engine.Shot) { s.Timeout, s.Deadline = 30*time.Millisecond, 50*time.Millisecond }
	for _, tt := range []struct {
		name  string
		addr  string
		set   func(*engine.Shot)
		class correct.Class
		sent  bool
	}{
		{"waiting for a dial", hanging(t), deadline, correct.Deadline, false},
		{"waiting for an answer", silent, func(s *engine.Shot) { s.Deadline = 50 * time.Millisecond }, correct.Deadline, true},
		{"its timeout is first", silent, deadline, correct.Timeout, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := over(t, tt.addr, loop.Options{Connections: 4})
			all := conformance.Drive(t, w, make([]time.Duration, 3), tt.set)
			require.Equal(t, map[correct.Class]int{tt.class: 3}, conformance.Classes(all))
			for _, s := range all {
				require.Equal(t, tt.sent, s.Written)
				if tt.class == correct.Deadline {
					require.GreaterOrEqual(t, s.Done, 50*time.Millisecond)
				}
			}
		})
	}
}

// The end of the run ends what is out, without an answer or even a connection.
func TestCtxEndsAll(t *testing.T) {
	silent := conformance.Listen(t, func(c net.Conn) { c.Read(make([]byte, 4096)); c.Read(make([]byte, 1)) })
	for _, tt := range []struct {
		name    string
		addr    string
		written bool
	}{
		{"a dial hangs", hanging(t), false},
		{"an answer does not come", silent, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := over(t, tt.addr, loop.Options{Connections: 4})
			require.Equal(t, 3, w.Room(3, 0))
			for seq := range uint64(3) {
				w.Fire(engine.Shot{Seq: seq, Attempt: 1})
			}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			for range 3 {
				_, s, answered := w.Wait(ctx, time.Hour)
				require.True(t, answered)
				require.Equal(t, correct.Unfinished, s.Class)
				require.Equal(t, tt.written, s.Written)
			}
			_, _, answered := w.Wait(ctx, time.Hour)
			require.False(t, answered)
		})
	}
}

// Law: nothing is allocated for a request once its connection is there.
func TestAllocatesNothing(t *testing.T) {
	w := over(t, conformance.Listen(t, conformance.Hello), loop.Options{Connections: 1})
	ctx := t.Context()
	exchange := func() {
		for w.Room(1, 0) == 0 {
			w.Wait(ctx, engine.Forever)
		}
		w.Fire(engine.Shot{Attempt: 1, Timeout: time.Minute})
		for {
			if _, s, answered := w.Wait(ctx, engine.Forever); answered {
				require.Equal(t, correct.OK, s.Class)
				return
			}
		}
	}
	exchange()
	before := conformance.Mallocs()
	const n = 1000
	for range n {
		exchange()
	}
	// The server and the test allocate now and then, but not for each.
	require.Less(t, conformance.Mallocs()-before, uint64(n/2))
}

// After a pause the backlog drains over the connections there are.
func TestNoStormAfterAPause(t *testing.T) {
	w := over(t, conformance.Listen(t, conformance.Hello), loop.Options{Connections: 1000})
	conformance.Drive(t, w, make([]time.Duration, 20), nil)
	opened := w.Counters().Opened
	now, _, _ := w.Wait(t.Context(), 0)
	at := make([]time.Duration, 200)
	for i := range at {
		at[i] = now + time.Duration(i)*time.Millisecond
	}
	time.Sleep(200 * time.Millisecond) // the pause
	all := conformance.Drive(t, w, at, nil)
	require.Equal(t, map[correct.Class]int{correct.OK: 200}, conformance.Classes(all))
	require.Equal(t, opened, w.Counters().Opened)
}

// An answer that lay in the kernel while this process was stopped is late by our
// fault, for at least as long as the stop lasted while the request was out.
func TestStopped(t *testing.T) {
	asked, answer := make(chan bool), make(chan bool)
	addr := conformance.Listen(t, func(c net.Conn) {
		b := make([]byte, 4096)
		c.Read(b)
		asked <- true
		<-answer
		c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
		c.Read(b)
	})
	// The kernel begins to note when bytes come some time after the first socket of all
	// processes asked for it.
	w := over(t, conformance.Listen(t, conformance.Hello), loop.Options{})
	for began := time.Now(); ; {
		conformance.Drive(t, w, make([]time.Duration, 100), nil)
		if late := w.Counters().Reads.Late; late.N() > 0 {
			break
		}
		require.Less(t, time.Since(began), time.Minute)
	}

	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(self)
	c.Env = append(os.Environ(), childOf+"="+addr)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())

	<-asked
	require.NoError(t, c.Process.Signal(unix.SIGSTOP))
	var status unix.WaitStatus
	_, err = unix.Wait4(c.Process.Pid, &status, unix.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped())
	answer <- true
	time.Sleep(200 * time.Millisecond) // how long the answer lies there
	require.NoError(t, c.Process.Signal(unix.SIGCONT))

	var got correct.Sample
	require.NoError(t, json.NewDecoder(out).Decode(&got))
	require.NoError(t, c.Wait())
	require.Equal(t, correct.OK, got.Class)
	require.GreaterOrEqual(t, got.Late, 190*time.Millisecond)
	require.GreaterOrEqual(t, got.Done-got.Dispatched, got.Late)
}

// child fires one shot and prints its sample.
func child(target string) {
	client, err := transport.New(transport.Config{
		Request: request.Request{URL: "http://" + target}, Addrs: []netip.Addr{netip.MustParseAddrPort(target).Addr()},
	})
	if err != nil {
		panic(err)
	}
	w, err := loop.New(loop.Options{Epoch: time.Now(), Client: client, Connections: 1})
	if err != nil {
		panic(err)
	}
	defer w.Close()
	w.Room(1, 0)
	w.Fire(engine.Shot{Attempt: 1})
	for {
		if _, s, answered := w.Wait(context.Background(), time.Hour); answered {
			json.NewEncoder(os.Stdout).Encode(s)
			return
		}
	}
}

// Law: Late never exceeds the time that the request was out, and is small beside the
// server's time when the process slept, since the kernel noted when the answer came.
func TestLate(t *testing.T) {
	const service = 20 * time.Millisecond
	w := over(t, conformance.Listen(t, func(c net.Conn) {
		for b := make([]byte, 4096); ; {
			if n, err := c.Read(b); n == 0 || err != nil {
				return
			}
			time.Sleep(service) // the server's work
			c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
		}
	}), loop.Options{Connections: 4})
	small := 0
	for range 20 {
		s := conformance.Drive(t, w, []time.Duration{0}, nil)[0]
		require.LessOrEqual(t, s.Late, s.Done-s.Dispatched)
		if s.Late < service/4 {
			small++
		}
	}
	require.Greater(t, small, 10)
}

func BenchmarkExchange(b *testing.B) {
	for _, out := range []int{1, 64} {
		b.Run(map[int]string{1: "out=1", 64: "out=64"}[out], func(b *testing.B) {
			w := over(b, conformance.Listen(b, conformance.Hello), loop.Options{Connections: out, Eager: true})
			ctx, flying := context.Background(), 0
			b.ReportAllocs()
			for b.Loop() {
				for flying == out || w.Room(1, 0) == 0 {
					if _, _, answered := w.Wait(ctx, engine.Forever); answered {
						flying--
					}
				}
				w.Fire(engine.Shot{Attempt: 1, Timeout: time.Minute})
				flying++
			}
		})
	}
}
