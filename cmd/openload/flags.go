package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"openload/plan"
	"openload/retry"
	"openload/schedule"
	"openload/seed"
	"openload/sink"
	"openload/sla"
)

// groups are the headings of the help, in order.
var groups = []kong.Group{
	{Key: "file", Title: "File:"},
	{Key: "load", Title: "Load:"},
	{Key: "request", Title: "Request:"},
	{Key: "targets", Title: "Several requests, and data:"},
	{Key: "connection", Title: "Connections and time:"},
	{Key: "network", Title: "Addresses and proxies:"},
	{Key: "tls", Title: "TLS:"},
	{Key: "retry", Title: "Retries:"},
	{Key: "verdict", Title: "Verdict:"},
	{Key: "plan", Title: "Plan file:"},
	{Key: "output", Title: "Output:"},
}

// A span is a duration flag with an error that says what to write.
type span time.Duration

func (d *span) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	switch {
	case err != nil && isNumber(string(text)):
		return fmt.Errorf("%q has no unit; write %ss for seconds, or ms, m, h", text, text)
	case err != nil:
		return fmt.Errorf("%q is not a duration; write one such as 500ms, 30s or 2m", text)
	case v < 0:
		return fmt.Errorf("%q is negative; write a duration such as 500ms, 30s or 2m", text)
	}
	*d = span(v)
	return nil
}

// A runLength is a span that knows what -d means to users of curl and hey.
type runLength span

func (d *runLength) UnmarshalText(text []byte) error {
	if err := (*span)(d).UnmarshalText(text); err != nil {
		return fmt.Errorf("%w (-d is --duration; for a body use --body)", err)
	}
	return nil
}

// load says when requests leave.
type load struct {
	Rate     string    `short:"r" aliases:"qps" group:"load" placeholder:"RATE" help:"Requests per second in all: 12.5, 300/m, 1/90s; a ramp 10..200; stages 10@30s,50@1m."`
	N        uint64    `name:"n" short:"n" aliases:"requests,count" group:"load" placeholder:"N" help:"How many requests. With --duration, whichever ends first."`
	Duration runLength `short:"d" aliases:"for" group:"load" placeholder:"TIME" help:"How long to send: 20s, 5m."`
	Z        runLength `name:"z" short:"z" hidden:""`
	Arrival  string    `group:"load" default:"even" placeholder:"LAW" help:"How requests fall within the rate: even, poisson, uniform, burst (all at once), burst=K; or in place of a rate 'population=N period=TIME jitter=TIME'."`
	Phase    []string  `group:"load" sep:"none" placeholder:"'NAME: RATE@TIME'" help:"A stage by name, such as 'steady: 50@1m', in place of --rate; a ramp 10..200@30s, a pause 0@5s; warmup behind it keeps it out of what is judged. Repeatable, in order."`
	Warmup   span      `group:"load" placeholder:"TIME" help:"What is due before this is sent, and kept out of the numbers that are judged."`
	Schedule string    `group:"load" placeholder:"FILE" help:"Send at the instants of this file, as 'openload schedule' writes it."`
	Seed     seed.Seed `group:"load" default:"1" placeholder:"N" help:"Seed of all chance. Same seed, same schedule."`

	sent  *sending // nil: nothing is sent, or it is not known what
	blind bool     // it is not known: rules for targets cannot be checked
}

// spec is the schedule that the flags describe.
func (l *load) spec() (spec schedule.Spec, err error) {
	d := l.length()
	spec = schedule.Spec{N: l.number(), Duration: d}
	var wrong []error
	if spec.Law, err = schedule.ParseLaw(l.Arrival); err != nil {
		wrong = append(wrong, fmt.Errorf("--arrival: %w", err))
	}
	if l.Rate != "" {
		if spec.Shape, err = schedule.ParseShape(l.Rate, d); err != nil {
			wrong = append(wrong, fmt.Errorf("--rate: %w", err))
		}
	}
	if l.Rate != "" && len(l.Phase) > 0 {
		wrong = append(wrong, errors.New("--phase: beside --rate, which says the same; leave out one of them"))
	}
	if l.Schedule != "" {
		f, err := os.Open(l.Schedule)
		if err != nil {
			return spec, usagef("--schedule: %w; write one with 'openload schedule ... > FILE'", err)
		}
		defer f.Close()
		if spec.Replay, err = schedule.Read(f); err != nil {
			wrong = append(wrong, fmt.Errorf("--schedule: read %s: %w", l.Schedule, err))
		}
	}
	return spec, usage(errors.Join(wrong...))
}

