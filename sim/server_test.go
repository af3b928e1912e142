package sim_test

// The two faces of a model: the real server in a bubble, and the simulated one.

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/engine"
	"openload/lab"
	"openload/schedule"
	"openload/seed"
	"openload/sim"
)

// pipes is a listener without a network.
type pipes struct {
	dialled chan net.Conn
	closed  chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialled:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.closed); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// get sends one request over a connection of its own and returns its status, 0 if the
// connection is closed.
func (p pipes) get(seq int) (status int) {
	client, server := net.Pipe()
	p.dialled <- server
	defer client.Close()
	fmt.Fprintf(client, "GET / HTTP/1.1\r\nHost: lab\r\nOpenload-Attempt: 1\r\nIdempotency-Key: %d\r\n\r\n", seq)
	r, err := http.ReadResponse(bufio.NewReader(client), nil)
	if err != nil {
		return 0
	}
	defer r.Body.Close()
	_, _ = io.Copy(io.Discard, r.Body)
	return r.StatusCode
}

func TestTheRealServerAndTheSimulatedOneAgree(t *testing.T) {
	const n, every = 60, 7*ms + 13
	for _, behaviour := range []string{
		"service=50ms stall=5:300ms hang=3ms hang-after=20ms",
		"service=17ms limit=6",
		"service=17ms accept=5/100ms",
		"service=17ms queue=3",
		"service=17ms max-age=90ms",
		"service=5ms errors=30% close=20% layers=2 attempts=2",
		"service=17ms limit=3 layers=2 attempts=2",
		"service=3ms body=1kB trickle=1s workers=0",
	} {
		t.Run(behaviour, func(t *testing.T) {
			type result struct {
				status int
				done   time.Duration
			}
			spec, err := lab.Parse(behaviour)
			require.NoError(t, err)
			model := func() lab.Model { return spec.Model(seed.Seed(1).Stream("server")) }

			var simulated samples
			rate, err := schedule.ParseRate(fmt.Sprintf("1/%v", every))
			require.NoError(t, err)
			w := sim.New(model(), anyStatus)
			engine.Run(context.Background(), context.Background(), schedule.Spec{Shape: schedule.Constant(rate), N: n}.Open(nil), w, &simulated, nil, lenient)
			slices.SortFunc(simulated, func(a, b correct.Sample) int { return int(a.Seq) - int(b.Seq) })
			var want []result
			for _, x := range simulated {
				want = append(want, result{x.Status, x.Done})
			}

			synctest.Test(t, func(t *testing.T) {
				p := pipes{make(chan net.Conn), make(chan struct{})}
				s := lab.NewServer(model)
				ctx, cancel := context.WithCancel(t.Context())
				var running sync.WaitGroup
				running.Go(func() { _ = s.Serve(ctx, p) })
				got := make([]result, n)
				began := time.Now()
				var clients sync.WaitGroup
				for i := range n {
					time.Sleep(time.Duration(i)*every - time.Since(began))
					clients.Go(func() {
						status := p.get(i)
						got[i] = result{status, time.Since(began)}
					})
				}
				clients.Wait()
				require.Equal(t, want, got)

				stats := s.Stats()
				require.EqualValues(t, n, stats.Connections)
				require.EqualValues(t, n, stats.Keys)
				stats.Connections, stats.Keys = 0, 0 // there are none in a simulation
				require.Equal(t, w.Stats(), stats)
				cancel()
				running.Wait()
			})
		})
	}
}
