package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"openload/report"
	"openload/sink"
	"openload/sla"
)

// compareCmd answers whether it got worse.
type compareCmd struct {
	Files []string `arg:"" optional:"" name:"file" help:"The run before, and the runs after; what --out json=FILE wrote, of one run or, with --runs, of several."`

	Base       []string `group:"file" sep:"none" placeholder:"FILE" help:"A run before; repeatable. Then all other files are runs after."`
	FailIf     []string `group:"verdict" sep:"none" placeholder:"GATE" help:"Exit with 3 if it got surely worse than that: 'p99 +10%', 'raw.p50 +5ms', 'errors +0.5%'. Repeatable."`
	Confidence float64  `group:"verdict" default:"95" placeholder:"PERCENT" help:"How sure an answer must be."`
	Force      bool     `group:"file" help:"Compare although the plans differ."`
	Out        string   `short:"o" group:"output" enum:"text,json" default:"text" placeholder:"KIND" help:"text or json."`
	Quiet      bool     `short:"q" group:"output" help:"The first line only."`
	Color      string   `group:"output" enum:"auto,always,never" default:"auto" placeholder:"WHEN" help:"Colour: auto, always, never."`
}

// Help is what stands below the flags.
func (c *compareCmd) Help() string {
	return `The unit is the run: with several runs a side an exact permutation test on each run's
own percentile, and an interval for the difference; "not significant" and "too few runs"
are answers, and four runs a side are the fewest that can show anything at 95 %. With one
run each there are bounds on either percentile, and no more than that.

Exit status with --fail-if: 3 if a gate is surely broken, 4 if there are too few runs to
tell or none that counts, else 0.

  openload --runs 5 --rate 50 --n 1000 --out json=base.json URL
  openload --runs 5 --rate 50 --n 1000 --out json=new.json URL
  openload compare base.json new.json --fail-if 'p99 +10%'
  openload compare --base b1.json --base b2.json n1.json n2.json`
}

func (c *compareCmd) run(s streams) (int, error) {
	opt := report.CompareOptions{Confidence: c.Confidence, Force: c.Force}
	var wrong []error
	for _, text := range c.FailIf {
		g, err := report.ParseGate(text)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--fail-if: %w", err))
			continue
		}
		opt.Gates = append(opt.Gates, g)
	}
	if err := sla.CheckConfidence(c.Confidence); err != nil || c.Confidence == 0 {
		wrong = append(wrong, fmt.Errorf("--confidence: %v %% cannot be; write one from 50 to less than 100, such as 95", c.Confidence))
	}
	before, after := c.Base, c.Files
	if len(before) == 0 && len(after) > 0 {
		before, after = after[:1], after[1:]
	}
	if len(before) == 0 || len(after) == 0 {
		wrong = append(wrong, errors.New("compare takes a run before and at least one after: openload compare base.json new.json"))
	}
	if err := errors.Join(wrong...); err != nil {
		return 0, usage(err)
	}
	base, err := runsOf(s, before)
	fresh, err2 := runsOf(s, after)
	if err := errors.Join(err, err2); err != nil {
		return 0, usage(err)
	}
	done, err := report.Compare(base, fresh, opt)
	if err != nil {
		return 0, usage(err)
	}
	if err := c.show(s.out, done); err != nil {
		return statusBroken, err
	}
	return statusOfVerdict(done.Verdict), nil
}

func (c *compareCmd) show(w io.Writer, done *report.Comparison) error {
	if c.Out == "json" {
		return unlessSeenEnough(sink.CompareJSON(w, done))
	}
	return unlessSeenEnough(sink.CompareText(w, done, sink.TextOptions{Color: useColor(c.Color, w), Quiet: c.Quiet, ASCII: !utf8Locale()}))
}

// runsOf reads the runs in the files, in their order.
func runsOf(s streams, files []string) (all []report.Named, err error) {
	var wrong []error
	for _, file := range files {
		runs, err := openSaved(s, file, nil)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		for i, r := range runs.Runs {
			n := report.Named{File: nameOf(file), Report: r}
			if len(runs.Runs) > 1 {
				n.Run = i + 1
			}
			all = append(all, n)
		}
	}
	return all, errors.Join(wrong...)
}

// machine is this machine in words: what two runs must share to be compared.
func machine() string {
	model := ""
	info, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(info)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = ", " + strings.Join(strings.Fields(value), " ")
				break
			}
		}
	}
	return fmt.Sprintf("%s/%s, %d processors%s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), model)
}
