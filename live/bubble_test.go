package live_test

// The World in virtual time, with connections that are functions.

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/engine"
	"openload/live"
	"openload/live/conformance"
	"openload/request"
	"openload/transport"
)

const ms = time.Millisecond

// A fake is a network and a server. Its functions are called with the number of the
// dial, or of the exchange, from 0.
type fake struct {
	dial     func(n int) (takes time.Duration, class correct.Class)
	exchange func(n int) (takes time.Duration, o transport.Outcome)
	alive    func(uses int) bool

	turn               chan struct{} // guards what follows; a channel, as a bubble wants
	dials, dialing     int
	most               int // dials at once
	exchanges, flowing int
	peak               int   // exchanges at once
	by                 []int // the connection of each exchange, by the number of its dial
}

func newFake() *fake {
	f := &fake{
		dial:     func(int) (time.Duration, correct.Class) { return 0, correct.OK },
		exchange: func(int) (time.Duration, transport.Outcome) { return 0, ok },
		alive:    func(int) bool { return true },
		turn:     make(chan struct{}, 1),
	}
	f.turn <- struct{}{}
	return f
}

var ok = transport.Outcome{Status: 200, Bytes: 2, Written: true, Keep: true}

func (f *fake) Dial(ctx context.Context, timeout time.Duration) (live.Conn, transport.Outcome) {
	<-f.turn
	n := f.dials
	f.dials++
	f.dialing++
	f.most = max(f.most, f.dialing)
	f.turn <- struct{}{}
	takes, class := f.dial(n)
	if timeout > 0 && takes > timeout {
		takes, class = timeout, correct.ConnectTimeout
	}
	if !sleep(ctx, takes) {
		class = correct.Unfinished
	}
	<-f.turn
	f.dialing--
	f.turn <- struct{}{}
	if class != correct.OK {
		return nil, transport.Outcome{Class: class, Detail: "as told"}
	}
	return &conn{fake: f, ctx: ctx, number: n}, transport.Outcome{}
}

type conn struct {
	fake   *fake
	ctx    context.Context
	number int
	uses   int
}

func (c *conn) Alive() bool { return c.fake.alive(c.uses) }
func (c *conn) Close()      {}

func (c *conn) Exchange(_ engine.Shot, _ *request.Message, deadline time.Time) transport.Outcome {
	f := c.fake
	<-f.turn
	n := f.exchanges
	f.exchanges++
	f.flowing++
	f.by = append(f.by, c.number)
	f.peak = max(f.peak, f.flowing)
	f.turn <- struct{}{}
	c.uses++
	takes, o := f.exchange(n)
	if left := time.Until(deadline); !deadline.IsZero() && takes > left {
		takes, o = left, transport.Outcome{Class: correct.Timeout, Written: true}
	}
	if !sleep(c.ctx, takes) {
		o = transport.Outcome{Class: correct.Unfinished, Written: true}
	}
	<-f.turn
	f.flowing--
	f.turn <- struct{}{}
	return o
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// virtual is a Go timer, which a bubble makes exact, and a Settle for it.
type virtual struct{ live.Pacer }

func (virtual) Settle() { synctest.Wait() }

// bubble runs test with a World over f in virtual time.
func bubble(t *testing.T, f func() *fake, o live.Options, test func(t *testing.T, f *fake, w *live.World)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := f()
		o.Epoch, o.Dialer, o.Pacer = time.Now(), f, virtual{live.Timer()}
		if o.Connections == 0 {
			o.Connections = 100
		}
		w := live.New(o)
		defer w.Close()
		test(t, f, w)
	})
}

func every(gap time.Duration, n int) []time.Duration {
	at := make([]time.Duration, n)
	for i := range at {
		at[i] = time.Duration(i) * gap
	}
	return at
}

// Law: with free connections and dials that take no time, each shot is sent at the
// instant at which it was fired and answered when the transport returns.
func TestSentAtTheInstantOfFire(t *testing.T) {
	bubble(t, func() *fake {
		f := newFake()
		f.exchange = func(n int) (time.Duration, transport.Outcome) { return time.Duration(n%7) * 40 * ms, ok }
		return f
	}, live.Options{}, func(t *testing.T, f *fake, w *live.World) {
		for i, s := range conformance.Drive(t, w, every(20*ms, 200), nil) {
			at := time.Duration(i) * 20 * ms
			require.Equal(t, correct.Sample{
				Seq: uint64(i), Attempt: 1, Intended: at, Due: at, Dispatched: at, Sent: at, Done: at + time.Duration(i%7)*40*ms,
				Status: 200, Bytes: 2, Fired: true, Written: true,
			}, s)
		}
	})
}

