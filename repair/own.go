package repair

import (
	"errors"
	"fmt"

	"openload/correct"
	"openload/report"
	"openload/sla"
	"openload/source"
)

// own judges the attempts of an openload run again: they give what they gave in the
// run, raw and corrected, and nothing is added to them.
func own(f *source.File, opt *Options) (*report.Report, error) {
	switch {
	case opt.Method != None || opt.Interval > 0 || !opt.Rate.IsZero():
		return nil, &Refused{Corrected, "openload's own run is measured from intended times already, and a second correction would count every stall twice",
			"judge it again, by these or other rules, with --method none and no interval"}
	case opt.Expect != nil:
		return nil, errors.New("--expect-status: the run itself decided what was a success, and what was tried again; leave it out")
	}
	a := attempts{rec: correct.NewRecorder(correct.Options{Limits: limits(opt.Rules), Again: true}), picture: correct.NewPicture(false)}
	a.targets = &targets{rules: opt.Rules, of: map[int32]*target{}}
	for row := range f.Rows() {
		a.add(row.Attempt)
		if row.Label != source.NoName {
			a.targets.part(f, row.Label).add(row.Attempt)
		}
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	if a.operations == 0 {
		return nil, fmt.Errorf("%s: no samples in it; check that the run sent any", f.Format)
	}
	return a.report(f, opt), nil
}

// attempts are the rows of a run.
type attempts struct {
	rec         *correct.Recorder
	picture     *correct.Picture // nil of a target
	targets     *targets         // nil of a target
	first, last correct.Sample   // attempts at the operations with the least and the greatest Seq
	operations  uint64           // seen, by their first attempts
	settled     uint64
}

func (a *attempts) add(x *correct.Sample) {
	a.rec.Record(*x)
	if a.picture != nil {
		a.picture.Record(x)
	}
	if x.Final {
		a.settled++
	}
	if x.Attempt > 1 {
		return
	}
	if a.operations == 0 || x.Seq < a.first.Seq {
		a.first = *x
	}
	if a.operations == 0 || x.Seq > a.last.Seq {
		a.last = *x
	}
	a.operations++
}

// snapshot is the run's, as far as the rows tell.
func (a *attempts) snapshot() *correct.Snapshot {
	s := a.rec.Snapshot()
	s.Counts.Scheduled = s.Counts.Fired + s.Counts.Dropped
	s.FirstIntended, s.FirstDispatched = a.first.Intended, a.first.Dispatched
	s.LastIntended, s.LastDispatched = a.last.Intended, a.last.Dispatched
	if a.targets != nil {
		s.Parts = a.targets.parts()
	}
	return s
}

func (a *attempts) report(f *source.File, opt *Options) *report.Report {
	snap := a.snapshot()
	end, _ := f.End()
	evidence := ended(f, sla.Evidence{Snapshot: snap, Planned: end.Planned, Confidence: opt.Confidence, Method: "intended"})
	v := sla.Judge(opt.Rules, evidence)
	t := f.Tally()
	s := &report.Sample{
		File: report.File{
			Name: opt.Name, Format: f.Format, Tool: f.Facts.Tool, Unit: unitName(f.Facts.Unit), Resolution: &f.Facts.Resolution,
			Rows: uint64(t.Rows), Failed: uint64(t.Failed), Skipped: uint64(t.Skipped), Runs: t.Runs, Span: &snap.LastDone,
			Pacing: f.Facts.Pacing.String(), Observed: source.PacingUnknown.String(),
			Fails: []report.FailsAt{}, Findings: []report.Finding{},
		},
		Correction: report.Correction{Method: "intended", Source: "the schedule of the run"},
		Expect:     "as the run decided", Confidence: opt.Confidence, Duration: snap.LastDone,
	}
	m := report.Meta{
		Version: opt.Version, Command: opt.Command, Notes: a.doubts(snap), Evidence: &evidence, Picture: a.picture,
		Planned: end.Planned, Aborted: evidence.AbortedOnFail,
	}
	for _, n := range f.Notes() {
		m.Notes = append(m.Notes, correct.Doubt(n))
	}
	return report.OfOwn(s, snap, &v, m)
}

// ended is e with how the run behind f ended, if it was one of openload's.
func ended(f *source.File, e sla.Evidence) sla.Evidence {
	end, ours := f.End()
	e.Interrupted, e.AbortedOnFail = end.How == correct.EndInterrupted, end.How == correct.EndAborted
	switch {
	case !ours:
	case end.How == correct.EndUnknown:
		e.Lacks = "the run's end is not in the file: it was cut off, or made by an openload that did not write it; what --out json=FILE wrote can be judged"
	case end.Lost > 0:
		e.Lacks = fmt.Sprintf("%d attempts are not in the file: they ended faster than it could be written; what --out json=FILE wrote can be judged", end.Lost)
	}
	return e
}

// doubts are what shows that rows are missing.
func (a *attempts) doubts(s *correct.Snapshot) (all []correct.Doubt) {
	if a.settled != a.operations {
		all = append(all, correct.Doubt{Code: "missing_rows", Text: fmt.Sprintf(
			"%d operations begin in this file and %d end: rows are missing, or it was written while the run went on", a.operations, a.settled)})
	}
	if between := a.last.Seq - a.first.Seq; between >= a.operations {
		all = append(all, correct.Doubt{Code: "missing_rows", Text: fmt.Sprintf(
			"%d operations between the first and the last have no row: they were lost in writing, or the schedule leaves out numbers", between-a.operations+1)})
	}
	return all
}
