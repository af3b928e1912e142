package sla

import (
	"slices"
	"time"

	"openload/correct"
	"openload/stats"
)

// Judge says whether the run behind e keeps the rules.
//
//   - None: interrupted, whatever else holds; or no rules, and nothing of the next.
//   - Invalid: no operation succeeded; the offered rate was off the plan by more than
//     1 %; more than 0.1 % of the operations were dropped; planned ones were never
//     scheduled, or some are not at hand; a rule has nothing to judge. So a run that only met refused
//     connections is invalid and no failure of the rules: it may be the wrong address.
//     The rate and the operations that never were do not count against a run that we
//     ended ourselves (AbortedOnFail) while a rule is broken: that is a Fail.
//   - Fail: such a run without the rule, as its file of attempts has none; or a rule is broken, even with our own lateness and our own failures taken out.
//   - Invalid again: a rule is broken, but not without them.
//   - Inconclusive: with a confidence, too few operations to show a rule or to refute it.
//   - Pass: every rule holds, our lateness and our failures counted in.
//
// The first that applies is the outcome. A rule on the rate is never the server's to
// break: it passes, or the run is invalid. Judge panics on a rule that Parse did not
// make, or a confidence that CheckConfidence refuses.
func Judge(rules []Rule, e Evidence) Verdict {
	if err := CheckConfidence(e.Confidence); err != nil {
		panic("sla: " + err.Error())
	}
	v := Verdict{Interrupted: e.Interrupted}
	for _, r := range rules {
		v.Results = append(v.Results, e.result(r))
	}
	alike(v.Results)
	invalid := e.distrust(v.Results)
	switch {
	case e.Interrupted:
		v.Reasons = []correct.Doubt{e.interrupted()}
	case len(rules) == 0 && e.AbortedOnFail && len(invalid) == 0:
		v.Outcome, v.Reasons = Fail, []correct.Doubt{doubt("rule_lost", "the run stopped itself since a rule could not be kept any more; which one is not in the file, so judge it by that one: --sla RULE")}
	case len(invalid) > 0:
		v.Outcome, v.Reasons = Invalid, invalid
	case len(rules) > 0:
		v.Outcome = worst(v.Results)
		v.Reasons = e.reasons(v.Outcome, v.Results)
		v.NotRefuted = v.Outcome == Pass && slices.ContainsFunc(rules, e.madeUp)
		if v.NotRefuted {
			v.Reasons = append(v.Reasons, e.notRefuted())
		}
	}
	v.Notes = e.notes(v.Results)
	return v
}

// alike gives rules on one percentile one value. It comes from a bucket of the
// histogram, and each rule that holds by its exact count says that it is no more than
// its limit: what one knows holds for all.
func alike(results []Result) {
	for i := range results {
		for j := range results {
			a, b := &results[i], &results[j]
			of := func(r Rule) Rule { return Rule{Target: r.Target, Metric: r.Metric, Set: r.Set, Quantile: r.Quantile} }
			if a.Rule.Metric != Percentile || of(a.Rule) != of(b.Rule) {
				continue
			}
			least(a.Latency, b.Latency)
			for _, x := range [][2]*Reading{{a.Raw, b.Raw}, {a.ClosedLoop, b.ClosedLoop}} {
				if x[0] != nil && x[1] != nil {
					least(x[0].Latency, x[1].Latency)
				}
			}
		}
	}
}

// least makes the greater of two known values the other.
func least(a, b *time.Duration) {
	if a != nil && b != nil {
		*a = min(*a, *b)
	}
}

// worst is the outcome of all the results together. One rule that is surely broken
// decides, whatever our lateness did to the others.
func worst(results []Result) Outcome {
	for _, o := range []Outcome{Fail, Invalid, Inconclusive} {
		if slices.ContainsFunc(results, func(r Result) bool { return r.Outcome == o }) {
			return o
		}
	}
	return Pass
}

// A finding is what a rule comes to on one view of the run.
type finding struct {
	outcome Outcome
	over    uint64 // operations over the limit, of a rule that counts them
	unsure  uint64 // of them, those that may not be
}

// findings are what r comes to: first as measured, then without our own lateness,
// then without the wait for a cap that nobody asked for, each no worse than the one
// before. Views that make no difference to r are left out. None if there is nothing
// to judge.
func (e *Evidence) findings(r Rule) (list []finding) {
	n := e.size(r)
	if n == 0 {
		return nil
	}
	add := func(holds bool) {
		list = append(list, finding{outcome: passIf(holds)})
	}
	switch r.Metric {
	case Percentile:
		for _, v := range e.views(r) {
			over, unsure := v.over(r.bound())
			list = append(list, e.decide(r, n, finding{over: over, unsure: unsure}))
		}
	case Mean:
		for _, v := range e.views(r) {
			add(!v.meanBreaks(r.bound()))
		}
	case Errors, Useful:
		for _, f := range e.failures(r.Metric) {
			list = append(list, e.decide(r, n, f))
		}
	case FirstTry:
		c := &e.Snapshot.Counts
		for _, ours := range []uint64{0, e.ours()} {
			list = append(list, e.decide(r, n, finding{over: c.Scheduled - c.FirstTry - min(ours, c.Scheduled-c.FirstTry)}))
		}
	case Attempts:
		add(r.holds(e.Snapshot.Counts.Attempts, n))
	case Rate:
		if planned, taken, ok := e.rate(); ok {
			add(r.holds(uint64(planned), uint64(taken)))
			add(true)
		}
	default:
		panic("sla: a rule that says nothing was judged")
	}
	return list
}

