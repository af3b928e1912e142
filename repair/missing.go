package repair

import (
	"time"

	"openload/correct"
)

// missing are the samples that a tool left out if it skipped what was due while it
// waited: at the interval, and at half and double of it, since an interval is often
// an assumption.
type missing struct {
	interval     time.Duration
	long         []time.Duration // latencies of at least the interval, of stalls that are no local ones
	local        []time.Duration // of local ones
	all          correct.Dist    // what long left out
	alone        correct.Dist    // what local did
	half, double correct.Dist
}

// atOnce is how many long latencies are dealt with at once: the more, the less each costs.
const atOnce = 1 << 16

func newMissing(interval time.Duration, limits []time.Duration) missing {
	return missing{
		interval: interval,
		all:      correct.NewDist(limits...), alone: correct.NewDist(limits...),
		half: correct.NewDist(), double: correct.NewDist(),
	}
}

func (m *missing) add(took time.Duration, is scope) {
	to := &m.long
	if is == local {
		to = &m.local
	}
	if *to = append(*to, took); len(*to) == atOnce {
		m.flush()
	}
}

func (m *missing) flush() {
	for _, x := range []struct {
		values *[]time.Duration
		into   *correct.Dist
	}{{&m.long, &m.all}, {&m.local, &m.alone}} {
		x.into.Fill(*x.values, m.interval)
		m.half.Fill(*x.values, m.interval/2)
		m.double.Fill(*x.values, 2*m.interval)
		*x.values = (*x.values)[:0]
	}
}
