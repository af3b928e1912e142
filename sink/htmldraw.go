package sink

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"openload/correct"
	"openload/report"
	"openload/sla"
)

// How much is drawn at most, however long the run.
const (
	mostPoints  = 300 // over time
	mostRows    = 24  // of the heat map
	heatColumns = 100
)

// A lineOf is one line of a figure; nil is a gap. Latencies are nanoseconds.
type lineOf struct {
	Name string     `json:"name"`
	Y    []*float64 `json:"y"`
}

// A limitOf is a latency rule's limit. X is where its percentile stands in the spectrum.
type limitOf struct {
	Rule string  `json:"rule"`
	NS   int64   `json:"ns"`
	X    float64 `json:"x,omitempty"`
}

// draw puts the figures into v, each with its data and the table of the same.
func (p *page) draw(v *htmlView) error {
	all := p.limits()
	if err := p.drawSpectrum(v, all); err != nil {
		return err
	}
	p.drawTime(v, all)
	if err := p.drawHeat(v, all); err != nil {
		return err
	}
	p.drawFlow(v)
	p.drawPeaks(v)
	p.drawLag(v)
	type mark struct {
		T    float64 `json:"t"`
		Name string  `json:"name"`
	}
	var marks []mark
	for _, s := range p.Stages {
		marks = append(marks, mark{s.At.Seconds(), shorten(printable(s.Name), 20)})
	}
	if w := p.Warmup; w != nil && len(marks) == 0 {
		marks = append(marks, mark{w.Until.Seconds(), "judged from here"})
	}
	if len(marks) > 0 {
		v.Drawing["stages"] = marks
	}
	return nil
}

// limits are those of the rules on percentiles and extremes of latency.
func (p *page) limits() (all []limitOf) {
	for _, r := range p.SLA {
		rule, err := sla.Parse(r.Rule)
		if limit, ok := rule.Limit(); err == nil && ok && rule.Target == "" && rule.Metric == sla.Percentile && limit > 0 {
			l := limitOf{Rule: printable(r.Rule), NS: int64(limit)}
			if rule.Quantile < correct.Max {
				l.X = 1 / (1 - float64(rule.Quantile)/float64(correct.Max))
			}
			all = append(all, l)
		}
	}
	return all
}

// drawSpectrum draws the readings' quantiles up to the last value that each has.
func (p *page) drawSpectrum(v *htmlView, all []limitOf) error {
	type end struct {
		Name string  `json:"name"`
		X    float64 `json:"x"`
		Text string  `json:"text"`
	}
	var lines []lineOf
	var ends []end
	var most uint64
	rows := []row{{"corrected", p.Latency.Corrected}, {"raw", p.Latency.Raw}}
	steps := map[string][]step{}
	for _, x := range rows {
		b, err := bars(x.Dist)
		if err != nil {
			return fmt.Errorf("histogram of %s latencies: %w", x.name, err)
		}
		if len(b) > 0 {
			steps[x.name] = b
			most = max(most, x.N)
		}
	}
	if most == 0 {
		return nil
	}
	xs := percentileAxis(most)
	for _, x := range rows {
		b := steps[x.name]
		if len(b) == 0 {
			continue
		}
		lines = append(lines, lineOf{x.name, quantiles(b, x.N, xs)})
		e := end{Name: x.name, X: float64(x.N), Text: fmt.Sprintf("%s ends: 1 of %d", x.name, x.N)}
		if x.Failed > 0 {
			e.X = float64(x.N) / float64(x.Failed)
			e.Text = fmt.Sprintf("%s ends: %d of %d failed", x.name, x.Failed, x.N)
		}
		ends = append(ends, e)
	}
	v.Drawing["spectrum"] = map[string]any{"x": xs, "lines": lines, "ends": ends, "limits": all}
	t := htmlTable{Label: "percentiles", Head: []string{"percentile"}}
	for _, l := range lines {
		t.Head = append(t.Head, l.Name)
	}
	for i, x := range xs {
		if i%5 != 0 && i != len(xs)-1 {
			continue // every fifth: the lines have no corner that this hides
		}
		cells := []string{percent(1 - 1/x)}
		for _, l := range lines {
			cells = append(cells, p.number(l.Y[i], "failed"))
		}
		t.Rows = append(t.Rows, cells)
	}
	var found []string
	for _, x := range rows {
		if len(steps[x.name]) > 0 {
			found = append(found, fmt.Sprintf("%s: p50 %s, p99 %s, longest %s", x.name, p.known(x.P50, "failed"), p.known(x.P99, "failed"), p.known(x.Max, "failed")))
		}
	}
	v.Figures = append(v.Figures, figure{"spectrum", "Latency by percentile", "How long the slowest took: " + strings.Join(found, "; ") + ". The solid line is corrected, the dashed one raw; the axis stretches the slow end.", t})
	return nil
}

