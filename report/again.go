package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"openload/internal/nearest"
	"openload/sla"
)

// Judge is r judged by other rules, or at another confidence. The error names all the
// rules that r has nothing to judge by, or says why r can't be judged at all.
//
// Where a rule's limit was not told before the run, its histogram decides; if the limit
// falls inside the deciding bucket, a note says so.
func (r *Report) Judge(rules []sla.Rule, confidence float64) (*Report, error) {
	if r.File != nil && (r.Correction.Synthetic > 0 || r.Latency.Queue != nil && r.Correction.Method == "queue") {
		return nil, fmt.Errorf("most of it is what the correction (%s) made up, and the report alone does not tell how much; judge the file itself: %s --sla RULE", r.Correction.Method, r.Plan.Command)
	}
	var wrong []error
	for _, rule := range rules {
		wrong = append(wrong, r.fits(rule))
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	e, err := r.evidence(confidence)
	if err != nil {
		return nil, err
	}
	v := sla.Judge(rules, e)
	out := *r
	out.Plan.Confidence = confidence
	out.judged(&v)
	out.Notes = append(r.lasting(), out.Notes...)
	return &out, nil
}

// Rules are those that r was judged by.
func (r *Report) Rules() (rules []sla.Rule, err error) {
	for _, x := range r.SLA {
		rule, err := sla.Parse(x.Rule)
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// fits says what r lacks to be judged by the rule.
func (r *Report) fits(rule sla.Rule) error {
	if rule.Target != "" {
		var names []string
		for _, t := range r.Targets {
			names = append(names, t.Name)
		}
		i := slices.Index(names, rule.Target)
		switch meant := nearest.Of(rule.Target, names); {
		case i >= 0 && rule.Metric == sla.FirstTry && r.Retries != nil && r.Targets[i].FirstTry == nil:
			return fmt.Errorf("rule %q: an older openload wrote the report, and did not say of a target how many operations succeeded at their first attempt", rule)
		case i >= 0:
		case len(names) == 0:
			return fmt.Errorf("rule %q: the run has no targets by name", rule)
		case meant != "":
			return fmt.Errorf("rule %q: there is no target %s, did you mean %q?", rule, rule.Target, meant)
		default:
			return fmt.Errorf("rule %q: there is no target %s; there are %s", rule, rule.Target, strings.Join(names, ", "))
		}
	}
	return rule.Check(r.Latency.Corrected == nil)
}

// lasting are the notes that hold whatever the rules.
func (r *Report) lasting() []Reason {
	notes := []Reason{}
	for _, n := range r.Notes {
		if !sla.OfRules(n.Code) || n.Code == "no_steady_state" {
			notes = append(notes, n)
		}
	}
	return notes
}
