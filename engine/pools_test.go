package engine_test

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
	"openload/engine"
	"openload/schedule"
)

// hosts is a World of pools in virtual time: each has so many connections, over which a
// request takes what service says.
type hosts struct {
	now     time.Duration
	most    []int
	service func(engine.Shot) time.Duration
	out     []int
	flying  []correct.Sample
}

func newHosts(most []int, service func(engine.Shot) time.Duration) *hosts {
	return &hosts{most: most, service: service, out: make([]int, len(most))}
}

func (h *hosts) Pools() int                                 { return len(h.most) }
func (h *hosts) Pool(seq uint64) int                        { return int(seq*2654435761>>9) % len(h.most) }
func (h *hosts) Room(waiting int, _ time.Duration) int      { return min(waiting, h.most[0]-h.out[0]) }
func (h *hosts) RoomIn(k, waiting int, _ time.Duration) int { return min(waiting, h.most[k]-h.out[k]) }

func (h *hosts) Held(k int) bool { return k == 1 }

func (h *hosts) Fire(s engine.Shot) {
	h.out[s.Pool]++
	x := s.Sample()
	x.Sent, x.Written = h.now, true
	cut, class := s.Cut(h.now)
	if x.Done = h.now + h.service(s); x.Done >= cut {
		x.Done, x.Class = cut, class
	}
	h.flying = append(h.flying, x)
}

func (h *hosts) Wait(ctx context.Context, until time.Duration) (time.Duration, correct.Sample, bool) {
	first := -1
	for i, x := range h.flying {
		if first < 0 || x.Done < h.flying[first].Done {
			first = i
		}
	}
	if first < 0 || h.flying[first].Done > until && ctx.Err() == nil {
		h.now = max(h.now, until)
		return h.now, correct.Sample{}, false
	}
	x := h.flying[first]
	h.flying = slices.Delete(h.flying, first, first+1)
	if ctx.Err() != nil && x.Done > h.now {
		x.Done, x.Class = h.now, correct.Unfinished
	}
	h.now = max(h.now, x.Done)
	h.out[h.Pool(x.Seq)]--
	return h.now, x, true
}

// only is what goes to one pool of a schedule.
type only struct {
	schedule.Schedule
	of  func(seq uint64) int
	one int
}

func (o only) Next() (schedule.Arrival, bool) {
	for {
		a, ok := o.Schedule.Next()
		if !ok || o.of(a.Seq) == o.one {
			return a, ok
		}
	}
}

// Law: what happens to the operations of one pool is what would have happened had there
// been no others, sample by sample, though they hang.
func TestNoPoolHoldsBackAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		most := rapid.SliceOfN(rapid.IntRange(1, 4), 2, 5).Draw(t, "connections")
		hung := rapid.IntRange(0, len(most)-1).Draw(t, "hung")
		takes := time.Duration(rapid.Int64Range(1, 200).Draw(t, "takes")) * ms
		lim := p.lim
		lim.Backlog, lim.Timeout, lim.Drain = 0, lim.Timeout+ms, time.Hour
		world := func() *hosts {
			return newHosts(most, func(s engine.Shot) time.Duration {
				if int(s.Pool) == hung {
					return time.Hour
				}
				return takes * time.Duration(1+s.Seq%5) / time.Duration(1+s.Pool)
			})
		}
		run := func(s schedule.Schedule) []correct.Sample {
			var l log
			engine.Run(context.Background(), context.Background(), s, world(), &l, p.retry, lim)
			slices.SortFunc(l.samples, func(a, b correct.Sample) int {
				return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Attempt, b.Attempt))
			})
			return l.samples
		}
		of := world().Pool
		together := run(p.schedule())
		for k := range most {
			var own []correct.Sample
			for _, x := range together {
				if of(x.Seq) == k {
					own = append(own, x)
				}
			}
			require.Equal(t, run(only{p.schedule(), of, k}), own)
		}
	})
}

// Law: the balance adds up over all pools, whoever ends the run, and when.
func TestEveryOperationOfAPoolSettlesOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		w := newHosts([]int{1, 2, 3}, func(s engine.Shot) time.Duration { return time.Duration(s.Pool) * time.Hour })
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		stop, after := ctx, rapid.IntRange(0, 200).Draw(t, "stopped after")
		given := context.Background()
		if rapid.Bool().Draw(t, "at once") {
			given, stop = ctx, given
		}
		l := counting{after: after, end: cancel}
		if rapid.Bool().Draw(t, "closed") {
			engine.RunClosed(given, stop, engine.Closed{Workers: 8, N: 150}, w, &l, p.lim)
		} else {
			engine.Run(given, stop, p.schedule(), w, &l, p.retry, p.lim)
		}
		settled := map[uint64]int{}
		for _, x := range l.samples {
			if x.Final {
				settled[x.Seq]++
			}
		}
		require.Len(t, settled, len(l.arrivals))
		for _, n := range settled {
			require.Equal(t, 1, n)
		}
		require.Equal(t, make([]int, 3), w.out)
	})
}

// counting is a log that ends the run after so many arrivals.
type counting struct {
	log
	after int
	end   context.CancelFunc
}

func (c *counting) Arrive(seq uint64, intended, dispatched time.Duration, waiting, out int) {
	c.log.Arrive(seq, intended, dispatched, waiting, out)
	if len(c.arrivals) == c.after {
		c.end()
	}
}

// A worker that waits for room in one pool keeps no other worker from its own.
func TestWorkersOfTwoPools(t *testing.T) {
	w := newHosts([]int{1, 1}, func(s engine.Shot) time.Duration { return []time.Duration{time.Hour, 10 * ms}[s.Pool] })
	var l log
	engine.RunClosed(context.Background(), context.Background(), engine.Closed{Workers: 3, Duration: time.Second}, w, &l, engine.Limits{Timeout: time.Minute})
	done := 0
	for _, x := range l.samples {
		if x.Class == correct.OK {
			done++
		}
	}
	require.Positive(t, done, "two hang, the third has its answers")
}

// A full backlog of one pool drops nothing that another has room for.
func TestAFullBacklogIsItsPools(t *testing.T) {
	w := newHosts([]int{1, 1}, func(s engine.Shot) time.Duration { return []time.Duration{time.Hour, ms}[s.Pool] })
	p := hundredPerSec(t, 200)
	var l log
	end := engine.Run(context.Background(), context.Background(), p, w, &l, nil, engine.Limits{Backlog: 5, InFlight: 1, Drain: time.Second})
	require.True(t, end.Capped)
	for _, x := range l.samples {
		if w.Pool(x.Seq) == 1 {
			require.Equal(t, correct.OK, x.Class)
			require.Zero(t, x.Wait())
		}
	}
}

// hundredPerSec is one operation every 10 ms.
func hundredPerSec(t *testing.T, n uint64) schedule.Schedule {
	rate, err := schedule.ParseRate("100")
	require.NoError(t, err)
	return schedule.Spec{Shape: schedule.Constant(rate), N: n}.Open(nil)
}
