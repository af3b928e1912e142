package sink

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"openload/report"
)

// CompareJSON writes the document openload/compare/v1.
func CompareJSON(w io.Writer, c *report.Comparison) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(c)
}

// CompareText writes a comparison for people: the verdict, what became of each
// percentile, how sure that is, and what else the runs differ in.
func CompareText(w io.Writer, c *report.Comparison, opt TextOptions) error {
	p := &page{Report: &report.Report{}, TextOptions: opt, style: style{opt.Unit, opt.ASCII}}
	p.compared(c)
	if !opt.Quiet {
		p.gateLines(c)
		p.changes(c)
		p.section()
		p.side("base", &c.Base)
		p.side("new", &c.New)
		p.section()
		p.unalike(c)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// compared is the first line.
func (p *page) compared(c *report.Comparison) {
	word := map[string]string{"pass": "PASS", "fail": "FAIL", "invalid": "INVALID", "inconclusive": "INCONCLUSIVE"}[c.Verdict]
	var parts []string
	switch {
	case c.Verdict == "invalid":
		parts = append(parts, "a side has no run that counts")
	case word == "":
		word = "DONE"
		parts = append(parts, p.inShort(c))
	case c.Verdict == "pass" && len(c.Gates) > 1:
		parts = append(parts, fmt.Sprintf("%d gates, none of which is surely broken", len(c.Gates)))
	default:
		for _, g := range c.Gates {
			if g.Outcome == c.Verdict {
				parts = append(parts, g.Gate+"   "+p.gate(g))
			}
		}
	}
	start := " " + word + "  "
	if line := start + strings.Join(parts, "   "); width(line) <= columns {
		p.lines([]string{line}, word)
		return
	}
	p.lines(wrap(start, inset, sentence(strings.Join(parts, "; "))), word)
}

// inShort is the answer without gates: what p99, or else any percentile, did.
func (p *page) inShort(c *report.Comparison) string {
	if c.Single {
		return "one run a side: too few runs to say what became of the server"
	}
	var worse, better []string
	for _, x := range c.Changes {
		switch x.Answer {
		case report.TooFewRuns:
			return fmt.Sprintf("%d and %d: too few runs to show any difference", c.Base.Runs, c.New.Runs)
		case report.Worse:
			worse = append(worse, x.Name)
		case report.Better:
			better = append(better, x.Name)
		}
	}
	var said []string
	if len(worse) > 0 {
		said = append(said, "worse: "+strings.Join(worse, ", "))
	}
	if len(better) > 0 {
		said = append(said, "better: "+strings.Join(better, ", "))
	}
	if len(said) == 0 {
		return "no significant difference"
	}
	return strings.Join(said, "   ")
}

// gate is what became of one, in words.
func (p *page) gate(g report.GateResult) string {
	value := func(v *float64) string {
		switch {
		case v == nil:
			return "among the failures"
		case strings.Contains(g.Gate, "errors"):
			return percent(*v)
		}
		return p.duration(time.Duration(math.Round(*v)))
	}
	was := fmt.Sprintf("%s, was %s", value(g.New), value(g.Base))
	if g.New != nil && g.Base != nil && *g.Base > 0 && !strings.Contains(g.Gate, "errors") {
		was += " (" + signed(*g.New / *g.Base - 1) + ")"
	}
	switch g.Answer {
	case report.Worse:
		return was + ": worse than that"
	case report.TooFewRuns:
		return was + ": too few runs"
	case "within":
		return was + ": surely within"
	}
	return was + ": not significant"
}

// signed is a change as a share, with its sign.
func signed(share float64) string {
	text := percent(math.Abs(share))
	switch {
	case text == "0 %":
		return text
	case share < 0:
		return "-" + text
	}
	return "+" + text
}

func (p *page) gateLines(c *report.Comparison) {
	if len(c.Gates) < 2 {
		return
	}
	p.section()
	p.lines([]string{" gates"})
	for _, g := range c.Gates {
		word := map[string]string{"pass": "ok", "fail": "FAILED", "inconclusive": "OPEN"}[g.Outcome]
		p.lines(wrap(fmt.Sprintf("   %-6s  ", word), 11, sentence(g.Gate+"  "+p.gate(g))), word)
	}
}

func (p *page) changes(c *report.Comparison) {
	if len(c.Changes) == 0 {
		return
	}
	p.section()
	if c.Single {
		rows := [][]string{{" " + c.Set, "base", "bounds", "new", "bounds", "change", ""}}
		for _, x := range c.Changes {
			say := ""
			if x.Answer == report.Apart {
				say = "apart"
			}
			rows = append(rows, []string{"   " + x.Name, p.known(x.BaseMean, "failed"), p.bounds(x.BaseBounds), p.known(x.NewMean, "failed"), p.bounds(x.NewBounds), change(x.Share), say})
		}
		p.lines(Columns(rows))
		return
	}
	rows := [][]string{{" " + c.Set, "base", "new", "change", fmt.Sprintf("%v %% interval", c.Confidence), "p", ""}}
	for _, x := range c.Changes {
		interval, value := "-", "-"
		if x.Lower != nil && x.Upper != nil {
			interval = p.more(*x.Lower) + " to " + p.more(*x.Upper)
		}
		if x.P != nil {
			value = fmt.Sprintf("%.3f", *x.P)
		}
		rows = append(rows, []string{"   " + x.Name, p.known(x.BaseMean, "failed"), p.known(x.NewMean, "failed"), change(x.Share), interval, value, x.Answer})
	}
	p.lines(Columns(rows))
}

func change(share *float64) string {
	if share == nil {
		return "-"
	}
	return signed(*share)
}

func (p *page) bounds(b *report.Bounds) string {
	if b == nil {
		return "-"
	}
	return p.known(b.Lower, "?") + " to " + p.known(b.Upper, "?")
}

// more is a difference, with its sign.
func (p *page) more(d time.Duration) string {
	if d < 0 {
		return "-" + p.duration(-d)
	}
	return "+" + p.duration(d)
}

func (p *page) side(name string, s *report.Side) {
	p.say(name, several(uint64(s.Runs), "run")+" of "+strings.Join(s.Files, ", "))
	for _, why := range s.Left {
		p.say("", "left out: "+why)
	}
}

func (p *page) unalike(c *report.Comparison) {
	for _, d := range c.Differences {
		p.point(fmt.Sprintf("the runs differ in %s: %s", d.What, strings.Join(d.Values, " / ")))
	}
	for _, n := range c.Notes {
		p.point(n.Text)
	}
	if len(c.Changes) > 0 && !c.Single {
		p.point("the unit is the run: a row compares the means over runs of each run's own percentile, by an exact permutation test; each row and each gate is tested for itself")
	}
}