func (l *load) length() time.Duration { return time.Duration(max(l.Duration, l.Z)) }

// number is how many operations there are at most; 0: no limit.
func (l *load) number() uint64 {
	if l.N == 0 && l.sent != nil {
		return l.sent.once
	}
	return l.N
}

// enough says so if more operations are asked for than there is something to send for.
func (l *load) enough() error {
	if l.sent == nil || l.sent.once == 0 || l.N <= l.sent.once {
		return nil
	}
	what := "requests in a round"
	if l.sent.rows > 0 {
		what = "rows of data"
	}
	return fmt.Errorf("--n: %d operations, and with --order once there are %d %s; leave --n out, or write --order cycle to begin anew", l.N, l.sent.once, what)
}

// phases are those that the flags name.
func (l *load) phases() (all []plan.Phase, err error) {
	var wrong []error
	for _, text := range l.Phase {
		p, err := plan.ParsePhase(text)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--phase: %w", err))
		}
		all = append(all, p)
	}
	return all, errors.Join(wrong...)
}

// open puts the open model into p.
func (l *load) open(p *plan.Plan) error {
	spec, err := l.spec()
	phases, wrong := l.phases()
	p.Schedule = spec
	if len(phases) > 0 && wrong == nil {
		p.SetPhases(phases)
	}
	return errors.Join(err, wrong)
}

// closedFlags ask for a closed loop instead.
type closedFlags struct {
	Closed bool `group:"load" help:"A closed loop on purpose: each of -c workers waits for its answer before it sends again. --rate paces it, and slots missed are skipped."`
	Think  span `group:"load" placeholder:"TIME" help:"Pause of a closed loop's worker after each answer."`
}

// limits bound a run.
type limits struct {
	Connections    int  `short:"c" group:"connection" default:"0" placeholder:"N" help:"Most connections to a host, and so most requests in flight to it; of a closed loop, its workers. 0: automatic."`
	Timeout        span `short:"t" group:"connection" default:"30s" placeholder:"TIME" help:"Most time for an attempt, from its first byte sent. 0: no limit."`
	ConnectTimeout span `group:"connection" default:"5s" placeholder:"TIME" help:"Most time to open a connection. 0: no limit."`
	Deadline       span `group:"connection" placeholder:"TIME" help:"Most time for an operation, from when it was intended."`
	Drain          span `group:"connection" default:"30s" placeholder:"TIME" help:"How long to wait for answers after the last request."`
}

// retryFlags say what happens after a failed attempt.
type retryFlags struct {
	Retry string `group:"retry" placeholder:"POLICY" help:"After a failed attempt, try again: 'attempts=3 backoff=exponential base=500ms jitter=full budget=20%+10/s'. All keys: openload run --help."`
}

func retryHelp() string { return "Keys of --retry:\n" + retry.Help() }

// verdictFlags say what is good enough.
type verdictFlags struct {
	SLA          []string `name:"sla" group:"verdict" sep:"none" placeholder:"RULE" help:"A rule such as 'p99<500ms', 'errors<1%', 'raw.max<2s'. Repeatable. The exit status is the verdict."`
	Confidence   float64  `group:"verdict" placeholder:"PERCENT" help:"Judge the service and not just this run: 95 asks for proof at 95 %, and INCONCLUSIVE is an answer."`
	AbortOnFail  bool     `group:"verdict" help:"Send no more once a rule cannot be kept any more, whatever the rest brings: the verdict is FAIL then."`
	ExpectStatus string   `group:"verdict" default:"200-399" placeholder:"LIST" help:"Which statuses are a success: 200-399, 200,204, any."`
}

