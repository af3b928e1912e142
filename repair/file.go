package repair

import (
	"errors"
	"fmt"
	"time"

	"openload/correct"
	"openload/report"
	"openload/sla"
	"openload/source"
)

// File reads f to its end, corrects and judges it.
//
// With a *Refused error of the codes NoInterval and NoCorrection the report holds the
// raw numbers all the same. Any other error leaves none: the options contradict each
// other or the file, or the file can't be used.
func File(f *source.File, opt Options) (*report.Report, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	if f.Own() {
		return own(f, &opt)
	}
	p, err := paceOf(&opt, &f.Facts)
	if err != nil {
		return nil, err
	}
	x := &sample{opt: &opt, file: f, pace: p, limits: limits(opt.Rules)}
	if f.Histogram() {
		err = x.takeBuckets()
	} else {
		err = x.takeRows()
	}
	if err != nil {
		return nil, err
	}
	if cut := f.Cut(); cut != nil && x.n == 0 {
		return nil, cut
	}
	if x.n == 0 {
		return nil, fmt.Errorf("%s: no samples in it; check that the tool wrote any, and --label or --tag if you gave one", f.Format)
	}
	return x.report()
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

// A sample is what was read of a file, before and after the correction.
type sample struct {
	opt    *Options
	file   *source.File
	pace   pace
	limits []time.Duration

	in *intake // of a file with rows
	hi *buckets

	labels    []int32 // some of those that the rows have
	n         uint64
	counts    correct.Counts
	raw       correct.Dist
	failures  correct.Dist
	seen      observed
	choice    choice
	corrected *correct.Dist // nil: there is none
	without   *correct.Dist // corrected, without what was added for local stalls; nil if nothing was
	queue     *correct.Dist // nil: no order to queue in
	half      *correct.Dist
	double    *correct.Dist
	synthetic uint64 // samples added
	invented  uint64 // values that nobody measured: those, or predictions
	least     uint64 // a histogram's synthetic samples, at least
}

func (x *sample) takeRows() error {
	a := x.pipe()
	if err := x.file.Err(); err != nil || a == nil {
		return err
	}
	x.in = a
	a.close()
	x.n, x.raw, x.failures = a.n, a.raw(), a.failures
	for _, k := range correct.Classes() {
		x.counts.ByClass[k] = a.classes[k]
	}
	for status, n := range a.statuses {
		if n > 0 && status > 0 {
			if x.counts.Status == nil {
				x.counts.Status = map[int]uint64{}
			}
			x.counts.Status[status] = n
		}
	}
	x.seen = a.observe()
	x.count(a.classes[correct.OK])
	x.queue = x.lined()
	return x.choose()
}

func (x *sample) takeBuckets() error {
	x.hi = takeBuckets(x.file, &x.pace, x.limits)
	if err := x.file.Err(); err != nil {
		return err
	}
	b := x.hi
	if err := b.oneSeries(x.file); err != nil {
		return err
	}
	x.n, x.raw, x.failures = b.n, b.raw, b.failures
	ok := b.ok
	if x.n == 0 && b.hasDone {
		x.n, ok = b.done.N(), b.done.N()-b.done.Failed()
	}
	if x.n == 0 {
		return nil
	}
	x.counts.ByClass[correct.BadStatus] = x.n - ok // a histogram keeps no causes
	x.counts.ByClass[correct.OK] = ok
	x.count(ok)
	return x.choose()
}

func (x *sample) count(ok uint64) {
	c := &x.counts
	c.Scheduled, c.Fired, c.Sent, c.OK, c.Attempts, c.AttemptsSent = x.n, x.n, x.n, ok, x.n, x.n
}

// lined is the prediction of the queue; nil if requests are in no order, or how often
// they come is unknown.
func (x *sample) lined() *correct.Dist {
	l := x.in.line
	if l == nil || x.pace.interval == 0 || !x.in.single() {
		return nil
	}
	return x.inLine(0)
}

func (x *sample) inLine(i int) *correct.Dist {
	d := x.in.line.dists[i].Clone()
	if !x.in.line.every {
		plain := x.in.plain.dist()
		d.Merge(&plain)
	}
	return &d
}

// data is what the choice of the method rests on.
func (x *sample) data() *data {
	d := &data{facts: &x.file.Facts, pace: x.pace, seen: x.seen, buckets: x.hi != nil}
	if x.hi != nil {
		d.spared = x.file.Spared()
		d.finished = d.facts.Pacing == source.Corrected || x.hi.hasDone || d.spared
		d.tooWide = x.pace.interval > 0 && x.hi.widest() > x.pace.interval
		return d
	}
	a := x.in
	d.finished = d.facts.Pacing == source.Corrected
	d.workers, _ = a.workers()
	d.coarse = !a.timed
	d.single = a.single()
	d.late = a.replays == nil && d.single && a.timed
	d.replay = a.replays != nil && (a.facts.Workers || a.single() || a.facts.Rate == source.RateTotal && (a.pace.workers > 0 || d.workers <= 1))
	if due, _, ok := a.slots(); ok {
		d.faster = float64(a.n) > 1.2*due
	}
	return d
}

// choose settles the method and makes its readings.
func (x *sample) choose() error {
	d := x.data()
	c := choose(x.opt.Method, x.opt.Force, d)
	x.choice = c
	switch {
	case c.refuse != nil && !c.raw:
		return c.refuse
	case c.refuse != nil:
		return nil
	}
	switch c.method {
	case Backfill:
		x.backfill()
	case Schedule:
		x.replayed()
	case Queue:
		x.corrected, x.half, x.double = x.queue, x.inLine(1), x.inLine(2)
		x.invented = x.in.line.waited
	case None:
		if d.spared {
			return x.rawOnly("--tag leaves")
		} else if d.finished || d.does() == source.OpenModel {
			x.asItIs(d.finished)
		} else if err := x.rawOnly("method none leaves"); err != nil {
			return err
		}
	}
	return nil
}

// asItIs takes the latencies for those of users.
func (x *sample) asItIs(finished bool) {
	d := x.raw.Clone()
	if finished && x.hi != nil && x.hi.hasDone {
		d = x.hi.done.Clone()
	} else if finished {
		x.raw = correct.NewDist(x.limits...) // what it was before its correction is lost
	}
	x.corrected = &d
}

// rawOnly is an error if a rule is about what there isn't, for the reason given.
func (x *sample) rawOnly(leaves string) error {
	var wrong []error
	for _, r := range x.opt.Rules {
		if r.Set != correct.Raw && (r.Metric == sla.Percentile || r.Metric == sla.Mean) {
			raw := r
			raw.Set = correct.Raw
			wrong = append(wrong, fmt.Errorf("rule %s: %s only the raw latencies; write %s", r, leaves, raw))
		}
	}
	return errors.Join(wrong...)
}

func (x *sample) backfill() {
	var m missing
	if x.hi != nil {
		m, x.least, _ = x.hi.missing(x.limits)
	} else {
		m = x.in.missing
	}
	without := x.raw.Clone()
	without.Merge(&m.all)
	d := without.Clone()
	d.Merge(&m.alone)
	x.corrected = &d
	if m.alone.N() > 0 {
		x.without = &without
	}
	x.synthetic = m.all.N() + m.alone.N()
	x.invented = x.synthetic
	x.half, x.double = x.beside(&m.half), x.beside(&m.double)
}

// beside is raw and what is added to it, without exact counts.
func (x *sample) beside(added *correct.Dist) *correct.Dist {
	d := correct.Unlimited(&x.raw)
	d.Merge(added)
	return &d
}

func (x *sample) replayed() {
	r := x.in.replays
	x.corrected, x.half, x.double = &r.dists[0], &r.dists[1], &r.dists[2]
}
