package plan

import (
	"slices"

	"openload/request"
	"openload/sla"
)

// mostCounted bounds how many operations are asked beforehand where chance sends them:
// a tenth of a second. Further ones may all be of the target that somebody asks about.
const mostCounted = 10_000_000

// Budgets are what may stand against the plan's rules: one for each that a run can break
// before its end. Counting arrivals takes a while, so planned is what Planned says, and
// warm what PlannedWarm does.
func (p *Plan) Budgets(planned, warm uint64) []sla.Budget {
	c := sla.Course{Deadline: p.Deadline, AutoCap: p.Connections == 0, Attempts: p.Retry.Attempts()}
	judged := planned - min(planned, warm)
	to := p.plannedTo(planned)
	c.Planned = func(target string) uint64 {
		if target == "" {
			return judged
		}
		return to[target]
	}
	if p.Mix != nil {
		items := p.Mix.Items()
		c.Target = func(seq uint64) string { return items[p.Mix.Pick(seq)].Name }
	}
	return sla.Follow(p.Rules, c)
}

// plannedTo is how many of n operations go to each target that a rule is about, at most;
// those of the warm-up are left out.
func (p *Plan) plannedTo(n uint64) map[string]uint64 {
	if p.Mix == nil || !slices.ContainsFunc(p.Rules, func(r sla.Rule) bool { return r.Target != "" }) {
		return nil
	}
	items := p.Mix.Items()
	of := make([]uint64, len(items))
	beyond := uint64(0) // operations of which nobody knows where they go
	if p.Mix.Order() == request.Random {
		beyond = n - min(n, mostCounted)
		for seq := range n - beyond {
			of[p.Mix.Pick(seq)]++
		}
	} else {
		rounds, rest := n/p.Mix.Round(), n%p.Mix.Round()
		for seq := range min(n, p.Mix.Round()) {
			of[p.Mix.Pick(seq)] += rounds
			if seq < rest {
				of[p.Mix.Pick(seq)]++
			}
		}
	}
	to := map[string]uint64{}
	for i, it := range items {
		to[it.Name] += of[i]
	}
	for name := range to {
		to[name] += beyond
	}
	p.eachWarm(func(seq uint64) { to[items[p.Mix.Pick(seq)].Name]-- })
	return to
}
