package relay_test

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"openload/correct"
	"openload/engine"
	"openload/relay"
	"openload/schedule"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run makes p with its loops in a bubble, where the recorder looks every 5 ms.
func (p plan) run(t *testing.T, stop context.Context, to engine.Recorder) (ends []engine.End) {
	r := relay.New(to, relay.Options{Loops: p.loops, Schedule: p.schedule()})
	ends = make([]engine.End, p.loops)
	epoch := time.Now()
	lim := p.lim
	lim.Common = new(engine.Common)
	var all sync.WaitGroup
	for i := range p.loops {
		all.Go(func() {
			defer r.Line(i).End()
			s := schedule.Stride(p.schedule(), uint64(i), uint64(p.loops))
			ends[i] = engine.Run(t.Context(), stop, s, p.world(epoch, i), r.Line(i), p.retry, lim.Share(i, p.loops))
		})
	}
	r.Run(func() { time.Sleep(5 * ms) })
	all.Wait()
	require.Zero(t, r.Held())
	return ends
}

// alone makes p with one loop and without a relay.
func (p plan) alone(t *testing.T, stop context.Context, to engine.Recorder) engine.End {
	return engine.Run(t.Context(), stop, p.schedule(), p.world(time.Now(), 0), to, p.retry, p.lim)
}

// Law: what loops do together is the schedule, told in its order, whoever was late; and
// everything else is told in order of time.
func TestTheUnionOfTheLoopsIsTheSchedule(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlan(rt)
		var got log
		synctest.Test(t, func(t *testing.T) { p.run(t, context.Background(), &got) })
		want := arrivals(p.schedule())
		require.Len(rt, got.arrivals, len(want))
		for i, a := range got.arrivals {
			require.Equal(rt, want[i], a.Arrival)
		}
		require.True(rt, slices.IsSortedFunc(got.samples, func(a, b correct.Sample) int { return cmp.Compare(a.Done, b.Done) }))
		require.True(rt, slices.IsSortedFunc(got.fires, func(a, b engine.Shot) int { return cmp.Compare(a.Handed, b.Handed) }))
		got.inTurn(rt)
	})
}

// inTurn holds that operations arrive, then are fired, then end, once for each attempt.
func (l *log) inTurn(t *rapid.T) {
	state := map[uint64]string{}
	attempts, final := map[uint64]int{}, map[uint64]bool{}
	a, f, x := 0, 0, 0
	for _, told := range l.told {
		switch told {
		case "arrive":
			seq := l.arrivals[a].Seq
			a++
			require.Empty(t, state[seq])
			state[seq] = "waits"
		case "fire":
			s := l.fires[f]
			f++
			require.Equal(t, "waits", state[s.Seq])
			attempts[s.Seq]++
			require.Equal(t, attempts[s.Seq], s.Attempt)
			state[s.Seq] = "out"
		case "record":
			o := l.samples[x]
			x++
			if o.Fired {
				require.Equal(t, "out", state[o.Seq])
			} else {
				require.Equal(t, "waits", state[o.Seq])
			}
			state[o.Seq] = "waits"
			require.False(t, final[o.Seq])
			final[o.Seq] = o.Final
		}
	}
	require.Len(t, final, len(l.arrivals))
	for seq, is := range final {
		require.True(t, is, seq)
	}
}

// Law: where no cap binds and nobody is late, several loops do what one does.
func TestSeveralLoopsAreOne(t *testing.T) {
	type outcome struct {
		seq                 uint64
		attempt             int
		class               correct.Class
		intended, corrected time.Duration
		behind              time.Duration
	}
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlan(rt)
		p.late = false
		var one, several log
		synctest.Test(t, func(t *testing.T) { p.alone(t, context.Background(), &one) })
		synctest.Test(t, func(t *testing.T) { p.run(t, context.Background(), &several) })
		of := func(l log) (all []outcome) {
			for _, x := range l.samples {
				all = append(all, outcome{x.Seq, x.Attempt, x.Class, x.Intended, x.Corrected(), x.Behind})
			}
			slices.SortFunc(all, func(a, b outcome) int { return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.attempt, b.attempt)) })
			return all
		}
		require.Equal(rt, of(one), of(several))
		if p.spec.Law.Kind == schedule.Even && p.retry.n == 1 { // else things happen at one instant, in any order
			require.Equal(rt, one.arrivals, several.arrivals)
		}
	})
}

