package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"openload/correct"
)

func wrongIn(r Named, err error) error { return fmt.Errorf("%s: %w", r, err) }

// mergePhases is where the time of all successes went; nil if a run that had some does
// not know. What each success had of a phase is unknown where a run did not keep it.
func mergePhases(runs []Named, ok uint64) (all []Phase, err error) {
	runs = slices.DeleteFunc(slices.Clone(runs), func(r Named) bool { return r.Counts.OK == 0 && len(r.Phases) == 0 })
	if len(runs) == 0 {
		return nil, nil
	}
	for i := range runs[0].Phases {
		p := Phase{Name: runs[0].Phases[i].Name, Sum: new(int64)}
		var each []*Dist
		for _, r := range runs {
			if len(r.Phases) != len(runs[0].Phases) || r.Phases[i].Name != p.Name {
				return nil, nil
			}
			addKnown(&p.Sum, r.Phases[i].Sum)
			each = append(each, r.Phases[i].Each)
		}
		if p.Sum == nil || ok == 0 {
			return nil, nil
		}
		p.Mean = time.Duration((uint64(max(0, *p.Sum)) + ok/2) / ok)
		if !slices.ContainsFunc(each, (*Dist).unkept) {
			if p.Each, err = mergeDists(each); err != nil {
				return nil, fmt.Errorf("phase %s: %w", p.Name, err)
			}
		}
		all = append(all, p)
	}
	return all, nil
}

// unkept reports whether d is without the values that it has.
func (d *Dist) unkept() bool { return d == nil || d.Histogram == "" && d.N > d.Failed }

// gaps name what the runs had and the whole has not.
func (r *Report) gaps(runs []Named, drawn bool) (notes []Reason) {
	var lost []string
	miss := func(is bool, had func(*Report) bool, what string) {
		if is && slices.ContainsFunc(runs, func(n Named) bool { return had(n.Report) }) {
			lost = append(lost, what)
		}
	}
	miss(true, func(o *Report) bool { return o.Latency.ClosedLoop != nil }, "the prediction for a closed loop")
	miss(true, func(o *Report) bool { return o.Rate != nil }, "the rate offered")
	miss(true, func(o *Report) bool {
		return slices.ContainsFunc(o.SLA, func(x Rule) bool { return x.Episodes != nil })
	}, "how many episodes there were")
	miss(len(r.Series) == 0, func(o *Report) bool { return len(o.Series) > 0 }, "the windows over time, which are cut differently")
	miss(len(r.Series) > 0, func(o *Report) bool {
		return slices.ContainsFunc(o.Series, func(w Window) bool { return w.CorrectedP99 != nil || w.RawP99 != nil })
	}, "percentiles over time")
	miss(true, func(o *Report) bool { return o.Latency.Lag != nil && o.Latency.Lag.P99 != nil }, "percentiles of our lag and of the wait for a connection")
	miss(true, func(o *Report) bool { return o.Run.ReadAudit != nil }, "how long answers lay unread")
	miss(len(r.Phases) == 0, func(o *Report) bool { return len(o.Phases) > 0 }, "where the corrected time went")
	miss(slices.ContainsFunc(r.Phases, func(p Phase) bool { return p.Each == nil && p.Name != correct.Lagging.String() }), func(o *Report) bool {
		return slices.ContainsFunc(o.Phases, func(p Phase) bool { return p.Each != nil && p.Each.P99 != nil })
	}, "percentiles of where the corrected time went, which an older openload did not keep")
	miss(!drawn, func(o *Report) bool { return o.Flow != nil }, "arrivals, heat map and the operations that took longest, which not all were drawn with")
	miss(r.Peaks == nil, func(o *Report) bool { return o.Peaks != nil }, "how many left at once")
	miss(r.Network == nil, func(o *Report) bool { return o.Network != nil }, "whom connections reached")
	if len(lost) == 0 {
		return nil
	}
	return []Reason{{"not_merged", "of the runs, and not of the whole: " + strings.Join(lost, "; ")}}
}
