package sink

import (
	"fmt"
	"strconv"
	"time"

	"openload/report"
)

// warmup says what was sent and kept out of the numbers.
func (p *page) warmup() {
	w := p.Warmup
	if w == nil {
		return
	}
	text := fmt.Sprintf("%s due in the first %s, sent and kept out of the numbers: %d ok, %d failed",
		several(w.Counts.Scheduled, "operation"), p.duration(w.Until), w.Counts.OK, w.Failed)
	d, name := w.Latency.Corrected, "corrected"
	if d == nil {
		d, name = w.Latency.Raw, "raw"
	}
	if d != nil && d.N > 0 {
		text += fmt.Sprintf("; %s p50 %s, p99 %s", name, p.known(d.P50, "failed"), p.known(d.P99, "failed"))
	}
	p.say("warm-up", text)
}

// stages writes a row for each phase of the plan.
func (p *page) stages() {
	if len(p.Stages) == 0 {
		return
	}
	rows := [][]string{{" phases (corrected)", "from", "rate", "operations", "failed", "p50", "p99", "max"}}
	for _, s := range p.Stages {
		name := shorten(printable(s.Name), 20)
		if s.Warmup {
			name += " *"
		}
		none := "failed"
		if s.Counts.Scheduled == 0 {
			none = "-"
		}
		var p50, p99, most *time.Duration
		if d := s.Latency.Corrected; d != nil {
			p50, p99, most = d.P50, d.P99, d.Max
		}
		rows = append(rows, []string{
			spaces(inset) + name, p.duration(s.At), shorten(printable(s.Rate), 20), strconv.FormatUint(s.Counts.Scheduled, 10),
			strconv.FormatUint(s.Failed, 10), p.known(p50, none), p.known(p99, none), p.known(most, none),
		})
	}
	p.section()
	p.table(rows)
	if p.Warmup != nil {
		p.point("* warm-up: not judged")
	}
}

// tidyStages is tidy for the phases of the plan.
func tidyStages(all []report.Stage) []report.Stage {
	if all == nil {
		return nil
	}
	out := append([]report.Stage{}, all...)
	for i := range out {
		c := &out[i].Counts
		c.Errors, c.Timeouts, c.Status = filled(c.Errors), filled(c.Timeouts), filled(c.Status)
	}
	return out
}

// tidyWarmup is tidy for the warm-up.
func tidyWarmup(w *report.Warmup) *report.Warmup {
	if w == nil {
		return nil
	}
	out := *w
	out.Counts.Errors, out.Counts.Timeouts, out.Counts.Status = filled(w.Counts.Errors), filled(w.Counts.Timeouts), filled(w.Counts.Status)
	return &out
}
