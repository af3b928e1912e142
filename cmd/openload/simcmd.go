package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	mixFlags
	limits
	retryFlags
	verdictFlags
	repeatFlags
	outputFlags
	Server string `required:"" group:"request" placeholder:"'KEY=VALUE ...'" help:"The modelled server, as for 'openload lab': service=50ms stall=150:2s."`
}

// Help explains --retry and --server.
func (c *simCmd) Help() string {
	return `With --targets, or a plan file's requests, the report and rules tell operations
apart by what they would send. The modelled server serves all alike.

` + retryHelp() + "\nKeys of --server:\n" + lab.Help()
}

func (c *simCmd) run(s streams) (int, error) {
	if again, _ := retry.Parse(c.Retry); again.Query() != "" {
		return 0, usagef("--retry: unknown=query: asks a real server; a simulated one has no path, so leave it out")
	}
	p, err := c.planned(s.in)
	server, serverErr := lab.Parse(c.Server)
	if serverErr != nil {
		err = joined(err, usage(flagged(serverErr)))
	}
	if err == nil {
		err = usage(simulable(p, server))
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

// simulable says why p against the server would never come to an end, or not within the
// time that a model counts.
func simulable(p *plan.Plan, server lab.Spec) error {
	const most = 100 * 365 * 24 * time.Hour
	if p.Closed == nil {
		if p.Length() > most {
			return fmt.Errorf("a simulation lasts 100 years at most, and this schedule %.0f; give a higher rate, or less of it", p.Length().Hours()/24/365)
		}
		return nil
	}
	if p.Closed.Duration == 0 || p.Closed.Think > 0 || p.Closed.Rate != nil {
		return nil
	}
	const enough = 1000 // requests in a row
	m := server.Model(p.Seed.Stream("server"))
	var now time.Duration
	for range enough {
		if now = m.Serve(now).At; now > 0 {
			return nil
		}
	}
	return fmt.Errorf("--server: it answers at once, so that in virtual time --duration %s would never be over; give it a service=, or the closed loop a --think, a --rate or --n", p.Closed.Duration)
}

// flagged is the lab's error, whose lines begin with "server: ", as one of --server.
func flagged(err error) error {
	return errors.New("--" + strings.ReplaceAll(err.Error(), "\nserver: ", "\n--server: "))
}

// planned is the plan that the flags and the file make.
func (c *simCmd) planned(in io.Reader) (p *plan.Plan, err error) {
	var sendErr error
	c.sent, sendErr = c.mixed(in)
	c.blind = sendErr != nil
	p, err = c.plan(&c.closedFlags, &c.limits, &c.retryFlags, &c.verdictFlags)
	p.Target.Network = c.mixFlags.whence(c.sent, c.layers.file)
	return p, joined(err, sendErr)
}

// mixed is what operations would send, for nothing is sent: what tells them apart, and how
// many there are. nil: nothing tells them apart.
func (c *simCmd) mixed(in io.Reader) (*sending, error) {
	f := requestFlags{}
	f.mixFlags = c.mixFlags
	f.Template = true // braces are not looked into
	var urls []string
	switch file := c.layers.file; {
	case c.Targets != "":
	case file.HasRequests():
		f.inline = file
	default:
		if urls = c.layers.wordsOf("url"); len(urls) > 0 {
			f.Weight = c.layers.wordsOf("weight")
			break
		}
		if flags := c.mixFlags.again(nil); len(flags) > 0 {
			return nil, usagef("%s: there is nothing to take in turn; add --targets FILE, or leave it out", strings.Join(flags, " and "))
		}
		return nil, nil
	}
	s, _, err := f.mixed(urls, in, c.Seed)
	if err != nil {
		return nil, err
	}
	var wrong []error
	for i, it := range s.mix.Items() {
		if err := it.Check(); err != nil && !templated(it) {
			wrong = append(wrong, fmt.Errorf("target %d (%s): %w", i+1, it.Name, err))
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, usage(f.named(err))
	}
	return s, nil
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
