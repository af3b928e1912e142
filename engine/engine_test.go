package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
	"openload/engine"
	"openload/lab"
	"openload/schedule"
	"openload/seed"
	"openload/sim"
)

const ms = time.Millisecond

// log keeps all that a run told its recorder.
type log struct {
	arrivals []schedule.Arrival
	waiting  []int
	samples  []correct.Sample
}

func (l *log) Arrive(seq uint64, intended, _ time.Duration, waiting, _ int) {
	l.arrivals = append(l.arrivals, schedule.Arrival{Seq: seq, At: intended})
	l.waiting = append(l.waiting, waiting)
}
func (l *log) Record(x correct.Sample) { l.samples = append(l.samples, x) }

// tries makes up to n attempts, with a fixed delay between them.
type tries struct {
	n     int
	delay time.Duration
}

func (tries) Start(int, time.Duration) bool                  { return true }
func (tries) Asks(correct.Sample) bool                       { return false }
func (r tries) After(x correct.Sample) (time.Duration, bool) { return r.delay, x.Attempt < r.n }

// A plan is a random plan against a random server.
type plan struct {
	spec   schedule.Spec
	server lab.Spec
	lim    engine.Limits
	retry  tries
	seed   seed.Seed
}

func drawPlan(t *rapid.T) plan {
	dur := func(name string, most int64) time.Duration {
		return time.Duration(rapid.Int64Range(0, most).Draw(t, name)) * ms
	}
	maybe := func(name string, most int) int {
		return rapid.OneOf(rapid.Just(0), rapid.IntRange(1, most)).Draw(t, name)
	}
	rate, err := schedule.ParseRate(fmt.Sprint(rapid.IntRange(1, 200).Draw(t, "rate")))
	require.NoError(t, err)
	server, err := lab.Parse(fmt.Sprintf("service=%v stall=%d:%v workers=%d errors=%d%% close=%d%%",
		dur("service", 100), rapid.IntRange(1, 50).Draw(t, "stalled"), dur("stall", 3000), rapid.IntRange(0, 3).Draw(t, "workers"),
		rapid.IntRange(0, 40).Draw(t, "errors"), rapid.IntRange(0, 40).Draw(t, "closes")))
	require.NoError(t, err)
	law := rapid.SampledFrom([]string{"even", "poisson", "uniform", "burst=3"}).Draw(t, "law")
	p := plan{
		spec:   schedule.Spec{Shape: schedule.Constant(rate), N: rapid.Uint64Range(1, 150).Draw(t, "n")},
		server: server,
		lim: engine.Limits{
			InFlight: maybe("in flight", 5), Backlog: maybe("backlog", 20),
			Timeout: dur("timeout", 2000), Deadline: dur("deadline", 3000), Drain: dur("drain", 5000),
		},
		retry: tries{rapid.IntRange(1, 4).Draw(t, "tries"), dur("backoff", 300)},
		seed:  seed.Seed(rapid.Uint64().Draw(t, "seed")),
	}
	require.NoError(t, p.spec.Law.UnmarshalText([]byte(law)))
	return p
}

func (p plan) schedule() schedule.Schedule { return p.spec.Open(p.seed.Stream("arrivals")) }
func (p plan) world() *sim.World {
	return sim.New(p.server.Model(p.seed.Stream("server")), func(s int) bool { return s < 400 })
}

func (p plan) run(stop context.Context, w engine.World) *log {
	var l log
	engine.Run(context.Background(), stop, p.schedule(), w, &l, p.retry, p.lim)
	return &l
}

func all(s schedule.Schedule) (out []schedule.Arrival) {
	for a, ok := s.Next(); ok; a, ok = s.Next() {
		out = append(out, a)
	}
	return out
}

// The law of the open model: what leaves, and when it was meant to, depends on the
// schedule alone. No server and no limit moves it.
func TestNoResponseMovesTheSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		want := all(p.schedule())
		l := p.run(context.Background(), p.world())
		got := l.arrivals
		if len(got) < len(want) {
			// Only the end of the drain may cut a schedule, and it comes after the last arrival.
			t.Fatalf("%d of %d arrivals dispatched", len(got), len(want))
		}
		require.Equal(t, want, got)
		for _, x := range l.samples {
			require.Zero(t, x.Lag())
			require.Equal(t, want[x.Seq].At, x.Intended)
		}
	})
}

func TestEveryOperationSettlesOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		l := p.run(context.Background(), p.world())
		settled := map[uint64]int{}
		attempts := map[uint64]int{}
		last := map[uint64]correct.Sample{}
		for _, x := range l.samples {
			if x.Fired {
				attempts[x.Seq]++
				require.Equal(t, attempts[x.Seq], x.Attempt, "attempts are numbered from 1")
			}
			if before, again := last[x.Seq]; again && x.Fired {
				require.Equal(t, before.Done+p.retry.delay, x.Due, "a retry is due after its backoff")
				require.False(t, before.Final)
				require.NotEqual(t, correct.OK, before.Class)
			}
			last[x.Seq] = x
			if x.Final {
				settled[x.Seq]++
			}
		}
		for _, a := range l.arrivals {
			require.Equal(t, 1, settled[a.Seq])
			require.LessOrEqual(t, attempts[a.Seq], p.retry.n)
		}
		require.Len(t, settled, len(l.arrivals))
	})
}

func TestLimitsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		l := p.run(context.Background(), p.world())
		for i, n := range l.waiting {
			if p.lim.Backlog > 0 && p.retry.n == 1 {
				require.LessOrEqual(t, n, p.lim.Backlog, i)
			}
		}
		for _, x := range l.samples {
			if !x.Fired {
				continue
			}
			require.GreaterOrEqual(t, x.Sent, x.Due)
			if p.lim.Timeout > 0 {
				require.LessOrEqual(t, x.Raw(), p.lim.Timeout)
			}
			if p.lim.Deadline > 0 {
				require.Less(t, x.Sent, x.Intended+p.lim.Deadline, "nothing is sent once the deadline has passed")
				require.LessOrEqual(t, x.Done, x.Intended+p.lim.Deadline)
			}
			if p.lim.InFlight > 0 {
				out := 0
				for _, y := range l.samples {
					if y.Fired && y.Sent <= x.Sent && x.Sent < y.Done {
						out++
					}
				}
				require.LessOrEqual(t, out, p.lim.InFlight)
			}
		}
	})
}

// stopAt ends a context once the world's clock has reached an instant.
type stopAt struct {
	*sim.World
	at   time.Duration
	stop context.CancelFunc
}

func (w stopAt) Wait(ctx context.Context, until time.Duration) (time.Duration, correct.Sample, bool) {
	now, x, answered := w.World.Wait(ctx, until)
	if now >= w.at {
		w.stop()
	}
	return now, x, answered
}

func TestAStopLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		at := time.Duration(rapid.Int64Range(0, 3000).Draw(t, "stop")) * ms
		stop, cancel := context.WithCancel(context.Background())
		defer cancel()
		l := p.run(stop, stopAt{p.world(), at, cancel})
		final, fired := 0, 0
		for _, x := range l.samples {
			if x.Final {
				final++
			}
			if x.Fired {
				fired++
				require.LessOrEqual(t, x.Sent, at+20*ms, "nothing is sent after the stop was seen")
			}
		}
		require.Equal(t, len(l.arrivals), final)
		// Whatever was due when it stopped is counted, though it may never have left.
		for i, a := range all(p.schedule()) {
			if a.At < at {
				require.Less(t, i, len(l.arrivals))
			}
		}
	})
}

func TestASecondSignalGivesUpAtOnce(t *testing.T) {
	hang, err := lab.Parse("service=1h")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	rate, _ := schedule.ParseRate("10")
	s := schedule.Spec{Shape: schedule.Constant(rate), N: 1000}.Open(nil)
	w := stopAt{sim.New(hang.Model(nil), func(int) bool { return true }), 2 * time.Second, cancel}
	var l log
	engine.Run(ctx, context.Background(), s, w, &l, nil, engine.Limits{InFlight: 4, Drain: 2 * time.Hour})
	require.Len(t, l.samples, len(l.arrivals))
	require.InDelta(t, 21, len(l.arrivals), 1)
	for _, x := range l.samples {
		require.Equal(t, correct.Unfinished, x.Class)
		require.LessOrEqual(t, x.Done, 2100*ms)
	}
}

