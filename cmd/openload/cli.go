package main

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"openload/internal/nearest"
)

// grammar is the command line: a struct is the grammar, a field is a flag.
type grammar struct {
	Run        runCmd        `cmd:"" default:"withargs" help:"Send requests on schedule, measure from the schedule, judge. This is what openload does without a command."`
	Sim        simCmd        `cmd:"" help:"The same run in virtual time against a modelled server: same engine, same report, at once."`
	Lab        labCmd        `cmd:"" help:"Serve on loopback and stall, fail or hang on purpose."`
	Demo       demoCmd       `cmd:"" help:"The whole lesson in one command: the same stall as a closed loop and an open model see it."`
	Correct    correctCmd    `cmd:"" help:"Read another tool's result file: raw and corrected side by side, repaired where that is right, refused where it is not."`
	Find       findCmd       `cmd:"" help:"Find the highest rate at which the rules of --sla hold."`
	Report     reportCmd     `cmd:"" help:"Show a saved run in another form."`
	Judge      judgeCmd      `cmd:"" help:"Judge a saved run by other rules, without running it again."`
	Merge      mergeCmd      `cmd:"" help:"Put runs of one plan together, as one sample."`
	Import     importCmd     `cmd:"" help:"Make a file of targets from a curl command, an HTTP archive or an access log."`
	Compare    compareCmd    `cmd:"" help:"Say whether runs got worse than those before."`
	Peaks      peaksCmd      `cmd:"" help:"Show how many arrivals of an access log or another file came at once, by the width of at once."`
	Experiment experimentCmd `cmd:"" help:"Compare variants of a plan: repeated, in turn, with exact p-values; a run that cannot be trusted has no numbers."`
	Schedule   scheduleCmd   `cmd:"" help:"Print the instants of a schedule as CSV, for --schedule."`
	Init       initCmd       `cmd:"" help:"Write a commented plan file to start from: a sound test, and why."`
	Lint       lintCmd       `cmd:"" help:"Judge a plan file by the rules of sound test design, and say which are broken and why."`
	Schema     schemaCmd     `cmd:"" help:"Print the JSON Schema of plan files, for editors."`
	Version    versionCmd    `cmd:"" help:"Print the version."`
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
		switch r := recover().(type) {
		case nil:
		case exited:
			status = int(r)
		default: // a status of its own: Go's would be that of a wrong flag
			complain(s, fmt.Errorf("this is a fault of openload's; please report it, with what follows: %v", r))
			s.err.Write(debug.Stack())
			status = statusBroken
		}
	}()
	var g grammar
	under := &layers{in: s.in}
	parser := newParser(&g, under, s)
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
	args = attach(args, parser.Model)
	if err := check(args, parser.Model); err != nil && args[0] != "help" {
		complain(s, err)
		return statusUsage
	}
	switch args[0] { // as people ask other tools
	case "help", "-help":
		args = append(args[1:], "--help")
	case "--version", "-V", "-version":
		args = append([]string{"version"}, args[1:]...)
	}
	k, err := parser.Parse(args)
	if wrong := errors.Join(under.wrong...); wrong != nil {
		complain(s, wrong)
		return statusUsage
	}
	if err != nil {
		if status = statusOf(asUsage(err)); status == statusUsage {
			err = allWrong(args, err, parser.Model)
		}
		complain(s, err)
		return status
	}
	if err := twice(k); err != nil {
		complain(s, err)
		return statusUsage
	}
	under.warn(s.err)
	chosen := k.Selected().Target.Addr().Interface().(command)
	if c, ok := chosen.(interface{ from(*layers) }); ok {
		c.from(under)
	}
	status, err = chosen.run(s)
	if errors.Is(err, syscall.EPIPE) {
		return status // who read standard output has seen enough
	}
	if err = under.locate(err); err != nil {
		complain(s, err)
		return max(status, statusOf(err))
	}
	return status
}

// newParser is the command line as kong takes it; under is where it finds what was not
// typed.
func newParser(g *grammar, under *layers, s streams) *kong.Kong {
	return kong.Must(g,
		kong.Name("openload"),
		kong.Description("Fires each request at a time fixed before the run and measures from that time."),
		kong.Writers(s.out, s.err),
		kong.Help(printHelp),
		kong.Exit(func(code int) { panic(exited(code)) }),
		kong.ExplicitGroups(groups),
		kong.Resolvers(under),
		kong.Vars{"kinds": outputKinds()},
	)
}

