package report

import (
	"openload/correct"
	"openload/sla"
)

// judged takes over a verdict.
func (r *Report) judged(v *sla.Verdict) {
	r.Verdict = v.Outcome.String()
	r.Reasons, r.Notes = reasons(v.Reasons), reasons(v.Notes)
	r.SLA = []Rule{}
	for _, x := range v.Results {
		rule := Rule{
			Rule: x.Rule.String(), ValueNS: x.Latency, Value: x.Number,
			Over: x.Over, Allowed: x.Allowed, Of: x.Of, Episodes: x.Episodes, Pass: x.Pass, Outcome: x.Outcome.String(), Flipped: x.Flipped,
		}
		if x.Raw != nil {
			rule.RawValueNS, rule.RawPass = x.Raw.Latency, &x.Raw.Pass
		}
		if x.ClosedLoop != nil {
			rule.ClosedNS, rule.ClosedPass = x.ClosedLoop.Latency, &x.ClosedLoop.Pass
		}
		r.SLA = append(r.SLA, rule)
	}
}

func reasons(doubts []correct.Doubt) []Reason {
	out := []Reason{}
	for _, d := range doubts {
		out = append(out, Reason(d))
	}
	return out
}
