package main

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"openload/correct"
	"openload/lab"
	"openload/live"
	"openload/plan"
	"openload/report"
	"openload/request"
	"openload/run"
	"openload/schedule"
	"openload/sim"
	"openload/sink"
	"openload/sla"
	"openload/transport"
)

// demoCmd is the lesson: one stall, seen by a closed loop and by an open model.
type demoCmd struct {
	Sim bool `help:"In virtual time: the exact figures, at once."`
}

// The lesson's figures.
const (
	lessonServer   = "service=50ms stall=150:2s"
	lessonRate     = "12.5"
	lessonN        = 200
	lessonInterval = 80 * time.Millisecond // of one worker at lessonRate
	lessonRule     = "p99<500ms"
	lessonStall    = 500 * time.Millisecond // what takes as long stood still with the server
	lessonLag      = 5 * time.Millisecond   // our own, beside the server's 50 ms: more blurs the lesson
)

// A lesson is both views of the stall.
type lesson struct {
	closed, open *report.Report
	services     []time.Duration // the closed loop's sample, in order
	failed       int             // requests of it that have no latency
	stalled      uint64          // slots of it that passed while a request of 500 ms or more was under way
}

func (c *demoCmd) run(s streams) (int, error) {
	i := catch()
	defer i.release()
	var l *lesson
	var err error
	if c.Sim {
		l, err = c.simulated(i)
	} else {
		fmt.Fprintf(s.err, "openload: two lab servers, two clients, %d requests each at %s/s: about 18 seconds ...\n", lessonN, lessonRate)
		l, err = c.measured(i)
	}
	if err != nil {
		return interruptedOr(i, err)
	}
	if l.open.Run.Interrupted || l.closed.Run.Interrupted {
		return interruptedOr(i, fmt.Errorf("interrupted: the lesson needs both runs whole; run it again, or take openload demo --sim"))
	}
	text, err := l.text(c.Sim)
	if err != nil {
		return 0, err
	}
	_, err = fmt.Fprint(s.out, text)
	return 0, err
}

// plans are the closed loop and the open run of the lesson.
func (c *demoCmd) plans() (closed, open *plan.Plan, err error) {
	rate, err := schedule.ParseRate(lessonRate)
	if err != nil {
		return nil, nil, err
	}
	rule, err := sla.Parse(lessonRule)
	if err != nil {
		return nil, nil, err
	}
	raw, err := sla.Parse("raw." + lessonRule)
	if err != nil {
		return nil, nil, err
	}
	base := plan.Plan{Seed: 1, Timeout: plan.DefaultTimeout, ConnectTimeout: plan.DefaultConnectTimeout, Drain: plan.DefaultDrain, Backlog: plan.DefaultBacklog}
	one, many := base, base
	one.Closed, one.Connections, one.Rules = &plan.Closed{N: lessonN, Rate: &rate}, 1, []sla.Rule{raw}
	many.Schedule, many.Rules = schedule.Spec{Shape: schedule.Constant(rate), N: lessonN}, []sla.Rule{rule}
	return &one, &many, nil
}

// keep takes the closed loop's sample.
func (l *lesson) keep(x correct.Sample) {
	if x.Class != correct.OK {
		l.failed++
		return
	}
	l.services = append(l.services, x.Raw())
	if held := x.Done - x.Due; x.Raw() >= lessonStall {
		l.stalled += uint64((held - 1) / lessonInterval) // the slot at its end is taken
	}
}

func (c *demoCmd) simulated(i *interrupts) (*lesson, error) {
	closed, open, err := c.plans()
	if err != nil {
		return nil, err
	}
	server, err := lab.Parse(lessonServer)
	if err != nil {
		return nil, err
	}
	var l lesson
	world := func() *sim.World { return sim.New(server.Model(closed.Seed.Stream("server")), closed.Expect.Has) }
	setup := run.Setup{Ready: run.Prepare(closed), World: world(), Version: version(), Started: time.Now(), Engine: "sim", Observe: l.keep}
	l.closed = run.Run(i.ctx, watched{i.stop}, setup)
	setup.Ready, setup.World, setup.Observe = run.Prepare(open), world(), nil
	l.open = run.Run(i.ctx, watched{i.stop}, setup)
	return &l, nil
}

// measured makes both runs at once, each against a server of its own.
func (c *demoCmd) measured(i *interrupts) (*lesson, error) {
	closed, open, err := c.plans()
	if err != nil {
		return nil, err
	}
	allowed, _ := live.Prepare(2).Cap(0, 4) // both ends of two runs are ours
	var l lesson
	var closedErr, openErr error
	var both sync.WaitGroup
	both.Go(func() {
		l.closed, closedErr = againstLab(i, closed, measureOptions{auto: allowed, observe: l.keep})
	})
	both.Go(func() { l.open, openErr = againstLab(i, open, measureOptions{auto: allowed}) })
	both.Wait()
	return &l, joined(closedErr, openErr)
}

// againstLab runs p against a lab server of its own in this process.
func againstLab(i *interrupts, p *plan.Plan, o measureOptions) (*report.Report, error) {
	spec, err := lab.Parse(lessonServer)
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on loopback for the lab server: %w", err)
	}
	ctx, end := context.WithCancel(context.Background())
	server := lab.NewServer(func() lab.Model { return spec.Model(p.Seed.Stream("server")) })
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, ln) }()
	defer func() {
		end()
		<-ended
	}()
	req := request.Request{URL: "http://" + ln.Addr().String() + "/"}
	target, _, err := reach(i.stop, transport.Config{Request: req, Expect: p.Expect.Has}, transport.Network{})
	if err != nil {
		return nil, err
	}
	p.Target = plan.Target{Method: req.Verb(), URL: req.URL}
	return measure(i.ctx, i.stop, p, []*transport.Client{target}, nil, o)
}

