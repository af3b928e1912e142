package run

import (
	"openload/correct"
	"openload/plan"
	"openload/sla"
)

// judge is what the verdict rests on besides the samples.
type judge struct {
	p        *plan.Plan
	planned  uint64
	most     int // connections
	cappedBy int // descriptors

	held, interrupted, aborted bool
	capped                     bool // attempts waited since as many were out as may be
}

func (j judge) of(s *correct.Snapshot) sla.Verdict { return sla.Judge(j.p.Rules, j.evidence(s)) }

func (j judge) evidence(s *correct.Snapshot) sla.Evidence {
	p := j.p
	e := sla.Evidence{
		Snapshot: s, Planned: j.planned, Confidence: p.Confidence, Deadline: p.Deadline, Method: method(p),
		// A burst has no rate to keep, and operations of one instant can't all leave in it.
		Burst:          p.Closed == nil && p.Schedule.Law.Together(),
		Interrupted:    j.interrupted,
		AbortedOnFail:  j.aborted,
		AutoCapReached: p.Connections == 0 && j.most > 0 && (j.capped || s.MaxFlying >= j.most && len(p.Target.Hosts) < 2),
		AutoCap:        j.most,
		Hosts:          len(p.Target.Hosts),
		Held:           j.held,
	}
	if e.AutoCapReached {
		e.Descriptors = j.cappedBy
	}
	return e
}

// abort is what ends the run early, if the plan asks for it. It takes for granted that
// a cap which nobody asked for will be reached.
func (j judge) abort(budgets []sla.Budget, rec interface{ Snapshot() *correct.Snapshot }) *abort {
	if !j.p.AbortOnFail {
		return nil
	}
	j.aborted, j.held = true, j.p.Connections == 0
	a := &abort{
		budgets: budgets, warm: j.p.Warm,
		judge: func() sla.Outcome { return j.of(rec.Snapshot()).Outcome },
	}
	for _, b := range budgets {
		a.lost = append(a.lost, b.Lost(j.p.Confidence))
	}
	return a
}
