package sink

import (
	"fmt"
	"strconv"
	"time"

	"openload/report"
)

// drawFlow draws what was meant to leave, left and ended.
func (p *page) drawFlow(v *htmlView) {
	f := p.Flow
	if f == nil || f.Width <= 0 || len(f.Ended) < 2 {
		return
	}
	var n uint64
	for _, ended := range f.Ended {
		n += ended
	}
	// Counts of none and one would draw a comb: four in a bin, if that leaves bins to see.
	each := max(1, (len(f.Ended)+mostPoints-1)/mostPoints, min(len(f.Ended)/20, int(4*uint64(len(f.Ended))/max(1, n))))
	wide := f.Width * time.Duration(each)
	planned, sent, ended := grouped(f.Scheduled, each), grouped(f.Sent, each), grouped(f.Ended, each)
	xs := make([]float64, len(ended))
	t := htmlTable{Label: "arrivals", Head: []string{"from", "planned", "sent", "completed"}}
	for i := range ended {
		xs[i] = (time.Duration(i) * wide).Seconds()
		t.Rows = append(t.Rows, []string{p.duration(time.Duration(i) * wide), cell(planned, i), cell(sent, i), cell(ended, i)})
	}
	v.Drawing["flow"] = map[string]any{"x": xs, "scheduled": planned, "sent": sent, "ended": ended, "end": (time.Duration(len(ended)) * wide).Seconds()}
	finding := fmt.Sprintf("Operations planned, attempts sent and completed, per %s.", p.duration(wide))
	if n := p.Counts.MaxBacklog; n != nil && *n > 1 {
		finding += fmt.Sprintf(" Up to %d waited at once for a connection.", *n)
	}
	v.Figures = append(v.Figures, figure{"flow", "Arrivals", finding, t})
}

// grouped adds up counts so many at a time.
func grouped(counts []uint64, each int) []uint64 {
	out := []uint64{}
	for i := 0; i < len(counts); i += each {
		var n uint64
		for _, c := range counts[i:min(len(counts), i+each)] {
			n += c
		}
		out = append(out, n)
	}
	return out
}

func cell(counts []uint64, i int) string {
	if i >= len(counts) {
		return "-"
	}
	return strconv.FormatUint(counts[i], 10)
}

// drawPeaks draws the most attempts that left at once, against the width of at once.
func (p *page) drawPeaks(v *htmlView) {
	k := p.Peaks
	if k == nil || len(k.All.Curve) < 2 {
		return
	}
	t := htmlTable{Label: "peaks", Head: []string{"width", "attempts"}}
	lines := []lineOf{{Name: "attempts"}}
	if k.Later.N > 0 {
		lines, t.Head = append(lines, lineOf{Name: "after the first"}), append(t.Head, "after the first")
	}
	if p.Rate != nil {
		lines, t.Head = append(lines, lineOf{Name: "at an even rate"}), append(t.Head, "at an even rate")
	}
	var xs []float64
	for _, point := range k.All.Curve {
		if point.Width <= 0 {
			continue
		}
		xs = append(xs, point.Width.Seconds())
		cells := []string{p.duration(point.Width)}
		add := func(y float64, known bool) {
			i := len(cells) - 1
			if !known || y <= 0 {
				lines[i].Y, cells = append(lines[i].Y, nil), append(cells, "-")
				return
			}
			lines[i].Y, cells = append(lines[i].Y, &y), append(cells, digits(y, 4, false))
		}
		add(float64(point.Sliding), true)
		if k.Later.N > 0 {
			n, known := peakAt(k.Later.Curve, point.Width)
			add(float64(n), known)
		}
		if p.Rate != nil {
			add(max(1, p.Rate.Asked*point.Width.Seconds()), true)
		}
		t.Rows = append(t.Rows, cells)
	}
	if len(xs) < 2 {
		return
	}
	v.Drawing["peaks"] = map[string]any{"x": xs, "lines": lines}
	v.Figures = append(v.Figures, figure{"peaks", "How many at once", "The most attempts that left within any stretch of a width.", t})
}

func peakAt(curve []report.Peak, width time.Duration) (n uint64, known bool) {
	for _, x := range curve {
		if x.Width == width {
			return x.Sliding, true
		}
	}
	return 0, false
}

// drawLag draws our own lateness.
func (p *page) drawLag(v *htmlView) {
	f := p.Flow
	if f == nil || f.Width <= 0 || len(f.Lag) < 2 || p.Run.Engine == "sim" {
		return
	}
	each := (len(f.Lag) + mostPoints - 1) / mostPoints
	wide := f.Width * time.Duration(each)
	t := htmlTable{Label: "our own lateness", Head: []string{"from", "longest lag", "longest hiccup"}}
	var xs []float64
	var lag, late []int64
	var most, mostLate time.Duration
	for i := 0; i < len(f.Lag); i += each {
		var a, b time.Duration
		for j := i; j < min(len(f.Lag), i+each); j++ {
			a = max(a, f.Lag[j])
			if j < len(f.Late) {
				b = max(b, f.Late[j])
			}
		}
		at := time.Duration(i) * f.Width
		xs, lag, late = append(xs, at.Seconds()), append(lag, int64(a)), append(late, int64(b))
		t.Rows = append(t.Rows, []string{p.duration(at), p.duration(a), p.duration(b)})
		most, mostLate = max(most, a), max(mostLate, b)
	}
	if most == 0 && mostLate == 0 {
		return
	}
	v.Drawing["lag"] = map[string]any{"x": xs, "lag": lag, "late": late, "end": (time.Duration(len(f.Lag)) * f.Width).Seconds()}
	v.Figures = append(v.Figures, figure{"lag", "Openload's own lateness", fmt.Sprintf("Longest lag of sends %s, longest hiccup in which an answer may have lain unread %s, per %s.", p.duration(most), p.duration(mostLate), p.duration(wide)), t})
}
