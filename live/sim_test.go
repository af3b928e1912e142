package live_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
	"openload/engine"
	"openload/lab"
	"openload/live"
	"openload/request"
	"openload/retry"
	"openload/schedule"
	"openload/seed"
	"openload/sim"
	"openload/transport"
)

// Law: in virtual time, over connections that are there at once, a live run equals a
// simulated one, sample by sample, whatever the plan.
func TestLiveEqualsSim(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) { drawPlan(rt).liveEqualsSim(t, rt) })
}

// The same for the stampede: 150 at once that retry against a server that hangs.
func TestLiveStampedeEqualsSim(t *testing.T) {
	for policy, attempts := range map[string]int{
		"none": 150,
		"attempts=3 backoff=exponential base=500ms":                450,
		"attempts=3 backoff=exponential base=500ms jitter=full":    450,
		"attempts=3 backoff=exponential base=500ms jitter=centred": 450,
	} {
		server, err := lab.Parse("hang=8s workers=0")
		require.NoError(t, err)
		p := plan{
			spec: schedule.Spec{Law: schedule.Law{Kind: schedule.Burst}, N: 150}, server: server,
			lim: engine.Limits{Timeout: 3 * time.Second, Drain: time.Hour}, seed: 1,
		}
		p.retry, err = retry.Parse(policy)
		require.NoError(t, err)
		require.Equal(t, attempts, p.liveEqualsSim(t, t))
	}
}

// liveEqualsSim returns how many samples both runs of p have.
func (p plan) liveEqualsSim(t *testing.T, rt rapid.TB) int {
	want := p.run(t.Context(), sim.New(p.model(), success))
	var got []correct.Sample
	synctest.Test(t, func(t *testing.T) {
		m := &modelled{model: p.model(), epoch: time.Now(), turn: make(chan struct{}, 1), place: map[attempt]int{}}
		m.turn <- struct{}{}
		w := live.New(live.Options{Epoch: m.epoch, Dialer: m, Pacer: virtual{live.Timer()}, Connections: 1000})
		defer w.Close()
		got = p.run(t.Context(), observed{w, m})
	})
	if len(got) != len(want) {
		rt.Fatalf("%d samples, simulated %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			rt.Fatalf("live %+v\n sim %+v", got[i], want[i])
		}
	}
	return len(got)
}

func success(status int) bool { return 200 <= status && status < 400 }

type plan struct {
	spec   schedule.Spec
	server lab.Spec
	lim    engine.Limits
	retry  retry.Policy
	seed   seed.Seed
}

func drawPlan(t *rapid.T) plan {
	dur := func(name string, least, most int64) time.Duration {
		return time.Duration(rapid.Int64Range(least, most).Draw(t, name)) * ms
	}
	maybe := func(name string, most int) int {
		return rapid.OneOf(rapid.Just(0), rapid.IntRange(1, most)).Draw(t, name)
	}
	rate, err := schedule.ParseRate(fmt.Sprint(rapid.IntRange(1, 200).Draw(t, "rate")))
	require.NoError(t, err)
	server, err := lab.Parse(fmt.Sprintf("service=%v stall=%d:%v workers=%d errors=%d%% close=%d%%",
		dur("service", 1, 100), rapid.IntRange(1, 50).Draw(t, "stalled"), dur("stall", 1, 3000), rapid.IntRange(0, 3).Draw(t, "workers"),
		rapid.IntRange(0, 40).Draw(t, "errors"), rapid.IntRange(0, 40).Draw(t, "closes")))
	require.NoError(t, err)
	p := plan{
		spec:   schedule.Spec{Shape: schedule.Constant(rate), N: rapid.Uint64Range(1, 150).Draw(t, "n")},
		server: server,
		lim: engine.Limits{
			InFlight: maybe("in flight", 5), Backlog: maybe("backlog", 20),
			Timeout: dur("timeout", 0, 2000), Deadline: dur("deadline", 0, 3000),
			// Which of several answers at the same instant comes first is only settled in the
			// simulation, and it would matter if the run ended there.
			Drain: dur("drain", 0, 5000) + 500*time.Microsecond,
		},
		seed: seed.Seed(rapid.Uint64().Draw(t, "seed")),
	}
	p.retry, err = retry.Parse(fmt.Sprintf("attempts=%d base=%v %s", rapid.IntRange(1, 4).Draw(t, "attempts"), dur("base", 1, 300),
		rapid.SampledFrom([]string{"backoff=fixed", "backoff=exponential jitter=full", "backoff=exponential jitter=centred", "backoff=decorrelated"}).Draw(t, "backoff")))
	require.NoError(t, err)
	law := rapid.SampledFrom([]string{"even", "poisson", "uniform", "burst=3"}).Draw(t, "law")
	require.NoError(t, p.spec.Law.UnmarshalText([]byte(law)))
	return p
}

