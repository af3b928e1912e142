package report

import (
	"openload/correct"
	"openload/plan"
	"openload/sla"
)

// A Target is one target's part of a run that has several. All targets together are
// the whole.
type Target struct {
	Name                 string   `json:"name"`
	PlannedShare         float64  `json:"planned_share"` // of the operations, by weight
	SentShare            *float64 `json:"sent_share"`    // of the operations of which a byte was sent
	Counts               Counts   `json:"counts"`
	AttemptsPerOperation *float64 `json:"attempts_per_operation"`
	Failed               uint64   `json:"failed"` // scheduled operations that did not succeed
	Latency              Latency  `json:"latency"`
}

func targetsOf(p *plan.Plan, s *correct.Snapshot) (all []Target) {
	for _, share := range p.Shares(correct.MostGroups) {
		of := s.Part(sla.TargetDimension, share.Name)
		if of == nil {
			of = new(correct.Snapshot)
		}
		all = append(all, Target{
			Name: share.Name, PlannedShare: share.Planned, SentShare: ratio(of.Counts.Sent, s.Counts.Sent),
			Counts: countsOf(&of.Counts, Meta{}), AttemptsPerOperation: ratio(of.Counts.Attempts, of.Counts.Fired),
			Failed: of.Counts.Failed(), Latency: latencyOf(of),
		})
	}
	return all
}
