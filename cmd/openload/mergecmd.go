package main

import (
	"errors"
	"fmt"
	"strings"

	"openload/report"
	"openload/sla"
)

// mergeCmd puts runs of one plan together.
type mergeCmd struct {
	Files []string `arg:"" optional:"" name:"file" help:"What --out json=FILE or --out csv=FILE wrote, of runs of one plan; - is standard input."`

	SLA        []string `name:"sla" group:"verdict" sep:"none" placeholder:"RULE" help:"A rule to judge the whole by. Repeatable. Default: the rules that all runs had."`
	Confidence *float64 `group:"verdict" placeholder:"PERCENT" help:"Judge the service and not just these runs, at that confidence. Default: as the first run was judged."`
	outputFlags
}

// Help is what stands below the flags.
func (c *mergeCmd) Help() string {
	return `Counts are added and distributions merged: a percentile is that of all operations, and
never a mean of the runs' percentiles, which is nobody's. What is drawn over time lies
over one another, each run from its own start. Runs of different plans are refused. What
a run lacks, the time between two runs, and what can't be put together, is named. To ask
whether two sides differ, keep the runs apart: openload compare.

  openload merge a.json b.json --out json=both.json
  openload merge shard-*.json --sla 'p99<500ms'`
}

func (c *mergeCmd) run(s streams) (int, error) {
	rules, err := parseRules(c.SLA)
	if c.Confidence != nil {
		if wrong := sla.CheckConfidence(*c.Confidence); wrong != nil {
			err = errors.Join(err, fmt.Errorf("--confidence: %w", wrong))
		}
	}
	if len(c.Files) == 0 {
		err = errors.Join(err, errors.New("merge takes the files of two runs or more: openload merge a.json b.json"))
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
	runs, err := runsOf(s, c.Files)
	if err != nil {
		return 0, usage(err)
	}
	whole, err := c.merge(runs, rules)
	if err != nil {
		return 0, usage(err)
	}
	if err := outs.write(s, whole); err != nil {
		return statusBroken, err
	}
	if whole.Run.Interrupted {
		return statusInvalid, nil // nothing is decided
	}
	return statusOfVerdict(whole.Verdict), nil
}

func (c *mergeCmd) merge(runs []report.Named, rules []sla.Rule) (*report.Report, error) {
	whole, err := report.Merge(runs)
	if err != nil {
		return nil, err
	}
	if len(c.SLA) == 0 {
		if rules, err = report.CommonRules(runs); err != nil {
			return nil, err
		}
	}
	confidence := runs[0].Plan.Confidence
	if c.Confidence != nil {
		confidence = *c.Confidence
	}
	var files []string
	for _, f := range c.Files {
		files = append(files, quote(f))
	}
	whole.Plan.Command = "openload merge " + strings.Join(files, " ")
	return whole.Judge(rules, confidence)
}
