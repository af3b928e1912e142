package correct

import "time"

// Readings are what the samples of a file come to, to be judged like a run's.
type Readings struct {
	Counts      Counts
	First, Last time.Duration // start of the first and of the last request; 0 if the file has no times
	Done        time.Duration // end of the last

	Raw       Dist  // as the tool measured; failures rank above
	Corrected *Dist // failures rank above; nil if there is no such reading
	Failures  Dist  // how long the failed ones took
}

// Snapshot takes the readings over; all must have been made with the same limits.
// There is no lateness of ours in a file, so what a run has without it equals
// Corrected. Without Corrected the snapshot is that of a closed loop.
func (r *Readings) Snapshot() *Snapshot {
	s := &Snapshot{
		Counts:        r.Counts.clone(),
		FirstIntended: r.First, LastIntended: r.Last, FirstDispatched: r.First, LastDispatched: r.Last, LastDone: r.Done,
		closed: r.Corrected == nil,
	}
	for i := range s.dists {
		s.dists[i] = Dist{limits: r.Raw.limits, over: make([]uint64, len(r.Raw.limits))}
	}
	s.dists[Raw] = r.Raw.Clone()
	if r.Corrected == nil {
		return s
	}
	s.dists[Corrected] = r.Corrected.Clone()
	s.dists[LessLag] = r.Corrected.Clone()
	s.dists[LessWait] = r.Corrected.Clone()
	s.dists[Settled] = r.Failures.Clone() // successes stand in Corrected
	return s
}

// Unlimited is a copy of d that counts nothing exactly over limits, and so merges
// with other distributions that don't.
func Unlimited(d *Dist) Dist {
	c := d.Clone()
	c.limits, c.over = nil, nil
	return c
}
