package retry

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
)

// down is a server that refuses until it comes back.
func down(until time.Duration) func(*correct.Sample) {
	return func(x *correct.Sample) {
		x.Done, x.Status = x.Sent+10*ms, 200
		if x.Sent < until {
			x.Class, x.Status = correct.BadStatus, 503
		}
	}
}

func TestAnOutageOf30Seconds(t *testing.T) {
	r := retrier(t, "attempts=1 breaker=50%/10s calls=20 open=5s probes=2")
	made := drive(r, every(600, 100*ms), down(30*time.Second)) // a minute at 10 a second
	var failed, after int
	for _, x := range made {
		if x.Class != correct.OK {
			failed++
		}
		if x.Sent >= 35*time.Second {
			after++
		}
	}
	// 20 calls to see it (at 1.9 s), then at most two probes every five seconds.
	require.Greater(t, failed, 20)
	require.LessOrEqual(t, failed, 20+2*6)
	require.GreaterOrEqual(t, after, 190, "it closes soon after the server is back")
	require.EqualValues(t, 600-len(made), r.Counts().Blocked, "the rest never left, and are counted")
	require.GreaterOrEqual(t, r.Counts().Opened, uint64(6))
}

// watched notes when the breaker of a Retrier opened last, and what started since.
type watched struct {
	*Retrier
	opened time.Duration
	since  []time.Duration
}

func (w *watched) Start(attempt int, now time.Duration) bool {
	let := w.Retrier.Start(attempt, now)
	if let {
		w.since = append(w.since, now)
	}
	return let
}

func (w *watched) After(x correct.Sample) (time.Duration, bool) {
	before := w.Counts().Opened
	delay, again := w.Retrier.After(x)
	if w.Counts().Opened > before {
		w.opened, w.since = x.Done, nil
	}
	return delay, again
}

// The law: nothing starts while it is open, and after that no more than the probes
// before it has made up its mind. What was blocked was not paid for.
func TestWhatABreakerLetsThrough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := fuse{
			share: rapid.Int64Range(1, 1000).Draw(t, "share"), window: time.Second,
			calls: rapid.Int64Range(1, 10).Draw(t, "calls"), open: time.Duration(rapid.Int64Range(1, 2000).Draw(t, "open")) * ms,
			probes: rapid.Int64Range(1, 3).Draw(t, "probes"),
		}
		w := &watched{Retrier: retrier(t, "attempts=4 backoff=fixed base=200ms budget=30%+1/s")}
		w.breaker = newBreaker(f)
		bad := rapid.SliceOfN(rapid.Bool(), 50, 50).Draw(t, "bad")
		n := 0
		made := drive(w, every(100, 50*ms), func(x *correct.Sample) {
			if w.Counts().Opened > 0 {
				require.GreaterOrEqual(t, x.Sent, w.opened+f.open)
			}
			if w.breaker.state == halfOpen {
				require.LessOrEqual(t, int64(len(w.since)), f.probes)
			}
			x.Done, x.Status = x.Sent+time.Duration(n%7)*30*ms, 200
			if bad[n%50] {
				x.Class, x.Status = correct.BadStatus, 503
			}
			n++
		})
		_, spent := w.ratio.recent.sums()
		require.Less(t, made[len(made)-1].Done, 9*time.Second, "nothing has left the window")
		require.EqualValues(t, retries(made)*token, spent, "what was made was paid for, and nothing else")
	})
}

func fails(started, done time.Duration) correct.Sample {
	return correct.Sample{Attempt: 1, Dispatched: started, Done: done, Fired: true, Written: true, Class: correct.Timeout}
}

