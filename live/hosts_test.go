package live_test

// Several hosts in one World: what one of them does is nothing to another.

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
	"openload/engine"
	"openload/live"
	"openload/request"
	"openload/schedule"
	"openload/transport"
)

// A host is a server in virtual time.
type host struct {
	dials   time.Duration // how long a dial takes
	refuses bool
	service func(engine.Shot) time.Duration
}

func (h host) Dial(ctx context.Context, timeout time.Duration) (live.Conn, transport.Outcome) {
	takes, class := h.dials, correct.OK
	if h.refuses {
		class = correct.Refused
	}
	if timeout > 0 && takes > timeout {
		takes, class = timeout, correct.ConnectTimeout
	}
	if !sleep(ctx, takes) {
		class = correct.Unfinished
	}
	if class != correct.OK {
		return nil, transport.Outcome{Class: class}
	}
	return serving{h, ctx}, transport.Outcome{}
}

type serving struct {
	host
	ctx context.Context
}

func (s serving) Alive() bool { return true }
func (s serving) Close()      {}

func (s serving) Exchange(shot engine.Shot, _ *request.Message, deadline time.Time) transport.Outcome {
	takes, o := s.service(shot), ok
	if left := time.Until(deadline); !deadline.IsZero() && takes > left {
		takes, o = left, transport.Outcome{Class: correct.Timeout, Written: true}
	}
	if !sleep(s.ctx, takes) {
		o = transport.Outcome{Class: correct.Unfinished, Written: true}
	}
	return o
}

// goesTo is an assignment of operations to so many hosts.
func goesTo(hosts int) func(uint64) int {
	return func(seq uint64) int { return int(seq*2654435761>>9) % hosts }
}

// to is what goes to one host of a schedule.
type to struct {
	schedule.Schedule
	host func(seq uint64) int
	one  int
}

func (o to) Next() (schedule.Arrival, bool) {
	for {
		a, ok := o.Schedule.Next()
		if !ok || o.host(a.Seq) == o.one {
			return a, ok
		}
	}
}

// Law: while one host hangs, cannot be reached or refuses, the operations of the others
// are what they would have been without it, sample by sample.
func TestNoHostHoldsBackAnother(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlan(rt)
		rate, err := schedule.ParseRate(fmt.Sprint(rapid.IntRange(50, 500).Draw(rt, "per s")))
		require.NoError(rt, err)
		p.spec.Shape, p.spec.N = schedule.Constant(rate), min(p.spec.N, 80)
		// Which of two things that happen at one instant comes first is chance, so few do.
		p.lim.Backlog, p.lim.Timeout, p.lim.Drain = 0, p.lim.Timeout+ms+54321, time.Hour
		if p.lim.Deadline > 0 {
			p.lim.Deadline += 12345
		}
		takes := time.Duration(rapid.Int64Range(1, 100).Draw(rt, "takes")) * ms
		steady := func(s engine.Shot) time.Duration {
			return takes*time.Duration(1+s.Seq%5) + time.Duration(s.Seq*7919%9973)*time.Microsecond
		}
		bad := rapid.SampledFrom([]host{
			{service: func(engine.Shot) time.Duration { return time.Hour }},
			{dials: time.Hour, service: steady},
			{refuses: true},
		}).Draw(rt, "bad")
		dialers := []live.Dialer{
			bad,
			host{dials: time.Duration(rapid.IntRange(0, 20).Draw(rt, "dials"))*ms + 777, service: steady},
			host{dials: 3*ms + 7, service: func(s engine.Shot) time.Duration { return time.Duration(s.Seq%3)*ms + time.Duration(s.Seq) }},
		}
		of := goesTo(len(dialers))
		o := live.Options{Dialers: dialers, Host: of, ConnectTimeout: 500*ms + 31, Connections: rapid.IntRange(1, 40).Draw(rt, "connections")}
		p.lim.InFlight = o.Connections
		run := func(which func(schedule.Schedule) schedule.Schedule) []correct.Sample {
			var all samples
			synctest.Test(t, func(t *testing.T) {
				o.Epoch, o.Pacer = time.Now(), virtual{live.Timer()}
				w := live.New(o)
				defer w.Close()
				engine.Run(t.Context(), t.Context(), which(p.spec.Open(p.seed.Stream("arrivals"))), w, &all, nil, p.lim)
			})
			slices.SortFunc(all, func(a, b correct.Sample) int { return cmp.Compare(a.Seq, b.Seq) })
			return all
		}
		together := run(func(s schedule.Schedule) schedule.Schedule { return s })
		for k := range dialers {
			alone := run(func(s schedule.Schedule) schedule.Schedule { return to{s, of, k} })
			var own []correct.Sample
			for _, x := range together {
				if of(x.Seq) == k {
					own = append(own, x)
				}
			}
			requireSame(rt, alone, own)
		}
	})
}

