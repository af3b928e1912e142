package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/term"

	"openload/correct"
	"openload/report"
	"openload/sink"
)

// outputs are the places where a report goes.
type outputs struct {
	outs     []sink.Output  // those that are written from the report
	streams  []*sink.Stream // those that take attempts as they end
	epoch    time.Time      // of the run, once it began
	quiet    bool
	color    bool
	ascii    bool
	required bool // a file that can't be written is an error
}

// prepare reads the flags and finds out before the run what can't be written.
func (f *outputFlags) prepare(s streams) (*outputs, error) {
	o := &outputs{quiet: f.Quiet, color: useColor(f.Color, s.out), ascii: !utf8Locale(), required: f.SinkRequired}
	var wrong []error
	toStdout := false
	for _, spec := range f.Out {
		out, err := sink.Parse(spec)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--out: %w", err))
			continue
		}
		if out.Kind.Job != nil {
			out.Job = &sink.GitHub{Summary: os.Getenv("GITHUB_STEP_SUMMARY"), Output: os.Getenv("GITHUB_OUTPUT"), Log: s.err}
		}
		toStdout = toStdout || out.Shown()
		o.outs = append(o.outs, out)
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, usage(err)
	}
	if !toStdout {
		text, err := sink.Parse("text")
		if err != nil {
			return nil, err
		}
		o.outs = append([]sink.Output{text}, o.outs...)
	}
	if err := sink.Prepare(o.outs...); err != nil {
		return nil, usage(err)
	}
	return o, nil
}

// needRun reports whether an output can only be written while a run goes on.
func (o *outputs) needRun() bool { return slices.ContainsFunc(o.outs, sink.Output.NeedsRun) }

// began takes the run's epoch.
func (o *outputs) began(epoch time.Time) { o.epoch = epoch }

// stream opens the outputs that take a run's attempts, and returns what hands them an
// attempt; nil if there are none. What it opened ends with write or drop.
func (o *outputs) stream(s streams, opt sink.StreamOptions) (observe func(correct.Sample), err error) {
	opt.Version, opt.Started = version(), func() time.Time { return o.epoch }
	all := o.outs
	o.outs = nil
	for _, out := range all {
		if !out.Streamed() {
			o.outs = append(o.outs, out)
			continue
		}
		to, err := out.Stream(s.out, opt)
		if err != nil {
			o.drop()
			return nil, err
		}
		o.streams = append(o.streams, to)
	}
	if len(o.streams) == 0 {
		return nil, nil
	}
	return func(x correct.Sample) {
		for _, to := range o.streams {
			to.Observe(x)
		}
	}, nil
}

// drop ends what stream opened, if write did not, and leaves no file.
func (o *outputs) drop() {
	for _, to := range o.streams {
		to.Drop()
	}
	o.streams = nil
}

// write sends r everywhere. Every output gets its try, whatever became of the others:
// a file that can't be written is a warning and a note in the report, and an error only
// if the files were required; standard output that can't be written is one always.
// Hence the order: files first, JSON last of them, then what people see.
func (o *outputs) write(s streams, r *report.Report) error {
	var wrong []error
	failed := func(err error) {
		if err != nil {
			wrong = append(wrong, err)
			r.Notes = append(r.Notes, report.Reason{Code: "sink_failed", Text: "not written: " + err.Error()})
		}
	}
	var broken error // standard output
	for _, to := range o.streams {
		lost, err := to.Close(r.End())
		if lost > 0 {
			r.Notes = append(r.Notes, report.Reason{Code: "attempts_lost", Text: fmt.Sprintf(
				"%d attempts are not in %s: they ended faster than it could be written", lost, to.Output())})
		}
		if to.Output().Shown() {
			broken = unlessSeenEnough(err)
			continue
		}
		failed(err)
	}
	o.streams = nil
	for _, out := range slices.SortedStableFunc(slices.Values(o.outs), func(a, b sink.Output) int { return turn(a) - turn(b) }) {
		err := out.Write(s.out, r, sink.TextOptions{Color: o.color, Quiet: o.quiet, ASCII: o.ascii})
		if out.Shown() {
			broken = errors.Join(broken, unlessSeenEnough(err))
			continue
		}
		failed(err)
	}
	if o.required {
		return errors.Join(append(wrong, broken)...)
	}
	for _, err := range wrong {
		fmt.Fprintf(s.err, "openload: warning: %v\n", err)
	}
	return broken
}

// turn is when an output is written, so that the last ones can tell of those that failed.
func turn(o sink.Output) int {
	switch {
	case o.Shown():
		return 2
	case o.Kind.Name == "json":
		return 1
	}
	return 0
}

// unlessSeenEnough is err, unless it is standard output's reader who has seen enough,
// as head does after its first line.
func unlessSeenEnough(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// useColor decides by flag, then environment, then whether w is a terminal.
func useColor(flag string, w io.Writer) bool {
	switch {
	case flag == "always":
		return true
	case flag == "never", os.Getenv("NO_COLOR") != "":
		return false
	case os.Getenv("FORCE_COLOR") != "", os.Getenv("CLICOLOR_FORCE") != "" && os.Getenv("CLICOLOR_FORCE") != "0":
		return true
	}
	return isTerminal(w) && os.Getenv("TERM") != "dumb"
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
