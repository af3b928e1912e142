package relay

import (
	"time"

	"openload/correct"
	"openload/engine"
	"openload/schedule"
)

// A Relay hands on what loops tell.
type Relay struct {
	to    engine.Recorder
	watch engine.Watcher // to, if it is one
	lines []*Line
	order order
	now   time.Duration
}

// Options say who tells, and what of.
type Options struct {
	Loops int // how many there are; at least 1

	// Schedule is, at its start, that of which each loop fires the arrivals that Shard says
	// are its own. Nil: there is none, as in a closed loop.
	Schedule schedule.Schedule
	Shard    schedule.Shard // zero: loop i of n has those with Seq % n == i
}

// New returns a relay that hands on to a recorder, which is called by [Relay.Run] alone.
func New(to engine.Recorder, o Options) *Relay {
	r := &Relay{to: to}
	r.watch, _ = to.(engine.Watcher)
	for range o.Loops {
		r.lines = append(r.lines, newLine(r.watch != nil, max(leastBlocks, mostBlocks/o.Loops)))
	}
	if o.Shard == (schedule.Shard{}) {
		o.Shard = schedule.NewShard(0, uint64(o.Loops), 0, 0)
	}
	if o.Schedule != nil && o.Loops > 1 {
		r.order = order{tell: r.tell, plan: o.Schedule, shard: o.Shard, over: make([]bool, o.Loops), early: map[uint64]arrival{}}
		r.order.goOn()
	}
	return r
}

// Line is where loop i tells.
func (r *Relay) Line(i int) *Line { return r.lines[i] }

// Run hands on, until every loop has said that it ended. pause is called when all that
// there was is handed on, and should return a few milliseconds later.
func (r *Relay) Run(pause func()) {
	for !r.pass() {
		pause()
	}
}

// Held is how often a loop had to wait, since what it told was not handed on fast
// enough. It is known once Run has returned.
func (r *Relay) Held() (n uint64) {
	for _, l := range r.lines {
		n += l.held
	}
	return n
}

// pass hands on what there is, and reports whether that was all there will be.
func (r *Relay) pass() (last bool) {
	until := engine.Forever
	for _, l := range r.lines {
		until = min(until, l.look())
	}
	if last = until == engine.Forever; !last {
		r.now = max(r.now, until)
	}
	if len(r.lines) == 1 {
		until = engine.Forever // there is nothing to wait for
	}
	for l := r.first(until); l != nil; l = r.first(until) {
		if n := l.read.news(); r.order.over == nil {
			r.tell(n)
		} else {
			r.order.take(n)
		}
		l.read.pass()
	}
	for i := range r.order.over {
		if l := r.lines[i]; l.read.until == engine.Forever && l.read.left == 0 {
			r.order.end(i)
		}
	}
	if r.watch != nil {
		r.watch.Turn(r.now)
	}
	return last
}

// first is the line that tells the earliest of what happened until then; nil if that is
// nothing.
func (r *Relay) first(until time.Duration) (first *Line) {
	for _, l := range r.lines {
		if t := l.head(); t != nil && (t.at < until || t.at == until && first == nil) {
			first, until = l, t.at
		}
	}
	return first
}

// news is a telling with what it is of.
type news struct {
	telling
	arrival *arrival        // if it arrived
	shot    *engine.Shot    // if it was fired
	sample  *correct.Sample // if it ended
}

func (r *Relay) tell(n news) {
	r.now = max(r.now, n.at)
	switch n.kind {
	case arrived:
		a := n.arrival
		r.to.Arrive(a.seq, a.intended, a.dispatched, a.waiting, a.out)
	case fired:
		r.watch.Fire(*n.shot)
	case ended:
		r.to.Record(*n.sample)
	}
}
