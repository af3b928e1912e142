package correct

import "time"

// Stretches counts episodes for somebody who looks on while a run goes on, as a Recorder
// does for its snapshot.
type Stretches struct{ e episodes }

// NewStretches counts those at or over each of the limits.
func NewStretches(limits ...time.Duration) *Stretches {
	return &Stretches{newEpisodes(NewDist(limits...).limits)}
}

// Arrive notes that an operation is due.
func (s *Stretches) Arrive(seq uint64) { s.e.arrive(seq) }

// Settle notes how an operation ended.
func (s *Stretches) Settle(x *Sample) { s.e.settle(x.Seq, x.Corrected(), x.Class != OK) }

// A Stretch is what is known by now of the episodes at or over Limit, up to the oldest
// operation that has not settled. Open says that the last of them goes on with it if that
// operation reaches the limit too.
type Stretch struct {
	Episode
	Open bool
}

// Now appends what is known of each limit to dst.
func (s *Stretches) Now(dst []Stretch) []Stretch {
	for i, limit := range s.e.limits {
		dst = append(dst, Stretch{Episode{limit, s.e.count[i]}, s.e.inside&(1<<i) != 0})
	}
	return dst
}
