package correct

import (
	"slices"
	"time"
)

// A Snapshot is what recorders held at one instant. Snapshots of shards merge, in
// any order, to the snapshot that one recorder of all their samples would have
// given, but for Episodes and ClosedLoop, which need the samples in order, and for the
// peaks of runs longer than [peak.Reach].
type Snapshot struct {
	Counts Counts

	FirstIntended, LastIntended     time.Duration // of arrivals
	FirstDispatched, LastDispatched time.Duration
	LastDone                        time.Duration
	MaxBacklog                      int           // most operations waiting at once, seen at arrivals
	MaxFlying                       int           // most attempts under way at once, seen at arrivals
	MaxLate                         time.Duration // greatest Late of a sample

	// Episodes counts, for each limit given to the recorder, the runs of neighbouring
	// operations at or over it. Only operations up to the oldest unsettled one are
	// in it. Nil after a merge.
	Episodes []Episode

	Parts []Part // the groups that the operations were parted into, dimension by dimension

	saved    *[Sets]*Dist // of a snapshot that comes from a file: nil otherwise
	dists    [Sets]Dist   // CorrectedOK is empty, and Settled has failures only: Dist derives them
	series   series
	growth   growth
	arrivals arrivals
	phases   phases
	closed   bool // a closed loop: no corrected reading exists
	ordered  bool // completions came in the order of Intended, all on the first attempt
	single   bool // one recorder's, not a merge
}

// An Episode count: how many separate stretches of operations reached Limit.
type Episode struct {
	Limit time.Duration
	Count uint64
}

// Dist returns one reading; nil if it does not exist for this run: corrected ones
// in a closed loop, ClosedLoop where answers overtook each other or shards were merged.
func (s *Snapshot) Dist(set Set) *Dist {
	if s.saved != nil {
		return s.saved[set]
	}
	if s.closed && set >= Corrected || set == ClosedLoop && !(s.ordered && s.single) {
		return nil
	}
	switch set {
	case CorrectedOK:
		return s.successes()
	case Settled:
		all := s.successes().Clone()
		all.Merge(&s.dists[Settled])
		return &all
	}
	return &s.dists[set]
}

// successes is Corrected without the failures. It shares the values.
func (s *Snapshot) successes() *Dist {
	d := s.dists[Corrected]
	d.failed = 0
	return &d
}

// Closed reports whether the samples came from a closed loop.
func (s *Snapshot) Closed() bool { return s.closed }

// EpisodesOver is the number of separate stretches of operations at or over limit;
// ok is false if the limit was not given beforehand or shards were merged.
func (s *Snapshot) EpisodesOver(limit time.Duration) (n uint64, ok bool) {
	for _, e := range s.Episodes {
		if e.Limit == limit {
			return e.Count, true
		}
	}
	return 0, false
}

// Growing reports whether more and more operations were out towards the end of the
// schedule: in each eighth of its second half, by a twentieth of that half's arrivals
// or more in all. Then no steady state exists, and a percentile depends on how long
// the run was.
// A burst, which is all meant at one instant, has none to speak of.
func (s *Snapshot) Growing() bool {
	return s.single && s.LastIntended > s.FirstIntended && s.growth.growing()
}

// OutAtLastArrival is the number of operations that had not settled when the last
// one was dispatched, itself included: they were answered after the last send.
func (s *Snapshot) OutAtLastArrival() uint64 {
	if s.Counts.Scheduled == 0 || s.closed {
		return 0
	}
	return s.growth.last + 1
}

// Series is the run over intended time.
func (s *Snapshot) Series() []Window { return s.series.windows() }

// Merge adds o, which must have been recorded with the same limits. Neither may come
// from a file.
func (s *Snapshot) Merge(o *Snapshot) {
	if o.Counts.Scheduled > 0 {
		empty := s.Counts.Scheduled == 0
		if empty || o.FirstIntended < s.FirstIntended {
			s.FirstIntended, s.FirstDispatched = o.FirstIntended, o.FirstDispatched
		}
		if empty || o.LastIntended > s.LastIntended {
			s.LastIntended, s.LastDispatched = o.LastIntended, o.LastDispatched
		}
	}
	s.Counts.merge(&o.Counts)
	s.LastDone = max(s.LastDone, o.LastDone)
	s.MaxBacklog += o.MaxBacklog // an upper bound: the shards' peaks need not coincide
	s.MaxFlying += o.MaxFlying
	s.MaxLate = max(s.MaxLate, o.MaxLate)
	s.Episodes, s.single = nil, false
	s.phases.merge(&o.phases, &s.dists[Raw], &o.dists[Raw])
	for i := range s.dists {
		s.dists[i].Merge(&o.dists[i])
	}
	s.series.merge(&o.series)
	s.arrivals.merge(&o.arrivals)
	s.mergeParts(o)
}

func (s *Snapshot) clone() *Snapshot {
	c := *s
	c.Counts = s.Counts.clone()
	c.Episodes = slices.Clone(s.Episodes)
	for i := range s.dists {
		c.dists[i] = s.dists[i].Clone()
	}
	c.series = s.series.clone()
	c.arrivals = s.arrivals.clone()
	c.phases = s.phases.clone()
	c.growth.at = slices.Clone(s.growth.at)
	c.Parts = slices.Clone(s.Parts)
	for i, p := range c.Parts {
		c.Parts[i].Snapshot = p.Snapshot.clone()
	}
	return &c
}