func TestABreakerStepByStep(t *testing.T) {
	const s = time.Second
	tripped := func(t *testing.T) *Retrier {
		r := retrier(t, "attempts=3 backoff=fixed base=1s budget=10/s breaker=50%/10s calls=2 open=5s probes=2")
		for range 2 {
			require.True(t, r.Start(1, 0))
		}
		_, again := r.After(fails(0, s))
		require.True(t, again, "one call does not make a share")
		_, again = r.After(fails(0, s))
		require.False(t, again, "at 2 s it is open for certain")
		require.Equal(t, Counts{Blocked: 1, Opened: 1}, r.Counts())
		return r
	}
	t.Run("what is sure to be blocked is not paid for", func(t *testing.T) {
		require.EqualValues(t, 99*token, tripped(t).ratio.balance())
	})
	t.Run("a retry that finds it open gets its budget back", func(t *testing.T) {
		r := tripped(t)
		require.False(t, r.Start(2, 2*s))
		require.EqualValues(t, 100*token, r.ratio.balance())
		require.EqualValues(t, 2, r.Counts().Blocked)
	})
	t.Run("a retry that will find it open no more is planned", func(t *testing.T) {
		r := tripped(t)
		require.True(t, r.Start(1, 6*s), "the first probe")
		_, again := r.After(fails(6*s, 7*s))
		require.False(t, again, "and open again, until 12 s")
		require.True(t, r.breaker.blocks(11_999*ms))
		require.False(t, r.breaker.blocks(12*s))
	})
	t.Run("two probes and no more", func(t *testing.T) {
		r := tripped(t)
		require.False(t, r.Start(1, 5_999*ms))
		require.True(t, r.Start(1, 6*s))
		require.True(t, r.Start(1, 6*s))
		require.False(t, r.Start(1, 6*s))
		ok := correct.Sample{Attempt: 1, Dispatched: 6 * s, Done: 7 * s, Fired: true, Class: correct.OK, Status: 200}
		r.After(ok)
		require.False(t, r.Start(1, 7*s), "one success is not two")
		r.After(ok)
		require.True(t, r.Start(1, 7*s))
		require.Equal(t, closed, r.breaker.state)
	})
	t.Run("what started before it opened decides nothing later", func(t *testing.T) {
		r := tripped(t)
		require.True(t, r.Start(1, 6*s))
		require.True(t, r.Start(1, 6*s))
		r.After(fails(s/2, 6*s)) // a straggler, while it probes
		require.Equal(t, halfOpen, r.breaker.state)
		ok := correct.Sample{Attempt: 1, Dispatched: 6 * s, Done: 7 * s, Fired: true, Class: correct.OK, Status: 200}
		r.After(ok)
		r.After(ok)
		for range 5 {
			r.After(fails(s/2, 8*s)) // more of them, once it is closed
		}
		require.Equal(t, closed, r.breaker.state)
	})
	t.Run("a probe that was never sent is given to another", func(t *testing.T) {
		r := tripped(t)
		require.True(t, r.Start(1, 6*s))
		require.True(t, r.Start(1, 6*s))
		r.After(correct.Sample{Attempt: 1, Dispatched: 6 * s, Done: 7 * s, Class: correct.Deadline}) // in the backlog
		require.True(t, r.Start(1, 7*s))
		require.False(t, r.Start(1, 7*s))
	})
	t.Run("an answer that is not retried is a server that works", func(t *testing.T) {
		r := tripped(t)
		for range 2 {
			require.True(t, r.Start(1, 6*s))
		}
		for range 2 {
			r.After(correct.Sample{Attempt: 1, Dispatched: 6 * s, Done: 7 * s, Fired: true, Written: true, Class: correct.BadStatus, Status: 404})
		}
		require.Equal(t, closed, r.breaker.state)
	})
	t.Run("our own failures say nothing", func(t *testing.T) {
		r := retrier(t, "attempts=1 breaker=1%/10s calls=1")
		for _, c := range []correct.Class{correct.Stale, correct.Ports, correct.Descriptors, correct.Unfinished} {
			require.True(t, r.Start(1, 0))
			r.After(correct.Sample{Attempt: 1, Fired: true, Class: c})
		}
		require.Zero(t, r.Counts().Opened)
		require.True(t, r.Start(1, 0))
		r.After(correct.Sample{Attempt: 1, Fired: true, Written: true, Class: correct.Deadline})
		require.EqualValues(t, 1, r.Counts().Opened, "an answer that was late for the operation is the server's")
	})
}
