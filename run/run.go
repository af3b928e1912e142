package run

import (
	"context"
	"slices"
	"time"

	"openload/correct"
	"openload/engine"
	"openload/plan"
	"openload/report"
	"openload/retry"
	"openload/schedule"
	"openload/sla"
)

// Ready is a checked plan whose schedule is counted and opened. That may take a while,
// and must be over before the clock of a run starts.
type Ready struct {
	Plan    *plan.Plan
	Planned uint64        // operations in all; 0: only time ends them
	Length  time.Duration // when the last of them is sent, at the latest; 0: unknown

	warm     uint64 // operations of the warm-up
	budgets  []sla.Budget
	arrivals schedule.Schedule
	shares   []schedule.Schedule // of each of several loops
}

// Prepare makes p ready for one run.
func Prepare(p *plan.Plan) Ready {
	r := Ready{Plan: p, Planned: p.Planned(), Length: p.Length(), warm: p.PlannedWarm()}
	if len(p.Rules) > 0 {
		r.budgets = p.Budgets(r.Planned, r.warm)
	}
	if p.Closed == nil {
		r.arrivals = p.Arrivals()
	}
	return r
}

// Budgets are what may stand against the plan's rules, with nothing in them yet.
func (r Ready) Budgets() []sla.Budget { return slices.Clone(r.budgets) }

// Warm is how many of the planned operations are of the warm-up.
func (r Ready) Warm() uint64 { return r.warm }

// judged is how many of the planned operations are not of the warm-up.
func (r Ready) judged() uint64 { return r.Planned - min(r.Planned, r.warm) }

// A Setup is a plan that is ready, and where it happens.
type Setup struct {
	Ready
	World    engine.World
	Loops    Loops // in place of World: what they do is recorded beside them
	Cap      int   // most connections to a host if the plan leaves it to us; 0: unlimited
	CappedBy int   // the limit of file descriptors that made Cap as low as it is; 0: none did
	Version  string
	Command  string    // how to run it again
	Started  time.Time // the epoch in wall time
	Engine   string    // portable, loop or sim
	Threads  int       // that send; 0: time is virtual
	Machine  string    // that sends, in words; empty where time is virtual

	Watch engine.Watcher // if set, told of everything for whoever looks on

	// Observe, if set, sees every attempt after it was recorded.
	Observe func(correct.Sample)

	// Connections, if set, is asked after the run what the World opened.
	Connections func() Connections
}

// Connections is what a World knows of its own.
type Connections struct {
	report.Connections
	Held     bool            // operations waited although more connections might have been open
	Failures []correct.Doubt // what the classes of failures leave open
}

// Run carries out the plan. When stop ends it sends no more, waits for what is out,
// and reports an interrupted run; when ctx ends it gives up at once and reports what
// was measured so far.
func Run(ctx, stop context.Context, s Setup) *report.Report {
	p := s.Plan
	rec, warm := newRecorder(p, correct.Options{
		Limits: limits(p.Rules), Closed: p.Closed != nil, Hosts: len(p.Target.Hosts),
		Unknown: func(x correct.Sample) bool {
			return (!p.HasKey || p.Retry.Query() != "") && retry.Unknown(p.Method(x.Seq), x)
		},
	})
	most := p.Connections
	if most == 0 {
		most = s.Cap
	}
	j := judge{p: p, planned: s.judged(), most: most, cappedBy: s.CappedBy}
	picture := correct.NewPicture(p.Closed != nil)
	var out engine.Recorder = pictured{rec, picture}
	t := told{Recorder: out, see: s.Observe, watch: s.Watch, abort: j.abort(s.Budgets(), rec)}
	if t.see != nil || t.watch != nil || t.abort != nil {
		out = t
	}
	lim := engine.Limits{InFlight: most, Auto: p.Connections == 0, Backlog: p.Backlog, Timeout: p.Timeout, Deadline: p.Deadline, Drain: p.Drain}
	if t.abort != nil {
		lim.Enough = t.abort.enough
	}
	meta := report.Meta{
		Version: s.Version, Command: s.Command, Started: s.Started, Engine: s.Engine, Threads: s.Threads, Machine: s.Machine,
		Planned: s.Planned, Length: s.Length, ConnectionsLimit: most, Picture: picture,
	}
	again := retries(p)
	send := s.alone
	if s.Loops != nil {
		send = s.together
	}
	sent := send(ctx, stop, out, again.hook(), lim)
	end := sent.end
	meta.Skipped, meta.Retry = sent.skipped, again.counts()
	meta.Notes = append(meta.Notes, held(sent.held)...)
	if s.Connections != nil {
		c := s.Connections()
		meta.Connections, j.held = &c.Connections, c.Held
		meta.Notes = append(meta.Notes, c.Failures...)
	}
	snap := rec.Snapshot()
	meta.Warm = warm()
	meta.Notes = append(meta.Notes, notes(p, snap)...)
	if n := snap.Counts.Scheduled; meta.Warm != nil {
		meta.Notes = append(meta.Notes, supply(p, n+meta.Warm.Counts.Scheduled)...)
	} else {
		meta.Notes = append(meta.Notes, supply(p, n)...)
	}
	j.interrupted, j.aborted, j.capped = end.Interrupted, t.abort.enough(), end.Capped
	evidence := j.evidence(snap)
	if meta.Warm != nil {
		evidence.Warm = meta.Warm.Counts.Scheduled
	}
	verdict := sla.Judge(p.Rules, evidence)
	meta.Aborted, meta.Evidence = j.aborted, &evidence
	if end.Interrupted {
		meta.Ended = end.At
	}
	return report.New(p, snap, &verdict, meta)
}

// limits are the durations whose exact counts the rules need.
func limits(rules []sla.Rule) (all []time.Duration) {
	for _, r := range rules {
		if d, ok := r.Limit(); ok {
			all = append(all, d)
		}
	}
	return all
}

func closed(p *plan.Plan) engine.Closed {
	c := engine.Closed{Workers: p.Connections, N: p.Closed.N, Duration: p.Closed.Duration, Think: p.Closed.Think, Round: turns(p)}
	if p.Closed.Rate != nil {
		slots := schedule.Constant(*p.Closed.Rate)
		c.Slot = func(k uint64) time.Duration {
			at, _ := slots.When(float64(k))
			return at
		}
	}
	return c
}

// method is the correction's name.
func method(p *plan.Plan) string {
	if p.Closed != nil {
		return "none"
	}
	return "intended"
}
