package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"openload/experiment"
	"openload/lab"
	"openload/plan"
	"openload/report"
	"openload/run"
	"openload/seed"
	"openload/sim"
	"openload/sink"
)

// experimentCmd compares variants of a plan.
type experimentCmd struct {
	File     string   `arg:"" help:"The plan file with an experiment: section; - is standard input."`
	Sim      bool     `help:"In virtual time, against the server that server: models."`
	Repeats  int      `placeholder:"K" help:"Runs of each variant, in place of the file's."`
	Out      []string `short:"o" sep:"none" placeholder:"KIND[=FILE]" help:"Write the result: text or json. Repeatable; without a file it goes to standard output. Default: text."`
	Progress string   `enum:"auto,plain,none" default:"auto" placeholder:"MODE" help:"A line on standard error after each run: auto, plain, none."`
}

// Help says what an experiment is.
func (c *experimentCmd) Help() string {
	return `An experiment is a plan file with one more key:

  experiment:
    repeats: 4                     # runs of each variant, in turn with the others
    measures: [attempts, settled.p50, peak]
    variants:
      - {name: fixed, retry: attempts=3 base=500ms}
      - {name: full jitter, retry: attempts=3 base=500ms jitter=full}

A variant says some keys of the plan anew. Further keys: simulate, baseline, bin (the
width at which peaks are counted), outcome (ok, bad_status, timed_out, error: how an
operation must end at least once), pause, free (addresses on which nobody may listen),
before and after: commands around every run, for all or for a variant, each a text or
{run: ..., timeout: 30s}; what comes after runs whatever happened, the last first.

Without url: the server of server: runs in this process, a new one for each run.

Measures: ` + strings.Join(experiment.MeasureNames(), ", ") + `;
latencies also with raw., ok. and settled. before them, peaks with @10ms behind.

Exit status: 0 every variant counts; 4 some are INVALID; 130, 143 interrupted.
`
}

func (c *experimentCmd) run(s streams) (int, error) {
	l := &layers{in: s.in, alone: true}
	spec, outs, err := c.prepare(s, l)
	if err != nil {
		return 0, usage(err)
	}
	if err := spec.Occupied(); err != nil {
		return statusBroken, err
	}
	i := catch()
	defer i.release()
	at := &bench{s: s, spec: spec}
	if err := at.check(); err != nil {
		return 0, usage(err)
	}
	if !spec.Simulate {
		defer i.explain(s.err, at.drain)()
	}
	o := experiment.Options{Lab: at, Seed: at.seed, Sleep: pause, Out: s.err}
	if c.Progress != "none" && (c.Progress == "plain" || !spec.Simulate) {
		o.Tell = func(place, of int, variant string, x experiment.One) {
			fmt.Fprintf(s.err, "%*d/%d  %s\n", len(fmt.Sprint(of)), place, of, toldRun(spec, variant, x))
		}
	}
	r := experiment.Run(i.ctx, i.stop, spec, o)
	if words := l.file.Words("description"); len(words) > 0 {
		r.Description = words[0].Text
	}
	for k := range r.Variants {
		r.Variants[k].Plan = at.commands[k]
	}
	var wrong []error
	for _, out := range outs {
		wrong = append(wrong, unlessSeenEnough(out.Put(s.out, func(w io.Writer) error {
			if out.Kind.Name == "json" {
				return experimentJSON(w, r)
			}
			return experimentText(w, r)
		})))
	}
	switch err := errors.Join(wrong...); {
	case err != nil:
		return statusBroken, err
	case r.Interrupted:
		return 128 + int(i.signal()), nil
	case !r.Valid():
		return statusInvalid, nil
	}
	return statusDone, nil
}

// prepare reads the file and the flags.
func (c *experimentCmd) prepare(s streams, l *layers) (spec experiment.Spec, outs []sink.Output, err error) {
	var g grammar
	l.keys = flagKeys(newParser(&g, &layers{}, s).Model)
	if err := l.open(c.File); err != nil {
		return spec, nil, errors.New(strings.Replace(err.Error(), "--plan: ", "", 1))
	}
	spec, err = experiment.Read(l.file)
	wrong := []error{err}
	spec.Simulate = spec.Simulate || c.Sim
	switch {
	case c.Repeats < 0 || c.Repeats > 100:
		wrong = append(wrong, fmt.Errorf("--repeats: %d cannot be; give a number from 1 to 100", c.Repeats))
	case c.Repeats > 0:
		spec.Repeats = c.Repeats
	}
	if len(c.Out) == 0 {
		c.Out = []string{"text"}
	}
	for _, text := range c.Out {
		out, err := sink.Parse(text)
		if err == nil && out.Kind.Name != "text" && out.Kind.Name != "json" {
			err = fmt.Errorf("output %q: an experiment is written as text or json", text)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--out: %w", err))
		}
		outs = append(outs, out)
	}
	if err := errors.Join(wrong...); err != nil {
		return spec, nil, err
	}
	return spec, outs, sink.Prepare(outs...)
}

// pause waits, unless it is ended.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

func experimentJSON(w io.Writer, r *experiment.Result) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// A bench makes the runs of an experiment: the same commands that a user would type.
type bench struct {
	s        streams
	spec     experiment.Spec
	seed     uint64
	commands []string      // of the first round, by variant
	drain    time.Duration // the longest of any variant
}

