package main

import (
	"errors"
	"strings"

	"github.com/alecthomas/kong"
)

// grammar is the command line: a struct is the grammar, a field is a flag.
type grammar struct {
	Run      runCmd      `cmd:"" default:"withargs" help:"Send requests on schedule, measure from the schedule, judge. This is what openload does without a command."`
	Sim      simCmd      `cmd:"" help:"The same run in virtual time against a modelled server: same engine, same report, at once."`
	Lab      labCmd      `cmd:"" help:"Serve on loopback and stall, fail or hang on purpose."`
	Demo     demoCmd     `cmd:"" help:"The whole lesson in one command: the same stall as a closed loop and an open model see it."`
	Schedule scheduleCmd `cmd:"" help:"Print the instants of a schedule as CSV, for --schedule."`
	Version  versionCmd  `cmd:"" help:"Print the version."`
}

// command is what every command is: it does its work and returns the exit status, or
// an error that says why it could not.
type command interface {
	run(s streams) (status int, err error)
}

// exited is how kong's wish to end the program reaches us.
type exited int

// execute is the whole program: arguments and streams in, exit status out.
func execute(args []string, s streams) (status int) {
	defer func() {
		if code, ok := recover().(exited); ok {
			status = int(code)
		}
	}()
	var g grammar
	parser := kong.Must(&g,
		kong.Name("openload"),
		kong.Description("Fires each request at a time fixed before the run and measures from that time."),
		kong.Writers(s.out, s.err),
		kong.Help(printHelp),
		kong.Exit(func(code int) { panic(exited(code)) }),
		kong.ExplicitGroups(groups),
		kong.Vars{"kinds": outputKinds()},
	)
	if len(args) == 0 {
		parser.Stdout = s.err
		k, err := kong.Trace(parser, nil)
		if err == nil {
			err = printHelp(kong.HelpOptions{}, k)
		}
		if err != nil {
			complain(s, err)
		}
		return statusUsage
	}
	if err := check(args, parser.Model); err != nil {
		complain(s, err)
		return statusUsage
	}
	k, err := parser.Parse(args)
	if err != nil {
		complain(s, plainer(err))
		return statusUsage
	}
	status, err = k.Selected().Target.Addr().Interface().(command).run(s)
	if err != nil {
		complain(s, err)
		return max(status, statusOf(err))
	}
	return status
}

// plainer drops what kong's errors have beyond the point.
func plainer(err error) error {
	text := err.Error()
	if strings.HasPrefix(text, "expected \"<url>\"") {
		return errors.New("no URL given; end the command with one, such as http://127.0.0.1:8080/")
	}
	return errors.New(text)
}
