package correct

import (
	"fmt"
	"time"
)

// A Dimension parts a run's operations into groups, such as its targets or its phases.
// A run may have several; each operation is in one group of each.
type Dimension struct {
	Name   string   // what the groups are: target, phase
	Groups []string // their names, which differ; at most [MostGroups]

	// Of says in which of Groups an operation is. Every shard of a run must agree.
	Of func(seq uint64, intended time.Duration) int
}

// MostGroups bounds a Dimension's groups: each takes what a [Recorder] does without its
// peaks, some hundred kB once it has seen samples.
const MostGroups = 50

// A Grouped is a Recorder with further ones, one for each group. What is recorded costs
// as much again for every dimension. It belongs to one goroutine, like a Recorder.
type Grouped struct {
	*Recorder
	dimensions []Dimension
	parts      [][]*Recorder
}

// NewGrouped returns an empty recorder. It panics if there are more groups than may be.
func NewGrouped(opt Options, dimensions ...Dimension) *Grouped {
	g := &Grouped{Recorder: NewRecorder(opt), dimensions: dimensions, parts: make([][]*Recorder, len(dimensions))}
	part := Options{Limits: opt.Limits, Closed: opt.Closed, Unknown: opt.Unknown, Again: true}
	for i, d := range dimensions {
		if len(d.Groups) > MostGroups {
			panic(fmt.Sprintf("correct: %d groups of one kind; %d may be", len(d.Groups), MostGroups))
		}
		for range d.Groups {
			r := NewRecorder(part)
			r.snap.ordered = false // the server had others to answer meanwhile
			g.parts[i] = append(g.parts[i], r)
		}
	}
	return g
}

// Arrive is as a Recorder's.
func (g *Grouped) Arrive(seq uint64, intended, dispatched time.Duration, waiting, out int) {
	g.Recorder.Arrive(seq, intended, dispatched, waiting, out)
	for i, d := range g.dimensions {
		s := &g.parts[i][d.Of(seq, intended)].snap
		if s.Counts.Scheduled == 0 {
			s.FirstIntended, s.FirstDispatched = intended, dispatched
		}
		s.Counts.Scheduled++
		s.LastIntended, s.LastDispatched = intended, dispatched
	}
}

// Record is as a Recorder's.
func (g *Grouped) Record(x Sample) {
	g.Recorder.Record(x)
	for i, d := range g.dimensions {
		g.parts[i][d.Of(x.Seq, x.Intended)].Record(x)
	}
}

// Snapshot is a copy of all that was recorded so far, with the groups in Parts.
func (g *Grouped) Snapshot() *Snapshot {
	s := g.Recorder.Snapshot()
	for i, d := range g.dimensions {
		for j, name := range d.Groups {
			s.Parts = append(s.Parts, Part{d.Name, name, g.parts[i][j].Snapshot()})
		}
	}
	return s
}

// A Part is what belongs to one group. Its snapshot has no series, peaks or episodes,
// no prediction for a closed loop, and does not know what else was out.
type Part struct {
	Dimension string
	Name      string
	Snapshot  *Snapshot
}

// PartsOf are the groups of a dimension, in its order; none if there is no such one.
func (s *Snapshot) PartsOf(dimension string) (parts []Part) {
	for _, p := range s.Parts {
		if p.Dimension == dimension {
			parts = append(parts, p)
		}
	}
	return parts
}

// Part is a group's snapshot; nil if there is no such group.
func (s *Snapshot) Part(dimension, name string) *Snapshot {
	for _, p := range s.Parts {
		if p.Dimension == dimension && p.Name == name {
			return p.Snapshot
		}
	}
	return nil
}

// mergeParts adds the groups of o to those of the same name, and the others behind them.
func (s *Snapshot) mergeParts(o *Snapshot) {
	for _, p := range o.Parts {
		if have := s.Part(p.Dimension, p.Name); have != nil {
			have.Merge(p.Snapshot)
		} else {
			s.Parts = append(s.Parts, Part{p.Dimension, p.Name, p.Snapshot.clone()})
		}
	}
}
