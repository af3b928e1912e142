package sink

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"openload/correct"
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
	if worst < 0 && !slices.ContainsFunc(lines[1].Y, func(y *float64) bool { return y != nil }) {
		return // nothing succeeded, or nobody kept when it was due, as in a closed loop
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
