package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"openload/sla"
)

// Merge puts runs of one plan together as if all their operations were one run's:
// counts are added and distributions merged, and a percentile is that of the whole,
// never a mean of theirs. What is drawn over time lies over one another, each run from
// its own start. What needs the operations in order, or was not kept, is left out, and a
// note names it. The error says in what the runs are no runs of one plan. The report is
// to be judged.
func Merge(runs []Named) (*Report, error) {
	if len(runs) < 2 {
		return nil, errors.New("merge takes two runs or more")
	}
	if err := onePlan(runs); err != nil {
		return nil, err
	}
	runs = slices.SortedStableFunc(slices.Values(runs), func(a, b Named) int { return a.Report.Run.Started.Compare(b.Report.Run.Started) })
	out := *runs[0].Report
	out.Counts, out.Rate, out.Peaks, out.Evidence = Counts{}, nil, nil, &Evidence{}
	out.Run.ReadAudit = nil
	out.SLA, out.Verdict, out.Reasons, out.Notes = []Rule{}, "none", []Reason{}, []Reason{}
	out.Correction.Synthetic = 0
	if out.Schedule != nil {
		s := *out.Schedule
		out.Schedule = &s
	}
	var latencies []*Latency
	for i, r := range runs {
		out.Counts.add(&r.Counts, i == 0)
		out.Correction.Synthetic += r.Correction.Synthetic
		out.Run.Interrupted = out.Run.Interrupted || r.Report.Run.Interrupted
		out.Run.Aborted = out.Run.Aborted || r.Report.Run.Aborted
		if i > 0 && r.Report.Run.Engine == "sim" { // runs in virtual time lie nowhere to one another
			out.Run.Duration += r.Report.Run.Duration
		} else {
			out.Run.Duration = max(out.Run.Duration, r.Report.Run.Started.Sub(out.Run.Started)+r.Report.Run.Duration)
		}
		if r.Report.Run.Pace != out.Run.Pace {
			out.Run.Pace = ""
		}
		if r.Report.Run.Threads != out.Run.Threads {
			out.Run.Threads = 0
		}
		if m := r.Report.Run.Machine; i > 0 && m != "" && !strings.Contains(out.Run.Machine, m) {
			out.Run.Machine += "; " + m
		}
		if s := r.Schedule; s != nil && s.SHA256 != out.Schedule.SHA256 {
			out.Schedule.SHA256 = "" // none is that of all
		}
		out.Evidence.add(r.Evidence, i == 0)
		latencies = append(latencies, &r.Latency)
	}
	var err error
	if out.Latency, err = mergeLatency(latencies); err != nil {
		return nil, err
	}
	if err := out.mergeParts(runs); err != nil {
		return nil, err
	}
	out.Phases, err = mergePhases(runs, out.Counts.OK)
	if err != nil {
		return nil, err
	}
	drawn, err := out.mergePicture(runs)
	if err != nil {
		return nil, err
	}
	out.Series, out.Peaks, out.Network = mergeSeries(runs), mergePeaks(runs), mergeNetwork(runs)
	out.Retries = mergeRetries(runs, &out.Counts)
	out.Notes = append(append(out.Notes, mergeNotes(runs)...), out.gaps(runs, drawn)...)
	return &out, nil
}

// onePlan refuses what was not made by one plan, or is given twice.
func onePlan(runs []Named) error {
	wrong := []error{refusal(differences(runs), func(d Difference) bool { return !slices.Contains([]string{"engine", "machine", "openload"}, d.What) },
		"only runs of one plan are one sample")}
	wrong = append(wrong, twice(runs))
	return errors.Join(wrong...)
}

// twice refuses a run that is given more than once.
func twice(runs []Named) error {
	var wrong []error
	for i, r := range runs {
		for _, o := range runs[:i] {
			if sameRun(r, o) {
				wrong = append(wrong, fmt.Errorf("%s and %s are the same run: its operations would count twice", o, r))
			}
		}
	}
	return errors.Join(wrong...)
}

// sameRun reports whether a and b are one run, read twice.
func sameRun(a, b Named) bool {
	return a.Report.Run.Started.Equal(b.Report.Run.Started) && a.Counts.Scheduled > 0 && a.Latency.Raw != nil && b.Latency.Raw != nil &&
		a.Latency.Raw.Histogram == b.Latency.Raw.Histogram && sameSeed(a, b)
}

func sameSeed(a, b Named) bool {
	return a.Schedule == nil || b.Schedule == nil || a.Schedule.Seed == b.Schedule.Seed
}