// percentileAxis are values of 1/(1-p) from 1 to n, even on a log axis.
func percentileAxis(n uint64) (xs []float64) {
	const perDecade = 40
	for k := 0; ; k++ {
		x := math.Pow(10, float64(k)/perDecade)
		if x >= float64(n)*0.9999 {
			return append(xs, float64(n))
		}
		xs = append(xs, math.Round(x*1e6)/1e6)
	}
}

// quantiles are the values at p = 1-1/x by nearest rank among n; nil where that falls
// among those that failed.
func quantiles(b []step, n uint64, xs []float64) []*float64 {
	out := make([]*float64, len(xs))
	i, below := 0, uint64(0)
	for k, x := range xs {
		rank := uint64(max(1, math.Ceil(float64(n)*(1-1/x)-1e-6)))
		if k == len(xs)-1 || x >= float64(n) {
			rank = n
		}
		for i < len(b) && below+b[i].count < rank {
			below += b[i].count
			i++
		}
		if i < len(b) {
			y := float64(max(b[i].value, 1))
			out[k] = &y
		}
	}
	return out
}

// number is a point's latency.
func (p *page) number(y *float64, none string) string {
	if y == nil {
		return none
	}
	return p.duration(time.Duration(*y))
}

// drawTime draws latency over intended time. Where several windows share a point it is
// the worst of them.
func (p *page) drawTime(v *htmlView, all []limitOf) {
	n := len(p.Series)
	if n < 2 {
		return
	}
	each := (n + mostPoints - 1) / mostPoints
	var xs, failed []float64
	lines := []lineOf{{Name: "corrected p99"}, {Name: "raw p99"}, {Name: "longest corrected"}}
	t := htmlTable{Label: "latency over time", Head: []string{"due at", "operations", "failed", "corrected p99", "raw p99", "longest corrected"}}
	worst, at := time.Duration(-1), time.Duration(0)
	wide := p.Series[0].Width * time.Duration(each)
	for i := 0; i < n; i += each {
		var y [3]*time.Duration
		var scheduled, bad uint64
		first := p.Series[i]
		for _, w := range p.Series[i:min(n, i+each)] {
			for j, d := range []*time.Duration{w.CorrectedP99, w.RawP99, w.CorrectedMax} {
				if d != nil && (y[j] == nil || *d > *y[j]) {
					y[j] = d
				}
			}
			scheduled, bad = scheduled+w.Scheduled, bad+w.Failed
		}
		x := first.At.Seconds()
		xs = append(xs, x)
		if bad > 0 {
			failed = append(failed, x)
		}
		cells := []string{p.duration(first.At), strconv.FormatUint(scheduled, 10), strconv.FormatUint(bad, 10)}
		for j, d := range y {
			lines[j].Y = append(lines[j].Y, nanoseconds(d))
			cells = append(cells, p.known(d, "-"))
		}
		if d := y[2]; d != nil && *d > worst {
			worst, at = *d, first.At
		}
		t.Rows = append(t.Rows, cells)
	}
	last := p.Series[n-1]
	v.Drawing["time"] = map[string]any{"x": xs, "lines": lines, "failed": failed, "limits": all, "end": (last.At + last.Width).Seconds()}
	finding := fmt.Sprintf("By when operations were due, in steps of %s", p.duration(wide))
	if worst >= 0 {
		finding += fmt.Sprintf("; the longest, %s, was due at %s", p.duration(worst), p.duration(at))
	}
	if len(failed) > 0 {
		finding += "; marks at the top: failures"
	}
	v.Figures = append(v.Figures, figure{"time", "Latency over time", finding + ".", t})
}

// nanoseconds is a point on a log axis; nil stays a gap.
func nanoseconds(d *time.Duration) *float64 {
	if d == nil {
		return nil
	}
	y := float64(max(*d, 1))
	return &y
}

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
	if n := p.Counts.MaxBacklog; n > 1 {
		finding += fmt.Sprintf(" Up to %d waited at once for a connection.", n)
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
