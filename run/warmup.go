package run

import (
	"time"

	"openload/correct"
	"openload/engine"
	"openload/plan"
	"openload/report"
)

// phases parts operations by the plan's phases.
func phases(p *plan.Plan) correct.Dimension {
	d := correct.Dimension{Name: report.PhaseDimension, Of: func(_ uint64, intended time.Duration) int { return p.PhaseAt(intended) }}
	for _, x := range p.Phases {
		d.Groups = append(d.Groups, x.Name)
	}
	return d
}

// A recorder takes what a run did.
type recorder interface {
	engine.Recorder
	Snapshot() *correct.Snapshot
}

// newRecorder is where the samples of p go. warm is what was not judged; nil if
// everything is.
func newRecorder(p *plan.Plan, opt correct.Options) (r recorder, warm func() *correct.Snapshot) {
	if p.WarmUntil() == 0 {
		return correct.NewGrouped(opt, dimensions(p)...), func() *correct.Snapshot { return nil }
	}
	both := newParted(p, opt, dimensions(p))
	return both, both.warm.Snapshot
}

// A parted recorder keeps the operations of the warm-up apart from those that are
// judged. Both together are all that the run did.
type parted struct {
	judged, warm *correct.Grouped
	isWarm       func(intended time.Duration) bool
}

func newParted(p *plan.Plan, opt correct.Options, dimensions []correct.Dimension) *parted {
	return &parted{correct.NewGrouped(opt, dimensions...), correct.NewGrouped(opt, dimensions...), p.Warm}
}

// Snapshot is what is judged.
func (r *parted) Snapshot() *correct.Snapshot { return r.judged.Snapshot() }

func (r *parted) of(intended time.Duration) *correct.Grouped {
	if r.isWarm(intended) {
		return r.warm
	}
	return r.judged
}

// Arrive is as a Recorder's.
func (r *parted) Arrive(seq uint64, intended, dispatched time.Duration, waiting, out int) {
	r.of(intended).Arrive(seq, intended, dispatched, waiting, out)
}

// Record is as a Recorder's.
func (r *parted) Record(x correct.Sample) { r.of(x.Intended).Record(x) }