// Law: one connection to a server that serves in turn is a queue, so Sent follows
// from the shot before by Lindley's recursion.
func TestOneConnectionIsAQueue(t *testing.T) {
	service := func(n int) time.Duration {
		if n == 149 {
			return 2 * time.Second
		}
		return 50 * ms
	}
	bubble(t, func() *fake {
		f := newFake()
		f.exchange = func(n int) (time.Duration, transport.Outcome) { return service(n), ok }
		return f
	}, live.Options{Connections: 1}, func(t *testing.T, f *fake, w *live.World) {
		free, slow := time.Duration(0), 0
		for i, s := range conformance.Drive(t, w, every(80*ms, 200), nil) {
			sent := max(time.Duration(i)*80*ms, free)
			free = sent + service(i)
			require.Equal(t, sent, s.Sent)
			require.Equal(t, free, s.Done)
			if s.Corrected() > 500*ms {
				slow++
			}
		}
		require.Equal(t, 50, slow)
		require.Equal(t, live.Counters{Opened: 1, Peak: 1, CapReached: true, Bytes: 400}, w.Counters())
	})
}

// All at the same instant, over dials that take none.
func TestBurst(t *testing.T) {
	bubble(t, func() *fake {
		f := newFake()
		f.exchange = func(int) (time.Duration, transport.Outcome) { return 10 * ms, ok }
		return f
	}, live.Options{}, func(t *testing.T, f *fake, w *live.World) {
		for _, s := range conformance.Drive(t, w, make([]time.Duration, 100), nil) {
			require.Zero(t, s.Sent)
			require.Equal(t, 10*ms, s.Done)
		}
		require.Equal(t, 100, w.Counters().Opened)
	})
}

func TestTimeoutAndDeadline(t *testing.T) {
	bubble(t, func() *fake {
		f := newFake()
		f.exchange = func(int) (time.Duration, transport.Outcome) { return time.Second, ok }
		return f
	}, live.Options{}, func(t *testing.T, f *fake, w *live.World) {
		all := conformance.Drive(t, w, []time.Duration{0, 0, 0}, func(s *engine.Shot) {
			s.Timeout = 300 * ms
			s.Deadline = []time.Duration{0, 200 * ms, 300 * ms}[s.Seq]
		})
		require.Equal(t, correct.Timeout, all[0].Class)
		require.Equal(t, 300*ms, all[0].Raw())
		require.Equal(t, correct.Deadline, all[1].Class)
		require.Equal(t, 200*ms, all[1].Raw())
		require.Equal(t, correct.Deadline, all[2].Class)
	})
}

// The shot's deadline passes while the dial hangs: it ends on time and the dial goes on.
func TestDeadlineWhileDialling(t *testing.T) {
	bubble(t, func() *fake {
		f := newFake()
		f.dial = func(int) (time.Duration, correct.Class) { return time.Second, correct.OK }
		return f
	}, live.Options{Connections: 1}, func(t *testing.T, f *fake, w *live.World) {
		all := conformance.Drive(t, w, []time.Duration{0, 600 * ms}, func(s *engine.Shot) {
			s.Deadline = s.Intended + 500*ms
		})
		require.Equal(t, correct.Deadline, all[0].Class)
		require.Equal(t, 500*ms, all[0].Done)
		require.Equal(t, all[0].Done, all[0].Sent)
		require.False(t, all[0].Written)
		require.Equal(t, correct.OK, all[1].Class)
		require.Equal(t, time.Second, all[1].Sent, "over the dial that the first shot began")
		require.Equal(t, 1, f.dials)
	})
}

func TestCtxEndsEverything(t *testing.T) {
	bubble(t, func() *fake {
		f := newFake()
		f.exchange = func(int) (time.Duration, transport.Outcome) { return time.Hour, ok }
		f.dial = func(n int) (time.Duration, correct.Class) { return time.Duration(n) * 40 * ms, correct.OK }
		return f
	}, live.Options{}, func(t *testing.T, f *fake, w *live.World) {
		require.Equal(t, 10, w.Room(10, 0))
		for i := range uint64(10) {
			w.Fire(engine.Shot{Seq: i, Attempt: 1})
		}
		ctx, cancel := context.WithTimeout(t.Context(), 190*ms)
		defer cancel()
		written := 0
		for range 10 {
			_, s, answered := w.Wait(ctx, time.Hour)
			require.True(t, answered)
			require.Equal(t, correct.Unfinished, s.Class)
			require.Equal(t, 190*ms, s.Done)
			if s.Written {
				written++
			} else {
				require.Equal(t, s.Done, s.Sent)
			}
		}
		require.Equal(t, 5, written, "dialled before the end")
		now, _, answered := w.Wait(ctx, time.Hour)
		require.False(t, answered)
		require.Equal(t, 190*ms, now)
	})
}

// Close gives up what is out, and a test in a bubble fails if a goroutine stays.
func TestCloseWhileBusy(t *testing.T) {
	bubble(t, func() *fake {
		f := newFake()
		f.exchange = func(int) (time.Duration, transport.Outcome) { return time.Hour, ok }
		f.dial = func(n int) (time.Duration, correct.Class) { return time.Duration(n) * time.Minute, correct.OK }
		return f
	}, live.Options{}, func(t *testing.T, f *fake, w *live.World) {
		w.Room(3, 0)
		for i := range uint64(3) {
			w.Fire(engine.Shot{Seq: i, Attempt: 1})
		}
		now, _, answered := w.Wait(t.Context(), time.Second)
		require.False(t, answered)
		require.Equal(t, time.Second, now)
	})
}
