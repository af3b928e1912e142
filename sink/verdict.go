package sink

import (
	"fmt"
	"strings"
	"time"

	"openload/report"
)

// word is the page's first word.
func (p *page) word() string {
	switch {
	case p.Run.Interrupted:
		return "INTERRUPTED"
	case p.Verdict == "pass":
		return "PASS"
	case p.Verdict == "fail":
		return "FAIL"
	case p.Verdict == "inconclusive":
		return "INCONCLUSIVE"
	case p.Verdict == "none":
		return "DONE"
	}
	return "INVALID" // a verdict that we don't know is none to rely on
}

// decided reports whether the rules' outcomes are the verdict.
func (p *page) decided() bool { return p.word() == "PASS" || p.word() == "FAIL" }

// verdict writes the first line.
func (p *page) verdict() {
	word, parts := p.headline()
	start := " " + word + "  "
	line := printable(start + strings.Join(parts, "   "))
	for _, loud := range []string{"   (-k: TLS not verified)", "   (-k)"} {
		if p.Plan.Insecure && width(line+loud) <= columns {
			line += loud
			break
		}
	}
	if width(line) > columns {
		p.lines(wrap(start, inset, items(parts, inset)), p.word())
		return
	}
	p.lines([]string{line}, p.word())
}

// headline is the verdict, and what it rests on in a few short parts.
func (p *page) headline() (word string, parts []string) {
	word = p.word()
	switch word {
	case "PASS":
		parts = p.passed()
	case "FAIL":
		parts = p.failed()
	case "DONE":
		parts = p.done()
	case "INTERRUPTED":
		parts = p.interrupted()
	default:
		parts = []string{p.undecided()}
	}
	if p.Plan.Model == "closed" && !p.Run.Interrupted && word != "INVALID" {
		parts = append(parts, "(closed loop: raw only)")
	}
	for _, r := range p.Reasons {
		if r.Code == "cut" {
			parts = append(parts, "(of a file that is cut off)")
		}
	}
	if word == "PASS" && p.Correction.Synthetic > 0 {
		word = "PASS (not refuted)" // synthetic samples are never evidence
	}
	return word, parts
}

// reasons writes why the verdict is what it is.
func (p *page) reasons() {
	left := p.untold()
	if len(left) == 0 {
		return
	}
	p.section()
	for _, text := range left {
		p.point(text)
	}
}

// untold are the reasons that neither the headline nor the rules tell.
func (p *page) untold() (left []string) {
	if p.Run.Aborted {
		for _, n := range p.Notes {
			if n.Code == "aborted" {
				left = append(left, n.Text)
			}
		}
	}
	for i, r := range p.Reasons {
		told := r.Code == "rule_broken" || r.Code == "interrupted" || i == 0 && p.inFull()
		if !told {
			left = append(left, r.Text)
		}
	}
	return left
}

func (p *page) passed() []string {
	switch n := len(p.SLA); n {
	case 0:
		return nil
	case 1:
		return []string{p.SLA[0].Rule, p.outcome(p.SLA[0])}
	default:
		return []string{fmt.Sprintf("all %d rules held", n), p.SLA[0].Rule + ": " + p.outcome(p.SLA[0])}
	}
}

func (p *page) failed() []string {
	rule, ok := p.deciding()
	if !ok {
		return p.firstReason()
	}
	parts := []string{rule.Rule, p.outcome(rule)}
	if flip := p.flip(rule); flip != "" {
		parts = append(parts, "("+flip+")")
	}
	return parts
}

// deciding is the rule to name first: of those that decided the verdict, one that only
// the corrected numbers fail, else the first.
func (p *page) deciding() (rule report.Rule, ok bool) {
	for _, r := range p.SLA {
		if r.Outcome == "fail" && (!ok || r.Flipped && !rule.Flipped) {
			rule, ok = r, true
		}
	}
	if !ok && len(p.SLA) > 0 {
		return p.SLA[0], true
	}
	return rule, ok
}

// flip says which other reading would have passed, and with what.
func (p *page) flip(r report.Rule) string {
	switch {
	case !r.Flipped:
		return ""
	case r.RawPass != nil && *r.RawPass:
		return "raw would have passed" + p.after(": ", r.RawValueNS)
	default:
		return "a closed loop would pass" + p.after(": ", r.ClosedNS)
	}
}

func (p *page) after(sep string, d *time.Duration) string {
	if d == nil {
		return ""
	}
	return sep + p.duration(*d)
}

// undecided names the first cause; in full if that fits into the line, else by its
// code, for the sentence follows further down.
func (p *page) undecided() string {
	what := ""
	switch len(p.SLA) {
	case 0:
	case 1:
		what = p.SLA[0].Rule + " cannot be decided"
	default:
		what = "the rules cannot be decided"
	}
	if len(p.Reasons) == 0 {
		return what
	}
	if what != "" {
		what += ": "
	}
	if full := what + p.Reasons[0].Text; width(" "+p.word()+"  "+full) <= columns {
		return full
	}
	if short := shortReasons[p.Reasons[0].Code]; short != "" {
		return what + short
	}
	return what + strings.ReplaceAll(p.Reasons[0].Code, "_", " ")
}

// shortReasons are for codes that say little by themselves.
var shortReasons = map[string]string{
	"own_lateness": "our own lateness decides",
	"auto_cap":     "the automatic cap on connections decides",
	"rate_off":     "openload did not keep the schedule",
	"dropped":      "operations were dropped",
	"empty_set":    "there is nothing to judge",
	"too_few":      "too few operations",
	"synthetic":    "it rests on synthetic samples",
}

// inFull reports whether the first line holds the first reason's text.
func (p *page) inFull() bool {
	switch p.word() {
	case "INVALID", "INCONCLUSIVE":
		return strings.HasSuffix(p.undecided(), p.Reasons[0].Text)
	case "FAIL":
		return len(p.SLA) == 0
	}
	return false
}

func (p *page) firstReason() []string {
	if len(p.Reasons) == 0 {
		return nil
	}
	return []string{p.Reasons[0].Text}
}

func (p *page) interrupted() []string {
	done := several(p.Counts.Scheduled, "operation")
	if n := p.Counts.Planned; n != nil {
		done = fmt.Sprintf("%d of %s", p.Counts.Scheduled, several(*n, "operation"))
	}
	if p.Run.Duration == 0 { // a histogram does not know it
		return []string{"after " + done, "no verdict"}
	}
	return []string{"after " + p.duration(p.Run.Duration), done, "no verdict"}
}

func (p *page) done() []string {
	ok := fmt.Sprintf("%d of %d ok", p.Counts.OK, p.Counts.Scheduled)
	if p.Counts.OK == p.Counts.Scheduled {
		ok = fmt.Sprintf("all %d ok", p.Counts.OK)
	}
	if p.Plan.Model != "file" {
		ok += " in " + p.duration(p.Run.Duration)
	}
	parts := []string{ok}
	for _, x := range []row{{"corrected", p.Latency.Corrected}, {"raw", p.Latency.Raw}} {
		if x.Dist != nil && x.N > 0 {
			parts = append(parts, x.name+" p99 "+p.known(x.P99, "failed"))
		}
	}
	return parts
}