func TestRetries(t *testing.T) {
	always500, err := lab.Parse("service=10ms errors=100%")
	require.NoError(t, err)
	rate, _ := schedule.ParseRate("1")
	for _, tt := range []struct {
		name     string
		lim      engine.Limits
		retry    engine.Retry
		attempts int
		done     time.Duration
	}{
		{"none", engine.Limits{Drain: time.Minute}, nil, 1, 10 * ms},
		{"three in all", engine.Limits{Drain: time.Minute}, tries{3, 100 * ms}, 3, 230 * ms},
		{"none that could only start at the deadline", engine.Limits{Drain: time.Minute, Deadline: 110 * ms}, tries{3, 100 * ms}, 1, 10 * ms},
		{"one that starts just before it, and is cut", engine.Limits{Drain: time.Minute, Deadline: 115 * ms}, tries{3, 100 * ms}, 2, 115 * ms},
		{"none after the drain", engine.Limits{Drain: 50 * ms}, tries{3, 100 * ms}, 1, 50 * ms},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := correct.NewRecorder(correct.Options{})
			s := schedule.Spec{Shape: schedule.Constant(rate), N: 1}.Open(nil)
			w := sim.New(always500.Model(seed.Seed(1).Stream("")), func(s int) bool { return s < 400 })
			engine.Run(context.Background(), context.Background(), s, w, r, tt.retry, tt.lim)
			snap := r.Snapshot()
			require.EqualValues(t, 1, snap.Counts.Scheduled)
			require.EqualValues(t, tt.attempts, snap.Counts.Attempts)
			require.Equal(t, tt.done, snap.LastDone)
			require.EqualValues(t, 1, snap.Counts.Fired)
		})
	}
}

func TestBehindIsOurLatenessWhileAnythingIsOut(t *testing.T) {
	// A world that oversleeps once by 2 s, as a stopped process does.
	hundred, err := lab.Parse("service=50ms")
	require.NoError(t, err)
	rate, _ := schedule.ParseRate("12.5")
	w := &oversleeper{World: sim.New(hundred.Model(nil), func(int) bool { return true }), at: 4 * time.Second, by: 2 * time.Second}
	r := correct.NewRecorder(correct.Options{Limits: []time.Duration{500 * ms}})
	engine.Run(context.Background(), context.Background(), schedule.Spec{Shape: schedule.Constant(rate), N: 200}.Open(nil), w, r, nil, engine.Limits{Drain: time.Minute})
	snap := r.Snapshot()
	over, _ := snap.Dist(correct.Corrected).Over(500 * ms)
	require.Greater(t, over, correct.P99.Allowed(200), "a user of ours waited: no PASS")
	over, _ = snap.Dist(correct.LessLag).Over(500 * ms)
	require.Zero(t, over, "not one of them waited because of the server: no FAIL, although the clump queued there")
}

type oversleeper struct {
	*sim.World
	at, by time.Duration
}

func (o *oversleeper) Wait(ctx context.Context, until time.Duration) (time.Duration, correct.Sample, bool) {
	if o.by > 0 && until >= o.at {
		if now, x, answered := o.World.Wait(ctx, o.at); answered {
			return now, x, answered
		}
		until, o.by = o.at+o.by, 0
	}
	return o.World.Wait(ctx, until)
}

