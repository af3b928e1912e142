package live_test

// How the pool of connections grows, and when it does not.

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/engine"
	"openload/live"
	"openload/live/conformance"
	"openload/transport"
)

// slow returns a server that takes service, over dials that take dial.
func slow(dial, service time.Duration) func() *fake {
	return func() *fake {
		f := newFake()
		f.dial = func(int) (time.Duration, correct.Class) { return dial, correct.OK }
		f.exchange = func(int) (time.Duration, transport.Outcome) { return service, ok }
		return f
	}
}

// The first shots dial at once; once it is known that a dial takes 10 ms, a shot
// waits as long for a busy connection before it has one dialled.
func TestGrowsByNeed(t *testing.T) {
	for _, tt := range []struct {
		name    string
		service time.Duration
		sent    time.Duration // of the second shot, due at 100 ms, when the first has been out for 90 ms
		opened  int
	}{
		{"a connection comes free before a dial is worth it", 99 * ms, 109 * ms, 1},
		{"it comes free while another is dialled", 105 * ms, 115 * ms, 2},
		{"the dial is first", time.Second, 120 * ms, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, slow(10*ms, tt.service), live.Options{}, func(t *testing.T, f *fake, w *live.World) {
				all := conformance.Drive(t, w, []time.Duration{0, 100 * ms}, nil)
				require.Equal(t, 10*ms, all[0].Sent)
				require.Equal(t, tt.sent, all[1].Sent)
				w.Wait(t.Context(), 5*time.Second) // whatever is dialled has been
				require.Equal(t, tt.opened, w.Counters().Opened)
			})
		})
	}
}

// A dial for a shot that was served elsewhere is there for the next one, which has no
// other begun.
func TestSpareDialIsUsed(t *testing.T) {
	bubble(t, func() *fake {
		f := slow(0, 105*ms)()
		f.dial = func(n int) (time.Duration, correct.Class) { return time.Duration(10+40*n) * ms, correct.OK }
		return f
	}, live.Options{}, func(t *testing.T, f *fake, w *live.World) {
		all := conformance.Drive(t, w, []time.Duration{0, 100 * ms, 116 * ms}, nil)
		require.Equal(t, 115*ms, all[1].Sent)
		require.Equal(t, 160*ms, all[2].Sent)
		require.Equal(t, 2, f.dials)
	})
}

func TestDialsAreBounded(t *testing.T) {
	bubble(t, slow(10*ms, time.Second), live.Options{Connections: 1000}, func(t *testing.T, f *fake, w *live.World) {
		all := conformance.Drive(t, w, make([]time.Duration, 100), nil)
		require.Equal(t, live.MaxDials, f.most)
		require.Equal(t, 100, f.dials)
		last := time.Duration(0)
		for _, s := range all {
			last = max(last, s.Sent)
		}
		require.Equal(t, 40*ms, last, "100 dials in fours of 32")
	})
}

func TestConnectionsAreBounded(t *testing.T) {
	bubble(t, slow(ms, 100*ms), live.Options{Connections: 5}, func(t *testing.T, f *fake, w *live.World) {
		conformance.Drive(t, w, every(ms, 200), nil)
		require.Equal(t, 5, f.peak)
		require.Equal(t, live.Counters{Opened: 5, Peak: 5, Held: true, CapReached: true, Bytes: 400}, w.Counters())
	})
}

// After 100 ms without a processor the backlog drains over the connections there are.
func TestNoStormAfterAPause(t *testing.T) {
	bubble(t, slow(10*ms, ms), live.Options{}, func(t *testing.T, f *fake, w *live.World) {
		conformance.Drive(t, w, make([]time.Duration, 20), nil)
		require.Equal(t, 20, w.Counters().Opened)
		now, _, _ := w.Wait(t.Context(), 0)
		at := every(ms, 200)
		for i := range at {
			at[i] += now
		}
		time.Sleep(100 * ms)
		conformance.Drive(t, w, at, nil)
		require.Equal(t, 20, w.Counters().Opened)
	})
}

// Connections that the server closes are not replaced before a shot needs one, and
// then at once, since nothing is gained by waiting.
func TestReplacedByNeed(t *testing.T) {
	bubble(t, func() *fake {
		f := slow(10*ms, 50*ms)()
		f.exchange = func(int) (time.Duration, transport.Outcome) {
			closing := ok
			closing.Keep = false
			return 50 * ms, closing
		}
		return f
	}, live.Options{}, func(t *testing.T, f *fake, w *live.World) {
		conformance.Drive(t, w, make([]time.Duration, 10), nil)
		now, _, _ := w.Wait(t.Context(), time.Second)
		require.Equal(t, time.Second, now)
		require.Equal(t, 10, f.dials)
		all := conformance.Drive(t, w, []time.Duration{2 * time.Second, 3 * time.Second}, nil)
		require.Equal(t, 12, f.dials)
		for _, s := range all {
			require.Equal(t, 10*ms, s.Wait())
		}
		require.Equal(t, 10, w.Counters().Peak)
	})
}

func TestNoKeepAlive(t *testing.T) {
	bubble(t, slow(10*ms, 50*ms), live.Options{NoKeepAlive: true}, func(t *testing.T, f *fake, w *live.World) {
		for _, s := range conformance.Drive(t, w, every(ms, 80), nil) {
			require.Equal(t, 10*ms, s.Wait())
			require.Equal(t, 50*ms, s.Raw())
		}
		require.Equal(t, 80, f.dials)
	})
}

