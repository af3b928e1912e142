package run

import (
	"time"

	"openload/correct"
	"openload/plan"
	"openload/sla"
)

// dimensions are what the plan's operations are parted by.
func dimensions(p *plan.Plan) (all []correct.Dimension) {
	if p.Mix != nil {
		all = append(all, targets(p))
	}
	if len(p.Phases) > 0 {
		all = append(all, phases(p))
	}
	return all
}

// targets parts operations by what they send.
func targets(p *plan.Plan) correct.Dimension {
	d := correct.Dimension{Name: sla.TargetDimension}
	row := map[string]int{}
	for i, s := range p.Shares(correct.MostGroups) {
		d.Groups = append(d.Groups, s.Name)
		row[s.Name] = i
	}
	items := p.Mix.Items()
	rows := make([]int, len(items)) // of each item
	for i, it := range items {
		n, own := row[it.Name]
		if !own {
			n = row[plan.OtherTargets]
		}
		rows[i] = n
	}
	d.Of = func(seq uint64, _ time.Duration) int { return rows[p.Mix.Pick(seq)] }
	return d
}
