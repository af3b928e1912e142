package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"openload/correct"
	"openload/plan"
	"openload/report"
	"openload/seed"
	"openload/sink"
)

// repeatFlags repeat a run.
type repeatFlags struct {
	Runs int `group:"load" default:"1" placeholder:"K" help:"Make the same run K times, on fresh connections and with seeds of their own (--seed, the next one, ...), and keep the runs apart: a row each, never a pooled percentile."`
}

// mostRuns bounds what is kept in memory until the last run has ended.
const mostRuns = 1000

func (f *repeatFlags) checkRuns(outs *outputs) error {
	if outs == nil {
		return nil
	}
	if f.Runs < 1 || f.Runs > mostRuns {
		return usagef("--runs: %d cannot be; give a number from 1 to %d", f.Runs, mostRuns)
	}
	if f.Runs == 1 {
		return nil
	}
	var wrong []error
	var numbered []sink.Output
	for _, out := range outs.outs {
		switch {
		case out.Kind.Job != nil:
			wrong = append(wrong, fmt.Errorf("--out %s takes the report of one run; leave it out, or --runs", out))
		case out.Apart() && out.File == "":
			wrong = append(wrong, fmt.Errorf("--out %s: several runs cannot share standard output; give %s=FILE, and each run has a file with its number", out, out.Kind.Name))
		case out.Apart() && special(out.File):
			wrong = append(wrong, fmt.Errorf("--out %s: %s is no file that could have a number for each run; give another", out, out.File))
		case out.Apart():
			numbered = append(numbered, out.Numbered(1))
		}
	}
	return usage(errors.Join(append(wrong, sink.Prepare(numbered...))...))
}

// special reports whether path is a device or a pipe.
func special(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// oneRun is one of several runs, or the only one.
type oneRun struct {
	name    string // run 2 of 5; empty: there is only one
	outs    *outputs
	observe func(correct.Sample)
}

// A runner makes one run of a plan.
type runner func(*plan.Plan, *oneRun) (*report.Report, error)

// repeat makes the runs, writes what there is to write, and returns the exit status.
func (f *repeatFlags) repeat(s streams, i *interrupts, p *plan.Plan, outs *outputs, opt sink.StreamOptions, do runner) (int, error) {
	defer outs.drop()
	if f.Runs == 1 {
		r, err := outs.one(s, p, opt, do, "")
		if err != nil {
			return statusBroken, err
		}
		if err := outs.write(s, r); err != nil {
			return statusBroken, err
		}
		return statusOfReport(r, i.signal()), nil
	}
	plans, err := f.plans(p)
	if err != nil {
		return 0, err
	}
	var reports []*report.Report
	var wrong []error
	for k := range plans {
		if i.stop.Err() != nil {
			break
		}
		apart := outs.apart(k + 1)
		r, err := apart.one(s, &plans[k], opt, do, fmt.Sprintf("run %d of %d", k+1, f.Runs))
		if err != nil {
			apart.drop()
			return statusBroken, err
		}
		wrong = append(wrong, apart.write(s, r))
		reports = append(reports, r)
		if p.AbortOnFail && r.Verdict == "fail" {
			break // no other run undoes it
		}
	}
	all := report.NewRuns(f.Runs, reports)
	if len(reports) > 0 {
		all.Command = f.inCommand(reports[0].Plan.Command)
	}
	if err := errors.Join(append(wrong, outs.writeRuns(s, all))...); err != nil {
		return statusBroken, err
	}
	if all.Interrupted() {
		return 128 + int(i.signal()), nil
	}
	return statusOfVerdict(all.Verdict), nil
}

// plans are those of the runs: the same but for their seeds.
func (f *repeatFlags) plans(p *plan.Plan) (all []plan.Plan, err error) {
	for k := range f.Runs {
		q := *p
		q.Seed = p.Seed + seed.Seed(k)
		if err := q.Check(); err != nil { // chance may leave a schedule empty
			return nil, usagef("--runs: run %d: %w", k+1, err)
		}
		all = append(all, q)
	}
	return all, nil
}

// inCommand is the command of the first run with --runs.
func (f *repeatFlags) inCommand(first string) string {
	name := "openload "
	if strings.HasPrefix(first, "openload sim ") {
		name = "openload sim "
	}
	return fmt.Sprintf("%s--runs %d %s", name, f.Runs, strings.TrimPrefix(first, name))
}

// one makes one run whose attempts go where they are streamed to.
func (o *outputs) one(s streams, p *plan.Plan, opt sink.StreamOptions, do runner, name string) (*report.Report, error) {
	observe, err := o.stream(s, opt)
	if err != nil {
		return nil, err
	}
	return do(p, &oneRun{name: name, outs: o, observe: observe})
}

// apart are the outputs that run k of several has for itself.
func (o *outputs) apart(k int) *outputs {
	c := *o
	c.outs, c.streams = nil, nil
	for _, out := range o.outs {
		if out.Apart() {
			c.outs = append(c.outs, out.Numbered(k))
		}
	}
	return &c
}

// writeRuns writes what takes all runs together, as write does with one.
func (o *outputs) writeRuns(s streams, all *report.Runs) error {
	var wrong []error
	var broken error
	for _, out := range o.outs {
		if out.Apart() {
			continue
		}
		err := out.WriteRuns(s.out, all, sink.TextOptions{Color: o.color, Quiet: o.quiet, ASCII: o.ascii})
		switch {
		case err == nil:
		case out.File == "":
			broken = unlessSeenEnough(err)
		default:
			wrong = append(wrong, err)
		}
	}
	if o.required {
		return errors.Join(append(wrong, broken)...)
	}
	for _, err := range wrong {
		fmt.Fprintf(s.err, "openload: warning: %v\n", err)
	}
	return broken
}
