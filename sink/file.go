package sink

import (
	"fmt"
	"time"

	"openload/report"
	"openload/sla"
)

// file writes what a file's sample is, what hangs on the interval, and the tests of
// whether the sample lacks what its tool did not send.
func (p *page) file() {
	f := p.File
	if f == nil {
		return
	}
	p.section()
	p.list("file", p.aboutFile()...)
	p.atIntervals()
	if b := f.Bracket; b != nil {
		p.list("bracket", fmt.Sprintf("one worker: p99 lies between raw %s and queue %s", p.known(b.Raw, "failed"), p.known(b.Queue, "failed")))
	}
	if len(f.Fails) > 0 {
		p.section()
		p.lines([]string{" at which rates would it fail? by the queue model, a prediction"})
		for _, x := range f.Fails {
			p.point(p.failsAt(x))
		}
	}
	if len(f.Findings) > 0 {
		p.section()
		p.lines([]string{" does the sample lack what was not sent?"})
		for _, x := range f.Findings {
			p.point(answer(x.Says) + ": " + x.Text)
		}
	}
}

// answers are what a test's outcome says to that question.
var answers = map[string]string{
	report.Coordinated: "yes", report.NotCoordinated: "no", report.Lossy: "rows are missing", report.Unclear: "open",
}

// answer is open for a word of a later version too.
func answer(says string) string {
	if a := answers[says]; a != "" {
		return a
	}
	return answers[report.Unclear]
}

func (p *page) aboutFile() []string {
	f := p.File
	var items []string
	if f.Name != "" && f.Name != "-" {
		items = append(items, f.Name)
	}
	if f.Format != "" {
		items = append(items, f.Format)
	}
	if f.Unit != "" {
		unit := "unit " + f.Unit
		if f.Resolution != nil {
			unit += ", steps of " + p.duration(*f.Resolution)
		}
		items = append(items, unit)
	}
	if f.Span != nil {
		items = append(items, p.duration(*f.Span))
	}
	if f.Workers > 0 {
		items = append(items, several(uint64(f.Workers), "worker")+" by "+f.WorkersBy)
	}
	for _, x := range []struct {
		n    uint64
		one  string
		what string
	}{{f.Skipped, "bad record", "skipped"}, {f.Filtered, "row", "of others left out"}, {f.Dropped, "arrival", "given up by the tool"}} {
		if x.n > 0 {
			items = append(items, several(x.n, x.one)+" "+x.what)
		}
	}
	return items
}

// atIntervals shows how far the result hangs on the interval.
func (p *page) atIntervals() {
	if p.File.Half == nil || p.File.Double == nil {
		return
	}
	at := func(name string, x *report.AtInterval) string {
		return fmt.Sprintf("at %s it, %s: p99 %s, %d added", name, p.duration(x.Interval), p.known(x.P99, "failed"), x.Synthetic)
	}
	p.list("interval", at("half", p.File.Half), at("double", p.File.Double))
}

func (p *page) failsAt(x report.FailsAt) string {
	switch {
	case x.Always:
		return x.Rule + " fails at any rate: enough requests are slow by themselves"
	case x.Interval == nil:
		return x.Rule + " fails at no rate"
	case x.PerSec == nil:
		return x.Rule + " fails only if all come at once"
	}
	if rule, err := sla.Parse(x.Rule); err == nil && rule.Equal {
		// What fails by a nanosecond passes at the interval that a reader is told.
		passes := *x.Interval + 1
		return fmt.Sprintf("%s fails above %s: with less than %s from one request to the next, to a server that takes one at a time", x.Rule, PerSecond(1e9/float64(passes)), p.duration(passes))
	}
	return fmt.Sprintf("%s fails at %s and above: one request every %s or less, to a server that takes one at a time", x.Rule, PerSecond(*x.PerSec), p.duration(max(*x.Interval, time.Nanosecond)))
}

// tidyFile is tidy for the part about a file.
func tidyFile(f *report.File) *report.File {
	if f == nil {
		return nil
	}
	c := *f
	c.Findings = append([]report.Finding{}, c.Findings...)
	c.Fails = append([]report.FailsAt{}, c.Fails...)
	for i, x := range c.Fails {
		if x.PerSec != nil && !number(*x.PerSec) {
			c.Fails[i].PerSec = nil
		}
	}
	return &c
}
