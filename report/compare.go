package report

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"openload/correct"
	"openload/sla"
	"openload/stats"
)

// CompareOptions say how.
type CompareOptions struct {
	Confidence float64 // in percent
	Gates      []Gate
	Force      bool // compare although the plans differ
}

// Named is a run and where it comes from.
type Named struct {
	File string
	Run  int // of several in the file, from 1; 0: it is the only one
	*Report
}

func (n Named) String() string {
	if n.Run == 0 {
		return n.File
	}
	return fmt.Sprintf("%s run %d", n.File, n.Run)
}

// Compare compares runs after with runs before. The error says why that would show
// something else than what became of the server, or what the reports lack.
func Compare(base, after []Named, opt CompareOptions) (*Comparison, error) {
	if len(base) == 0 || len(after) == 0 {
		return nil, errors.New("a comparison takes at least one run before and one after")
	}
	c := &Comparison{Schema: CompareSchema, Verdict: "none", Confidence: opt.Confidence, Changes: []Change{}, Gates: []GateResult{}, Notes: []Reason{}}
	c.Differences = differences(append(slices.Clone(base), after...))
	err := refusal(c.Differences, func(d Difference) bool { return d.Refuses && !opt.Force },
		"that would show, and not what became of the server; make them by one plan")
	if err = errors.Join(err, twice(dated(base)), twice(dated(after))); err != nil {
		return nil, err
	}
	a, err := side(base, &c.Base)
	if err != nil {
		return nil, err
	}
	b, err := side(after, &c.New)
	if err != nil {
		return nil, err
	}
	if len(a)+len(b) > stats.MostPermuted {
		return nil, fmt.Errorf("%d runs are more than the %d that an exact test takes; leave some out", len(a)+len(b), stats.MostPermuted)
	}
	c.Set = correct.Corrected.String()
	set := correct.Corrected
	if base[0].Latency.Corrected == nil {
		set, c.Set = correct.Raw, correct.Raw.String()
	}
	if len(a) == 0 || len(b) == 0 {
		c.Verdict = "invalid"
		return c, nil
	}
	c.Single = len(a) == 1 && len(b) == 1
	for _, q := range []correct.Quantile{correct.P50, correct.P90, correct.P95, correct.P99, correct.P999} {
		change, err := c.change(a, b, set, q)
		if err != nil {
			return nil, err
		}
		c.Changes = append(c.Changes, change)
	}
	if c.Gates, err = c.gates(a, b, opt.Gates); err != nil {
		return nil, err
	}
	c.Verdict = verdictOf(c.Gates)
	c.Notes = append(c.Notes, c.notes(base, after)...)
	return c, nil
}

// side are the snapshots of the runs that count; s is told of those that don't.
func side(runs []Named, s *Side) (all []*correct.Snapshot, err error) {
	s.Files, s.Left = []string{}, []string{}
	for _, r := range runs {
		if !slices.Contains(s.Files, r.File) {
			s.Files = append(s.Files, r.File)
		}
		why := ""
		switch {
		case r.Report.Run.Interrupted:
			why = "it was interrupted"
		case r.Report.Run.Aborted:
			why = "it stopped early (--abort-on-fail)"
		case r.Verdict == "invalid":
			why = "it was INVALID"
			if len(r.Reasons) > 0 {
				why += ": " + r.Reasons[0].Text
			}
		}
		if why != "" {
			s.Left = append(s.Left, fmt.Sprintf("%s: %s", r, why))
			continue
		}
		snap, err := r.snapshot()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r, err)
		}
		all = append(all, snap)
	}
	s.Runs = len(all)
	return all, nil
}