// twice names the flags that take one value and were given several.
func twice(k *kong.Context) error {
	seen := map[*kong.Flag]bool{}
	var wrong []error
	for _, p := range k.Path {
		f := p.Flag
		if f == nil || p.Resolved || f.IsBool() || f.Target.Kind() == reflect.Slice {
			continue
		}
		if seen[f] {
			wrong = append(wrong, fmt.Errorf("--%s: given twice, and it takes one value; leave one of them out", f.Name))
		}
		seen[f] = true
	}
	return errors.Join(wrong...)
}

// asUsage marks a parser's error as the user's mistake, unless it could not write.
func asUsage(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return err
	}
	return usage(err)
}

// unknownFlag is how kong begins when it knows no such flag.
var unknownFlag = regexp.MustCompile(`^unknown flag (-\S+?)(,|$)`)

// noValue is how kong says that a flag stands at the end.
var noValue = regexp.MustCompile(`^(--\S+): expected \w+ value but got "EOL"`)

// missingArg is how kong says that an argument is not there.
var missingArg = regexp.MustCompile(`^expected "<(\w+)>`)

// plainer drops what kong's errors have beyond the point, and guesses better.
func plainer(err error, app *kong.Application) error {
	text := err.Error()
	if m := unknownFlag.FindStringSubmatch(text); m != nil {
		names, others := flagNames(nodes(app)), "openload --help lists the flags"
		if bad := (*kong.ParseError)(nil); errors.As(err, &bad) && bad.Context.Command() != "" {
			if node := bad.Context.Selected(); node != nil {
				names, others = flagNames([]*kong.Node{app.Node, node}), node.FullPath()+" --help lists the flags"
			}
		}
		if meant := nearest.Of(strings.TrimLeft(m[1], "-"), names); meant != "" && strings.HasPrefix(m[1], "--") {
			return fmt.Errorf("unknown flag %s, did you mean --%s?", m[1], meant)
		}
		if unquotedCurl(err) {
			return fmt.Errorf("%s is curl's: %s", m[1], quoteCurl)
		}
		return fmt.Errorf("unknown flag %s; %s", m[1], others)
	}
	if strings.HasPrefix(text, "unexpected argument ") {
		if unquotedCurl(err) {
			return errors.New(quoteCurl)
		}
		bad := (*kong.ParseError)(nil)
		if errors.As(err, &bad) && slices.Contains([]string{"judge <file>", "report <file>"}, bad.Context.Command()) {
			name, _, _ := strings.Cut(bad.Context.Command(), " ")
			return fmt.Errorf("%s; %s takes one file: openload merge puts several together, openload compare says whether they differ", text, name)
		}
	}
	if strings.HasPrefix(text, "expected \"<url>\"") {
		return errors.New("no URL given; end the command with one, such as http://127.0.0.1:8080/")
	}
	if m := noValue.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%s: nothing follows it, and it takes a value", m[1])
	}
	if m := missingArg.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("no %s given; openload --help lists the commands, and openload COMMAND --help what they take", strings.ToUpper(m[1]))
	}
	return errors.New(plainNumber(text))
}

// kongNumber is what kong says of a value that is no number, of its kind.
var kongNumber = regexp.MustCompile(`expected a valid \d+ bit (uint|int|float) but got (".*")`)

func plainNumber(text string) string {
	m := kongNumber.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	what := map[string]string{"uint": "a whole number of 0 or more", "int": "a whole number", "float": "a number"}[m[1]]
	return strings.Replace(text, m[0], m[2]+" is not "+what, 1)
}

// flagNames are the names under which the flags of these commands may be given.
func flagNames(of []*kong.Node) (names []string) {
	for _, node := range of {
		for _, f := range node.Flags {
			if !f.Hidden {
				names = append(names, append(f.Aliases, f.Name)...)
			}
		}
	}
	return names
}

// quoteCurl is what to do about a curl command that came in pieces.
const quoteCurl = `quote the whole command, so that it comes as one: openload import curl "curl http://127.0.0.1:8080/ -H 'X: 1'", or put it into a file: openload import curl - < FILE`

// unquotedCurl reports whether the command line that err is about imports a curl command.
func unquotedCurl(err error) bool {
	bad := (*kong.ParseError)(nil)
	return errors.As(err, &bad) && bad.Context != nil && strings.HasPrefix(bad.Context.Command(), "import curl")
}
