package main

import (
	"context"
	"fmt"
	"time"

	"openload/lab"
	"openload/plan"
	"openload/report"
	"openload/run"
	"openload/sim"
)

// simCmd is a run in virtual time.
type simCmd struct {
	load
	closedFlags
	limits
	verdictFlags
	outputFlags
	Server string `required:"" group:"request" placeholder:"'KEY=VALUE ...'" help:"The modelled server, as for 'openload lab': service=50ms stall=150:2s."`
}

func (c *simCmd) run(s streams) (int, error) {
	p, err := c.plan(&c.closedFlags, &c.limits, &c.verdictFlags)
	if err != nil {
		return 0, err
	}
	server, err := lab.Parse(c.Server)
	if err != nil {
		return 0, usagef("--server: %w", err)
	}
	outs, err := c.prepare(s)
	if err != nil {
		return 0, err
	}
	i := catch()
	defer i.release()
	r := simulate(i.ctx, i.stop, p, server)
	if err := outs.write(s, r); err != nil {
		return 0, err
	}
	return statusOfReport(r, i.signal()), nil
}

// simulate runs p against a modelled server.
func simulate(ctx, stop context.Context, p *plan.Plan, server lab.Spec) *report.Report {
	p.Target.Simulated = server.String()
	return run.Run(ctx, stop, run.Setup{
		Plan: p, World: sim.New(server.Model(p.Seed.Stream("server")), p.Expect.Has),
		Version: version(), Command: simAgain(p), Started: time.Now(), Engine: "sim",
	})
}

// simAgain is a command that repeats the simulation.
func simAgain(p *plan.Plan) string {
	return fmt.Sprintf("openload sim --server %s %s", quote(p.Target.Simulated), loadFlags(p))
}
