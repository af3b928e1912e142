package sink

import (
	"fmt"
	"time"

	"openload/report"
)

// peakWidths are the widths of the table; JSON has them all.
var peakWidths = []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, time.Second}

// peaks writes the most attempts that left at once, where that says more than the rate:
// after retries, and where a crowd stands out.
func (p *page) peaks() {
	k := p.Peaks
	if k == nil || k.Later.N == 0 && k.All.Wave == nil {
		return
	}
	p.section()
	head := []string{" peaks"}
	for _, h := range peakWidths {
		head = append(head, "in "+p.quantity(h, 1))
	}
	table := [][]string{head, p.peakRow("attempts", &k.All)}
	if k.Later.N > 0 {
		table = append(table, p.peakRow("after the first", &k.Later))
	}
	p.table(table)
	p.wave("attempts", &k.All, k)
	if k.Later.N > 0 {
		p.wave("attempts after the first", &k.Later, k)
	}
	if n := k.All.Late; n > 0 {
		p.point(several(n, "attempt") + " took too long to be in it")
	}
	if k.All.AtMost {
		p.point("peaks of what ran side by side are added up: together they may have been lower, never higher")
	}
}

func (p *page) peakRow(name string, a *report.Arrivals) []string {
	cells := []string{spaces(inset) + name}
	for _, h := range peakWidths {
		cell := "-"
		for _, x := range a.Curve {
			if x.Width == h {
				cell = fmt.Sprint(x.Sliding)
			}
		}
		cells = append(cells, cell)
	}
	return cells
}

// wave says what the crowd is that stands out, and in which width its spread shows.
func (p *page) wave(what string, a *report.Arrivals, k *report.Peaks) {
	w := a.Wave
	switch {
	case w == nil:
		return
	case w.Width == 0:
		p.point(fmt.Sprintf("%d %s left together, at %s", w.N, what, p.duration(w.At)))
		return
	}
	text := fmt.Sprintf("%d %s left within %s, from %s on; ", w.N, what, p.duration(w.Width), p.duration(w.At))
	switch {
	case a.Fit != nil:
		text += fmt.Sprintf("windows of %s show best how they are spread, those of %s or more do not at all", p.quantity(*a.Fit, 1), p.duration(w.Width))
	case w.Width <= 2*k.Smear:
		text += fmt.Sprintf("openload itself was up to %s late, so how they are spread may be its own doing", p.duration(k.Smear))
	default:
		text += "no width shows how they are spread: they are too few, or too close together"
	}
	p.point(text)
}

// tidyPeaks is tidy for this part.
func tidyPeaks(k *report.Peaks) *report.Peaks {
	if k == nil {
		return nil
	}
	c := *k
	for _, a := range []*report.Arrivals{&c.All, &c.Later} {
		a.Curve = append([]report.Peak{}, a.Curve...)
	}
	return &c
}
