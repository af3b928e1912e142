package sink

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"openload/report"
)

// mostTargets is how many rows the table has; all of them are in the JSON.
const mostTargets = 25

// targets writes a row for each target: how much of the load it was, how often it was
// tried, and what it took.
func (p *page) targets() {
	if len(p.Targets) == 0 {
		return
	}
	heading, reading := " targets (corrected)", func(t report.Target) *report.Dist { return t.Latency.Corrected }
	if p.Plan.Model == "closed" {
		heading, reading = " targets (raw)", func(t report.Target) *report.Dist { return t.Latency.Raw }
	}
	rows := [][]string{{heading, "sent", "operations", "attempts", "each", "failed", "p50", "p99"}}
	names := p.targetNames(20)
	for i, t := range p.Targets {
		if i == mostTargets {
			break
		}
		var p50, p99 *time.Duration
		if d := reading(t); d != nil {
			p50, p99 = d.P50, d.P99
		}
		none := "failed"
		if t.Counts.Scheduled == 0 {
			none = "-"
		}
		rows = append(rows, []string{
			spaces(inset) + names[i], p.part(t.SentShare), strconv.FormatUint(t.Counts.Scheduled, 10),
			strconv.FormatUint(t.Counts.Attempts, 10), each(t), strconv.FormatUint(t.Failed, 10), p.known(p50, none), p.known(p99, none),
		})
	}
	p.section()
	p.table(rows)
	if n := len(p.Targets) - mostTargets; n > 0 {
		p.point(several(uint64(n), "more target") + " in the JSON report")
	}
	for _, text := range []string{p.mostTried(), p.offMix()} {
		if text != "" {
			p.point(text)
		}
	}
}

// part is a share in a cell.
func (p *page) part(share *float64) string {
	if share == nil || !number(*share) {
		return "-"
	}
	return percent(rounded(*share, 3))
}

// each is a target's attempts for each operation, in a cell.
func each(t report.Target) string {
	if x := t.AttemptsPerOperation; x != nil && number(*x) {
		return strconv.FormatFloat(*x, 'f', 2, 64)
	}
	return "-"
}

// mostTried names the target that was tried more often than the others, if one stands
// out: by a tenth or more.
func (p *page) mostTried() string {
	if len(p.Targets) < 2 {
		return ""
	}
	most := 0
	var attempts, fired uint64
	for i, t := range p.Targets {
		attempts += t.Counts.Attempts
		fired += t.Counts.Fired
		if x := t.AttemptsPerOperation; x != nil && *x > perOperation(p.Targets[most]) {
			most = i
		}
	}
	t := p.Targets[most]
	if attempts < t.Counts.Attempts || fired <= t.Counts.Fired || t.AttemptsPerOperation == nil {
		return ""
	}
	rest := float64(attempts-t.Counts.Attempts) / float64(fired-t.Counts.Fired)
	if !number(*t.AttemptsPerOperation) || *t.AttemptsPerOperation < 1.1*rest {
		return ""
	}
	return fmt.Sprintf("%s was tried %.2f times an operation, the others together %.2f times", t.Name, *t.AttemptsPerOperation, rest)
}

func perOperation(t report.Target) float64 {
	if t.AttemptsPerOperation == nil {
		return 0
	}
	return *t.AttemptsPerOperation
}

// offMix names the target whose share of what was sent is furthest from what was
// planned, if that is more than a hundredth of all, and more than chance or a round that
// was not ended can make it: four standard deviations and an operation.
func (p *page) offMix() string {
	furthest, by := -1, 0.01
	n := float64(max(1, p.Counts.Sent))
	for i, t := range p.Targets {
		if t.SentShare == nil || t.PlannedShare == nil {
			continue
		}
		off := math.Abs(*t.SentShare - *t.PlannedShare)
		if off > by && off > 1/n+4*math.Sqrt(*t.PlannedShare*(1-*t.PlannedShare)/n) {
			furthest, by = i, off
		}
	}
	if furthest < 0 {
		return ""
	}
	t := p.Targets[furthest]
	return fmt.Sprintf("the mix sent is not the one planned: %s was %s of it and was meant to be %s", t.Name, p.part(t.SentShare), p.part(t.PlannedShare))
}

// shorten cuts s to so many columns, the middle out of it.
func shorten(s string, to int) string {
	if width(s) <= to {
		return s
	}
	runes := []rune(s)
	for n := len(runes) - 1; n > 0; n-- {
		if cut := string(runes[:n-n/2]) + ".." + string(runes[len(runes)-n/2:]); width(cut) <= to {
			return cut
		}
	}
	return ""
}

// targetNames are the targets' names in so many columns: those that would look alike
// begin shortly before they differ.
func (p *page) targetNames(to int) []string {
	short := make([]string, len(p.Targets))
	alike := map[string][]int{}
	for i, t := range p.Targets {
		short[i] = shorten(printable(t.Name), to)
		alike[short[i]] = append(alike[short[i]], i)
	}
	const before = 4 // runes that they have in common
	for _, group := range alike {
		if len(group) == 1 {
			continue
		}
		first := []rune(printable(p.Targets[group[0]].Name))
		common := len(first)
		for _, i := range group[1:] {
			other := []rune(printable(p.Targets[i].Name))
			n := 0
			for n < min(common, len(other)) && first[n] == other[n] {
				n++
			}
			common = n
		}
		for _, i := range group {
			rest := []rune(printable(p.Targets[i].Name))[max(0, common-before):]
			text := ".." + string(rest)
			for n := len(rest); width(text) > to && n > 0; n-- {
				text = ".." + string(rest[:n-1]) + ".."
			}
			short[i] = text
		}
	}
	return short
}

// tidyTargets is tidy for the targets.
func tidyTargets(all []report.Target) []report.Target {
	if all == nil {
		return nil
	}
	out := append([]report.Target{}, all...)
	for i := range out {
		t := &out[i]
		t.Counts.Errors, t.Counts.Timeouts, t.Counts.Status = filled(t.Counts.Errors), filled(t.Counts.Timeouts), filled(t.Counts.Status)
		for _, x := range []**float64{&t.PlannedShare, &t.SentShare, &t.AttemptsPerOperation} {
			if *x != nil && !number(**x) {
				*x = nil
			}
		}
	}
	return out
}