// outputFlags say what is shown where.
type outputFlags struct {
	Out          []string `short:"o" group:"output" sep:"none" placeholder:"KIND[=FILE]" help:"Write the report: ${kinds}. Repeatable; without a file it goes to standard output, and a file that ends in .gz or .zst is compressed. Default: text."`
	SinkRequired bool     `group:"output" help:"Exit with 1 if a file of --out could not be written. Otherwise that is a warning, and the exit status the verdict."`
	Progress     string   `group:"output" enum:"auto,live,plain,none" default:"auto" placeholder:"MODE" help:"How to show a run while it goes on, on standard error: auto, live, plain, none."`
	Quiet        bool     `short:"q" group:"output" help:"The first line of the report only, and no progress."`
	Color        string   `group:"output" enum:"auto,always,never" default:"auto" placeholder:"WHEN" help:"Colour: auto, always, never."`
}

func outputKinds() string {
	var names []string
	for _, k := range sink.Kinds {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}

// requestFlags say what is sent.
type requestFlags struct {
	M      string   `name:"m" short:"m" hidden:""`
	Method string   `short:"X" group:"request" placeholder:"VERB" help:"HTTP method. Default: GET, or POST with a body."`
	Header []string `short:"H" group:"request" sep:"none" placeholder:"'NAME: VALUE'" help:"A header. Repeatable."`
	bodyFlags
	targetFlags
	inline      *plan.File // whose list of requests is sent; nil: another's, or a URL
	NoKeepalive bool       `aliases:"disable-keepalive" group:"connection" help:"A new connection for every request."`
}

// plan puts together what the flags of run and sim share.
func (l *load) plan(c *closedFlags, lim *limits, again *retryFlags, v *verdictFlags) (*plan.Plan, error) {
	p := &plan.Plan{
		Seed: l.Seed, Warmup: time.Duration(l.Warmup), Connections: lim.Connections, Timeout: time.Duration(lim.Timeout), ConnectTimeout: time.Duration(lim.ConnectTimeout),
		Deadline: time.Duration(lim.Deadline), Drain: time.Duration(lim.Drain), Backlog: plan.DefaultBacklog, Confidence: v.Confidence, AbortOnFail: v.AbortOnFail,
	}
	if l.sent != nil {
		p.HasKey = l.sent.keyed
		if l.sent.several {
			p.Mix = l.sent.mix
		}
		p.Rows, p.Once = l.sent.rows, l.sent.once
	}
	wrong := []error{l.enough()}
	var err error
	if c.Closed {
		err = l.closed(c, p)
	} else if c.Think > 0 {
		err = errors.New("--think belongs to a closed loop; add --closed, or leave it out")
	} else {
		err = l.open(p)
	}
	wrong = append(wrong, err)
	if p.Retry, err = retry.Parse(again.Retry); err != nil {
		wrong = append(wrong, fmt.Errorf("--retry: %w", err))
	}
	for _, text := range v.SLA {
		rule, err := sla.Parse(text)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--sla: %w", err))
			continue
		}
		p.Rules = append(p.Rules, rule)
	}
	if p.Expect, err = plan.ParseStatuses(v.ExpectStatus); err != nil {
		wrong = append(wrong, fmt.Errorf("--expect-status: %w", err))
	}
	if errors.Join(wrong...) == nil && !l.blind {
		wrong = append(wrong, p.Check())
	} else if err := sla.CheckConfidence(v.Confidence); err != nil {
		wrong = append(wrong, fmt.Errorf("--confidence: %w", err))
	}
	return p, usage(errors.Join(wrong...))
}

// closed turns the load into a closed loop.
func (l *load) closed(c *closedFlags, p *plan.Plan) error {
	p.Closed = &plan.Closed{N: l.number(), Duration: l.length(), Think: time.Duration(c.Think)}
	if l.Schedule != "" || l.Arrival != "even" || len(l.Phase) > 0 {
		return errors.New("--closed has no schedule: its sends wait for answers; leave out --schedule, --arrival and --phase, or --closed")
	}
	if l.Rate == "" {
		return nil
	}
	rate, err := schedule.ParseRate(l.Rate)
	if err != nil {
		return fmt.Errorf("--rate: %w", err)
	}
	p.Closed.Rate = &rate
	return nil
}
