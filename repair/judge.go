package repair

import (
	"errors"
	"fmt"
	"time"

	"openload/correct"
	"openload/report"
	"openload/sla"
)

// report judges the sample and says all that is known of it. The error is the
// refusal that leaves only the raw numbers.
func (x *sample) report() (*report.Report, error) {
	snap := x.snapshot(x.corrected)
	verdict := x.judge(snap)
	x.cut(&verdict)
	notes := append(x.choice.notes, x.warnings()...)
	for _, n := range x.file.Notes() {
		notes = append(notes, correct.Doubt(n))
	}
	s := &report.Sample{
		File: x.about(), Correction: x.correction(), Queue: report.WithHistogram(x.queue),
		Expect: "as the tool recorded", Confidence: x.opt.Confidence, Duration: snap.LastDone,
	}
	if x.opt.Expect != nil {
		s.Expect = x.opt.Expect.String()
	}
	end, _ := x.file.End()
	m := report.Meta{Version: x.opt.Version, Command: x.opt.Command, Notes: notes, Aborted: end.How == correct.EndAborted}
	m.Started, _ = x.file.Epoch()
	r := report.OfFile(s, snap, &verdict, m)
	if x.choice.refuse != nil {
		return r, x.choice.refuse
	}
	return r, nil
}

func (x *sample) snapshot(corrected *correct.Dist) *correct.Snapshot {
	r := correct.Readings{Counts: x.counts, Raw: x.raw, Corrected: corrected, Failures: x.failures}
	if a := x.in; a != nil {
		r.Done = a.wall
	}
	return r.Snapshot()
}

// judge is the verdict.
func (x *sample) judge(snap *correct.Snapshot) sla.Verdict {
	if x.corrected == nil {
		return x.judgeRaw(snap)
	}
	e := ended(x.file, sla.Evidence{Snapshot: snap, Confidence: x.opt.Confidence, Method: string(x.choice.method), Synthetic: x.invented})
	v := sla.Judge(x.opt.Rules, e)
	if v.Outcome != sla.Fail || x.without == nil {
		return v
	}
	// A stall that others did not notice kept its worker from sending requests that
	// would have been fast. What fails only by them is not known to fail.
	e.Snapshot = x.snapshot(x.without)
	e.Synthetic = x.without.N() - x.n
	if kinder := sla.Judge(x.opt.Rules, e); kinder.Outcome == sla.Pass {
		v.Outcome = sla.Invalid
		v.Reasons = []correct.Doubt{{Code: "local_stall", Text: fmt.Sprintf(
			"the rules fail only by the %d samples added for slow requests that were slow alone: others were answered meanwhile, and those added might have been too; judge raw.p99, or measure with openload --rate",
			x.synthetic-e.Synthetic)}}
	}
	return v
}

// cut says of a verdict on a part of a file that it is no more than that.
func (x *sample) cut(v *sla.Verdict) {
	cut := x.file.Cut()
	if _, own := x.file.End(); cut == nil || own || v.Outcome == sla.None {
		return
	}
	v.Reasons = append(v.Reasons, correct.Doubt{Code: "cut", Text: fmt.Sprintf(
		"the file ends early (%s): the verdict is on the %d rows before, and those behind may be the slow ones", cut.What, x.n)})
}

// judgeRaw judges what can be without a corrected reading.
func (x *sample) judgeRaw(snap *correct.Snapshot) sla.Verdict {
	var rules []sla.Rule
	for _, r := range x.opt.Rules {
		if r.Check(true) == nil {
			rules = append(rules, r)
		}
	}
	v := sla.Judge(rules, ended(x.file, sla.Evidence{Snapshot: snap, Confidence: x.opt.Confidence, Method: string(None)}))
	if no := x.choice.refuse; no != nil {
		v.Outcome, v.Reasons = sla.Invalid, []correct.Doubt{{Code: no.Code, Text: no.Error()}}
	}
	return v
}

// correction is what was done.
func (x *sample) correction() report.Correction {
	c := report.Correction{Method: string(x.choice.method), Synthetic: x.synthetic, Source: x.pace.source}
	if x.corrected == nil {
		c.Method = string(None)
		switch no := x.choice.refuse; {
		case no == nil && x.file.Spared():
			c.Source = "openload's corrected latencies have another tag"
		case no == nil:
			c.Source = "asked for"
		case no.Code == NoInterval:
			c.Source = "no interval"
		default:
			c.Source = "none is right for this file"
		}
		return c
	}
	if x.choice.method == None {
		c.Source = "the tool did not wait for answers"
		if x.data().finished {
			c.Source = "the tool corrected them itself"
		}
		return c
	}
	i := x.pace.interval
	c.Interval = &i
	if x.choice.method == Schedule && x.in.replays.shared != nil {
		if w := max(1, x.pace.workers); w > 1 {
			c.Source += fmt.Sprintf("; %d workers share the schedule", w)
		}
	}
	return c
}

// about is what the report says of the file.
func (x *sample) about() report.File {
	f, t := &x.file.Facts, x.file.Tally()
	out := report.File{
		Name: x.opt.Name, Format: x.file.Format, Tool: f.Tool,
		Rows: x.n, Failed: x.n - x.counts.OK, Skipped: uint64(t.Skipped), Filtered: uint64(t.Filtered), Nested: uint64(t.Nested),
		Dropped: uint64(t.Dropped), Runs: t.Runs,
		Unit: unitName(f.Unit), Pacing: f.Pacing.String(), Observed: x.seen.pacing.String(),
		Fails: x.failsAt(), Findings: x.findings(),
	}
	if f.Resolution > 0 {
		out.Resolution = &f.Resolution
	}
	if a := x.in; a != nil {
		out.Workers, out.WorkersBy = a.workers()
		if a.wall > 0 {
			out.Span = &a.wall
		}
	}
	if x.corrected == nil {
		return out
	}
	if x.half != nil && x.pace.interval > 0 {
		out.Half = at(x.pace.interval/2, x.half, x.n)
		out.Double = at(2*x.pace.interval, x.double, x.n)
	}
	if x.queue != nil && x.choice.method == Backfill && x.single() {
		out.Bracket = &report.Bracket{Raw: report.DistOf(&x.raw).P99, Queue: report.DistOf(x.queue).P99}
	}
	return out
}

// single reports whether the file is one worker's, as far as anyone knows.
func (x *sample) single() bool {
	if x.in == nil {
		return false
	}
	n, _ := x.in.workers()
	return n == 1
}

func at(interval time.Duration, d *correct.Dist, n uint64) *report.AtInterval {
	r := report.DistOf(d)
	return &report.AtInterval{Interval: interval, Synthetic: d.N() - n, P50: r.P50, P99: r.P99, Max: r.Max}
}

func unitName(u time.Duration) string {
	switch u {
	case time.Nanosecond:
		return "ns"
	case time.Microsecond:
		return "us"
	case time.Millisecond:
		return "ms"
	case time.Second:
		return "s"
	}
	return ""
}

// Raw reports whether err leaves a report of the raw numbers.
func Raw(err error) bool {
	var no *Refused
	return errors.As(err, &no) && (no.Code == NoInterval || no.Code == NoCorrection)
}
