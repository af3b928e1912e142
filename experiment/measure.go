package experiment

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"openload/lab"
	"openload/peak"
	"openload/plan"
	"openload/report"
)

// A Unit is what a measure's values are.
type Unit string

// The units.
const (
	Count Unit = "count"
	Ratio Unit = "ratio"
	Nanos Unit = "ns"
)

// A Measure is a figure of each run.
type Measure struct {
	Name string
	Unit Unit
	Help string

	crowd bool          // counted in windows of a width
	at    time.Duration // that width; 0: the experiment's bin
	read  func(o Outcome, bin time.Duration) (v float64, ok bool)
}

// An Outcome is what a run came to.
type Outcome struct {
	Report *report.Report
	Target *lab.Stats // what a lab server saw, modelled or real; nil: nobody knows
}

func counted(help string, of func(r *report.Report) uint64) Measure {
	return Measure{Unit: Count, Help: help, read: func(o Outcome, _ time.Duration) (float64, bool) { return float64(of(o.Report)), true }}
}

func served(help string, of func(s *lab.Stats) uint64) Measure {
	return Measure{Unit: Count, Help: help, read: func(o Outcome, _ time.Duration) (float64, bool) {
		if o.Target == nil {
			return 0, false
		}
		return float64(of(o.Target)), true
	}}
}

// share is a/b as a measure's value.
func share(a, b uint64) (float64, bool) {
	if b == 0 {
		return 0, false
	}
	return float64(a) / float64(b), true
}

// calls are those that reached the server itself, behind its layers.
func calls(s *lab.Stats) uint64 {
	if n := len(s.Layers); n > 0 {
		return s.Layers[n-1]
	}
	return s.Received
}

// known are the measures besides latencies and peaks of a width of their own.
var known = map[string]Measure{
	"operations": counted("operations that were tried", func(r *report.Report) uint64 { return r.Counts.Fired }),
	"attempts":   counted("attempts at them", func(r *report.Report) uint64 { return r.Counts.Attempts }),
	"ok":         counted("operations that succeeded, by their deadline if they have one", func(r *report.Report) uint64 { return r.Counts.OK }),
	"denied": counted("retries that the budget did not let happen", func(r *report.Report) uint64 {
		if r.Retries == nil {
			return 0
		}
		return r.Retries.Denied
	}),
	"wasted": counted("attempts that were not an operation's success", func(r *report.Report) uint64 { return r.Counts.Attempts - r.Counts.OK }),
	"amplification": {Unit: Ratio, Help: "attempts for each operation", read: func(o Outcome, _ time.Duration) (float64, bool) {
		return share(o.Report.Counts.Attempts, o.Report.Counts.Fired)
	}},
	"success": {Unit: Ratio, Help: "share of the operations that succeeded", read: func(o Outcome, _ time.Duration) (float64, bool) {
		return share(o.Report.Counts.OK, o.Report.Counts.Scheduled)
	}},
	"peak":     peakMeasure("attempts after the first that left at once", 0, func(p *report.Peaks) []report.Peak { return p.Later.Curve }),
	"peak.all": peakMeasure("attempts that left at once", 0, func(p *report.Peaks) []report.Peak { return p.All.Curve }),

	"server.received":   served("requests that arrived at the lab server", func(s *lab.Stats) uint64 { return s.Received }),
	"server.executed":   served("calls whose work was done", func(s *lab.Stats) uint64 { return s.Executed }),
	"server.duplicates": served("of them, work done twice", func(s *lab.Stats) uint64 { return s.Duplicates }),
	"server.rejected":   served("calls turned away", func(s *lab.Stats) uint64 { return s.Rejected + s.Expired }),
	"server.held":       served("most requests in the server at once", func(s *lab.Stats) uint64 { return uint64(s.HeldAtOnce) }),
	"server.calls":      served("calls that reached the server behind its layers", calls),
	"server.amplification": {Unit: Ratio, Help: "calls behind the layers for each operation", read: func(o Outcome, _ time.Duration) (float64, bool) {
		if o.Target == nil {
			return 0, false
		}
		return share(calls(o.Target), o.Report.Counts.Fired)
	}},
}

// peakMeasure is the most within a width, in any window.
func peakMeasure(help string, at time.Duration, of func(*report.Peaks) []report.Peak) Measure {
	return Measure{Unit: Count, Help: help, crowd: true, at: at, read: func(o Outcome, bin time.Duration) (float64, bool) {
		if at > 0 {
			bin = at
		}
		if o.Report.Peaks == nil {
			return 0, false
		}
		for _, p := range of(o.Report.Peaks) {
			if p.Width == bin {
				return float64(p.Sliding), true
			}
		}
		// Without any attempt there is no curve, and no peak either.
		return 0, len(of(o.Report.Peaks)) == 0
	}}
}

