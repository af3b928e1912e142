package plan

import (
	"cmp"
	"fmt"
	"slices"

	"openload/internal/nearest"
)

// OtherTargets is the row of all targets that have none of their own.
const OtherTargets = "(other targets)"

// A Share is a target's row in a report.
type Share struct {
	Name    string
	Planned float64 // its share of the operations, by weight
}

// Shares are the rows of the plan's targets, in their order; nil if the plan makes no
// difference between its operations. There are at most so many: if there are more targets,
// those that rules name have a row, and those that come most often; the others have one
// together.
func (p *Plan) Shares(most int) []Share {
	if p.Mix == nil {
		return nil
	}
	var all []Share
	at := map[string]int{}
	total := 0.0
	for _, it := range p.Mix.Items() {
		i, known := at[it.Name]
		if !known {
			i = len(all)
			at[it.Name] = i
			all = append(all, Share{Name: it.Name})
		}
		all[i].Planned += float64(it.Weight)
		total += float64(it.Weight)
	}
	for i := range all {
		all[i].Planned /= total
	}
	if len(all) <= most {
		return all
	}
	ranked := slices.Clone(all)
	slices.SortStableFunc(ranked, func(a, b Share) int {
		return cmp.Or(-compareBool(p.ruled(a.Name), p.ruled(b.Name)), -cmp.Compare(a.Planned, b.Planned))
	})
	own := map[string]bool{}
	for _, s := range ranked[:most-1] {
		own[s.Name] = true
	}
	others := Share{Name: OtherTargets}
	kept := slices.DeleteFunc(all, func(s Share) bool {
		if !own[s.Name] {
			others.Planned += s.Planned
		}
		return !own[s.Name]
	})
	return append(kept, others)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// ruled reports whether a rule is about the target.
func (p *Plan) ruled(target string) bool {
	for _, r := range p.Rules {
		if r.Target == target {
			return true
		}
	}
	return false
}

// Method is what operation seq is sent with.
func (p *Plan) Method(seq uint64) string {
	if p.Mix == nil {
		return p.Target.Method
	}
	return p.Mix.Items()[p.Mix.Pick(seq)].Verb()
}

// checkTarget says what is wrong with a rule's target.
func (p *Plan) checkTarget(rule, target string) error {
	if target == "" {
		return nil
	}
	if p.Mix == nil {
		return fmt.Errorf("--sla: rule %q is for a target named %q, but the plan has one target without a name; leave out %q", rule, target, target+":")
	}
	names := p.Mix.Names()
	if slices.Contains(names, target) {
		return nil
	}
	if near := nearest.Of(target, names); near != "" {
		return fmt.Errorf("--sla: rule %q is for a target named %q, and there is none; did you mean %q?", rule, target, near)
	}
	const shown = 5
	list := ""
	for i, name := range names {
		if i == shown {
			list += fmt.Sprintf(" and %d more", len(names)-shown)
			break
		}
		if i > 0 {
			list += ", "
		}
		list += fmt.Sprintf("%q", name)
	}
	return fmt.Errorf("--sla: rule %q is for a target named %q, and there is none; the targets are %s", rule, target, list)
}
