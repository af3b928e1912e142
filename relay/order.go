package relay

import (
	"math"

	"openload/correct"
	"openload/engine"
	"openload/schedule"
)

// order brings the arrivals of several loops into that of the schedule. An arrival waits
// until the one before it was told of, by a loop that is late; and what happened after an
// arrival that waits is kept, so that the rest stays in order of time.
type order struct {
	tell  func(news)
	over  []bool         // the loops that tell no more; nil: there is no order
	shard schedule.Shard // says whose an arrival is
	plan  schedule.Schedule
	next  uint64             // of its arrivals, the one that is handed on next
	early map[uint64]arrival // those that wait for it
	kept  []kept             // the same, and what happened since the first of them
	from  int                // of kept, the first that was not handed on
}

type kept struct {
	telling
	seq    uint64 // of an arrival, which is among the early
	shot   engine.Shot
	sample correct.Sample
}

// mostKept is 35 MB. The arrivals of a loop that is so late are handed on as they come.
const mostKept = 100_000

// take hands on n, or keeps it.
func (o *order) take(n news) {
	switch {
	case n.kind != arrived && o.from == len(o.kept):
		o.tell(n)
	case n.kind != arrived:
		o.keep(n)
	case n.arrival.seq > o.next:
		o.early[n.arrival.seq] = *n.arrival
		o.keep(n)
		o.release()
	case n.arrival.seq < o.next:
		o.tell(n)
	default:
		o.tell(n)
		o.goOn()
		o.release()
	}
}

func (o *order) keep(n news) {
	k := kept{telling: n.telling}
	switch n.kind {
	case arrived:
		k.seq = n.arrival.seq
	case fired:
		k.shot = *n.shot
	case ended:
		k.sample = *n.sample
	}
	o.kept = append(o.kept, k)
	if len(o.kept)-o.from > mostKept {
		for len(o.early) > 0 {
			o.pass()
		}
		o.release()
	}
}

// end notes that a loop tells no more.
func (o *order) end(loop int) {
	if !o.over[loop] {
		o.over[loop] = true
		o.release()
	}
}

// release hands on what waits for nothing any more.
func (o *order) release() {
	for len(o.early) > 0 && (o.has(o.next) || o.over[o.shard.Owner(o.next)]) {
		o.pass()
	}
	for ; o.from < len(o.kept); o.from++ {
		k := &o.kept[o.from]
		if k.kind != arrived {
			o.tell(news{telling: k.telling, shot: &k.shot, sample: &k.sample})
		} else if o.has(k.seq) {
			return
		}
	}
	o.kept, o.from = o.kept[:0], 0
}

func (o *order) has(seq uint64) bool {
	_, ok := o.early[seq]
	return ok
}

// pass hands on the next arrival if it is there, and goes on to the one after it.
func (o *order) pass() {
	if a, ok := o.early[o.next]; ok {
		delete(o.early, o.next)
		o.tell(news{telling: telling{a.dispatched, arrived}, arrival: &a})
	}
	o.goOn()
}

// goOn goes on to the next arrival of the schedule.
func (o *order) goOn() {
	a, ok := o.plan.Next()
	if !ok && len(o.early) > 0 {
		panic("relay: an arrival that is not in the schedule")
	}
	o.next = a.Seq
	if !ok {
		o.next = math.MaxUint64
	}
}