// readings are the latencies of a report, by the prefix of a rule.
var readings = map[string]func(l *report.Latency) *report.Dist{
	"":        func(l *report.Latency) *report.Dist { return l.Corrected },
	"raw":     func(l *report.Latency) *report.Dist { return l.Raw },
	"ok":      func(l *report.Latency) *report.Dist { return l.CorrectedOK },
	"settled": func(l *report.Latency) *report.Dist { return l.Settled },
}

// figures are what a report says of a latency.
var figures = map[string]func(d *report.Dist) *time.Duration{
	"p50": func(d *report.Dist) *time.Duration { return d.P50 }, "p90": func(d *report.Dist) *time.Duration { return d.P90 },
	"p95": func(d *report.Dist) *time.Duration { return d.P95 }, "p99": func(d *report.Dist) *time.Duration { return d.P99 },
	"p99.9": func(d *report.Dist) *time.Duration { return d.P999 }, "max": func(d *report.Dist) *time.Duration { return d.Max },
	"mean": func(d *report.Dist) *time.Duration { return d.Mean },
}

func latency(prefix, figure string) Measure {
	reading, of := readings[prefix], figures[figure]
	help := "from when an operation was due to its success"
	switch prefix {
	case "raw":
		help = "from an attempt's send to its answer"
	case "ok":
		help = "the same, of successes alone"
	case "settled":
		help = "from when an operation was due to its end, whatever that was"
	}
	return Measure{Unit: Nanos, Help: help, read: func(o Outcome, _ time.Duration) (float64, bool) {
		d := reading(&o.Report.Latency)
		if d == nil {
			return 0, false
		}
		v := of(d)
		if v == nil {
			return 0, false
		}
		return float64(*v), true
	}}
}

// ParseMeasure reads a measure's name: attempts, settled.p50, peak@10ms ...
func ParseMeasure(name string) (Measure, error) {
	m, ok := known[name]
	if base, width, has := strings.Cut(name, "@"); has && known[base].crowd {
		d, err := time.ParseDuration(width)
		if err != nil || !slices.Contains(peak.Widths(), d) {
			return Measure{}, fmt.Errorf("%q: peaks are counted in windows of %s", name, list(peak.Widths()))
		}
		of := func(p *report.Peaks) []report.Peak { return p.Later.Curve }
		if base == "peak.all" {
			of = func(p *report.Peaks) []report.Peak { return p.All.Curve }
		}
		m, ok = peakMeasure(known[base].Help, d, of), true
	}
	prefix, figure, dotted := strings.Cut(name, ".")
	if !dotted || figures[name] != nil { // p99.9 has a dot of its own
		prefix, figure = "", name
	}
	if !ok && readings[prefix] != nil && figures[figure] != nil {
		m, ok = latency(prefix, figure), true
	}
	if !ok {
		return Measure{}, errors.New(name)
	}
	m.Name = name
	return m, nil
}

func list(all []time.Duration) string {
	var texts []string
	for _, d := range all {
		texts = append(texts, d.String())
	}
	return strings.Join(texts, ", ")
}

// MeasureNames are what may be measured, sorted; latencies also with raw., ok. and
// settled. before them, peaks with @WIDTH behind.
func MeasureNames() []string {
	return append(slices.Sorted(maps.Keys(known)), slices.Sorted(maps.Keys(figures))...)
}

func usual() (all []Measure) {
	for _, name := range []string{"attempts", "amplification", "settled.p50", "peak"} {
		m, _ := ParseMeasure(name)
		all = append(all, m)
	}
	return all
}

func measures(v plan.Value) (all []Measure, err error) {
	var wrong []error
	seen := map[string]bool{}
	for _, item := range v.Items() {
		name, err := item.Text()
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		m, err := ParseMeasure(name)
		switch {
		case err != nil && err.Error() != name:
			wrong = append(wrong, item.Problem("%w", err))
		case err != nil:
			wrong = append(wrong, item.Unknown(name, MeasureNames()))
		case seen[name]:
			wrong = append(wrong, item.Problem("%s is there twice", name))
		}
		seen[name] = true
		all = append(all, m)
	}
	return all, errors.Join(wrong...)
}
