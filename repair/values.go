package repair

import (
	"time"

	"openload/correct"
)

// values counts latencies. A file has a least step between two of them, so most are
// counted by their number of steps: a single addition, where a histogram takes ten
// times as long.
type values struct {
	step    time.Duration
	perStep float64
	cells   []uint64     // of values that are a whole number of steps
	rest    correct.Dist // of the others
}

// 2^18 cells take 2 MB: 26 s in hey's steps of 100 µs.
const mostCells = 1 << 18

func newValues(step time.Duration, limits []time.Duration) values {
	v := values{step: step, rest: correct.NewDist(limits...)}
	if step >= time.Microsecond { // finer ones seldom meet
		v.cells = make([]uint64, mostCells)
		v.perStep = 1 / float64(step)
	}
	return v
}

func (v *values) add(d time.Duration) {
	// The product is off by less than half a step, so a whole number of steps is found.
	i := int(float64(d)*v.perStep + 0.5)
	if uint(i) < uint(len(v.cells)) && time.Duration(i)*v.step == d {
		v.cells[i]++
		return
	}
	v.rest.Record(d)
}

// dist is all of them.
func (v *values) dist() correct.Dist {
	d := v.rest.Clone()
	for i, n := range v.cells {
		d.RecordN(time.Duration(i)*v.step, n)
	}
	return d
}
