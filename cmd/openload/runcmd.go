package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"openload/correct"
	"openload/engine"
	"openload/live"
	"openload/plan"
	"openload/report"
	"openload/request"
	"openload/retry"
	"openload/run"
	"openload/sink"
	"openload/transport"
)

// runCmd is a run against a real server.
type runCmd struct {
	URL []string `arg:"" optional:"" sep:"none" help:"What to ask for: http://host:port/path, https://..., or host:port. Several are taken in turn, whatever their hosts."`
	planFlags
	load
	closedFlags
	requestFlags
	authFlags
	limits
	httpFlags
	tlsFlags
	networkFlags
	engineFlags
	retryFlags
	verdictFlags
	repeatFlags
	outputFlags
	metricsFlags
}

// Help explains --retry.
func (c *runCmd) Help() string { return retryHelp() }

func (c *runCmd) run(s streams) (int, error) {
	if !c.asks() {
		return 0, usagef("no URL given; end the command with one, such as http://127.0.0.1:8080/")
	}
	w, wireErr := c.wire(s.in)
	c.sent, c.blind = w.sent, w.sent == nil
	p, err := c.plan(&c.closedFlags, &c.limits, &c.retryFlags, &c.verdictFlags)
	if err = joined(err, wireErr); err != nil {
		return 0, err
	}
	if c.Explain {
		return c.explain(s, p)
	}
	outs, err := c.prepare(s)
	if err = joined(err, c.checkRuns(outs)); err != nil {
		return 0, err
	}
	w.sent.tell(s, c.Quiet)
	i := catch()
	defer i.release()
	defer i.explain(s.err, p.Drain)()
	do, end, err := c.runner(s, i, p, outs, w)
	if err != nil {
		return interruptedOr(i, err)
	}
	defer end()
	return c.repeat(s, i, p, outs, streamOptions(p), do)
}

// streamOptions are what those must know of p who write its attempts down.
func streamOptions(p *plan.Plan) sink.StreamOptions {
	o := sink.StreamOptions{Closed: p.Closed != nil}
	if p.WarmUntil() > 0 {
		o.Warm = p.Warm
	}
	if p.Mix != nil {
		if items := p.Mix.Items(); len(items) > 1 {
			o.Target = func(seq uint64) string { return items[p.Mix.Pick(seq)].Name }
		}
	}
	return o
}

// asks takes what the command line does not say of whom to ask from the layers under it,
// and reports whether anybody is asked.
func (c *runCmd) asks() bool {
	if len(c.URL) == 0 && c.Targets == "" {
		c.URL = c.layers.wordsOf("url")
	}
	if len(c.URL) == 0 && c.Targets == "" && c.layers.file.HasRequests() {
		c.inline = c.layers.file
	}
	return len(c.URL) > 0 || c.Targets != "" || c.inline != nil
}

// What is wired is what is sent, and the way there.
type wired struct {
	sent     *sending // nil: there was something wrong with it
	security transport.Security
	network  transport.Network
	how      *manner
}

// wire reads the flags that say what is sent and how.
func (c *runCmd) wire(in io.Reader) (w wired, err error) {
	var reqErr, tlsErr, netErr error
	w.security, tlsErr = c.security()
	w.network, netErr = c.network()
	authorization, authErr := c.authorization(c.Header)
	own := c.requestFlags
	own.Header = slices.Clone(own.Header)
	if authorization != "" {
		own.Header = append(own.Header, authorization)
	}
	if accept := c.accept(c.Header); accept != "" {
		own.Header = append(own.Header, accept)
	}
	again, _ := retry.Parse(c.Retry) // the plan says what is wrong with it
	w.sent, reqErr = own.build(c.URL, in, c.Seed, request.WireOptions{Rewrite: w.network.Proxy.Rewrite, Query: again.Query()})
	c.Method = own.Method
	reqErr = joined(authErr, reqErr)
	var targets []request.Target
	if w.sent != nil {
		targets = w.sent.wire.Targets()
	}
	how, httpErr := c.manner(targets, w.network.Proxy)
	w.how = how
	if how != nil {
		w.security.Handshakes = &how.handshakes
	}
	if c.NoKeepalive && c.PerConnection > 1 {
		httpErr = joined(httpErr, usagef("--no-keepalive and --requests-per-connection %d: a connection has one request or several; leave one of them out", c.PerConnection))
	}
	if !c.Location { // a redirect may lead to https://
		tlsErr = joined(tlsErr, c.idle(targets))
	}
	_, threadsErr := c.askedThreads(how)
	httpErr = joined(httpErr, threadsErr)
	return w, joined(joined(reqErr, httpErr), joined(tlsErr, netErr))
}

