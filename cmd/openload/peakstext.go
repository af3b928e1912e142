package main

import (
	"fmt"
	"strings"
	"time"

	"openload/sink"
)

// text is the document for people, in 80 columns.
func (d *peaksDoc) text() string {
	var b strings.Builder
	for i := range d.Files {
		if i > 0 {
			b.WriteByte('\n')
		}
		d.Files[i].text(&b)
	}
	if d.Clocks != nil {
		b.WriteByte('\n')
		paragraph(&b, " clocks   ", d.Clocks.String(d.Files[0].Name, d.Files[len(d.Files)-1].Name))
	}
	return b.String()
}

func (f *peaksFile) text(b *strings.Builder) {
	from := ""
	if f.First != nil && !f.Later {
		from = ", from " + f.when(0, time.RFC3339[:10]+" ") + " UTC on"
	}
	what := "arrivals"
	if f.Later {
		what = "attempts after the first"
	}
	paragraph(b, " ", fmt.Sprintf("%s   %d %s in %s%s; read as %s, in steps of %s",
		f.Name, f.N, what, sink.Duration(f.Span), from, f.Format, round(f.Step)))
	burst := "none stands out"
	if w := f.Wave; w != nil {
		burst = fmt.Sprintf("%d arrivals within %s, from %s on", w.N, sink.Duration(w.Width), f.when(w.At, ""))
		if w.Width == 0 {
			burst = fmt.Sprintf("%d arrivals together, at %s", w.N, f.when(w.At, ""))
		}
		if f.Fit != nil {
			burst += fmt.Sprintf("; windows of %s show best how they are spread", round(*f.Fit))
		}
	}
	paragraph(b, " burst    ", burst)
	paragraph(b, " most     ", fmt.Sprintf("%d in %s, from %s on", f.Asked.Sliding, round(f.Asked.Width), f.when(f.Asked.At, "")))
	if f.Asked.Warn {
		paragraph(b, " warning  ", fmt.Sprintf("%s is not fit to show it: %s", round(f.Asked.Width), f.Asked.Fit))
	}
	b.WriteByte('\n')

	table := [][]string{{" width", "sliding", "aligned", "first such window", "to show the burst"}}
	for _, p := range f.Curve {
		fit := f.fits[p.Width]
		if fit == "" {
			fit = "-"
		}
		table = append(table, []string{" " + round(p.Width), fmt.Sprint(p.Sliding), fmt.Sprint(p.Aligned), f.when(p.At, ""), fit})
	}
	for _, line := range sink.Columns(table) {
		b.WriteString(line + "\n")
	}
	for _, note := range f.Notes {
		paragraph(b, " note     ", note)
	}
}

// when is an instant of the file: a time of day in UTC, or an offset from the first arrival.
func (f *peaksFile) when(at time.Duration, date string) string {
	if f.First == nil {
		return fmt.Sprintf("%.*fs", f.decimals(), at.Seconds())
	}
	layout := date + "15:04:05"
	if n := f.decimals(); n > 0 {
		layout += "." + strings.Repeat("0", n)
	}
	return f.First.Add(at).Format(layout)
}

// decimals are as many digits of a second as the times have, up to microseconds.
func (f *peaksFile) decimals() (n int) {
	for step := time.Second; step > f.Step && n < 6; step /= 10 {
		n++
	}
	return n
}

// round is a duration that needs no rounding: 100ms, 1s, 5m.
func round(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		return strings.TrimSuffix(s, "0s")
	}
	return s
}

// String says it for people. The files' names are those of their arguments.
func (c *clocks) String(first, second string) string {
	side := func(d time.Duration) string {
		switch {
		case d < 0:
			return sink.Duration(-d) + " behind"
		case d > 0:
			return sink.Duration(d) + " ahead"
		}
		return "at 0 ms"
	}
	text := fmt.Sprintf("against %s, %s is %s by the first arrivals and %s by the median of %d pairs in order, the time on the way included",
		first, second, side(c.First), side(c.Median), c.Pairs)
	if c.Set {
		text = fmt.Sprintf("against %s, %s is %s by the median of %d pairs in order; neither has times of day, so their first arrivals are set equal",
			first, second, side(c.Median), c.Pairs)
	}
	if c.Unequal {
		text += "; the files do not have as many arrivals, so pairs may not belong together"
	}
	if c.Apart {
		text += ". TOO FAR APART: more than 1 s; "
		if !c.Set {
			text += "set the clocks, or "
		}
		text += "compare nothing between these files"
	}
	if c.Zone {
		text += ". It looks like a time zone: --tz says which one times without a zone have"
	}
	return text
}
