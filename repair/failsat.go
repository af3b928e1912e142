package repair

import (
	"sort"
	"time"

	"openload/correct"
	"openload/report"
	"openload/sla"
)

// failsAt says, for a sample without an interval, at which rates each rule would
// fail if its requests came one by one to a single queue. The fewer come, the shorter
// the queue: so there is one longest interval at which a rule still fails.
func (x *sample) failsAt() []report.FailsAt {
	all := []report.FailsAt{}
	if x.in == nil || x.in.line == nil || x.pace.interval > 0 || !x.single() {
		return all
	}
	l := x.in.line
	for _, r := range x.opt.Rules {
		limit, ok := r.Limit()
		if !ok || r.Set != correct.Corrected {
			continue
		}
		all = append(all, l.failsAt(r, limit))
	}
	return all
}

func (l *line) failsAt(r sla.Rule, limit time.Duration) report.FailsAt {
	f := report.FailsAt{Rule: r.String(), Of: l.kept()}
	allowed := r.Quantile.Allowed(f.Of)
	passes := func(i int) bool { return l.over(limit, time.Duration(i)) <= allowed }
	longest := l.longest() // at which nobody waits
	if !passes(int(longest)) {
		f.Always = true
		return f
	}
	first := sort.Search(int(longest), passes)
	if first == 0 { // not even all at once
		return f
	}
	interval := time.Duration(first - 1)
	f.Interval = &interval
	if interval > 0 {
		perSec := 1e9 / float64(interval)
		f.PerSec = &perSec
	}
	return f
}

// longest is the longest service time.
func (l *line) longest() (most time.Duration) {
	for _, block := range l.blocks {
		for _, took := range block {
			most = max(most, took, -took)
		}
	}
	return most
}