// runner readies the target that p is for, and tells p of it. end ends what it opened.
func (c *runCmd) runner(s streams, i *interrupts, p *plan.Plan, outs *outputs, w wired) (do runner, end func(), err error) {
	config := transport.Config{Security: w.security, HTTP2: w.how.http2, NoKeepAlive: c.NoKeepalive, Expect: p.Expect.Has, Bodies: w.how.bodies}
	clients, looked, err := w.sent.reach(i.stop, config, w.network)
	if err != nil {
		return nil, nil, err
	}
	w.how.ready(config, w.network)
	unverified := c.Insecure && (c.Location || spoken(w.sent.wire.Targets()))
	p.Target = plan.Target{Insecure: unverified, NoKeepalive: c.NoKeepalive, Network: slices.Concat(c.authFlags.again(), c.httpFlags.again(), c.tlsFlags.again(), c.networkFlags.again())}
	w.sent.describe(p)
	room, err := c.room(p, w.how)
	if err != nil {
		return nil, nil, err
	}
	if _, err := room.Cap(p.Connections, len(clients)); err != nil {
		fmt.Fprintf(s.err, "openload: warning: %v\n", err)
	}
	auto, _ := room.Cap(0, len(clients))
	metrics, err := c.listen(s, c.Quiet, &sink.Meter{Closed: p.Closed != nil})
	if err != nil {
		return nil, nil, err
	}
	return func(p *plan.Plan, one *oneRun) (*report.Report, error) {
		return measure(i.ctx, i.stop, p, clients, w.sent.feeds(p), measureOptions{
			observe: one.observe, beside: metrics.beside, began: one.outs.began, looked: looked, lookAgain: time.Duration(c.DNSTTL), how: w.how,
			auto: auto, cappedBy: room.CappedBy(), engine: c.engineFlags, command: "openload " + loadFlags(p, c.Schedule) + c.engineFlags.again() + spaced(p.Target.Network) + c.requestFlags.again(c.URL),
			progress: func(p progress) *progress {
				if p.color = useColor(c.Color, s.err); one.name != "" {
					p.head.Load = append([]string{one.name}, p.head.Load...)
				}
				return showProgress(outs.progress(c.Progress, s.out), outs.quiet, s.err, p)
			},
		})
	}, metrics.close, nil
}

// spaced are flags to be appended to a command.
func spaced(flags []string) (text string) {
	for _, f := range flags {
		text += " " + f
	}
	return text
}

// interruptedOr is err's exit status, or that of the signal that caused it.
func interruptedOr(i *interrupts, err error) (int, error) {
	if sig := i.signal(); sig != 0 {
		return 128 + int(sig), err
	}
	return 0, err
}

// measureOptions are what a run wants besides its plan.
type measureOptions struct {
	auto     int // most connections to a host where the plan leaves it to us
	cappedBy int // the limit of descriptors that set it; 0: none did
	engine   engineFlags
	command  string
	observe  func(correct.Sample)
	began    func(time.Time) // if set, told the epoch before the first request
	progress func(progress) *progress
	beside   func(engine.Watcher) engine.Watcher // if set, whoever looks on besides

	how       *manner       // how requests travel; nil: plainly
	looked    live.Lookups  // what finding the target came to
	lookAgain time.Duration // 0: never
}

// watcher is who looks on; nil: nobody.
func (o *measureOptions) watcher(shown *progress) engine.Watcher {
	if o.beside == nil {
		return shown.watcher()
	}
	return o.beside(shown.watcher())
}