func TestClosedLoop(t *testing.T) {
	run := func(server string, c engine.Closed, stop context.Context) ([]correct.Sample, uint64) {
		spec, err := lab.Parse(server)
		require.NoError(t, err)
		var l log
		skipped, _ := engine.RunClosed(context.Background(), stop, c, sim.New(spec.Model(nil), func(int) bool { return true }), &l, engine.Limits{Drain: time.Minute})
		return l.samples, skipped
	}
	bg := context.Background()
	every := func(d time.Duration) func(uint64) time.Duration {
		return func(k uint64) time.Duration { return time.Duration(k) * d }
	}
	t.Run("think is a pause after the answer", func(t *testing.T) {
		got, _ := run("service=50ms", engine.Closed{Workers: 1, N: 3, Think: 30 * ms}, bg)
		require.Equal(t, 160*ms, got[2].Sent)
	})
	t.Run("a duration bounds the starts", func(t *testing.T) {
		got, _ := run("service=50ms", engine.Closed{Workers: 2, Duration: 100 * ms}, bg)
		require.NotEmpty(t, got)
		for _, x := range got {
			require.Less(t, x.Sent, 100*ms)
		}
	})
	t.Run("a hanging server does not hold a timed run for ever", func(t *testing.T) {
		got, _ := run("service=2h", engine.Closed{Workers: 2, Duration: time.Second}, bg)
		require.Len(t, got, 2)
		require.Equal(t, correct.Unfinished, got[0].Class)
		require.Equal(t, time.Second+time.Minute, got[0].Done)
	})
	t.Run("workers share the rate, each on its own slots", func(t *testing.T) {
		got, skipped := run("service=10ms workers=0", engine.Closed{Workers: 4, N: 100, Slot: every(10 * ms)}, bg)
		require.Zero(t, skipped)
		for i, x := range got {
			require.Equal(t, time.Duration(i)*10*ms, x.Sent)
		}
	})
	t.Run("slots beyond the end are nobody's", func(t *testing.T) {
		_, skipped := run("service=10ms stall=5:1h", engine.Closed{Workers: 1, Duration: time.Second, Slot: every(100 * ms)}, bg)
		require.EqualValues(t, 5, skipped, "of ten slots five were used")
		_, skipped = run("service=10ms stall=5:1h", engine.Closed{Workers: 1, N: 5, Slot: every(100 * ms)}, bg)
		require.Zero(t, skipped)
	})
	t.Run("at most one out for each worker", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			workers := rapid.IntRange(1, 5).Draw(t, "workers")
			got, _ := run("service=50ms stall=7:1s workers=3", engine.Closed{Workers: workers, N: 60}, bg)
			require.Len(t, got, 60)
			for _, x := range got {
				out := 0
				for _, y := range got {
					if y.Sent <= x.Sent && x.Sent < y.Done {
						out++
					}
				}
				require.LessOrEqual(t, out, workers)
			}
		})
	})
	t.Run("whoever ends it, and when, what was started settles once and nothing else starts", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			at := time.Duration(rapid.Int64Range(0, 2000).Draw(t, "at")) * ms
			ended, cancel := context.WithCancel(bg)
			defer cancel()
			ctx, stop, seen := ended, bg, at+700*ms // this world sees it with its next event
			if rapid.Bool().Draw(t, "gently") {
				ctx, stop, seen = bg, ended, at+20*ms
			}
			spec, err := lab.Parse("service=50ms stall=7:1s workers=3")
			require.NoError(t, err)
			w := stopAt{sim.New(spec.Model(nil), func(int) bool { return true }), at, cancel}
			c := engine.Closed{Workers: rapid.IntRange(1, 5).Draw(t, "workers"), Duration: 3 * time.Second, Think: 20 * ms}
			lim := engine.Limits{Drain: 100 * ms, Timeout: 700 * ms, Deadline: 900 * ms}
			var l log
			_, end := engine.RunClosed(ctx, stop, c, w, &l, lim)
			require.True(t, end.Interrupted)
			require.LessOrEqual(t, end.At, seen+lim.Drain)
			settled := map[uint64]int{}
			for _, x := range l.samples {
				settled[x.Seq]++
				require.True(t, x.Final)
				require.LessOrEqual(t, x.Dispatched, seen)
			}
			require.Len(t, settled, len(l.arrivals))
			require.Len(t, l.samples, len(l.arrivals))
		})
	})
	t.Run("stopped before anything was sent", func(t *testing.T) {
		stop, cancel := context.WithCancel(bg)
		cancel()
		got, _ := run("service=50ms", engine.Closed{Workers: 3, N: 10}, stop)
		require.Empty(t, got)
	})
}
