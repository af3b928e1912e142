package run

import (
	"context"
	"sync"
	"time"

	"openload/correct"
	"openload/engine"
	"openload/plan"
	"openload/relay"
	"openload/schedule"
)

// Loops are Worlds that make a run together, each with a loop of its own.
type Loops interface {
	// Worlds are those of all loops, of which only Each uses one.
	Worlds() []engine.World
	// Each calls f for all loops at the same time, each on the goroutine that its World
	// belongs to, and returns when all have.
	Each(f func(loop int))
	// Pause returns a few milliseconds later.
	Pause()
}

// MostLoops is how many loops p can be divided among at most: each has at least one of
// what p bounds. 0: any number.
func MostLoops(p *plan.Plan) (most int) {
	bounds := []int{p.Connections, p.Backlog}
	if p.Closed != nil {
		bounds = []int{p.Connections, int(min(p.Closed.N, 1<<30))}
	}
	for _, b := range bounds {
		if b > 0 && (most == 0 || b < most) {
			most = b
		}
	}
	return most
}

// Shard is what loop i of so many makes of p.
func Shard(p *plan.Plan, i, loops int) schedule.Shard {
	whole := uint64(0)
	if p.Closed != nil {
		whole = p.Closed.N
	}
	return schedule.NewShard(uint64(i), uint64(loops), turns(p), whole)
}

// turns is the length of the rounds in which p's targets take turns; 0: they do not.
func turns(p *plan.Plan) uint64 {
	if p.Mix == nil {
		return 0
	}
	return p.Mix.Turns()
}

// Share makes r ready for so many loops.
func (r Ready) Share(loops int) Ready {
	if r.Plan.Closed != nil {
		return r
	}
	r.shares = nil
	for i := range loops {
		r.shares = append(r.shares, Shard(r.Plan, i, loops).Of(r.Plan.Arrivals()))
	}
	return r
}

// done is what came of sending.
type done struct {
	end     engine.End
	skipped uint64 // slots of a paced closed loop
	held    uint64 // times that a loop waited for the recording
}

// alone sends with one loop, which records as it goes.
func (s Setup) alone(ctx, stop context.Context, out engine.Recorder, again engine.Retry, lim engine.Limits) (d done) {
	if p := s.Plan; p.Closed != nil {
		d.skipped, d.end = engine.RunClosed(ctx, stop, closed(p), s.World, out, lim)
	} else {
		d.end = engine.Run(ctx, stop, s.arrivals, s.World, out, again, lim)
	}
	return d
}

// together sends with several loops, and records beside them.
func (s Setup) together(ctx, stop context.Context, out engine.Recorder, again engine.Retry, lim engine.Limits) (all done) {
	worlds := s.Loops.Worlds()
	n := len(worlds)
	if n > 1 {
		lim.Common = common(worlds[0])
		again = shared(again)
	}
	r := relay.New(out, relay.Options{Loops: n, Schedule: s.arrivals, Shard: Shard(s.Plan, 0, n)})
	each := make([]done, n)
	var recorder sync.WaitGroup
	recorder.Go(func() { r.Run(s.Loops.Pause) })
	s.Loops.Each(func(i int) {
		line, own := r.Line(i), lim.Share(i, n)
		defer line.End()
		if p := s.Plan; p.Closed != nil {
			each[i].skipped, each[i].end = engine.RunClosed(ctx, stop, closed(p).Share(i, n), worlds[i], line, own)
		} else {
			each[i].end = engine.Run(ctx, stop, s.shares[i], worlds[i], line, again, own)
		}
	})
	recorder.Wait()
	for _, d := range each {
		all.skipped += d.skipped
		all.end.At = max(all.end.At, d.end.At)
		all.end.Interrupted = all.end.Interrupted || d.end.Interrupted
		all.end.Capped = all.end.Capped || d.end.Capped
	}
	all.held = r.Held()
	return all
}

// common is what loops over Worlds such as w share.
func common(w engine.World) *engine.Common {
	if p, ok := w.(engine.Pooled); ok {
		return engine.NewCommon(p.Pools())
	}
	return new(engine.Common)
}

// shared is r for several loops.
func shared(r engine.Retry) engine.Retry {
	if r == nil {
		return nil
	}
	return &sharedRetry{r: r}
}

type sharedRetry struct {
	mu sync.Mutex
	r  engine.Retry
}

func (s *sharedRetry) Start(attempt int, now time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Start(attempt, now)
}

func (s *sharedRetry) After(x correct.Sample) (delay time.Duration, again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.After(x)
}

func (s *sharedRetry) Asks(x correct.Sample) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Asks(x)
}