func (c *Counts) add(o *Counts, first bool) {
	if first {
		*c = Counts{Planned: new(uint64), ConnectionsOpened: new(uint64), MaxConnections: new(int), MaxBacklog: new(int), LateAnswers: new(uint64)}
		c.Errors, c.Timeouts, c.Status = map[string]uint64{}, map[string]uint64{}, map[string]uint64{}
	}
	for _, x := range []struct {
		to   *uint64
		from uint64
	}{
		{&c.Scheduled, o.Scheduled}, {&c.Fired, o.Fired}, {&c.Dropped, o.Dropped}, {&c.Sent, o.Sent}, {&c.OK, o.OK},
		{&c.BadStatus, o.BadStatus}, {&c.TimedOut, o.TimedOut}, {&c.Unfinished, o.Unfinished}, {&c.Blocked, o.Blocked}, {&c.Unknown, o.Unknown},
		{&c.Attempts, o.Attempts}, {&c.AttemptsSent, o.AttemptsSent}, {&c.Resent, o.Resent},
	} {
		*x.to += x.from
	}
	for _, x := range []struct{ to, from map[string]uint64 }{{c.Errors, o.Errors}, {c.Timeouts, o.Timeouts}, {c.Status, o.Status}} {
		for k, n := range x.from {
			x.to[k] += n
		}
	}
	addKnown(&c.Planned, o.Planned)
	addKnown(&c.ConnectionsOpened, o.ConnectionsOpened)
	addKnown(&c.MaxConnections, o.MaxConnections)
	addKnown(&c.LateAnswers, o.LateAnswers)
	if c.MaxBacklog == nil || o.MaxBacklog == nil {
		c.MaxBacklog = nil
	} else {
		*c.MaxBacklog = max(*c.MaxBacklog, *o.MaxBacklog)
	}
}

// addKnown adds what is known on both sides; else the sum is unknown.
func addKnown[T uint64 | int64 | int](to **T, from *T) {
	if *to == nil || from == nil {
		*to = nil
		return
	}
	**to += *from
}

// add keeps the evidence that is worst for the runs together.
func (e *Evidence) add(o *Evidence, first bool) {
	if o == nil {
		return
	}
	known := first || e.Planned > 0
	if e.Planned += o.Planned; !known || o.Planned == 0 {
		e.Planned = 0
	}
	off := func(x *Evidence) time.Duration {
		return ((x.LastDispatched - x.FirstDispatched) - (x.LastIntended - x.FirstIntended)).Abs()
	}
	if first || off(o) > off(e) { // of a rate, the one that was kept worst
		e.FirstIntended, e.LastIntended = o.FirstIntended, o.LastIntended
		e.FirstDispatched, e.LastDispatched = o.FirstDispatched, o.LastDispatched
	}
	e.MaxLate = max(e.MaxLate, o.MaxLate)
	e.Lacks = cmp.Or(e.Lacks, o.Lacks)
	e.Descriptors = max(e.Descriptors, o.Descriptors)
	e.Burst, e.Held, e.AutoCapReached = e.Burst || o.Burst, e.Held || o.Held, e.AutoCapReached || o.AutoCapReached
}

func (r *Report) mergeParts(runs []Named) error {
	targets, stages := slices.Clone(r.Targets), slices.Clone(r.Stages)
	for i := range targets {
		t := &targets[i]
		var parts []*Latency
		for k, run := range runs {
			o := run.Targets[i]
			t.Counts.add(&o.Counts, k == 0)
			parts = append(parts, &o.Latency)
			if k == 0 {
				t.FirstTry, t.Evidence = new(uint64), new(Evidence)
			}
			addKnown(&t.FirstTry, o.FirstTry)
			if t.Evidence != nil && o.Evidence != nil {
				t.Evidence.add(o.Evidence, k == 0)
			} else {
				t.Evidence = nil // an older openload did not write it down
			}
		}
		t.Failed, t.SentShare = t.Counts.Scheduled-t.Counts.OK, ratio(t.Counts.Sent, r.Counts.Sent)
		t.AttemptsPerOperation = ratio(t.Counts.Attempts, t.Counts.Fired)
		var err error
		if t.Latency, err = mergeLatency(parts); err != nil {
			return fmt.Errorf("target %s: %w", t.Name, err)
		}
	}
	r.Targets = targets
	for i := range stages {
		s := &stages[i]
		var parts []*Latency
		for k, run := range runs {
			if len(run.Stages) != len(stages) || run.Stages[i].Name != s.Name {
				return fmt.Errorf("%s has other phases", run)
			}
			s.Counts.add(&run.Stages[i].Counts, k == 0)
			parts = append(parts, &run.Stages[i].Latency)
		}
		s.Failed = s.Counts.Scheduled - s.Counts.OK
		var err error
		if s.Latency, err = mergeLatency(parts); err != nil {
			return fmt.Errorf("phase %s: %w", s.Name, err)
		}
	}
	r.Stages = stages
	if r.Warmup == nil {
		return nil
	}
	w := *r.Warmup
	var parts []*Latency
	for k, run := range runs {
		w.Counts.add(&run.Warmup.Counts, k == 0)
		parts = append(parts, &run.Warmup.Latency)
	}
	w.Failed = w.Counts.Scheduled - w.Counts.OK
	var err error
	w.Latency, err = mergeLatency(parts)
	r.Warmup = &w
	return err
}

