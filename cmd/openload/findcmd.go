package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"openload/find"
	"openload/lab"
	"openload/plan"
	"openload/report"
	"openload/schedule"
	"openload/seed"
	"openload/sink"
	"openload/sla"
)

// findCmd is the search for the highest rate that keeps the rules.
type findCmd struct {
	URL          []string      `arg:"" optional:"" sep:"none" help:"What to ask for. Several are taken in turn, whatever their hosts."`
	From         schedule.Rate `group:"load" default:"10" placeholder:"RATE" help:"Lowest rate, tried first."`
	To           schedule.Rate `group:"load" default:"10000" placeholder:"RATE" help:"Highest rate to try."`
	StepDuration span          `group:"load" default:"10s" placeholder:"TIME" help:"How long each rate is measured."`
	Warmup       span          `group:"load" default:"2s" placeholder:"TIME" help:"What of each step before that is sent and not judged."`
	Precision    percentage    `group:"load" default:"5%" placeholder:"PERCENT" help:"How far apart the rate that holds and the one that does not may lie in the end."`
	Arrival      string        `group:"load" default:"even" placeholder:"LAW" help:"How requests fall within the rate: even, poisson, uniform, burst=K."`
	Seed         seed.Seed     `group:"load" default:"1" placeholder:"N" help:"Seed of all chance."`
	Server       string        `group:"request" placeholder:"'KEY=VALUE ...'" help:"In place of a URL: search in virtual time against this modelled server, as for 'openload sim'."`
	Sim          bool          `group:"plan" help:"Search in virtual time, against the server that the plan models."`
	planFlags
	requestFlags
	authFlags
	limits
	httpFlags
	tlsFlags
	networkFlags
	engineFlags
	retryFlags
	findVerdict
	findOutput

	wired wired // what is sent; in virtual time, what tells operations apart
	blind bool  // that is not known
}

// findVerdict says what must hold.
type findVerdict struct {
	SLA          []string `name:"sla" group:"verdict" sep:"none" placeholder:"RULE" help:"What must hold, such as 'p99<200ms' or 'errors<0.1%'. Repeatable."`
	Confidence   float64  `group:"verdict" placeholder:"PERCENT" help:"Ask each step for proof at that confidence, such as 95. Steps must be long enough for it."`
	ExpectStatus string   `group:"verdict" default:"200-399" placeholder:"LIST" help:"Which statuses are a success: 200-399, 200,204, any."`
}

// findOutput says where the answer goes.
type findOutput struct {
	Out      []string `short:"o" group:"output" sep:"none" placeholder:"KIND[=FILE]" help:"Write the answer and all steps: text or json. Repeatable. Default: text."`
	Progress string   `group:"output" enum:"auto,live,plain,none" default:"auto" placeholder:"MODE" help:"How to show a step while it goes on, on standard error: auto, live, plain, none."`
	Quiet    bool     `short:"q" group:"output" help:"The answer in one line only, and no progress."`
	Color    string   `group:"output" enum:"auto,always,never" default:"auto" placeholder:"WHEN" help:"Colour: auto, always, never."`
}

// A percentage is a share, written as 5% or 5.
type percentage float64

func (p *percentage) UnmarshalText(text []byte) error {
	v, err := strconv.ParseFloat(strings.TrimSuffix(string(text), "%"), 64)
	if err != nil {
		return fmt.Errorf("%q is not a percentage; write one such as 5%%", text)
	}
	*p = percentage(v / 100)
	return nil
}

// String is p as UnmarshalText reads it.
func (p percentage) String() string { return strconv.FormatFloat(100*float64(p), 'g', 6, 64) + "%" }

// Help says what a search does and how it ends.
func (c *findCmd) Help() string {
	return `The rate doubles until a step breaks a rule, then the search bisects. A step is
a run like any other, and ends early once it cannot pass. One that is INVALID is
made again; if it stays so, or is INCONCLUSIVE, the answer says that the
measurement is the limit, never the server. One of which the server failed all
is not made again: it breaks, or at --from nothing can be decided.

  FOUND      holds at one rate and no longer at another, the server decides
  AT LEAST   holds at --to
  NOT EVEN   breaks at --from already
  UNDECIDED  what could be measured ends before the server does

Of a plan file (-f) a search takes what is sent, how, and what must hold; rates,
lengths and outputs are its own. --sim asks the server that the plan models.

Exit status: 0 FOUND or AT LEAST; 3 NOT EVEN; 4 UNDECIDED.

` + retryHelp() + "\nKeys of --server:\n" + lab.Help()
}

