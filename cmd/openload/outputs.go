package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/term"

	"openload/report"
	"openload/sink"
)

// outputs are the places where a report goes.
type outputs struct {
	outs  []sink.Output
	quiet bool
	color bool
	ascii bool
}

// prepare reads the flags and finds out before the run what can't be written.
func (f *outputFlags) prepare(s streams) (*outputs, error) {
	o := &outputs{quiet: f.Quiet, color: useColor(f.Color, s.out), ascii: !utf8Locale()}
	var wrong []error
	toStdout := false
	for _, spec := range f.Out {
		out, err := sink.Parse(spec)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--out: %w", err))
			continue
		}
		toStdout = toStdout || out.File == ""
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

// write sends r everywhere. Every output gets its try, whatever became of the others.
func (o *outputs) write(s streams, r *report.Report) error {
	var wrong []error
	for _, out := range o.outs {
		err := out.Write(s.out, r, sink.TextOptions{Color: o.color, Quiet: o.quiet, ASCII: o.ascii})
		if out.File == "" && errors.Is(err, syscall.EPIPE) {
			err = nil // the reader has seen enough, as head does after its first line
		}
		wrong = append(wrong, err)
	}
	return errors.Join(wrong...)
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
