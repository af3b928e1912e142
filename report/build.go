package report

import (
	"strconv"
	"time"

	"openload/correct"
	"openload/plan"
	"openload/sla"
)

// Meta is what a report says of its run that neither the plan nor the samples know.
type Meta struct {
	Version string
	Command string // how to run it again
	Started time.Time
	Engine  string // portable, loop, sim
	Threads int    // that sent; 0: time is virtual
	Machine string // that sends, in words; empty where time is virtual

	Planned uint64        // operations of the whole plan
	Length  time.Duration // of the schedule
	Skipped uint64        // slots that a paced closed loop let pass

	Warm *correct.Snapshot // what was sent and is not judged; nil: everything is

	ConnectionsLimit int              // in force; 0: none
	Aborted          bool             // it ended itself, because of --abort-on-fail
	Ended            time.Duration    // of an interrupted run: when it was over
	Connections      *Connections     // nil: there are none, as in a simulation
	Picture          *correct.Picture // nil: nobody drew one
	Retry            Refused          // by the retry policy
	Notes            []correct.Doubt  // what else a reader should know
	Evidence         *sla.Evidence    // that the verdict rests on; nil: of a file
}

// Connections are what a run opened.
type Connections struct {
	Opened uint64
	Most   int // at once

	Protocol  string
	HTTP2     *HTTP2
	TLS       *TLS // nil: there were no handshakes
	Redirects *uint64
	BodyBytes uint64
	Decoded   *Decoded // nil: nobody asked for codings
	Peers     []Peer
	Hosts     []Host // of several
	Lookups   *Lookups
	Pace      string // "": there was no choice
	Reads     *ReadAudit
}

// New is the report of a run.
func New(p *plan.Plan, s *correct.Snapshot, v *sla.Verdict, m Meta) *Report {
	r := &Report{
		Schema: Schema,
		Tool:   Tool{Version: m.Version},
		Plan:   planOf(p, m),
		Run:    Run{Started: m.Started, Duration: max(s.LastDone, m.Ended), Interrupted: v.Interrupted, Aborted: m.Aborted, Engine: m.Engine, Threads: m.Threads, Machine: m.Machine},
		Counts: countsOf(&s.Counts, m),
		Series: seriesOf(s),
	}
	backlog := s.MaxBacklog
	r.Counts.MaxBacklog = &backlog
	if p.Closed != nil {
		r.Correction = Correction{Method: "none", Source: "a closed loop has no intended times"}
	} else {
		r.Correction = Correction{Method: "intended", Source: "the schedule"}
		r.Schedule = &Schedule{
			Law: lawOf(p), Description: p.Schedule.String(),
			Seed: uint64(p.Seed), SHA256: p.Schedule.SHA256(), Length: m.Length,
		}
		if !p.Schedule.Law.Together() {
			r.Rate = rateOf(s)
		}
		late := s.OutAtLastArrival() - min(s.OutAtLastArrival(), r.Counts.Unfinished)
		r.Counts.LateAnswers = &late
	}
	r.Latency = latencyOf(s)
	r.Phases = phasesOf(s)
	r.Network = networkOf(m.Connections)
	if c := m.Connections; c != nil {
		r.Run.Pace, r.Run.ReadAudit = c.Pace, c.Reads
	}
	if e := m.Evidence; e != nil && (e.Held || e.AutoCapReached) {
		r.Latency.LessWait = WithHistogram(s.Dist(correct.LessWait))
	}
	r.Evidence = evidenceOf(m.Evidence)
	r.judged(v)
	r.Notes = append(reasons(m.Notes), r.Notes...)
	r.Retries = retriesOf(p, s, m.Retry)
	r.Peaks = peaksOf(s)
	r.picture(m.Picture, p.Closed != nil)
	r.Targets = targetsOf(p, s, m.Evidence)
	r.Stages = stagesOf(p, s, m.Warm)
	r.Warmup = warmupOf(p, m.Warm)
	return r
}

func lawOf(p *plan.Plan) string {
	if len(p.Schedule.Replay) > 0 {
		return "replay"
	}
	return p.Schedule.Law.String()
}

func planOf(p *plan.Plan, m Meta) Plan {
	out := Plan{
		Model: "open", Method: p.Target.Method, URL: p.Target.URL, Hosts: p.Target.Hosts, Server: p.Target.Simulated,
		Connections: p.Connections, ConnectionsLimit: m.ConnectionsLimit,
		Timeout: p.Timeout, ConnectTimeout: p.ConnectTimeout, Deadline: p.Deadline, Drain: p.Drain, Backlog: p.Backlog,
		Expect: p.Expect.String(), Insecure: p.Target.Insecure, NoKeepalive: p.Target.NoKeepalive, Network: p.Target.Network,
		Confidence: p.Confidence, Command: m.Command,
	}
	if c := p.Closed; c != nil {
		out.Model = "closed"
		out.Closed = &Closed{Think: c.Think, Skipped: m.Skipped}
		if c.Rate != nil {
			out.Closed.Rate = c.Rate.String()
		}
	}
	return out
}

