package report

import (
	"fmt"
	"math/big"
	"strconv"
	"time"

	"openload/correct"
	"openload/sla"
)

// Evidence is what a verdict rests on besides counts and latencies, so that a saved
// run can be judged again.
type Evidence struct {
	Planned         uint64        `json:"planned"` // operations to be judged; 0: not known beforehand
	FirstIntended   time.Duration `json:"first_intended_ns"`
	LastIntended    time.Duration `json:"last_intended_ns"`
	FirstDispatched time.Duration `json:"first_dispatched_ns"`
	LastDispatched  time.Duration `json:"last_dispatched_ns"`
	MaxLate         time.Duration `json:"max_late_ns"`     // how late we may have handed over a request, or read an answer
	Lacks           string        `json:"lacks,omitempty"` // why this is not all of the run: its file was cut off
	Burst           bool          `json:"burst"`           // operations were planned at one instant each: there is no rate to keep
	Held            bool          `json:"held"`            // operations waited although more connections might have been open
	AutoCapReached  bool          `json:"automatic_cap_reached"`
	Descriptors     int           `json:"descriptors_limit,omitempty"` // that made the automatic cap as low as it is; 0: none did
}

func evidenceOf(e *sla.Evidence) *Evidence {
	if e == nil {
		return nil
	}
	s := e.Snapshot
	return &Evidence{
		Planned: e.Planned, Lacks: e.Lacks,
		FirstIntended: s.FirstIntended, LastIntended: s.LastIntended, FirstDispatched: s.FirstDispatched, LastDispatched: s.LastDispatched,
		MaxLate: s.MaxLate, Burst: e.Burst, Held: e.Held, AutoCapReached: e.AutoCapReached, Descriptors: e.Descriptors,
	}
}

// restore undoes evidenceOf, as far as it is of the samples.
func (e *Evidence) restore(s *correct.Saved) {
	if e == nil {
		return
	}
	s.FirstIntended, s.LastIntended = e.FirstIntended, e.LastIntended
	s.FirstDispatched, s.LastDispatched = e.FirstDispatched, e.LastDispatched
	s.MaxLate = e.MaxLate
}

// evidence is what r shows, for rules to be judged by.
func (r *Report) evidence(confidence float64) (sla.Evidence, error) {
	s, err := r.snapshot()
	if err != nil {
		return sla.Evidence{}, err
	}
	e := sla.Evidence{
		Snapshot: s, Confidence: confidence, Deadline: r.Plan.Deadline,
		Interrupted: r.Run.Interrupted, AbortedOnFail: r.Run.Aborted,
		AutoCap: r.Plan.ConnectionsLimit, Hosts: len(r.Plan.Hosts), Method: r.Correction.Method, Synthetic: r.Correction.Synthetic,
	}
	if r.Warmup != nil {
		e.Warm = r.Warmup.Counts.Scheduled
	}
	if k := r.Evidence; k != nil {
		e.Planned, e.Lacks, e.Burst, e.Held, e.AutoCapReached, e.Descriptors = k.Planned, k.Lacks, k.Burst, k.Held, k.AutoCapReached, k.Descriptors
	}
	return e, nil
}

// End is how r's run ended, for who writes its attempts down.
func (r *Report) End() correct.End {
	e := correct.End{How: correct.EndComplete}
	switch {
	case r.Run.Interrupted:
		e.How = correct.EndInterrupted
	case r.Run.Aborted:
		e.How = correct.EndAborted
	}
	if r.Evidence != nil {
		e.Planned = r.Evidence.Planned
	}
	return e
}

func (r *Report) snapshot() (*correct.Snapshot, error) {
	s := correct.Saved{LastDone: r.Run.Duration, Closed: r.Latency.Corrected == nil}
	var err error
	if s.Counts, err = r.Counts.restore(r.Retries); err != nil {
		return nil, err
	}
	if s.Dists, err = r.Latency.restore(); err != nil {
		return nil, err
	}
	r.Evidence.restore(&s)
	for _, x := range r.SLA {
		rule, err := sla.Parse(x.Rule)
		if err != nil || x.Episodes == nil || rule.Target != "" {
			continue
		}
		if limit, ok := rule.Limit(); ok {
			s.Episodes = append(s.Episodes, correct.Episode{Limit: limit, Count: *x.Episodes})
		}
	}
	for _, t := range r.Targets {
		of := correct.Saved{Closed: s.Closed, MaxLate: s.MaxLate}
		if of.Counts, err = t.Counts.restore(nil); err != nil {
			return nil, fmt.Errorf("target %s: %w", t.Name, err)
		}
		if t.FirstTry != nil {
			of.Counts.FirstTry = *t.FirstTry
		}
		t.Evidence.restore(&of)
		if of.Dists, err = t.Latency.restore(); err != nil {
			return nil, fmt.Errorf("target %s: %w", t.Name, err)
		}
		s.Parts = append(s.Parts, correct.Part{Dimension: sla.TargetDimension, Name: t.Name, Snapshot: of.Snapshot()})
	}
	return s.Snapshot(), nil
}

