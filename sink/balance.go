package sink

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"openload/report"
	"openload/sla"
)

// balance writes what became of the operations.
func (p *page) balance() {
	p.section()
	c := p.Counts
	if p.Plan.Model == "file" {
		p.list("samples", fmt.Sprintf("%d read", c.Scheduled), fmt.Sprintf("%d ok", c.OK), fmt.Sprintf("%d failed", p.failures()))
	} else {
		p.list("operations", p.operations()...)
	}
	p.warmup()
	p.list("failed", p.failedBy()...)
	p.attempts()
	p.list("statuses", p.statuses()...)
	if len(p.SLA) == 1 && !p.showsRules() {
		p.overLimit(p.SLA[0])
	}
	p.overTime()
	p.underWay()
	if p.Plan.Model != "file" {
		took := []string{p.duration(p.Run.Duration)}
		if n := c.LateAnswers; n != nil && *n > 1 { // the last one always does
			took = append(took, several(*n, "operation")+" ended after the last arrival")
		}
		p.list("run took", took...)
	}
}

func (p *page) operations() (items []string) {
	c := p.Counts
	if n := c.Planned; n != nil && *n != c.Scheduled+p.warmedUp() {
		items = append(items, fmt.Sprintf("%d planned", *n))
	}
	items = append(items, fmt.Sprintf("%d scheduled", c.Scheduled))
	if c.Fired != c.Scheduled {
		items = append(items, fmt.Sprintf("%d fired", c.Fired))
	}
	return append(items, fmt.Sprintf("%d sent", c.Sent), fmt.Sprintf("%d ok", c.OK),
		fmt.Sprintf("%d failed", p.failures()), fmt.Sprintf("%d dropped", c.Dropped))
}

// warmedUp is the number of operations that were not judged.
func (p *page) warmedUp() uint64 {
	if p.Warmup == nil {
		return 0
	}
	return p.Warmup.Counts.Scheduled
}

// failures is the number of operations that were tried and did not succeed.
func (p *page) failures() uint64 {
	c := p.Counts
	n := c.BadStatus + c.TimedOut + c.Unfinished + c.Blocked
	for _, m := range c.Errors {
		n += m
	}
	return n
}

// failedBy lists the failures by cause, in a fixed order.
func (p *page) failedBy() (items []string) {
	c := p.Counts
	add := func(n uint64, what string) {
		if n > 0 {
			items = append(items, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(c.BadStatus, "bad status")
	for _, class := range slices.Sorted(maps.Keys(c.Errors)) {
		add(c.Errors[class], strings.ReplaceAll(class, "_", " "))
	}
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(c.Timeouts)) {
		if n := c.Timeouts[kind]; n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", n, strings.ReplaceAll(kind, "_", " ")))
		}
	}
	if len(kinds) > 0 {
		add(c.TimedOut, "timed out ("+strings.Join(kinds, ", ")+")")
	} else {
		add(c.TimedOut, "timed out")
	}
	add(c.Unfinished, "unfinished at the end")
	add(c.Blocked, "blocked by the breaker")
	if c.Unknown > 0 {
		items = append(items, fmt.Sprintf("of them %d unknown: they may have had their effect", c.Unknown))
	}
	return items
}

// statuses lists the HTTP statuses, unless all were 200.
func (p *page) statuses() (items []string) {
	for _, code := range slices.Sorted(maps.Keys(p.Counts.Status)) {
		if n := p.Counts.Status[code]; n > 0 {
			items = append(items, fmt.Sprintf("%d x %s", n, code))
		}
	}
	if len(items) == 1 && p.Counts.Status["200"] > 0 {
		return nil
	}
	return items
}

// overLimit says how many operations were over the only rule's limit.
func (p *page) overLimit(r report.Rule) {
	rule, err := sla.Parse(r.Rule)
	if r.Over == nil || err != nil || rule.Metric != sla.Percentile {
		return
	}
	text := fmt.Sprintf("%d of %d %s", *r.Over, r.Of, beyond(rule))
	if p.failures() > 0 {
		text += " or failed"
	}
	if r.Episodes != nil && *r.Episodes > 0 {
		text += ", in " + several(*r.Episodes, "episode")
	}
	if r.Allowed != nil {
		text += fmt.Sprintf("; %s allows %d", rule.Quantile, *r.Allowed)
	}
	p.say("over limit", text)
}
