package sla

import (
	"cmp"
	"slices"
	"time"

	"openload/correct"
)

const ms = time.Millisecond

// An op is one operation of a made-up run: how late it left, how long it waited for
// a connection and how long its service took.
type op struct {
	lag, wait, raw time.Duration
	late           time.Duration // in reading its answer, contained in raw
	class          correct.Class
}

// A run is made-up evidence: ops one interval apart.
type run struct {
	ops      []op
	fast     int // operations of 50 ms that follow
	interval time.Duration
	closed   bool
	limits   []time.Duration
}

// of is n operations that take d, 80 ms apart.
func of(n int, d time.Duration) run {
	return run{ops: slices.Repeat([]op{{raw: d}}, n), interval: 80 * ms}
}

// but changes the first n operations.
func (r run) but(n int, change func(*op)) run {
	r.ops = slices.Clone(r.ops)
	for i := range n {
		change(&r.ops[i])
	}
	return r
}

// last changes the last operation.
func (r run) last(change func(*op)) run {
	r.ops = slices.Clone(r.ops)
	change(&r.ops[len(r.ops)-1])
	return r
}

func (r run) inClosedLoop() run {
	r.closed = true
	return r
}

func failed(k correct.Class) func(*op) { return func(o *op) { o.class = k } }

// sample is operation i as the engine would record it.
func (r run) sample(i int) correct.Sample {
	o := r.ops[i]
	at := time.Duration(i) * r.interval
	x := correct.Sample{
		Seq: uint64(i), Attempt: 1, Intended: at, Due: at, Dispatched: at + o.lag, Sent: at + o.lag + o.wait,
		Class: o.class, Late: o.late, Behind: max(o.lag, o.late), Final: true,
		Fired: o.class != correct.Dropped,
	}
	x.Written = x.Fired
	x.Done = x.Sent + o.raw
	return x
}

// snapshot records the run, with exact counts for the limits of the rules.
func (r run) snapshot(rules ...Rule) *correct.Snapshot {
	limits := r.limits
	for _, rule := range rules {
		if limit, ok := rule.Limit(); ok {
			limits = append(limits, limit)
		}
	}
	r.ops = append(slices.Clone(r.ops), slices.Repeat([]op{{raw: 50 * ms}}, r.fast)...)
	rec := correct.NewRecorder(correct.Options{Limits: limits, Closed: r.closed})
	samples := make([]correct.Sample, len(r.ops))
	for i := range r.ops {
		samples[i] = r.sample(i)
		rec.Arrive(uint64(i), samples[i].Intended, samples[i].Dispatched, 0, 0)
	}
	slices.SortStableFunc(samples, func(a, b correct.Sample) int { return cmp.Compare(a.Done, b.Done) })
	for _, x := range samples {
		rec.Record(x)
	}
	return rec.Snapshot()
}

func (r run) evidence(rules ...Rule) Evidence {
	return Evidence{Snapshot: r.snapshot(rules...), Planned: uint64(len(r.ops) + r.fast), Method: "intended"}
}

// labA is the lab at one connection: 200 requests of 50 ms, 80 ms apart, of which
// the 150th takes 2 s in total. Each waits for the one before.
func labA() run {
	r := run{interval: 80 * ms}
	queue := correct.Queue{Interval: r.interval}
	for _, s := range labService() {
		r.ops = append(r.ops, op{wait: queue.Next(s) - s, raw: s})
	}
	return r
}

func labService() []time.Duration {
	service := slices.Repeat([]time.Duration{50 * ms}, 200)
	service[149] = 2 * time.Second
	return service
}

func codes(doubts []correct.Doubt) (codes []string) {
	for _, d := range doubts {
		codes = append(codes, d.Code)
	}
	return codes
}