// A view is one row of the lesson's table.
type view struct {
	name string
	dist *report.Dist
	over uint64
	pass bool
}

// text is the lesson: one table, the verdict that flips, what to do.
func (l *lesson) text(simulated bool) (string, error) {
	rule, err := sla.Parse(lessonRule)
	if err != nil {
		return "", err
	}
	limit, _ := rule.Limit()
	backfill, queue := correct.NewDist(limit), correct.NewDist(limit)
	replay := correct.Queue{Interval: lessonInterval}
	var synthetic uint64
	for _, s := range l.services {
		synthetic += backfill.Backfill(s, lessonInterval)
		queue.Record(replay.Next(s))
	}
	repaired := func(name string, d *correct.Dist) view {
		d.Fail(uint64(l.failed))
		over, _ := d.Over(limit)
		return view{name, report.DistOf(d), over, over <= correct.P99.Allowed(d.N())}
	}
	judged := func(name string, d *report.Dist, r report.Rule) view {
		v := view{name: name, dist: d, pass: r.Pass}
		if r.Over != nil {
			v.over = *r.Over
		}
		return v
	}
	views := []view{
		judged("closed loop, raw", l.closed.Latency.Raw, l.closed.SLA[0]),
		repaired("  backfill", &backfill),
		repaired("  queue replay", &queue),
		judged("open model", l.open.Latency.Corrected, l.open.SLA[0]),
	}

	var b strings.Builder
	paragraph(&b, "", "A server takes 50 ms for a request, one at a time, and 2 s for the 150th. "+
		"A closed loop and openload each want "+lessonRate+" requests a second from one like it, "+strconv.Itoa(lessonN)+" in all.")
	b.WriteString("\n")
	rows := [][]string{{"", "p50", "p90", "p99", "max", "mean", "500 ms+", lessonRule}}
	for _, v := range views {
		rows = append(rows, v.cells())
	}
	for _, line := range sink.Columns(rows) {
		b.WriteString(line + "\n")
	}
	b.WriteString("\n")
	for _, e := range [][2]string{
		{"closed loop", "waits for each answer before it sends again, as most load tools do. " + l.skipped()},
		{"backfill", fmt.Sprintf("adds the %d samples, one every %v, that its slow requests displaced. Right at the top, too kind below: it lets the queue vanish with the stall.", synthetic, lessonInterval)},
		{"queue replay", "predicts the open run from the closed loop's service times, for a server with one queue."},
		{"open model", "is openload: it sends on schedule whatever the server does, and measures from the schedule. This is what the users of that server waited."},
	} {
		item(&b, e[0], 14, e[1])
	}
	b.WriteString("\n")
	paragraph(&b, "", l.conclusion(views))
	b.WriteString(`
What to do
  measure from a schedule    openload --rate 12.5 --n 200 URL
  let CI act on it           openload --rate 12.5 --n 200 --sla 'p99<500ms' URL
  try it yourself            openload lab --listen 127.0.0.1:8080
                             openload --rate 12.5 --n 200 -c 1 127.0.0.1:8080
`)
	if !simulated {
		b.WriteString("\n")
		paragraph(&b, "", l.trust())
	}
	return b.String(), nil
}

// skipped says how many sends the closed loop let pass, and in which of them the
// stall had a part.
func (l *lesson) skipped() string {
	text := fmt.Sprintf("While the server stood still it let %d sends pass, so nobody measured what they would have waited.", l.stalled)
	if all := l.closed.Plan.Closed.Skipped; all > l.stalled {
		text += fmt.Sprintf(" %d more passed behind ordinary requests that took too long on this busy machine.", all-l.stalled)
	}
	return text
}

func (v view) cells() []string {
	d := v.dist
	show := func(x *time.Duration) string {
		if x == nil {
			return "failed"
		}
		return sink.Duration(*x)
	}
	verdict := "FAIL"
	if v.pass {
		verdict = "PASS"
	}
	return []string{v.name, show(d.P50), show(d.P90), show(d.P99), show(d.Max), show(d.Mean), fmt.Sprintf("%d/%d", v.over, d.N), verdict}
}

// conclusion says which verdicts flipped, if they did.
func (l *lesson) conclusion(views []view) string {
	raw, open := views[0], views[len(views)-1]
	switch {
	case raw.pass && !open.pass:
		return fmt.Sprintf("The same server, the same stall: %s is a PASS for the closed loop and a FAIL for the people who waited. %d of %d of them waited 500 ms or more; the closed loop saw %d.",
			lessonRule, open.over, open.dist.N, raw.over)
	case raw.pass == open.pass:
		return "On this machine, this time, both came to the same verdict: it is too busy for the lesson. openload demo --sim shows it undisturbed."
	}
	return "The closed loop failed and the open run passed: this machine is too busy for the lesson. openload demo --sim shows it undisturbed."
}

// trust says whether the live figures may be believed.
func (l *lesson) trust() string {
	if l.open.Verdict == "invalid" {
		text := "The open run is INVALID:"
		for _, r := range l.open.Reasons {
			text += " " + r.Text
		}
		return text
	}
	lag := l.open.Latency.Lag
	if lag == nil || lag.P99 == nil || lag.Max == nil {
		return ""
	}
	text := fmt.Sprintf("Measured just now, on loopback; our own lag was at most %s (p99 %s).", sink.Duration(*lag.Max), sink.Duration(*lag.P99))
	if *lag.P99 > lessonLag || *lag.Max >= lessonInterval {
		text += " That is much beside a server that takes 50 ms: this machine is too busy for exact figures. openload demo --sim shows them undisturbed."
	}
	return text
}