// restore undoes countsOf. The error says what does not add up.
func (c *Counts) restore(again *Retries) (correct.Counts, error) {
	out := correct.Counts{
		Scheduled: c.Scheduled, Fired: c.Fired, Dropped: c.Dropped, Sent: c.Sent, OK: c.OK,
		Attempts: c.Attempts, AttemptsSent: c.AttemptsSent, Resent: c.Resent, Unknown: c.Unknown, FirstTry: c.OK,
	}
	if again != nil {
		out.FirstTry, out.ByAttempts = again.FirstTry, again.OperationsByAttempts
	}
	out.ByClass[correct.OK], out.ByClass[correct.BadStatus] = c.OK, c.BadStatus
	out.ByClass[correct.Unfinished], out.ByClass[correct.Blocked], out.ByClass[correct.Dropped] = c.Unfinished, c.Blocked, c.Dropped
	for _, some := range []map[string]uint64{c.Errors, c.Timeouts} {
		for name, n := range some {
			class, ok := correct.ClassNamed(name)
			if !ok {
				return out, fmt.Errorf("counts: %q is no way to fail that this openload knows", name)
			}
			out.ByClass[class] = n
		}
	}
	for text, n := range c.Status {
		code, err := strconv.Atoi(text)
		if err != nil {
			return out, fmt.Errorf("counts: %q is not a status", text)
		}
		if out.Status == nil {
			out.Status = map[int]uint64{}
		}
		out.Status[code] = n
	}
	ended := uint64(0)
	for _, n := range out.ByClass {
		ended += n
	}
	if c.Scheduled != c.Fired+c.Dropped || c.Scheduled != ended {
		return out, fmt.Errorf("counts: they do not add up: %d scheduled, %d fired and %d dropped, %d ended", c.Scheduled, c.Fired, c.Dropped, ended)
	}
	return out, nil
}

// restore undoes latencyOf. What a file lacks because it knows no lateness of ours is
// what a run that was never late would have.
func (l *Latency) restore() (all [correct.Sets]*correct.Dist, err error) {
	for _, x := range []struct {
		set correct.Set
		d   *Dist
	}{
		{correct.Raw, l.Raw},
		{correct.Corrected, l.Corrected}, {correct.CorrectedOK, l.CorrectedOK}, {correct.LessLag, l.LessLag},
		{correct.LessWait, l.LessWait}, {correct.Settled, l.Settled}, {correct.ClosedLoop, l.ClosedLoop},
	} {
		if all[x.set], err = x.d.restore(); err != nil {
			return all, fmt.Errorf("latency %s: %w", x.set, err)
		}
	}
	all[correct.Lag], all[correct.Wait] = l.Lag.greatest(), l.Wait.greatest()
	if all[correct.LessLag] == nil {
		all[correct.LessLag] = all[correct.Corrected]
	}
	if all[correct.LessWait] == nil {
		all[correct.LessWait] = all[correct.LessLag]
	}
	return all, nil
}

// greatest is a reading of our own lateness, of which nobody asks more than how great
// it was.
func (d *Dist) greatest() *correct.Dist {
	out := correct.NewDist()
	if d != nil && d.Max != nil && *d.Max >= 0 {
		out.Record(*d.Max)
	}
	return &out
}

// restore undoes WithHistogram.
func (d *Dist) restore() (*correct.Dist, error) {
	if d == nil {
		return nil, nil
	}
	k := correct.Kept{N: d.N, Failed: d.Failed, Histogram: d.Histogram}
	if d.Min != nil {
		k.Min = *d.Min
	}
	switch {
	case d.Max != nil:
		k.Slowest = *d.Max
	case d.Slowest != nil:
		k.Slowest = *d.Slowest
	}
	switch {
	case d.Sum != nil:
		k.Sum = new(big.Int).SetUint64(*d.Sum)
	case d.Mean != nil:
		k.Sum = new(big.Int).Mul(big.NewInt(int64(*d.Mean)), new(big.Int).SetUint64(d.N))
	}
	for _, o := range d.Over {
		k.Over = append(k.Over, correct.Over(o))
	}
	if d.Histogram == "" && d.N > d.Failed && k.Slowest <= correct.Longest {
		return nil, fmt.Errorf("it has no histogram: an older openload wrote this report, or somebody cut it down")
	}
	out, err := k.Dist()
	if err != nil {
		return nil, err
	}
	return &out, nil
}