// size is how many operations r is judged on, or attempts if it is about raw latency.
func (e *Evidence) size(r Rule) uint64 {
	switch {
	case r.latency():
		if d := e.Snapshot.Dist(r.Set); d != nil {
			return d.N()
		}
		return 0
	case r.Metric == Attempts:
		return e.Snapshot.Counts.Fired
	default:
		return e.Snapshot.Counts.Scheduled
	}
}

// failures are the operations that count against an Errors or Useful rule: those
// that did not succeed (by their deadline). Of our own failures, dropped operations
// count in every view: they have a limit of their own.
func (e *Evidence) failures(m Metric) []finding {
	s := e.Snapshot
	failed := s.Counts.Failed()
	if s.Closed() {
		return []finding{{over: failed}, {over: failed - e.ours()}}
	}
	list := []finding{{over: failed}}
	for _, set := range e.punctual() {
		list = append(list, finding{over: s.Dist(set).Failed() + s.Counts.Dropped})
	}
	if m == Useful && e.Deadline > 0 {
		for i, set := range append([]correct.Set{correct.CorrectedOK}, e.punctual()...) {
			d := s.Dist(set)
			late, unsure := view{dist: d}.over(e.Deadline + 1)
			list[i].over += late - d.Failed()
			list[i].unsure = unsure
		}
	}
	return list
}

// decide compares the number over the limit with how many of n may be; with a confidence,
// it asks what that number shows of all operations that might have been. A share of
// none or all is not a matter of chance: then the run itself is judged.
func (e *Evidence) decide(r Rule, n uint64, f finding) finding {
	switch share, byChance := r.chance(); {
	case e.Confidence == 0 || !byChance:
		f.outcome = passIf(f.over <= r.allowed(n))
	case e.madeUp(r): // what nobody measured shows nothing
		f.outcome = Inconclusive
	case stats.Proves(f.over, n, share, e.Confidence/100):
		f.outcome = Pass
	case stats.Disproves(f.over, n, share, e.Confidence/100):
		f.outcome = Fail
	default:
		f.outcome = Inconclusive
	}
	return f
}

func passIf(holds bool) Outcome {
	if holds {
		return Pass
	}
	return Fail
}

// result judges one rule.
func (e *Evidence) result(r Rule) Result {
	e = e.on(r)
	res := Result{Rule: r, Of: e.size(r), Outcome: Invalid, findings: e.findings(r)}
	if len(res.findings) == 0 {
		return res
	}
	measured, kindest := res.findings[0], res.findings[len(res.findings)-1]
	if measured.outcome != Fail || kindest.outcome == Fail {
		res.Outcome = measured.outcome
	}
	res.Pass = measured.outcome == Pass
	broken := kindest.outcome == Fail
	if _, ok := r.counts(); ok {
		allowed := r.allowed(res.Of)
		res.Allowed = &allowed
		res.Pass = measured.over <= allowed
		broken = kindest.over > allowed
		if measured.unsure == 0 {
			res.Over = &measured.over
		}
		if share, byChance := r.chance(); res.Outcome == Inconclusive && byChance && !e.madeUp(r) {
			res.Needed = stats.Needed(measured.over, share, e.Confidence/100)
		}
	}
	e.values(&res)
	res.Flipped = broken && (res.Raw != nil && res.Raw.Pass || res.ClosedLoop != nil && res.ClosedLoop.Pass)
	return res
}

// values fills in the numbers that go with the result.
func (e *Evidence) values(res *Result) {
	s, r := e.Snapshot, res.Rule
	if r.latency() {
		res.Latency = r.value(s.Dist(r.Set), res.Pass)
		if r.Set != correct.Raw {
			res.Raw, res.ClosedLoop = r.on(s.Dist(correct.Raw)), r.on(s.Dist(correct.ClosedLoop))
		}
		if limit, ok := r.Limit(); ok && r.Set == correct.Corrected && e.Synthetic == 0 {
			if n, ok := s.EpisodesOver(limit); ok {
				res.Episodes = &n
			}
		}
		return
	}
	n, of := res.findings[0].over, res.Of
	switch r.Metric {
	case Attempts:
		n = s.Counts.Attempts
	case Useful, FirstTry:
		n = of - n
	case Rate:
		planned, taken, _ := e.rate()
		if taken == 0 {
			return // everything left at once
		}
		n, of = uint64(planned), uint64(taken)
	}
	v := float64(n) / float64(of)
	res.Number = &v
}

// chance is the share of all operations that r lets be over its limit, if that is a
// question that a sample can answer.
func (r Rule) chance() (share float64, ok bool) {
	billionths, counts := r.counts()
	return float64(billionths) / billion, counts && 0 < billionths && billionths < billion
}