func (c *findCmd) run(s streams) (int, error) {
	search := find.Search{From: c.From.PerSecond(), To: c.To.PerSecond(), Precision: float64(c.Precision)}
	reachErr := c.settle()
	if reachErr == nil {
		reachErr = c.reach(s.in)
	}
	c.blind = reachErr != nil
	p, err := c.step(search.From)
	err = joined(joined(err, joined(reachErr, c.refuse())), usage(search.Check()))
	if len(c.SLA) == 0 {
		err = joined(err, usagef("find needs to know what must hold: give --sla, such as --sla 'p99<200ms'"))
	}
	if err == nil && c.Explain {
		return c.explain(s, p)
	}
	flags := outputFlags{Out: c.Out, Progress: c.Progress, Quiet: c.Quiet, Color: c.Color}
	outs, outErr := flags.prepare(s)
	if outErr == nil {
		outErr = onlyTextAndJSON(outs)
	}
	i := catch()
	defer i.release()
	defer i.explain(s.err, time.Duration(c.Drain))()
	do, end, err := c.runner(s, i, p, outs, joined(err, outErr))
	if err != nil {
		return interruptedOr(i, err)
	}
	defer end()
	if !c.Quiet {
		c.sayLeftOut(s)
		c.announce(s, &search)
	}
	f, err := c.search(s, i, p, outs, &search, do)
	if err != nil {
		return statusBroken, err
	}
	for _, out := range outs.outs {
		err = errors.Join(err, unlessSeenEnough(out.WriteFind(s.out, f, sink.TextOptions{Color: outs.color, Quiet: outs.quiet, ASCII: outs.ascii})))
	}
	if err != nil {
		return statusBroken, err
	}
	return statusOfFind(f, i), nil
}

func onlyTextAndJSON(outs *outputs) error {
	var wrong []error
	for _, out := range outs.outs {
		if out.Apart() {
			wrong = append(wrong, fmt.Errorf("--out %s: a search is written as text or json; run one rate alone for the rest", out))
		}
	}
	return usage(errors.Join(wrong...))
}

// step is the plan of a run at a rate.
func (c *findCmd) step(rate float64) (*plan.Plan, error) {
	l := load{
		Rate: strconv.FormatFloat(rate, 'f', -1, 64), Duration: runLength(c.Warmup + c.StepDuration), Warmup: c.Warmup,
		Arrival: c.Arrival, Seed: c.Seed,
		sent: c.wired.sent, blind: c.blind,
	}
	v := verdictFlags{SLA: c.SLA, Confidence: c.Confidence, ExpectStatus: c.ExpectStatus, AbortOnFail: c.early()}
	return l.plan(&closedFlags{}, &c.limits, &c.retryFlags, &v)
}

// early reports whether a step can end before its time: some rules are only known in
// the end. Wrong rules are found elsewhere.
func (c *findCmd) early() bool {
	for _, text := range c.SLA {
		if r, err := sla.Parse(text); err == nil && r.Early() {
			return true
		}
	}
	return false
}

// runner makes steps, against sockets or in virtual time. wrong is what is wrong with the
// command line otherwise.
func (c *findCmd) runner(s streams, i *interrupts, p *plan.Plan, outs *outputs, wrong error) (do runner, end func(), err error) {
	if c.Server != "" {
		server, err := lab.Parse(c.Server)
		if err != nil {
			err = usagef("--%w", err) // it begins with "server: "
		}
		if err = joined(wrong, err); err != nil {
			return nil, nil, err
		}
		c.virtually(p)
		return func(p *plan.Plan, one *oneRun) (*report.Report, error) {
			return simulate(i, p, server, "", time.Now(), one.observe), nil
		}, func() {}, nil
	}
	if wrong != nil {
		return nil, nil, wrong
	}
	c.wired.sent.tell(s, c.Quiet)
	return c.asRun().runner(s, i, p, outs, c.wired)
}

// asRun is the command that makes one step.
func (c *findCmd) asRun() *runCmd {
	r := &runCmd{
		URL: c.URL, requestFlags: c.requestFlags, authFlags: c.authFlags, limits: c.limits, httpFlags: c.httpFlags, tlsFlags: c.tlsFlags,
		networkFlags: c.networkFlags, engineFlags: c.engineFlags, retryFlags: c.retryFlags,
	}
	r.Progress, r.Quiet, r.Color, r.Seed = c.Progress, c.Quiet, c.Color, c.Seed
	return r
}