// measure runs p over sockets. feeds opens what each loop sends; nil: all send what the
// only client knows.
func measure(ctx, stop context.Context, p *plan.Plan, clients []*transport.Client, feeds func(share) *request.Feed, o measureOptions) (*report.Report, error) {
	most := p.Connections
	if most == 0 {
		most = o.auto
	}
	threads, err := o.engine.threads(p, o.how, most, processors)
	if err != nil {
		return nil, err
	}
	ready := run.Prepare(p).Share(threads) // before the clock starts
	o.how.begin()
	var shown *progress
	epoch := time.Now()
	if o.began != nil {
		o.began(epoch)
	}
	if o.progress != nil {
		shown = o.progress(progress{head: headOf(ready), watch: watchOf(ready), started: epoch})
	}
	defer shown.end()
	set := run.Setup{
		Ready: ready, Watch: o.watcher(shown), Cap: o.auto, CappedBy: o.cappedBy, Version: version(), Command: o.command,
		Started: epoch, Machine: machine(), Observe: o.observe,
	}
	var feed []*request.Feed
	for i := range threads {
		feed = append(feed, nil)
		if feeds != nil {
			feed[i] = feeds(share{i, threads})
			defer feed[i].Close()
		}
	}
	counters, end, err := assemble(&set, threads, func(l share) (world, string, error) {
		return o.engine.open(epoch, l, p, l.of(most), clients, feed[l.i], o.how)
	})
	if err != nil {
		return nil, err
	}
	defer end()
	names := live.Refresh(routes(clients), o.lookAgain, o.looked)
	defer names.Stop()
	set.Connections = func() run.Connections {
		count := counters()
		c := opened(ctx, clients, count, names.Stop(), o.how)
		asked, _ := o.engine.askedThreads(o.how) // threads has told what is wrong with it
		c.Failures = append(c.Failures, fewer(p, asked, threads, most)...)
		c.Failures = append(c.Failures, sharing(p, threads, processors, count.CapReached)...)
		return c
	}
	return run.Run(ctx, stop, set), nil
}

// opened is what a report says of a run's connections. ctx ends when nobody waits for it
// any more.
func opened(ctx context.Context, clients []*transport.Client, c live.Counters, l live.Lookups, how *manner) run.Connections {
	out := run.Connections{Connections: report.Connections{
		BodyBytes: uint64(c.Bytes),
		Protocol:  "HTTP/1.1", Opened: uint64(c.Opened), Most: c.Peak, Pace: c.Pace, Reads: report.Audited(&c.Reads.Late, c.Reads.Beyond),
		Hosts: hosts(clients, c.Hosts), Peers: peers(c.Peers),
	}, Held: c.Held}
	how.told(ctx, &out.Connections)
	if d := out.Decoded; d != nil {
		out.Failures = append(out.Failures, undecoded(d)...)
	}
	if why := how.why(); why != "" {
		out.Failures = append(out.Failures, correct.Doubt{Code: "engine", Text: "the portable engine sent the requests, since the event loop does not know " + why})
	}
	if l.N > 0 {
		out.Lookups = &report.Lookups{N: uint64(l.N), Failed: uint64(l.Failed), Changed: uint64(l.Changed), Slowest: l.Slowest}
	}
	for _, f := range c.Failures {
		out.Failures = append(out.Failures, correct.Doubt{
			Code: f.Class.String(), Text: fmt.Sprintf("%d x %s: %s", f.Count, f.Class, f.Text),
		})
	}
	return out
}

// undecoded is what a reader should know of bodies that were not decoded.
func undecoded(d *report.Decoded) (all []correct.Doubt) {
	for _, what := range slices.Sorted(maps.Keys(d.Failed)) {
		all = append(all, correct.Doubt{
			Code: "not_decoded", Text: fmt.Sprintf("%d of %d encoded bodies did not decode (%s); their answers count by status all the same", d.Failed[what], d.Bodies, what),
		})
	}
	if d.Skipped > 0 {
		all = append(all, correct.Doubt{
			Code: "decoding_skipped", Text: fmt.Sprintf("%d of %d encoded bodies were not decoded, so as not to keep the run waiting: decoded bytes are those of the others", d.Skipped, d.Bodies),
		})
	}
	return all
}

// joined is both errors, marked as the user's if either is.
func joined(a, b error) error {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	return usagef("%w\n%w", a, b)
}
