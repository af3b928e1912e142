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
	PlannedShare         *float64 `json:"planned_share"` // of the operations, by weight; null in the report of a file
	SentShare            *float64 `json:"sent_share"`    // of the operations of which a byte was sent
	Counts               Counts   `json:"counts"`
	AttemptsPerOperation *float64 `json:"attempts_per_operation"`
	Failed               uint64   `json:"failed"` // scheduled operations that did not succeed
	Latency              Latency  `json:"latency"`

	FirstTry *uint64   `json:"first_try,omitempty"` // operations that succeeded at their first attempt
	Evidence *Evidence `json:"evidence,omitempty"`  // what else a rule about the target rests on; absent in older reports
}

func targetsOf(p *plan.Plan, s *correct.Snapshot, e *sla.Evidence) (all []Target) {
	for _, share := range p.Shares(correct.MostGroups) {
		of := s.Part(sla.TargetDimension, share.Name)
		if of == nil {
			of = new(correct.Snapshot)
		}
		t := targetOf(share.Name, of, s)
		t.PlannedShare = &share.Planned
		if e != nil {
			t.Evidence = evidenceOf(&sla.Evidence{Snapshot: of, Burst: e.Burst, Held: e.Held, AutoCapReached: e.AutoCapReached})
			if (e.Held || e.AutoCapReached) && p.Closed == nil {
				t.Latency.LessWait = WithHistogram(of.Dist(correct.LessWait))
			}
		}
		all = append(all, t)
	}
	return all
}

// targetOf is the row of a part of s.
func targetOf(name string, of, s *correct.Snapshot) Target {
	return Target{
		Name: name, SentShare: ratio(of.Counts.Sent, s.Counts.Sent),
		Counts: countsOf(&of.Counts, Meta{}), AttemptsPerOperation: ratio(of.Counts.Attempts, of.Counts.Fired),
		Failed: of.Counts.Failed(), Latency: latencyOf(of), FirstTry: &of.Counts.FirstTry,
	}
}

// targetsOfFile are those that the rows of a run's file name.
func targetsOfFile(s *correct.Snapshot) (all []Target) {
	for _, p := range s.PartsOf(sla.TargetDimension) {
		t := targetOf(p.Name, p.Snapshot, s)
		t.Evidence = evidenceOf(&sla.Evidence{Snapshot: p.Snapshot})
		all = append(all, t)
	}
	return all
}
