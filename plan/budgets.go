package plan

import (
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
	to := map[string]uint64{}
	for _, r := range p.Rules {
		if r.Target != "" {
			to[r.Target] = 0
		}
	}
	if len(to) == 0 || p.Mix == nil {
		return nil
	}
	items := p.Mix.Items()
	count := func(seq, n uint64) {
		if name := items[p.Mix.Pick(seq)].Name; p.ruled(name) {
			to[name] += n
		}
	}
	if p.Mix.Order() == request.Random {
		for seq := range min(n, mostCounted) {
			count(seq, 1)
		}
		for name := range to {
			to[name] += n - min(n, mostCounted)
		}
	} else {
		rounds, rest := n/p.Mix.Round(), n%p.Mix.Round()
		for seq := range min(n, p.Mix.Round()) {
			turns := rounds
			if seq < rest {
				turns++
			}
			count(seq, turns)
		}
	}
	p.eachWarm(func(seq uint64) {
		name := items[p.Mix.Pick(seq)].Name
		if most := to[name]; most > 0 {
			to[name] = most - 1
		}
	})
	return to
}