func mergeRetries(runs []Named, c *Counts) *Retries {
	if runs[0].Retries == nil {
		return nil
	}
	out := Retries{Policy: runs[0].Retries.Policy, OperationsByAttempts: []uint64{}}
	for _, run := range runs {
		r := run.Retries
		for i, n := range r.OperationsByAttempts {
			if i == len(out.OperationsByAttempts) {
				out.OperationsByAttempts = append(out.OperationsByAttempts, 0)
			}
			out.OperationsByAttempts[i] += n
		}
		out.FirstTry += r.FirstTry
		out.Useful += r.Useful
		out.Wasted += r.Wasted
		out.Queries += r.Queries
		out.Resolved += r.Resolved
		out.Denied += r.Denied
		out.Blocked += r.Blocked
		out.Unsafe += r.Unsafe
		out.Opened += r.Opened
	}
	out.AttemptsPerOperation = ratio(c.Attempts, c.Fired)
	out.OperationSuccess = ratio(c.OK, c.Fired)
	out.AttemptSuccess = ratio(c.OK, c.Attempts)
	return &out
}

// mergeNotes name what the runs were, what each lacks, and the time between them.
func mergeNotes(runs []Named) (notes []Reason) {
	say := func(code, format string, a ...any) { notes = append(notes, Reason{code, fmt.Sprintf(format, a...)}) }
	say("merged", "%d runs of one plan, put together: percentiles are of all their operations, and none is a mean; what is drawn over time counts from each run's own start%s", len(runs), seeds(runs))
	for _, r := range runs {
		switch p := r.Counts.Planned; {
		case r.Report.Run.Interrupted:
			say("lost", "%s was interrupted after %d operations", r, r.Counts.Scheduled)
		case r.Report.Run.Aborted:
			say("lost", "%s stopped early (--abort-on-fail) after %d operations", r, r.Counts.Scheduled)
		case p != nil && r.Warmup == nil && r.Counts.Scheduled < *p && r.Plan.Closed == nil:
			say("lost", "%s lacks %d of its %d planned operations", r, *p-r.Counts.Scheduled, *p)
		}
		if r.Verdict == "invalid" {
			why := ""
			if len(r.Reasons) > 0 {
				why = ": " + r.Reasons[0].Text
			}
			say("was_invalid", "%s was INVALID by itself%s", r, why)
		}
	}
	var end time.Time
	for i, r := range runs {
		if r.Report.Run.Engine == "sim" {
			continue // in virtual time there is nothing between runs
		}
		if start := r.Report.Run.Started; i > 0 && !end.IsZero() && start.Sub(end) >= time.Second {
			say("gap", "nothing was sent for %s before %s began", start.Sub(end).Round(100*time.Millisecond), r)
		}
		if e := r.Report.Run.Started.Add(r.Report.Run.Duration); !r.Report.Run.Started.IsZero() && e.After(end) {
			end = e
		}
	}
	return notes
}

// seeds names those of the runs, if they differ and are few enough to be read.
func seeds(runs []Named) string {
	const most = 10
	var all []string
	for _, r := range runs {
		if r.Schedule != nil {
			all = append(all, fmt.Sprint(r.Schedule.Seed))
		}
	}
	different := slices.Compact(slices.Clone(all))
	if len(different) < 2 || len(all) > most {
		return ""
	}
	return "; their seeds are " + strings.Join(all, ", ")
}

// CommonRules are those that all runs were judged by; an error if they differ.
func CommonRules(runs []Named) ([]sla.Rule, error) {
	texts := func(r *Report) (all []string) {
		for _, x := range r.SLA {
			all = append(all, x.Rule)
		}
		slices.SortFunc(all, cmp.Compare[string])
		return all
	}
	for _, r := range runs[1:] {
		if !slices.Equal(texts(runs[0].Report), texts(r.Report)) {
			return nil, fmt.Errorf("%s and %s were judged by different rules; give those to judge the whole by, with --sla", runs[0], r)
		}
	}
	return runs[0].Rules()
}
