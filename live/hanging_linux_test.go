package live_test

import (
	"context"
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"openload/correct"
	"openload/engine"
	"openload/live"
	"openload/live/conformance"
	"openload/request"
	"openload/transport"
)

// hanging returns an address to which dials get no answer: its queue of connections
// that wait to be accepted is full.
func hanging(t *testing.T) netip.AddrPort {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	require.NoError(t, unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	require.NoError(t, unix.Listen(fd, 0))
	bound, err := unix.Getsockname(fd)
	require.NoError(t, err)
	addr := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(bound.(*unix.SockaddrInet4).Port))
	for {
		c, err := net.DialTimeout("tcp", addr.String(), 50*time.Millisecond)
		if err != nil {
			return addr
		}
		t.Cleanup(func() { c.Close() })
	}
}

func overHanging(t *testing.T, connections int) *live.World {
	addr := hanging(t)
	return live.New(live.Options{
		Epoch: time.Now(), Connections: connections, ConnectTimeout: 100 * time.Millisecond,
		Dialer: live.Over(client(t, transport.Config{
			Request: request.Request{URL: "http://" + addr.String()}, Addrs: []netip.Addr{addr.Addr()},
		})),
	})
}

func TestC24DialsHang(t *testing.T) {
	w := overHanging(t, 4)
	defer w.Close()
	all := conformance.Drive(t, w, make([]time.Duration, 8), nil)
	require.Equal(t, map[correct.Class]int{correct.ConnectTimeout: 8}, conformance.Classes(all))
	for _, s := range all {
		require.GreaterOrEqual(t, s.Wait(), 100*time.Millisecond)
		require.Zero(t, s.Raw())
		require.False(t, s.Written)
	}
	require.Zero(t, w.Counters().Opened)
}

// The end of the run ends dials that hang and exchanges that are not answered.
func TestCtxEndsSockets(t *testing.T) {
	for _, tt := range []struct {
		name    string
		open    func(t *testing.T) *live.World
		written bool
	}{
		{"a dial hangs", func(t *testing.T) *live.World { return overHanging(t, 4) }, false},
		{"an answer does not come", func(t *testing.T) *live.World {
			addr := conformance.Listen(t, func(c net.Conn) { io.Copy(io.Discard, c) })
			return live.New(live.Options{Epoch: time.Now(), Connections: 4, Dialer: live.Over(client(t, transport.Config{
				Request: request.Request{URL: "http://" + addr}, Addrs: []netip.Addr{netip.MustParseAddr("127.0.0.1")},
			}))})
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := tt.open(t)
			defer w.Close()
			w.Room(1, 0)
			w.Fire(engine.Shot{Attempt: 1})
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, s, answered := w.Wait(ctx, time.Hour)
			require.True(t, answered)
			require.Equal(t, correct.Unfinished, s.Class)
			require.Equal(t, tt.written, s.Written)
		})
	}
}
