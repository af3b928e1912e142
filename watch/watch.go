package watch

import (
	"sync/atomic"
	"time"

	"openload/correct"
	"openload/engine"
	"openload/sla"
)

// A Watch is told of a run as its recorder is, and shows how it stands to somebody
// else. The loop writes plain memory. When somebody has asked, it copies what is in
// use (a few kB) at its next turn; nobody waits for anybody.
type Watch struct {
	// Warm, if set, says of when an operation was intended that it is not judged: it is
	// counted, and stays out of the latencies and what is left of the rules.
	Warm func(intended time.Duration) bool

	stretches *correct.Stretches // the loop's

	now    state // the loop's
	copied state // the loop's while asked is set, else the onlooker's
	asked  atomic.Bool
	ready  atomic.Bool // copied holds something
}

var _ engine.Watcher = (*Watch)(nil)

// state is how a run stands.
type state struct {
	at        time.Duration // of the last turn
	scheduled uint64        // operations dispatched, or dropped
	fired     uint64        // of them, those that were handed to the World
	settled   uint64
	ok        uint64
	failed    uint64 // that are judged
	rawFailed uint64 // attempts, likewise
	maxLag    time.Duration

	corrected, raw buckets // of successes
	open           ages    // operations that have not settled, since Intended
	flying         ages    // attempts under way, since Handed
	budgets        []budget
	stretches      []correct.Stretch // of the budgets' limits on corrected latency; set in a copy
}

// New returns a Watch that keeps the budgets, which are empty.
func New(budgets []sla.Budget) *Watch {
	w := &Watch{}
	var limits []time.Duration
	for _, b := range budgets {
		w.now.budgets, w.copied.budgets = append(w.now.budgets, budgetOf(b)), append(w.copied.budgets, budgetOf(b))
		if b.Rule.Target == "" && b.Rule.Metric == sla.Percentile && b.Rule.Set == correct.Corrected {
			limit, _ := b.Rule.Limit()
			limits = append(limits, limit)
		}
	}
	w.stretches = correct.NewStretches(limits...)
	return w
}

// Arrive notes that an operation was dispatched.
func (w *Watch) Arrive(seq uint64, intended, _ time.Duration, _, _ int) {
	s := &w.now
	s.scheduled++
	if !w.judged(intended) {
		return
	}
	s.open.add(intended)
	w.stretches.Arrive(seq)
	for i := range s.budgets {
		s.budgets[i].arrive(seq, intended)
	}
}

// Fire notes that an attempt was handed to the World.
func (w *Watch) Fire(s engine.Shot) {
	if s.Attempt == 1 {
		w.now.fired++
	}
	if !w.judged(s.Intended) {
		return
	}
	w.now.flying.add(s.Handed)
	for i := range w.now.budgets {
		w.now.budgets[i].fire(s)
	}
}

func (w *Watch) judged(intended time.Duration) bool { return w.Warm == nil || !w.Warm(intended) }

// Record notes that an attempt has ended.
func (w *Watch) Record(x correct.Sample) {
	s := &w.now
	s.maxLag = max(s.maxLag, x.Lag())
	if w.judged(x.Intended) {
		s.judge(x)
		if x.Final {
			w.stretches.Settle(&x)
		}
	}
	if x.Final {
		s.settled++
		if x.Class == correct.OK {
			s.ok++
		}
	}
}

// judge notes an attempt that is not of the warm-up.
func (s *state) judge(x correct.Sample) {
	for i := range s.budgets {
		s.budgets[i].record(x)
	}
	if x.Fired {
		s.flying.remove(x.Handed)
		if x.Class == correct.OK {
			s.raw.add(x.Raw())
		} else {
			s.rawFailed++
		}
	}
	if !x.Final {
		return
	}
	s.open.remove(x.Intended)
	if x.Class == correct.OK {
		s.corrected.add(x.Corrected())
	} else {
		s.failed++
	}
}

// Turn hands over a copy if one was asked for.
func (w *Watch) Turn(now time.Duration) {
	if !w.asked.Load() {
		return
	}
	w.now.at = now
	w.now.copyTo(&w.copied)
	w.copied.stretches = w.stretches.Now(w.copied.stretches[:0])
	w.ready.Store(true)
	w.asked.Store(false)
}

func (s *state) copyTo(dst *state) {
	dst.at, dst.scheduled, dst.fired, dst.settled, dst.ok = s.at, s.scheduled, s.fired, s.settled, s.ok
	dst.failed, dst.rawFailed, dst.maxLag = s.failed, s.rawFailed, s.maxLag
	s.corrected.copyTo(&dst.corrected)
	s.raw.copyTo(&dst.raw)
	s.open.copyTo(&dst.open)
	s.flying.copyTo(&dst.flying)
	for i := range s.budgets {
		s.budgets[i].copyTo(&dst.budgets[i])
	}
}

// Ask asks the loop for a copy. One goroutine may ask, and look.
func (w *Watch) Ask() { w.asked.Store(true) }

// Look is how the run stood when the loop last answered, with what waits at the instant
// now; ok is false while an answer is due, or none was asked for.
func (w *Watch) Look(now time.Duration) (s Sight, ok bool) {
	if w.asked.Load() || !w.ready.Load() {
		return s, false
	}
	return w.copied.sight(max(now, w.copied.at)), true
}