// One failed dial fails one shot, and nothing waits for ever.
func TestRefused(t *testing.T) {
	bubble(t, func() *fake {
		f := newFake()
		f.dial = func(int) (time.Duration, correct.Class) { return 0, correct.Refused }
		return f
	}, live.Options{}, func(t *testing.T, f *fake, w *live.World) {
		all := conformance.Drive(t, w, make([]time.Duration, 200), nil)
		require.Equal(t, map[correct.Class]int{correct.Refused: 200}, conformance.Classes(all))
		for _, s := range all {
			require.Zero(t, s.Done)
			require.False(t, s.Written)
		}
		require.Equal(t, 200, f.dials)
		require.Equal(t, live.Counters{Failures: []live.Failure{{Class: correct.Refused, Text: "as told", Count: 200}}}, w.Counters())
	})
}

func TestHangingDials(t *testing.T) {
	bubble(t, slow(time.Hour, 0), live.Options{Connections: 5, ConnectTimeout: time.Second}, func(t *testing.T, f *fake, w *live.World) {
		all := conformance.Drive(t, w, every(10*ms, 50), nil)
		require.Equal(t, map[correct.Class]int{correct.ConnectTimeout: 50}, conformance.Classes(all))
		require.Equal(t, 5, f.most)
		require.Equal(t, 50, f.dials)
	})
}

// A dial that fails after its shot was served elsewhere fails nobody.
func TestSpareDialFails(t *testing.T) {
	bubble(t, func() *fake {
		f := slow(0, 105*ms)()
		f.dial = func(n int) (time.Duration, correct.Class) {
			if n == 0 {
				return 10 * ms, correct.OK
			}
			return 50 * ms, correct.Refused
		}
		return f
	}, live.Options{}, func(t *testing.T, f *fake, w *live.World) {
		all := conformance.Drive(t, w, []time.Duration{0, 100 * ms, 400 * ms}, nil)
		require.Equal(t, map[correct.Class]int{correct.OK: 3}, conformance.Classes(all))
		require.Equal(t, 2, f.dials)
	})
}

// A connection that died while it was idle is replaced once, before anything is sent.
func TestStale(t *testing.T) {
	t.Run("once", func(t *testing.T) {
		bubble(t, func() *fake {
			f := slow(10*ms, 50*ms)()
			f.alive = func(uses int) bool { return uses == 0 }
			return f
		}, live.Options{}, func(t *testing.T, f *fake, w *live.World) {
			all := conformance.Drive(t, w, every(100*ms, 10), nil)
			require.Equal(t, map[correct.Class]int{correct.OK: 10}, conformance.Classes(all))
			for _, s := range all {
				require.Equal(t, 10*ms, s.Wait())
				require.Zero(t, s.Resent)
			}
			require.Equal(t, 10, f.exchanges)
			require.Equal(t, 10, w.Counters().Opened)
		})
	})
	t.Run("all at once", func(t *testing.T) {
		bubble(t, func() *fake {
			f := slow(10*ms, 50*ms)()
			f.alive = func(int) bool { return false }
			return f
		}, live.Options{Connections: 1000}, func(t *testing.T, f *fake, w *live.World) {
			conformance.Drive(t, w, make([]time.Duration, 100), nil)
			f.most = 0
			all := conformance.Drive(t, w, make([]time.Duration, 100), nil)
			require.Equal(t, map[correct.Class]int{correct.OK: 100}, conformance.Classes(all))
			require.Equal(t, live.MaxDials, f.most)
		})
	})
	t.Run("twice", func(t *testing.T) {
		bubble(t, func() *fake {
			f := newFake()
			f.exchange = func(n int) (time.Duration, transport.Outcome) {
				return 0, transport.Outcome{Class: correct.Stale}
			}
			return f
		}, live.Options{}, func(t *testing.T, f *fake, w *live.World) {
			all := conformance.Drive(t, w, []time.Duration{0}, nil)
			require.Equal(t, correct.Stale, all[0].Class)
			require.False(t, all[0].Written)
			require.Equal(t, 2, f.dials)
		})
	})
}

// The connection that was used last is used next, so that the others may rest.
func TestLastUsedFirst(t *testing.T) {
	bubble(t, func() *fake {
		f := newFake()
		f.exchange = func(n int) (time.Duration, transport.Outcome) { return time.Duration(10+n) * ms, ok }
		return f
	}, live.Options{}, func(t *testing.T, f *fake, w *live.World) {
		conformance.Drive(t, w, []time.Duration{0, 0, 0, 100 * ms, 200 * ms, 300 * ms}, nil)
		last := f.by[2]
		require.Equal(t, []int{last, last, last}, f.by[3:])
	})
}

// A shot due before an answer leaves before it is handled, even if the loop is late.
func TestDueBeforeAnswers(t *testing.T) {
	bubble(t, slow(0, 50*ms), live.Options{}, func(t *testing.T, f *fake, w *live.World) {
		require.Equal(t, 1, w.Room(1, 0))
		w.Fire(engine.Shot{Attempt: 1})
		w.Wait(t.Context(), 10*ms)
		time.Sleep(90 * ms)
		now, _, answered := w.Wait(t.Context(), 40*ms)
		require.False(t, answered)
		require.Equal(t, 100*ms, now)
		_, s, answered := w.Wait(t.Context(), 50*ms)
		require.True(t, answered, "on a tie the answer is first")
		require.Equal(t, 50*ms, s.Done)
	})
}