func (p plan) model() lab.Model { return p.server.Model(p.seed.Stream("server")) }

// run returns the samples by operation and attempt.
func (p plan) run(ctx context.Context, w engine.World) []correct.Sample {
	var all samples
	engine.Run(ctx, ctx, p.spec.Open(p.seed.Stream("arrivals")), w, &all, retry.New(p.retry, retry.Options{
		Method: "GET", Deadline: p.lim.Deadline, Chance: func(seq uint64) *rand.Rand { return p.seed.At("retry", seq) },
	}), p.lim)
	slices.SortFunc(all, func(a, b correct.Sample) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Attempt, b.Attempt))
	})
	return all
}

type samples []correct.Sample

func (*samples) Arrive(uint64, time.Duration, time.Duration, int, int) {}
func (s *samples) Record(x correct.Sample)                             { *s = append(*s, x) }

// modelled is a network without delay before a modelled server.
type modelled struct {
	model lab.Model
	epoch time.Time
	turn  chan struct{}
	place map[attempt]int // in the order of Fire
	batch []*arrival      // that arrived at the present instant
}

type attempt struct {
	seq uint64
	try int
}

type arrival struct {
	place  int
	answer lab.Answer
}

// observed remembers the order of Fire: goroutines that run at the same instant do so
// in any order, and the server must not see that.
type observed struct {
	*live.World
	m *modelled
}

func (o observed) Fire(s engine.Shot) {
	<-o.m.turn
	o.m.place[attempt{s.Seq, s.Attempt}] = len(o.m.place)
	o.m.turn <- struct{}{}
	o.World.Fire(s)
}

func (m *modelled) Dial(ctx context.Context, _ time.Duration) (live.Conn, transport.Outcome) {
	return line{m, ctx}, transport.Outcome{}
}

type line struct {
	*modelled
	ctx context.Context
}

func (l line) Alive() bool { return true }
func (l line) Close()      {}

// Exchange lets a nanosecond pass, by which all requests of this instant have come,
// and serves them in their order.
func (l line) Exchange(s engine.Shot, _ *request.Message, deadline time.Time) transport.Outcome {
	at := time.Since(l.epoch)
	<-l.turn
	r := &arrival{place: l.place[attempt{s.Seq, s.Attempt}]}
	l.batch = append(l.batch, r)
	l.turn <- struct{}{}
	if !sleep(l.ctx, 1) {
		return transport.Outcome{Class: correct.Unfinished, Written: true}
	}
	<-l.turn
	slices.SortFunc(l.batch, func(a, b *arrival) int { return cmp.Compare(a.place, b.place) })
	for _, r := range l.batch {
		r.answer = l.model.Serve(at)
	}
	l.batch = nil
	l.turn <- struct{}{}

	o := transport.Outcome{Written: true, Keep: true, Status: r.answer.Status}
	takes := r.answer.At - time.Since(l.epoch)
	switch left := time.Until(deadline); {
	case !deadline.IsZero() && takes > left:
		takes, o = left, transport.Outcome{Class: correct.Timeout, Written: true}
	case o.Status == 0:
		o = transport.Outcome{Class: correct.Reset, Written: true}
	case !success(o.Status):
		o.Class = correct.BadStatus
	}
	if !sleep(l.ctx, takes) {
		o = transport.Outcome{Class: correct.Unfinished, Written: true}
	}
	return o
}
