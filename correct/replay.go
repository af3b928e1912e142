package correct

import (
	"math"
	"time"
)

// A Replay gives the samples of a tool that catches up their places in its
// schedule. Such a tool sends what it missed late, in a burst, and starts its clock
// then: every slot has its row, and only the row's start is wrong. The k-th request
// was meant for t0 + k·interval, t0 being the start of the first. No row is added.
//
// It is right only for requests in the order of their starts, one schedule for all
// of them, and a tool that leaves none out.
type Replay struct {
	PerSlot float64 // the schedule's interval in ns; a float, for a third of 250 ms is no whole number
	t0      time.Duration
	k       uint64
}

// Next is the latency of the next request from its place in the schedule to its
// end, and never below end − start: a tool that sends early helps nobody.
func (r *Replay) Next(start, end time.Duration) time.Duration {
	if r.k == 0 {
		r.t0 = start
	}
	// Exact for schedules of up to 104 days, which are 2^53 ns.
	behind := float64(start) - float64(r.t0) - math.Round(float64(r.k)*r.PerSlot)
	r.k++
	return end - start + time.Duration(min(max(behind, 0), 1<<62))
}
