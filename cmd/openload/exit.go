package main

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"openload/report"
)

// Exit statuses.
const (
	statusDone    = 0 // done; the rules held, or none were given
	statusBroken  = 1 // could not run, or could not write
	statusUsage   = 2 // bad command line, plan or input file
	statusFail    = 3 // rules not met
	statusInvalid = 4 // INVALID or INCONCLUSIVE
	// 128 + signal: interrupted; the report was written
)

// A usageError is a mistake in what the user typed.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, a ...any) error { return usageError{fmt.Errorf(format, a...)} }

// usage marks err as a mistake in what the user typed; nil stays nil.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// statusOf is the exit status that err stands for.
func statusOf(err error) int {
	var u usageError
	switch {
	case err == nil:
		return statusDone
	case errors.As(err, &u):
		return statusUsage
	}
	return statusBroken
}

// statusOfReport is the exit status of a run that has a report. signal is what
// interrupted it, if anything did.
func statusOfReport(r *report.Report, signal syscall.Signal) int {
	if r.Run.Interrupted && signal != 0 {
		return 128 + int(signal)
	}
	return statusOfVerdict(r.Verdict)
}

func statusOfVerdict(verdict string) int {
	switch verdict {
	case "fail":
		return statusFail
	case "invalid", "inconclusive":
		return statusInvalid
	}
	return statusDone
}

// complain writes err, one line for each problem in it. Excerpts of files are indented
// and stay as they are.
func complain(s streams, err error) {
	for line := range strings.SplitSeq(strings.TrimSpace(err.Error()), "\n") {
		if strings.HasPrefix(line, "  ") {
			fmt.Fprintf(s.err, "%s\n", line)
			continue
		}
		fmt.Fprintf(s.err, "openload: %s\n", toStdout(strings.TrimSpace(line)))
	}
}

// toStdout is what could not be written to standard output, in one way of saying it.
func toStdout(line string) string {
	const kernel, ours = "write /dev/stdout: ", "write to standard output: "
	before, why, ok := strings.Cut(line, kernel)
	switch {
	case !ok:
		return line
	case before == "":
		return ours + why
	}
	return before + why
}