// A host that cannot be reached has no more dials under way than it may, and the next one
// has its own.
func TestDialsAreBoundedInAll(t *testing.T) {
	for _, tt := range []struct{ hosts, each int }{{1, 32}, {2, 32}, {8, 32}, {16, 16}, {100, 2}, {1000, 1}} {
		require.Equal(t, tt.each, live.Dials(tt.hosts))
	}
	bubble(t, slow(time.Hour, 0), live.Options{}, func(t *testing.T, f *fake, _ *live.World) {
		other := newFake()
		w := live.New(live.Options{
			Epoch: time.Now(), Pacer: virtual{live.Timer()}, Connections: 1000, ConnectTimeout: time.Second,
			Dialers: []live.Dialer{f, other}, Host: func(seq uint64) int { return int(seq % 2) },
		})
		defer w.Close()
		require.Equal(t, live.MaxDials, w.RoomIn(0, 100, 0))
		for i := range uint64(live.MaxDials) {
			w.Fire(engine.Shot{Seq: 2 * i, Attempt: 1})
		}
		require.Zero(t, w.RoomIn(0, 100, 0))
		require.Equal(t, 1, w.RoomIn(1, 1, 0))
		w.Fire(engine.Shot{Seq: 1, Pool: 1, Attempt: 1})
		_, s, answered := w.Wait(t.Context(), time.Minute)
		require.True(t, answered)
		require.EqualValues(t, 1, s.Seq)
		require.Zero(t, s.Done)
		c := w.Counters()
		require.Equal(t, []live.Host{{Held: true}, {Opened: 1, Peak: 1}}, c.Hosts)
		require.True(t, c.Held)
	})
}

// When the run ends everything that is out is given up, host by host.
func TestEndOfSeveralHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := host{service: func(engine.Shot) time.Duration { return time.Hour }}
		w := live.New(live.Options{
			Epoch: time.Now(), Pacer: virtual{live.Timer()}, Connections: 3, Dialers: []live.Dialer{hang, host{dials: time.Hour}, hang},
			Host: func(seq uint64) int { return int(seq % 3) },
		})
		defer w.Close()
		for i := range uint64(9) {
			require.Positive(t, w.RoomIn(int(i%3), 1, 0))
			w.Fire(engine.Shot{Seq: i, Pool: int32(i % 3), Attempt: 1})
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		written := 0
		for range 9 {
			_, s, answered := w.Wait(ctx, time.Hour)
			require.True(t, answered)
			require.Equal(t, correct.Unfinished, s.Class)
			if s.Written {
				written++
			}
		}
		require.Equal(t, 6, written)
		_, _, answered := w.Wait(ctx, time.Hour)
		require.False(t, answered)
	})
}

func requireSame(t rapid.TB, want, got []correct.Sample) {
	if len(got) != len(want) {
		t.Fatalf("%d samples, %d alone", len(got), len(want))
	}
	for i := range got {
		// Whether a burst's second shot finds the first one's dial over is chance.
		got[i].WaitCounts, want[i].WaitCounts = false, false
		if got[i] != want[i] {
			t.Fatalf("alone    %+v\ntogether %+v", want[i], got[i])
		}
	}
}
