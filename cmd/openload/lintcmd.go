package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"openload/plan"
	"openload/request"
)

// lintCmd judges a plan.
type lintCmd struct {
	File string `arg:"" help:"The plan file; - is standard input."`
}

// Help says what the exit status means.
func (c *lintCmd) Help() string {
	return `The rules are those that 'openload init' explains: an open model or a stated
reason, a rate, an SLA that says which number it means, enough operations for it,
timeouts and deadlines, the expected statuses, a warm-up.

Exit status: 0 all rules are kept; 3 some are broken; 2 the file is no plan.
`
}

func (c *lintCmd) run(s streams) (int, error) {
	l := &layers{in: s.in, alone: true}
	p, err := planIn(l, c.File)
	if err != nil && l.file == nil {
		return 0, usagef("%s", strings.TrimPrefix(err.Error(), "--plan: "))
	}
	if err != nil {
		return 0, err
	}
	reason := ""
	if words := l.file.Words("reason"); len(words) > 0 {
		reason = words[0].Text
	}
	broken := 0
	all := plan.Lint(p, func(flag string) bool { return l.file.Words(flag) != nil }, reason)
	for _, f := range all {
		if f.Broken {
			broken++
		}
	}
	var w strings.Builder
	fmt.Fprintf(&w, "%s: %d of %d rules are broken\n\n", l.file.Name, broken, len(all))
	for _, f := range all {
		word := "kept"
		if f.Broken {
			word = "BROKEN"
		}
		paragraph(&w, fmt.Sprintf("  %-6s  %-13s  ", word, f.Code), f.Text)
	}
	if _, err := io.WriteString(s.out, w.String()); err != nil {
		return statusBroken, fmt.Errorf("write to standard output: %w", err)
	}
	if broken > 0 {
		return statusFail, nil
	}
	return statusDone, nil
}

// planIn is the plan that a file makes by itself, as run would have it. A plan without
// a URL must say which server sim is to model.
func planIn(l *layers, name string) (*plan.Plan, error) {
	c, err := parsed[*runCmd](l, "run", "--plan", name)
	if err != nil {
		return nil, err
	}
	something := c.asks()
	var sendErr error
	if something {
		c.sent, sendErr = c.build(c.URL, strings.NewReader(""), c.Seed, request.WireOptions{})
		c.blind = sendErr != nil
	}
	p, err := c.plan(&c.closedFlags, &c.limits, &c.retryFlags, &c.verdictFlags)
	err = joined(err, sendErr)
	if !something && len(l.file.Words("server")) == 0 {
		err = joined(err, errors.New("the plan has no url to ask, and no server for 'openload sim' to model"))
	}
	return p, l.locate(usage(err))
}

// parsed is a command as these arguments and what lies under them would have it.
func parsed[C command](under *layers, args ...string) (c C, err error) {
	var g grammar
	nowhere := streams{out: io.Discard, err: io.Discard}
	k, err := newParser(&g, under, nowhere).Parse(args)
	if wrong := errors.Join(under.wrong...); wrong != nil {
		return c, wrong
	}
	if err != nil {
		return c, usage(err)
	}
	chosen := k.Selected().Target.Addr().Interface()
	if x, ok := chosen.(interface{ from(*layers) }); ok {
		x.from(under)
	}
	return chosen.(C), nil
}
