package correct

import "openload/peak"

// arrivals keeps when attempts left: all of them, and those after the first apart.
// They are told apart by their number. A limit in time would count late first
// attempts as retries, and early retries as first attempts.
type arrivals struct{ all, later peak.Stream }

// sent takes the instant of an attempt that put a byte on the wire.
func (a *arrivals) sent(x *Sample) {
	a.all.Add(x.Sent)
	if x.Attempt > 1 {
		a.later.Add(x.Sent)
	}
}

func (a *arrivals) merge(o *arrivals) {
	a.all.Merge(&o.all)
	a.later.Merge(&o.later)
}

func (a *arrivals) clone() arrivals { return arrivals{*a.all.Clone(), *a.later.Clone()} }

// Peaks are the most attempts that left at once, against the width of "at once": of all
// attempts that put a byte on the wire, and of those after an operation's first. An
// attempt that took longer than [peak.Reach] is left out and counted as Late. After a
// merge of longer runs the peaks are an upper bound.
func (s *Snapshot) Peaks() (all, later peak.Curve) {
	return s.arrivals.all.Curve(), s.arrivals.later.Curve()
}
