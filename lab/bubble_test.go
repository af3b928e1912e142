// The real server on a virtual clock: what its clients measure is the model, to
// the nanosecond.

package lab

import (
	"bufio"
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A pipeListener accepts connections without a network.
type pipeListener struct {
	dialled chan net.Conn
	closed  chan struct{}
}

func (l pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.dialled:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l pipeListener) Close() error   { close(l.closed); return nil }
func (l pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (l pipeListener) dial(t testing.TB) *wire {
	client, server := net.Pipe()
	l.dialled <- server
	return &wire{t, client, bufio.NewReader(client)}
}

// inBubble runs do against a server of spec, in virtual time.
func inBubble(t *testing.T, spec string, do func(s *Server, ln pipeListener)) {
	synctest.Test(t, func(t *testing.T) {
		ln := pipeListener{make(chan net.Conn), make(chan struct{})}
		s := NewServer(of(t, spec))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(ctx, ln) }()
		do(s, ln)
		now := time.Now()
		cancel()
		require.NoError(t, <-ended)
		require.Zero(t, time.Since(now), "it ends at once")
	})
}

func TestTheRealServerIsTheModel(t *testing.T) {
	for _, tt := range []struct {
		name, spec string
		n          int
		every      time.Duration
	}{
		{"the lab, L9", labA, 200, interval},
		{"frozen, L24", "service=50ms freeze=11920ms:2s workers=2", 200, interval},
		{"held", "service=30ms hang=1s workers=3", 60, 5 * ms},
		{"recovering", "capacity=60/s until=1s then=100/s", 80, 12500 * time.Microsecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := open(model(t, tt.spec), tt.n, tt.every)
			inBubble(t, tt.spec, func(s *Server, ln pipeListener) {
				time.Sleep(3 * time.Second) // the first request is the epoch
				got := make([]chan time.Duration, tt.n)
				for i := range got {
					got[i] = make(chan time.Duration, 1)
					go func() {
						sent := time.Now()
						w := ln.dial(t)
						defer w.Close()
						w.do("GET", "/")
						got[i] <- time.Since(sent)
					}()
					time.Sleep(tt.every)
				}
				for i := range got {
					require.Equal(t, want[i], <-got[i], "request %d", i+1)
				}
				require.EqualValues(t, tt.n, s.Stats().Answered)
			})
		})
	}
}

// After a reset the second request is the second again, and the clock is new.
func TestAResetStartsTheModelAnew(t *testing.T) {
	inBubble(t, "service=10ms stall=2:300ms freeze=1s:1s", func(s *Server, ln pipeListener) {
		w := ln.dial(t)
		defer w.Close()
		for range 2 {
			began := time.Now()
			for _, want := range []time.Duration{10 * ms, 310 * ms, 320 * ms} {
				w.do("GET", "/")
				require.Equal(t, want, time.Since(began))
			}
			time.Sleep(time.Second - time.Since(began))
			w.do("GET", "/")
			require.Equal(t, 2010*ms, time.Since(began), "frozen from 1 s to 2 s")
			w.do("POST", "/lab/reset")
			require.Equal(t, 2010*ms, time.Since(began), "at once")
		}
	})
}

func TestItEndsAtOnceHoweverLongARequestIsHeld(t *testing.T) {
	inBubble(t, "hang=10000h", func(s *Server, ln pipeListener) {
		for range 10 {
			w := ln.dial(t)
			w.send("GET", "/")
			go w.receive("GET")
		}
		synctest.Wait()
		require.EqualValues(t, 10, s.Stats().Received)
	})
}
