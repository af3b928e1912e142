package sink

import (
	"fmt"
	"strings"
	"unicode"

	"openload/correct"
	"openload/report"
	"openload/sla"
)

// beyond is what an operation did that a latency rule's limit does not want.
func beyond(r sla.Rule) string {
	limit := r.Latency.String()
	if i := strings.IndexFunc(limit, unicode.IsLetter); !strings.ContainsAny(limit[i:], "0123456789") {
		limit = limit[:i] + " " + limit[i:]
	}
	if r.Equal {
		return "took more than " + limit
	}
	return "took " + limit + " or more"
}

func isLatency(r sla.Rule) bool { return r.Metric == sla.Percentile || r.Metric == sla.Mean }

// value is what was measured, in the rule's terms.
func (p *page) value(r report.Rule) string {
	rule, _ := sla.Parse(r.Rule)
	switch {
	case r.ValueNS != nil:
		return p.duration(*r.ValueNS)
	case r.Value != nil && rule.Metric != sla.Attempts:
		return percent(*r.Value)
	case r.Value != nil:
		return digits(*r.Value, 3, false)
	case r.Of > 0 && isLatency(rule):
		return "failed"
	}
	return "nothing"
}

// outcome is what was measured, as a sentence. Of a rule that we cannot read, from
// a later version's report, it says the value.
func (p *page) outcome(r report.Rule) string {
	rule, _ := sla.Parse(r.Rule)
	of := ""
	if rule.Target != "" {
		of = " of " + rule.Target
	}
	value := p.value(r)
	switch {
	case value == "nothing":
		return "there is nothing to judge"
	case rule.Metric == sla.Percentile && value == "failed":
		return reading(rule) + of + " falls among " + p.theFailed(rule)
	case rule.Metric == sla.Mean && value == "failed":
		return reading(rule) + of + " does not exist, for some failed"
	case isLatency(rule):
		return reading(rule) + of + " is " + value
	case rule.Metric == sla.Errors:
		return value + of + " failed"
	case rule.Metric == sla.FirstTry:
		return value + of + " succeeded at the first attempt"
	case rule.Metric == sla.Useful:
		return value + of + " were of use"
	case rule.Metric == sla.Attempts:
		return value + " attempts an operation" + of
	case rule.Metric == sla.Rate:
		return value + " of the planned rate left"
	}
	return "the value is " + value
}

// reading is what a latency rule is about.
func reading(r sla.Rule) string {
	metric := "mean"
	if r.Metric == sla.Percentile {
		metric = r.Quantile.String()
	}
	if r.Set == correct.CorrectedOK {
		return metric + " of successes"
	}
	return r.Set.String() + " " + metric
}

func (p *page) theFailed(r sla.Rule) string {
	if c := p.Latency.Corrected; r.Set == correct.Corrected && r.Target == "" && c != nil {
		return fmt.Sprintf("the %d of %d that failed", c.Failed, c.N)
	}
	return "those that failed"
}

// over says how many values were over the limit; "" where that was not counted.
func (p *page) over(r report.Rule) string {
	if r.Over == nil {
		return ""
	}
	how := "over"
	switch rule, _ := sla.Parse(r.Rule); {
	case rule.Metric == sla.Errors:
		how = "failed"
	case rule.Metric == sla.Useful:
		how = "of no use"
	case rule.Metric == sla.FirstTry:
		how = "not at the first attempt"
	case p.failures() > 0:
		how = "over or failed"
	}
	s := fmt.Sprintf("%d of %d %s", *r.Over, r.Of, how)
	if r.Allowed != nil {
		s += fmt.Sprintf(", %d allowed", *r.Allowed)
	}
	if r.Episodes != nil && *r.Episodes > 0 {
		s += ", in " + several(*r.Episodes, "episode")
	}
	return s
}

// showsRules reports whether the first line leaves something to say of the rules.
func (p *page) showsRules() bool { return len(p.SLA) > 1 || len(p.SLA) == 1 && !p.decided() }

// rules writes a line for each, with what does not fit under it.
func (p *page) rules() {
	if !p.showsRules() {
		return
	}
	p.section()
	heading := " rules"
	if !p.decided() {
		heading = " rules, as far as measured"
	}
	p.lines([]string{heading})
	const widest = 26 // a longer rule, with a target's name, has lines of its own
	var ruleWidth, valueWidth int
	for _, r := range p.SLA {
		if w := width(printable(r.Rule)); w <= widest {
			ruleWidth = max(ruleWidth, w)
		}
		valueWidth = max(valueWidth, width(p.value(r)))
	}
	valueAt := inset + len("FAILED  ") + ruleWidth + 2
	for _, r := range p.SLA {
		status := ruleStatus(r)
		value := p.value(r)
		var detail []string
		for _, d := range []string{p.over(r), p.flip(r)} {
			if d != "" {
				detail = append(detail, d)
			}
		}
		lines := wrap(fmt.Sprintf("   %-6s  ", status), inset+len("FAILED  "), sentence(r.Rule))
		last := &lines[len(lines)-1]
		if len(lines) > 1 || width(*last) > valueAt-2 {
			lines = append(lines, "")
			last = &lines[len(lines)-1]
		}
		*last += spaces(valueAt+valueWidth-width(value)-width(*last)) + value
		rest := beside(*last, valueAt+valueWidth+2, sentence(strings.Join(detail, "; ")))
		p.lines(append(lines[:len(lines)-1], rest...), status)
	}
}

// ruleStatus is what a rule comes to for what was measured, in a word.
func ruleStatus(r report.Rule) string {
	switch {
	case r.Pass:
		return "ok"
	case r.Outcome == "invalid" && r.Of == 0, r.Value == nil && r.ValueNS == nil && r.Over == nil:
		return "-" // there was nothing to judge
	}
	return "FAILED"
}