func readAll(runs []*correct.Snapshot, r sla.Rule) (values []float64, err error) {
	for _, s := range runs {
		v, err := read(s, r)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

func (c *Comparison) change(a, b []*correct.Snapshot, set correct.Set, q correct.Quantile) (out Change, err error) {
	rule := sla.Rule{Metric: sla.Percentile, Set: set, Quantile: q}
	before, err := readAll(a, rule)
	if err != nil {
		return out, err
	}
	after, err := readAll(b, rule)
	if err != nil {
		return out, err
	}
	out = Change{Name: q.String(), Base: durations(before), New: durations(after), BaseMean: meanOf(before), NewMean: meanOf(after)}
	if out.BaseMean != nil && out.NewMean != nil && *out.BaseMean > 0 {
		share := float64(*out.NewMean)/float64(*out.BaseMean) - 1
		out.Share = &share
	}
	if c.Single {
		out.BaseBounds, out.NewBounds = boundsOf(a[0].Dist(set), q, c.Confidence), boundsOf(b[0].Dist(set), q, c.Confidence)
		out.Answer = TooFewRuns
		if out.BaseBounds.below(out.NewBounds) || out.NewBounds.below(out.BaseBounds) {
			out.Answer = Apart
		}
		return out, nil
	}
	conf := c.Confidence / 100
	above, below, _ := stats.Tails(before, after)
	p := min(1, 2*min(above, below))
	out.P = &p
	if lower, upper, ok := stats.ShiftCI(before, after, conf); ok {
		lo, up := time.Duration(math.Round(lower)), time.Duration(math.Round(upper))
		out.Lower, out.Upper = &lo, &up
	}
	out.Answer = answer(len(before), len(after), above, below, conf)
	return out, nil
}

// answer is what the tails say.
func answer(n, m int, above, below, conf float64) string {
	level := (1-conf)/2 + 1e-12
	switch {
	case stats.TooFew(n, m, conf):
		return TooFewRuns
	case above <= level:
		return Worse
	case below <= level:
		return Better
	}
	return NotSignificant
}

// boundsOf holds q at the confidence, as far as n values can. Both runs' bounds hold
// together at it.
func boundsOf(d *correct.Dist, q correct.Quantile, confidence float64) *Bounds {
	lower, upper := stats.RankCI(d.N(), float64(q)/float64(correct.Max), math.Sqrt(confidence/100))
	var b Bounds
	if v, ok := d.AtRank(lower); ok {
		b.Lower = &v
	}
	if v, ok := d.AtRank(upper); ok {
		b.Upper = &v
	}
	return &b
}

func (b *Bounds) below(o *Bounds) bool {
	return b.Upper != nil && o.Lower != nil && *b.Upper < *o.Lower
}

func durations(values []float64) (all []*time.Duration) {
	for _, v := range values {
		if math.IsInf(v, 0) {
			all = append(all, nil)
			continue
		}
		d := time.Duration(v)
		all = append(all, &d)
	}
	return all
}

func mean(values []float64) float64 {
	sum := 0.
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func meanOf(values []float64) *time.Duration {
	v := mean(values)
	if math.IsInf(v, 0) {
		return nil
	}
	d := time.Duration(math.Round(v))
	return &d
}

func (c *Comparison) gates(a, b []*correct.Snapshot, gates []Gate) (all []GateResult, err error) {
	all = []GateResult{}
	var wrong []error
	for _, g := range gates {
		before, err := readAll(a, g.rule)
		var after []float64
		if err == nil {
			after, err = readAll(b, g.rule)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", g, err))
			continue
		}
		all = append(all, g.test(before, after, c.Confidence/100))
	}
	return all, errors.Join(wrong...)
}

// test asks whether the runs after lie over what the gate lets the runs before be.
func (g Gate) test(before, after []float64, conf float64) GateResult {
	r := GateResult{Gate: g.text, Outcome: "pass", Base: finite(mean(before)), New: finite(mean(after))}
	var bars []float64
	for _, v := range before {
		bars = append(bars, g.bar(v))
	}
	above, below, _ := stats.Tails(bars, after)
	r.P = &above
	switch r.Answer = answer(len(before), len(after), above, below, conf); r.Answer {
	case Worse:
		r.Outcome = "fail"
	case TooFewRuns:
		r.Outcome = "inconclusive"
	case Better:
		r.Answer = "within"
	}
	return r
}

func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

// verdictOf is that of all gates together.
func verdictOf(gates []GateResult) string {
	if len(gates) == 0 {
		return "none"
	}
	for _, o := range []string{"fail", "inconclusive"} {
		if slices.ContainsFunc(gates, func(g GateResult) bool { return g.Outcome == o }) {
			return o
		}
	}
	return "pass"
}

// dated are the runs that say when they began: of others nobody can tell whether two are one.
func dated(runs []Named) []Named {
	return slices.DeleteFunc(slices.Clone(runs), func(r Named) bool { return r.Report.Run.Started.IsZero() })
}

// notes are what a reader should know besides.
func (c *Comparison) notes(base, after []Named) (notes []Reason) {
	say := func(code, format string, a ...any) { notes = append(notes, Reason{code, fmt.Sprintf(format, a...)}) }
	if c.Single {
		say("runs_differ", "runs of one plan against one server differ among themselves, and one run a side does not show by how much: that the bounds lie apart says that these two runs differ, and not why. Make several with --runs, four a side at least")
	} else if stats.TooFew(c.Base.Runs, c.New.Runs, c.Confidence/100) {
		say("too_few_runs", "%d and %d runs can show no difference at %v %%, however large: four a side are the fewest at 95 %%", c.Base.Runs, c.New.Runs, c.Confidence)
	}
	last, first := time.Time{}, time.Time{}
	for _, r := range base {
		if end := r.Report.Run.Started.Add(r.Report.Run.Duration); end.After(last) {
			last = end
		}
	}
	for _, r := range after {
		if s := r.Report.Run.Started; first.IsZero() || s.Before(first) {
			first = s
		}
	}
	if !c.Single && !last.IsZero() && !first.IsZero() && !first.Before(last) && base[0].Report.Run.Engine != "sim" {
		say("in_blocks", "all runs of base were made before those of new: whatever else changed meanwhile is in the difference too; runs in turn would share it")
	}
	if slices.ContainsFunc(dated(after), func(r Named) bool { return slices.ContainsFunc(base, func(o Named) bool { return sameRun(o, r) }) }) {
		say("same_run", "runs of base are among those of new: what is compared with itself does not differ")
	}
	if base[0].Correction.Synthetic > 0 {
		say("synthetic", "the correction (%s) made up samples on both sides; nobody measured them", base[0].Correction.Method)
	}
	return notes
}
