package source

import "time"

// runs tells the runs of a joined file apart: JMeter's -l and h2load's --log-file
// add to what is there, minutes or weeks later. Time that stands still for longer
// than gap, or goes back by more, starts a new one, where the format sets a gap;
// others mark their runs, or have one only.
type runs struct {
	gap  time.Duration // 0: only what the format marks
	last time.Duration // latest end in this run
	any  bool
	n    int32

	apart time.Duration // longest silence between two runs
}

// of returns the number of the run that a row from start to end belongs to.
func (r *runs) of(start, end time.Duration) int32 {
	switch {
	case !r.any:
		if r.n > 0 {
			r.apart = max(r.apart, start-r.last)
		}
		r.any, r.last = true, end
	case r.gap > 0 && (start > r.last && start-r.last > r.gap || end < r.last && r.last-end > r.gap):
		r.n++
		r.apart = max(r.apart, start-r.last)
		r.last = end
	default:
		r.last = max(r.last, end)
	}
	return r.n
}

// next starts a new run where the format itself marks one.
func (r *runs) next() {
	r.n++
	r.any = false
}
