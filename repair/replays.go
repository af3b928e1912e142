package repair

import (
	"time"

	"openload/correct"
	"openload/source"
)

// replays put every request back to its place in the schedule of a tool that catches
// up, at the interval, half and double of it.
type replays struct {
	perSlot  float64 // ns
	byWorker bool    // each worker has a schedule of its own
	shared   *sorter // all share one: by start, whatever the order of the file
	each     map[int32]*[3]correct.Replay
	dists    [3]correct.Dist // at the interval, half and double
}

var factors = [3]float64{1, 0.5, 2}

// newReplays returns nil where no schedule can be replayed: without times there is
// no order, and where each worker has a schedule its requests must be known for its own.
func newReplays(p *pace, facts *source.Facts, limits []time.Duration) *replays {
	if p.interval == 0 || facts.Stamp == source.NoStamp || facts.Order == source.ByLatency {
		return nil
	}
	r := &replays{perSlot: p.perSlot, byWorker: facts.Workers, each: map[int32]*[3]correct.Replay{}}
	for i := range r.dists {
		r.dists[i] = correct.NewDist(limits...)
	}
	if !facts.Workers {
		if facts.Rate == source.RateTotal {
			r.perSlot /= float64(max(1, p.workers))
		}
		r.shared = &sorter{less: byStart, next: r.place}
	}
	return r
}

func (r *replays) add(m moment) {
	if r.shared != nil {
		r.shared.add(m)
		return
	}
	r.place(m)
}

func (r *replays) place(m moment) {
	key := int32(source.NoName)
	if r.byWorker {
		key = m.Worker
	}
	all := r.each[key]
	if all == nil {
		all = new([3]correct.Replay)
		for i := range all {
			all[i].PerSlot = r.perSlot * factors[i]
		}
		r.each[key] = all
	}
	for i := range all {
		if latency := all[i].Next(m.Start, m.End()); m.OK() {
			r.dists[i].Record(latency)
		} else {
			r.dists[i].Fail(1)
		}
	}
}

// restart begins the schedule anew: what follows belongs to another run.
func (r *replays) restart() {
	r.flush()
	clear(r.each)
}

func (r *replays) flush() {
	if r.shared != nil {
		r.shared.flush()
	}
}
