package sla

import (
	"fmt"
	"math/bits"
	"time"

	"openload/correct"
)

// Evidence is what a run has to show for itself.
type Evidence struct {
	Snapshot *correct.Snapshot // all that was measured; never nil

	Planned    uint64        // operations of the whole plan; 0: not known beforehand. A closed loop may end before
	Warm       uint64        // operations that were sent before what is judged
	Deadline   time.Duration // of each operation, from Intended; 0: none
	Confidence float64       // in percent; 0: the run itself is what is judged

	Lacks string // why this is not all of the run, in words; empty: it is

	Interrupted   bool // stopped from outside: nothing is decided
	AbortedOnFail bool // stopped by ourselves, because a rule was broken beyond repair
	Burst         bool // operations were planned at one instant each: there is no rate to keep

	Held           bool // operations waited although more connections might have been open: they are opened with restraint
	AutoCapReached bool // the cap on connections that nobody asked for was in force
	AutoCap        int  // that cap
	Descriptors    int  // the limit of our file descriptors that made it as low as it is; 0: none did
	Hosts          int  // that it is for each of, if there are several

	Method    string // the correction's name: intended, backfill, schedule, queue, none
	Synthetic uint64 // samples that the correction made up
}

// CheckConfidence returns what is wrong with a confidence in percent. Zero is none.
func CheckConfidence(percent float64) error {
	if percent == 0 || 50 <= percent && percent < 100 {
		return nil
	}
	return fmt.Errorf("a confidence of %v %% cannot be; write one from 50 to less than 100, such as 95", percent)
}

// lateness is the greatest of ours in one attempt.
func (e *Evidence) lateness() time.Duration {
	late, _ := e.Snapshot.Dist(correct.Lag).Max()
	return max(late, e.Snapshot.MaxLate)
}

// mostLate is an upper bound of what our lateness added to any one operation. How
// many attempts it had is not kept, so each may have had every retry of the run.
func (e *Evidence) mostLate() time.Duration {
	const tooMuch = 1 << 61 // far over every limit, far from overflow
	c := &e.Snapshot.Counts
	retried := max(c.Repeated(), c.Attempts-min(c.Attempts, c.Fired)) // a saved report may have only the totals
	hi, lo := bits.Mul64(retried+1, uint64(e.lateness()))
	if hi > 0 || lo > tooMuch {
		return tooMuch
	}
	return time.Duration(lo) + e.Snapshot.MaxLate
}

// punctual are the readings of an open run as a generator without our faults would
// have had them: never late, and without a cap that nobody asked for.
func (e *Evidence) punctual() []correct.Set {
	if e.AutoCapReached || e.Held {
		return []correct.Set{correct.LessLag, correct.LessWait}
	}
	return []correct.Set{correct.LessLag}
}

// ours is the number of operations that failed by our own doing. Dropped ones are
// not in it: they have a limit of their own.
func (e *Evidence) ours() (n uint64) {
	for _, k := range correct.Classes() {
		if k.Ours() && k != correct.Dropped {
			n += e.Snapshot.Counts.Of(k)
		}
	}
	return n
}

// rate compares the time that the operations should have taken to leave with what
// they took: the offered rate is planned/taken of the planned one. ok is false where
// no rate was planned, as with a single operation.
func (e *Evidence) rate() (planned, taken time.Duration, ok bool) {
	s := e.Snapshot
	planned, taken = s.LastIntended-s.FirstIntended, s.LastDispatched-s.FirstDispatched
	live := e.Method == "" || e.Method == "intended"
	return planned, taken, live && !s.Closed() && !e.Burst && planned > 0
}

// madeUp reports whether r would be judged on samples that nobody measured.
func (e *Evidence) madeUp(r Rule) bool {
	return e.Synthetic > 0 && r.latency() && r.Set != correct.Raw
}

// TargetDimension is the dimension of a snapshot whose groups rules name.
const TargetDimension = "target"

// on is the evidence that r is judged on: all of it, or what belongs to r's target.
func (e *Evidence) on(r Rule) *Evidence {
	if r.Target == "" {
		return e
	}
	of := *e
	if of.Snapshot = e.Snapshot.Part(TargetDimension, r.Target); of.Snapshot == nil {
		of.Snapshot = new(correct.Snapshot) // it has nothing to judge
	}
	return &of
}