// announce says beforehand how long it may take.
func (c *findCmd) announce(s streams, search *find.Search) {
	each := time.Duration(c.Warmup + c.StepDuration)
	total := time.Duration(search.Steps()) * each
	if c.Server != "" {
		fmt.Fprintf(s.err, "openload: find: at most %d steps of %v in virtual time\n", search.Steps(), each)
		return
	}
	fmt.Fprintf(s.err, "openload: find: at most %d steps of %v, %v in all, and what is out at their ends;\nopenload: find: a step that cannot be judged is made twice\n",
		search.Steps(), each, total)
}

// search makes step after step.
func (c *findCmd) search(s streams, i *interrupts, first *plan.Plan, outs *outputs, search *find.Search, do runner) (*report.Find, error) {
	f := &report.Find{
		Schema: report.FindSchema, Tool: report.Tool{Version: version()},
		From: search.From, To: search.To, Precision: search.Precision, Steps: []report.FindStep{},
	}
	for {
		rate, more := search.Next()
		if !more || i.stop.Err() != nil {
			break
		}
		p, err := c.step(rate)
		if err != nil {
			return nil, fmt.Errorf("at %s: %w", sink.PerSecond(rate), err)
		}
		p.Target = first.Target
		r, err := do(p, &oneRun{name: fmt.Sprintf("step %d of at most %d", len(f.Steps)+1, max(search.Steps(), len(f.Steps)+1)), outs: outs})
		if err != nil {
			return nil, err
		}
		f.Steps = append(f.Steps, report.FindStep{Rate: rate, Report: r})
		if r.Run.Interrupted {
			break
		}
		search.Tell(outcome(r))
		if r.Verdict == "inconclusive" {
			search.Tell(find.Unknown) // as many operations would show as little
		}
		c.tell(s, rate, r)
	}
	c.answer(f, search, i)
	if len(f.Steps) > 0 {
		f.Command = c.again(first, f.Steps[0].Report.Plan.Command)
	}
	return f, nil
}

func outcome(r *report.Report) find.Outcome {
	switch r.Verdict {
	case "pass":
		return find.Holds
	case "fail":
		return find.Breaks
	}
	if r.FailedByServer() {
		return find.Failed
	}
	return find.Unknown
}

// tell is a line for each step, on standard error.
func (c *findCmd) tell(s streams, rate float64, r *report.Report) {
	if c.Quiet || c.Progress == "none" {
		return
	}
	p99 := "failed"
	if d := r.Latency.Corrected; d != nil && d.P99 != nil {
		p99 = sink.Duration(*d.P99)
	}
	fmt.Fprintf(s.err, "openload: find: %s  corrected p99 %s  %s\n", sink.PerSecond(rate), p99, strings.ToUpper(r.Verdict))
}

// answer takes over what the search found.
func (c *findCmd) answer(f *report.Find, search *find.Search, i *interrupts) {
	holds, above, by := search.Bracket()
	if holds > 0 {
		f.Holds = &holds
	}
	f.Limit = report.ByRange
	if above > 0 {
		f.Above = &above
		f.Limit = report.ByServer
		if by == find.Unknown || by == find.Failed {
			f.Limit = report.ByMeasurement
		}
	}
	if i.stop.Err() != nil {
		f.Limit = report.ByUser
	}
}

func statusOfFind(f *report.Find, i *interrupts) int {
	switch {
	case f.Limit == report.ByUser:
		return 128 + int(i.signal())
	case f.Limit == report.ByMeasurement:
		return statusInvalid
	case f.Holds == nil:
		return statusFail
	}
	return statusDone
}

// again is a command that searches again. step is that of its first run, which ends in
// what is sent where.
func (c *findCmd) again(p *plan.Plan, step string) string {
	q := *p
	q.Schedule = schedule.Spec{Law: p.Schedule.Law}
	q.Warmup, q.AbortOnFail = 0, false
	text := fmt.Sprintf("openload find --from %s --to %s --step-duration %v --warmup %v --precision %v%% %s",
		c.From, c.To, time.Duration(c.StepDuration), time.Duration(c.Warmup), 100*float64(c.Precision), loadFlags(&q, ""))
	if c.Server != "" {
		return text + " --server " + quote(c.Server) + spaced(p.Target.Network)
	}
	_, request, _ := strings.Cut(step, loadFlags(p, ""))
	return text + request
}
