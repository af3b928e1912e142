package run

import (
	"sync/atomic"
	"time"

	"openload/correct"
	"openload/engine"
	"openload/sla"
)

// pictured is a run's recorder with a picture of the whole run, the warm-up included.
type pictured struct {
	engine.Recorder
	picture *correct.Picture
}

func (p pictured) Record(x correct.Sample) {
	p.Recorder.Record(x)
	p.picture.Record(&x)
}

// told is a run's recorder with others who are told the same after it.
type told struct {
	engine.Recorder
	see   func(correct.Sample) // may be nil
	watch engine.Watcher       // may be nil
	abort *abort               // may be nil
}

var _ engine.Watcher = told{}

func (t told) Arrive(seq uint64, intended, dispatched time.Duration, waiting, out int) {
	t.Recorder.Arrive(seq, intended, dispatched, waiting, out)
	if t.watch != nil {
		t.watch.Arrive(seq, intended, dispatched, waiting, out)
	}
}

func (t told) Record(x correct.Sample) {
	t.Recorder.Record(x)
	if t.watch != nil {
		t.watch.Record(x)
	}
	if t.see != nil {
		t.see(x)
	}
	if t.abort != nil && !t.abort.warm(x.Intended) {
		t.abort.record(x)
	}
}

func (t told) Fire(s engine.Shot) {
	if t.watch != nil {
		t.watch.Fire(s)
	}
}

func (t told) Turn(now time.Duration) {
	if t.watch != nil {
		t.watch.Turn(now)
	}
}

// abort ends a run once a rule is broken whatever the rest of it brings.
type abort struct {
	budgets []sla.Budget
	lost    []uint64           // with so many surely against it, a budget's rule is lost
	judge   func() sla.Outcome // of what was recorded so far
	warm    func(intended time.Duration) bool

	seen, again uint64 // operations that settled; with how many it is judged again
	ended       atomic.Bool
}

// enough reports whether the run is over. Any goroutine may ask.
func (a *abort) enough() bool { return a != nil && a.ended.Load() }

func (a *abort) record(x correct.Sample) {
	if a.ended.Load() {
		return
	}
	broken := false
	for i := range a.budgets {
		b := &a.budgets[i]
		b.Record(x)
		broken = broken || b.Surely >= a.lost[i]
	}
	if !x.Final {
		return
	}
	a.seen++
	// A judgement reads all that was recorded, so one that says no is not repeated at
	// every sample: the run as a whole may be worth nothing yet.
	if broken && a.seen >= a.again {
		a.ended.Store(a.judge() == sla.Fail)
		a.again = a.seen + a.seen/4 + 1
	}
}
