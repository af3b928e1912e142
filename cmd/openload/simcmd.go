package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"openload/correct"
	"openload/lab"
	"openload/plan"
	"openload/report"
	"openload/retry"
	"openload/run"
	"openload/sim"
)

// simCmd is a run in virtual time.
type simCmd struct {
	planFlags
	load
	closedFlags
	limits
	retryFlags
	verdictFlags
	repeatFlags
	outputFlags
	Server string `required:"" group:"request" placeholder:"'KEY=VALUE ...'" help:"The modelled server, as for 'openload lab': service=50ms stall=150:2s."`
}

// Help explains --retry and --server.
func (c *simCmd) Help() string { return retryHelp() + "\nKeys of --server:\n" + lab.Help() }

func (c *simCmd) run(s streams) (int, error) {
	if again, _ := retry.Parse(c.Retry); again.Query() != "" {
		return 0, usagef("--retry: unknown=query: asks a real server; a simulated one has no path, so leave it out")
	}
	p, err := c.planned()
	server, serverErr := lab.Parse(c.Server)
	if serverErr != nil {
		err = joined(err, usage(flagged(serverErr)))
	}
	if err != nil {
		return 0, err
	}
	if c.Explain {
		return c.explain(s, p)
	}
	outs, err := c.prepare(s)
	if err = joined(err, c.checkRuns(outs)); err != nil {
		return 0, err
	}
	i := catch()
	defer i.release()
	// Virtual time stands still while a file is written: nobody is sent late.
	opt := streamOptions(p)
	opt.Wait = true
	return c.repeat(s, i, p, outs, opt, func(p *plan.Plan, one *oneRun) (*report.Report, error) {
		began := time.Now()
		one.outs.began(began)
		return simulate(i, p, server, c.Schedule, began, one.observe), nil
	})
}

// flagged is the lab's error, whose lines begin with "server: ", as one of --server.
func flagged(err error) error {
	return errors.New("--" + strings.ReplaceAll(err.Error(), "\nserver: ", "\n--server: "))
}

// planned is the plan that the flags and the file make.
func (c *simCmd) planned() (p *plan.Plan, err error) {
	var sendErr error
	c.sent, sendErr = c.mixed(c.Seed)
	c.blind = sendErr != nil
	if p, err = c.plan(&c.closedFlags, &c.limits, &c.retryFlags, &c.verdictFlags); c.sent != nil {
		p.Target.Network = []string{"--plan " + quote(c.layers.file.Name)} // where the requests are
	}
	return p, joined(err, sendErr)
}

// simulate runs p against a modelled server.
func simulate(i *interrupts, p *plan.Plan, server lab.Spec, schedule string, began time.Time, observe func(correct.Sample)) *report.Report {
	p.Target.Simulated, p.Target.Method = server.String(), "GET"
	return run.Run(i.ctx, watched{i.stop}, run.Setup{
		Ready: run.Prepare(p), World: sim.New(server.Model(p.Seed.Stream("server")), p.Expect.Has),
		Version: version(), Command: simAgain(p, schedule), Started: began, Engine: "sim", Observe: observe,
	})
}

// watched is a context that is asked whether it has ended, and not waited for: a
// simulation never sleeps, and has nothing to be woken from.
type watched struct{ context.Context }

func (watched) Done() <-chan struct{} { return nil }

// simAgain is a command that repeats the simulation.
func simAgain(p *plan.Plan, schedule string) string {
	return fmt.Sprintf("openload sim --server %s %s", quote(p.Target.Simulated), loadFlags(p, schedule)) + spaced(p.Target.Network)
}
