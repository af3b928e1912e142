package main

import (
	"errors"
	"fmt"

	"openload/report"
	"openload/sla"
)

// reportCmd shows a saved run in another form.
type reportCmd struct {
	File string `arg:"" optional:"" help:"What --out json=FILE or --out csv=FILE wrote; - is standard input."`
	Run  int    `group:"file" placeholder:"K" help:"Only run K of a file that holds several."`
	outputFlags
}

// Help is what stands below the flags.
func (c *reportCmd) Help() string {
	return `Nothing is measured or judged: the verdict is the one that the run had. Exit status
0 says that it was shown; openload judge makes the verdict the exit status.

  openload report run.json
  openload report run.json --out hgrm=run.hgrm --out markdown
  openload report attempts.csv.gz --out json=run.json`
}

func (c *reportCmd) run(s streams) (int, error) {
	outs, err := c.prepare(s)
	if err != nil {
		return 0, err
	}
	if err := outs.forSaved(); err != nil {
		return 0, err
	}
	all, err := openSaved(s, c.File, nil)
	if err != nil {
		return 0, usage(err)
	}
	if all, err = one(all, c.Run); err != nil {
		return 0, err
	}
	if err := (&repeatFlags{Runs: len(all.Runs)}).checkRuns(outs); err != nil {
		return 0, err
	}
	return 0, outs.writeSaved(s, all)
}

// forSaved refuses what only a run can write.
func (o *outputs) forSaved() error {
	if o.needRun() {
		return usagef("--out csv: the attempts of a run as it goes on, and there is no run here; write the report as json or hlog")
	}
	return nil
}

// judgeCmd judges a saved run again.
type judgeCmd struct {
	File string `arg:"" optional:"" help:"What --out json=FILE or --out csv=FILE wrote; - is standard input."`
	Run  int    `group:"file" placeholder:"K" help:"Only run K of a file that holds several."`

	SLA        []string `name:"sla" group:"verdict" sep:"none" placeholder:"RULE" help:"A rule such as 'p99<500ms', 'errors<1%', 'raw.max<2s'. Repeatable. The exit status is the verdict. Default: the rules that the run had."`
	Confidence *float64 `group:"verdict" placeholder:"PERCENT" help:"Judge the service and not just this run, at that confidence. Default: as the run was judged."`
	outputFlags
}

// Help is what stands below the flags.
func (c *judgeCmd) Help() string {
	return `Nothing is run. A limit that the run was not told of is judged by its histogram, which
is good to three digits: if the limit lies inside the deciding bucket, the report says
so. A CSV of attempts decides any limit exactly; without its last line, which says how
the run ended, it may be cut off, and is INVALID.

  openload judge run.json --sla 'p99<300ms' --sla 'errors<1%'
  openload judge attempts.csv.gz --sla 'p99.9<1s' --confidence 95`
}

func (c *judgeCmd) run(s streams) (int, error) {
	rules, err := parseRules(c.SLA)
	if c.Confidence != nil {
		if wrong := sla.CheckConfidence(*c.Confidence); wrong != nil {
			err = errors.Join(err, fmt.Errorf("--confidence: %w", wrong))
		}
	}
	if err != nil {
		return 0, usage(err)
	}
	outs, err := c.prepare(s)
	if err != nil {
		return 0, err
	}
	if err := outs.forSaved(); err != nil {
		return 0, err
	}
	all, err := openSaved(s, c.File, rules)
	if err != nil {
		return 0, usage(err)
	}
	if all, err = one(all, c.Run); err != nil {
		return 0, err
	}
	if err := (&repeatFlags{Runs: len(all.Runs)}).checkRuns(outs); err != nil {
		return 0, err
	}
	if all, err = c.judge(all, rules); err != nil {
		return 0, usage(fmt.Errorf("%s: %w", nameOf(c.File), err))
	}
	if err := outs.writeSaved(s, all); err != nil {
		return statusBroken, err
	}
	if all.Interrupted() {
		return statusInvalid, nil // nothing is decided
	}
	return statusOfVerdict(all.Verdict), nil
}

func (c *judgeCmd) judge(all *report.Runs, rules []sla.Rule) (*report.Runs, error) {
	var judged []*report.Report
	var wrong []error
	for i, r := range all.Runs {
		by, confidence := rules, r.Plan.Confidence
		var err error
		if len(c.SLA) == 0 {
			by, err = r.Rules()
		}
		if c.Confidence != nil {
			confidence = *c.Confidence
		}
		if err == nil && len(by) == 0 {
			err = errors.New("it was run without rules; give some with --sla")
		}
		if err == nil {
			r, err = r.Judge(by, confidence)
		}
		if err != nil && len(all.Runs) > 1 {
			err = fmt.Errorf("run %d: %w", i+1, err)
		}
		wrong = append(wrong, err)
		judged = append(judged, r)
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	again := report.NewRuns(all.Planned, judged)
	again.Command = all.Command
	return again, nil
}

func parseRules(texts []string) (rules []sla.Rule, err error) {
	var wrong []error
	for _, text := range texts {
		rule, err := sla.Parse(text)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--sla: %w", err))
			continue
		}
		rules = append(rules, rule)
	}
	return rules, errors.Join(wrong...)
}