func countsOf(c *correct.Counts, m Meta) Counts {
	out := Counts{
		Scheduled: c.Scheduled, Fired: c.Fired, Dropped: c.Dropped, Sent: c.Sent,
		OK: c.OK, BadStatus: c.Of(correct.BadStatus), TimedOut: c.TimedOut(), Unfinished: c.Of(correct.Unfinished),
		Blocked: c.Of(correct.Blocked), Unknown: c.Unknown,
		Attempts: c.Attempts, AttemptsSent: c.AttemptsSent, Resent: c.Resent,
		Errors: map[string]uint64{}, Timeouts: map[string]uint64{}, Status: map[string]uint64{},
	}
	if m.Planned > 0 {
		out.Planned = &m.Planned
	}
	if c := m.Connections; c != nil {
		out.ConnectionsOpened, out.MaxConnections = &c.Opened, &c.Most
	}
	for _, k := range correct.Classes() {
		switch n := c.Of(k); {
		case n == 0:
		case k.Error():
			out.Errors[k.String()] = n
		case k.TimedOut():
			out.Timeouts[k.String()] = n
		}
	}
	for code, n := range c.Status {
		out.Status[strconv.Itoa(code)] = n
	}
	return out
}

// rateOf compares the schedule with what left, over the operations dispatched. There
// is no rate in fewer than two, nor in operations that were all meant at one instant.
func rateOf(s *correct.Snapshot) *Rate {
	gaps := float64(s.Counts.Scheduled) - 1
	asked, offered := s.LastIntended-s.FirstIntended, s.LastDispatched-s.FirstDispatched
	if gaps < 1 || asked <= 0 || offered <= 0 {
		return nil
	}
	return &Rate{Asked: perSecond(gaps, asked), Offered: perSecond(gaps, offered)}
}

// perSecond is n per time, to nine digits: more would be the noise of a division.
func perSecond(n float64, in time.Duration) float64 {
	rate, _ := strconv.ParseFloat(strconv.FormatFloat(n/in.Seconds(), 'g', 9, 64), 64)
	return rate
}

func latencyOf(s *correct.Snapshot) Latency {
	return Latency{
		Corrected: WithHistogram(s.Dist(correct.Corrected)), Raw: WithHistogram(s.Dist(correct.Raw)),
		ClosedLoop: WithHistogram(s.Dist(correct.ClosedLoop)), CorrectedOK: WithHistogram(s.Dist(correct.CorrectedOK)),
		LessLag: WithHistogram(s.Dist(correct.LessLag)), Settled: WithHistogram(s.Dist(correct.Settled)),
		Lag: DistOf(s.Dist(correct.Lag)), Wait: DistOf(s.Dist(correct.Wait)),
	}
}

// DistOf is a reading as a report shows it; nil for one that does not exist.
func DistOf(d *correct.Dist) *Dist {
	if d == nil {
		return nil
	}
	known := func(v time.Duration, ok bool) *time.Duration {
		if !ok {
			return nil
		}
		return &v
	}
	return &Dist{
		N: d.N(), Failed: d.Failed(),
		Min: known(d.Min()), Mean: known(d.Mean()), Max: known(d.Max()),
		P50: known(d.Quantile(correct.P50)), P90: known(d.Quantile(correct.P90)), P95: known(d.Quantile(correct.P95)),
		P99: known(d.Quantile(correct.P99)), P999: known(d.Quantile(correct.P999)),
	}
}

// WithHistogram is DistOf with all the durations, for those who go on counting.
func WithHistogram(d *correct.Dist) *Dist {
	out := DistOf(d)
	if out == nil {
		return nil
	}
	k := d.Keep()
	out.Histogram = k.Histogram
	if d.N() > d.Failed() && k.Sum.IsUint64() {
		sum := k.Sum.Uint64()
		out.Sum = &sum
	}
	if d.N() > d.Failed() && out.Max == nil {
		out.Slowest = &k.Slowest
	}
	for _, o := range k.Over {
		out.Over = append(out.Over, Over(o))
	}
	return out
}

func seriesOf(s *correct.Snapshot) []Window {
	out := []Window{}
	for _, w := range s.Series() {
		v := Window{
			At: w.At, Width: w.Width, Scheduled: w.Scheduled, Sent: w.Sent, OK: w.OK,
			Backlog: w.Backlog, Out: w.Out, OldestWait: w.OldestWait, Failed: w.FailedHere,
		}
		if w.OK > 0 {
			v.CorrectedMax = &w.CorrectedMax
		}
		if w.HasCorrected {
			v.CorrectedP99 = &w.CorrectedP99
		}
		if w.HasRaw {
			v.RawP99 = &w.RawP99
		}
		out = append(out, v)
	}
	return out
}
