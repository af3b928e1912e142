package relay_test

import (
	"context"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
	"openload/engine"
	"openload/schedule"
	"openload/seed"
)

const ms = time.Millisecond

// bubble is a World in a bubble's time: an answer takes what takes says of its operation,
// and the loop sleeps too long by what late says of the sleep.
type bubble struct {
	epoch time.Time
	takes func(seq uint64) time.Duration
	late  func(sleep int) time.Duration

	sleeps int
	flying []correct.Sample // by Done
}

func (b *bubble) now() time.Duration { return time.Since(b.epoch) }

func (b *bubble) Room(waiting int, _ time.Duration) int { return waiting }

func (b *bubble) Fire(s engine.Shot) {
	x := s.Sample()
	x.Sent, x.Written = b.now(), true
	cut, class := s.Cut(x.Sent)
	if x.Done = x.Sent + b.takes(s.Seq); x.Done >= cut {
		x.Done, x.Class = cut, class
	} else if s.Seq%7 == 0 && s.Attempt == 1 {
		x.Class = correct.Reset
	}
	i, _ := slices.BinarySearchFunc(b.flying, x, func(o, x correct.Sample) int { return int(o.Done - x.Done) })
	b.flying = slices.Insert(b.flying, i, x)
}

func (b *bubble) Wait(ctx context.Context, until time.Duration) (time.Duration, correct.Sample, bool) {
	wake, late := until, time.Duration(0)
	if len(b.flying) > 0 {
		wake = min(wake, b.flying[0].Done)
	}
	if now := b.now(); now < wake && ctx.Err() == nil {
		b.sleeps++
		late = b.late(b.sleeps)
		t := time.NewTimer(min(wake-now, 1000*time.Hour) + late)
		select {
		case <-t.C:
		case <-ctx.Done():
		}
		t.Stop()
	}
	if len(b.flying) > 0 && (b.flying[0].Done <= min(until, b.now()) || ctx.Err() != nil) {
		x := b.flying[0]
		b.flying = b.flying[1:]
		if x.Done > b.now() {
			x.Done, x.Class = b.now(), correct.Unfinished
		}
		x.Late = b.now() - x.Done
		x.Done = b.now()
		return b.now(), x, true
	}
	return b.now(), correct.Sample{}, false
}

// tries makes up to n attempts. Loops may share it.
type tries struct {
	n     int
	delay time.Duration
}

func (tries) Start(int, time.Duration) bool                  { return true }
func (tries) Asks(correct.Sample) bool                       { return false }
func (r tries) After(x correct.Sample) (time.Duration, bool) { return r.delay, x.Attempt < r.n }

// A plan is what several loops make together.
type plan struct {
	spec  schedule.Spec
	seed  seed.Seed
	lim   engine.Limits
	retry tries
	loops int
	late  bool
}

func drawPlan(t *rapid.T) (p plan) {
	rate, err := schedule.ParseRate(rapid.SampledFrom([]string{"7", "100", "1000", "33333"}).Draw(t, "rate"))
	require.NoError(t, err)
	p.spec = schedule.Spec{Shape: schedule.Constant(rate), N: rapid.Uint64Range(1, 150).Draw(t, "n")}
	law := rapid.SampledFrom([]string{"even", "poisson", "uniform", "burst=3", "burst"}).Draw(t, "law")
	require.NoError(t, p.spec.Law.UnmarshalText([]byte(law)))
	if law == "burst" {
		p.spec.Shape = nil
	}
	p.seed = seed.Seed(rapid.Uint64().Draw(t, "seed"))
	p.loops = rapid.IntRange(2, 4).Draw(t, "loops")
	p.late = rapid.Bool().Draw(t, "late")
	p.retry = tries{rapid.IntRange(1, 3).Draw(t, "tries"), time.Duration(rapid.IntRange(0, 50).Draw(t, "backoff")) * ms}
	p.lim = engine.Limits{Timeout: time.Second, Drain: time.Minute}
	return p
}

func (p plan) schedule() schedule.Schedule { return p.spec.Open(p.seed.Stream("arrivals")) }

// world is that of loop i.
func (p plan) world(epoch time.Time, i int) *bubble {
	chance := p.seed.Numbers("takes")
	return &bubble{
		epoch: epoch,
		takes: func(seq uint64) time.Duration { return time.Duration(1 + chance(seq)%uint64(40*ms)) },
		late: func(sleep int) time.Duration {
			if n := p.seed.Numbers("late")(uint64(sleep*8 + i)); p.late && n%4 == 0 {
				return time.Duration(n >> 8 % uint64(20*ms))
			}
			return 0
		},
	}
}

// log keeps all that it is told.
type log struct {
	arrivals []arrival
	fires    []engine.Shot
	samples  []correct.Sample
	told     []string // what it was, of each in turn
}

type arrival struct {
	schedule.Arrival
	Dispatched   time.Duration
	waiting, out int
}

func (l *log) Arrive(seq uint64, intended, dispatched time.Duration, waiting, out int) {
	l.arrivals = append(l.arrivals, arrival{schedule.Arrival{Seq: seq, At: intended}, dispatched, waiting, out})
	l.told = append(l.told, "arrive")
}
func (l *log) Fire(s engine.Shot) {
	l.fires = append(l.fires, s)
	l.told = append(l.told, "fire")
}
func (l *log) Record(x correct.Sample) {
	l.samples = append(l.samples, x)
	l.told = append(l.told, "record")
}
func (l *log) Turn(time.Duration) {}

func arrivals(s schedule.Schedule) (out []schedule.Arrival) {
	for a, ok := s.Next(); ok; a, ok = s.Next() {
		out = append(out, a)
	}
	return out
}
