package repair

import (
	"slices"
	"strings"

	"openload/correct"
	"openload/plan"
	"openload/sla"
	"openload/source"
)

// targets are the attempts of a run by target, as its rows name them.
type targets struct {
	rules []sla.Rule
	all   []*target // in the order in which they come
	of    map[int32]*target
}

type target struct {
	name string
	attempts
}

// part is where attempts belong that have the label. Once there are as many as a report
// has rows for, those without a rule share one.
func (t *targets) part(f *source.File, label int32) *target {
	if have := t.of[label]; have != nil {
		return have
	}
	name := f.Name(label)
	if len(t.all) >= correct.MostGroups-1 && !t.ruled(name) {
		name = plan.OtherTargets
		for _, have := range t.all {
			if have.name == name {
				t.of[label] = have
				return have
			}
		}
	}
	own := &target{name: name}
	// The server had others to answer meanwhile: no closed loop is predicted, as of several hosts.
	own.rec = correct.NewRecorder(correct.Options{Limits: limits(t.rules), Again: true, Hosts: 2})
	t.all, t.of[label] = append(t.all, own), own
	return own
}

func (t *targets) ruled(name string) bool {
	for _, r := range t.rules {
		if r.Target == name {
			return true
		}
	}
	return false
}

// parts are theirs of the run's snapshot, by name: which came first may be chance, and
// then the files of two runs of one plan would differ in it.
func (t *targets) parts() (all []correct.Part) {
	slices.SortFunc(t.all, func(a, b *target) int { return strings.Compare(a.name, b.name) })
	for _, x := range t.all {
		all = append(all, correct.Part{Dimension: sla.TargetDimension, Name: x.name, Snapshot: x.snapshot()})
	}
	return all
}