// Law: one loop is handed on as it told.
func TestOneLoopIsHandedOnAsItTold(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlan(rt)
		p.loops = 1
		var direct, relayed log
		synctest.Test(t, func(t *testing.T) { p.alone(t, context.Background(), &direct) })
		synctest.Test(t, func(t *testing.T) { p.run(t, context.Background(), &relayed) })
		for _, l := range []*log{&direct, &relayed} {
			for i := range l.samples {
				l.samples[i].Behind = l.samples[i].Behind.Round(time.Microsecond) // what loops share is in microseconds
			}
		}
		require.Equal(rt, direct.told, relayed.told)
		require.Equal(rt, direct.arrivals, relayed.arrivals)
		require.Equal(rt, direct.fires, relayed.fires)
	})
}

// Law: Behind is at least the greatest lateness of any loop since nothing was out in any.
func TestBehindBoundsEveryLoopsLateness(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlan(rt)
		p.late = true
		var got log
		synctest.Test(t, func(t *testing.T) { p.run(t, context.Background(), &got) })
		all := slices.SortedFunc(slices.Values(got.samples), func(a, b correct.Sample) int { return cmp.Compare(a.Dispatched, b.Dispatched) })
		first, end := 0, time.Duration(0) // of those since nothing was out
		for i, x := range all {
			if x.Dispatched >= end {
				first = i
			}
			end = max(end, x.Done)
			for _, o := range all[first : i+1] {
				require.GreaterOrEqual(rt, x.Behind, o.Lag())
				if o.Done < x.Done {
					require.GreaterOrEqual(rt, x.Behind, o.Late)
				}
			}
		}
	})
}

// Law: the balance adds up, whenever a run of several loops is stopped.
func TestTheBalanceOfStoppedLoops(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlan(rt)
		p.lim.InFlight = rapid.OneOf(rapid.Just(0), rapid.IntRange(p.loops, 9)).Draw(rt, "in flight")
		p.lim.Backlog = rapid.OneOf(rapid.Just(0), rapid.IntRange(p.loops, 9)).Draw(rt, "backlog")
		p.lim.Deadline = time.Duration(rapid.IntRange(0, 100).Draw(rt, "deadline")) * ms
		after := time.Duration(rapid.Int64Range(0, int64(500*ms)).Draw(rt, "stopped after"))
		var got log
		var ends []engine.End
		synctest.Test(t, func(t *testing.T) {
			stop, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			ends = p.run(t, stop, &got)
		})
		got.inTurn(rt)
		want := arrivals(p.schedule())
		for _, a := range got.arrivals {
			require.Equal(rt, want[a.Seq], a.Arrival)
			if p.lim.InFlight > 0 {
				require.LessOrEqual(rt, a.out, p.lim.InFlight)
			}
		}
		if len(got.arrivals) < len(want) {
			require.True(rt, slices.ContainsFunc(ends, func(e engine.End) bool { return e.Interrupted }))
		}
	})
}

// slow is a log on a disk that now and then takes seconds.
type slow struct {
	log
	n int
}

func (s *slow) Record(x correct.Sample) {
	if s.n++; s.n%20 == 0 {
		time.Sleep(3 * time.Second)
	}
	s.log.Record(x)
}

// Law: however long who is told takes, nothing leaves later for it.
func TestASlowDiskDelaysNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlan(rt)
		p.loops = rapid.IntRange(1, 3).Draw(rt, "recorded beside")
		var quick log
		var late slow
		synctest.Test(t, func(t *testing.T) { p.run(t, context.Background(), &quick) })
		synctest.Test(t, func(t *testing.T) { p.run(t, context.Background(), &late) })
		bySeq := func(l log) []correct.Sample {
			return slices.SortedFunc(slices.Values(l.samples), func(a, b correct.Sample) int {
				return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Attempt, b.Attempt))
			})
		}
		want, got := bySeq(quick), bySeq(late.log)
		require.Len(rt, got, len(want))
		for i := range want {
			got[i].Behind = want[i].Behind // of what happens at one instant in several loops, either is first
		}
		require.Equal(rt, want, got)
	})
}