// under is where a variant's values come from: its file and nothing else.
func (b *bench) under(variant int) *layers {
	return &layers{alone: true, in: strings.NewReader(""), file: b.spec.Variants[variant].File}
}

// check finds out before the start what is wrong with any variant.
func (b *bench) check() error {
	var wrong []error
	texts := map[string]int{}
	for i, v := range b.spec.Variants {
		b.commands = append(b.commands, "")
		err := b.try(i)
		if err == nil {
			continue
		}
		if texts[err.Error()]++; texts[err.Error()] == len(b.spec.Variants) {
			return err // of the plan that they share
		}
		wrong = append(wrong, fmt.Errorf("variant %q: %w", v.Name, err))
	}
	return errors.Join(wrong...)
}

func (b *bench) try(i int) error {
	l := b.under(i)
	server := ""
	if words := b.spec.Variants[i].File.Words("server"); len(words) > 0 {
		server = words[0].Text
	}
	if b.spec.Simulate {
		c, p, _, err := b.modelled(i)
		if err == nil && i == 0 {
			b.seed = uint64(c.Seed)
		}
		if err == nil {
			p.Target.Simulated = server
			b.commands[i] = simAgain(p, c.Schedule)
		}
		return err
	}
	c, err := parsed[*runCmd](l, "run")
	if err != nil {
		return err
	}
	asked := c.asks()
	var wireErr error
	if asked {
		var w wired
		w, wireErr = c.wire(strings.NewReader(""))
		c.sent, c.blind = w.sent, w.sent == nil
	}
	p, err := c.plan(&c.closedFlags, &c.limits, &c.retryFlags, &c.verdictFlags)
	if err = joined(err, wireErr); err != nil {
		return l.locate(err)
	}
	if i == 0 {
		b.seed = uint64(p.Seed)
	}
	b.drain = max(b.drain, p.Drain)
	if asked {
		return nil
	}
	if server == "" {
		return errors.New("it has no url: to ask, and no server: to run in this process")
	}
	if _, err := lab.Parse(server); err != nil {
		return l.locate(flagged(err))
	}
	return nil
}

// Run makes one run of a variant.
func (b *bench) Run(ctx, stop context.Context, variant, round int) (experiment.Outcome, error) {
	if b.spec.Simulate {
		return b.simulated(ctx, stop, variant, round)
	}
	l := b.under(variant)
	c, err := parsed[*runCmd](l, "run", "--out", "json", "--progress", "none")
	if err != nil {
		return experiment.Outcome{}, err
	}
	c.Seed, c.Runs = seed.Seed(b.seed+uint64(round)), 1 // repeats are the experiment's
	if c.asks() {
		r, err := b.recorded(c)
		return experiment.Outcome{Report: r}, err
	}
	spec, err := lab.Parse(l.file.Words("server")[0].Text)
	if err != nil {
		return experiment.Outcome{}, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return experiment.Outcome{}, fmt.Errorf("listen for the lab server: %w", err)
	}
	server := lab.NewServer(func() lab.Model { return spec.Model(c.Seed.Stream("server")) })
	serving, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(serving, ln) }()
	c.URL = []string{"http://" + ln.Addr().String() + "/"}
	r, err := b.recorded(c)
	end()
	err = errors.Join(err, <-ended)
	stats := server.Stats()
	return experiment.Outcome{Report: r, Target: &stats}, err
}

// recorded carries out the command and reads its report.
func (b *bench) recorded(c *runCmd) (*report.Report, error) {
	var out, complaints bytes.Buffer
	if _, err := c.run(streams{in: strings.NewReader(""), out: &out, err: &complaints}); err != nil {
		return nil, err
	}
	r := new(report.Report)
	if err := json.Unmarshal(out.Bytes(), r); err != nil {
		return nil, fmt.Errorf("read the run's report: %w", err)
	}
	return r, nil
}

// modelled is a variant as sim has it.
func (b *bench) modelled(variant int) (*simCmd, *plan.Plan, lab.Spec, error) {
	l := b.under(variant)
	c, err := parsed[*simCmd](l, "sim")
	if err != nil {
		return nil, nil, lab.Spec{}, err
	}
	p, err := c.planned(strings.NewReader(""))
	if err != nil {
		return nil, nil, lab.Spec{}, l.locate(err)
	}
	server, err := lab.Parse(c.Server)
	if err != nil {
		return nil, nil, lab.Spec{}, l.locate(flagged(err))
	}
	p.Target.Method = "GET"
	return c, p, server, nil
}

// simulated is Run in virtual time.
func (b *bench) simulated(ctx, stop context.Context, variant, round int) (experiment.Outcome, error) {
	c, p, server, err := b.modelled(variant)
	if err != nil {
		return experiment.Outcome{}, err
	}
	p.Seed = seed.Seed(b.seed + uint64(round))
	p.Target.Simulated = server.String()
	if err := p.Check(); err != nil { // chance may leave a schedule empty
		return experiment.Outcome{}, err
	}
	w := sim.New(server.Model(p.Seed.Stream("server")), p.Expect.Has)
	r := run.Run(ctx, watched{stop}, run.Setup{
		Ready: run.Prepare(p), World: w, Version: version(), Command: simAgain(p, c.Schedule), Started: time.Now(), Engine: "sim",
	})
	stats := w.Stats()
	return experiment.Outcome{Report: r, Target: &stats}, nil
}
