package report

import (
	"slices"
	"time"
)

// mergePeaks are the most attempts that left at once in all of the runs; nil if one of
// them does not know.
func mergePeaks(runs []Named) *Peaks {
	var out Peaks
	var all, later []*Arrivals
	for _, r := range runs {
		if r.Peaks == nil {
			return nil
		}
		out.Resolution, out.Smear = max(out.Resolution, r.Peaks.Resolution), max(out.Smear, r.Peaks.Smear)
		all, later = append(all, &r.Peaks.All), append(later, &r.Peaks.Later)
	}
	out.All, out.Later = mergeArrivals(runs, all), mergeArrivals(runs, later)
	return &out
}

// mergeArrivals is the curve of runs together. A window that no two runs can share has
// the peak of one of them. Where it can lie over several, theirs are added up, which is
// an upper bound. Where the peak is, and the crowd that stands out, are one run's.
func mergeArrivals(runs []Named, all []*Arrivals) Arrivals {
	out := Arrivals{Curve: []Peak{}}
	for _, a := range all {
		out.N += a.N
		out.Late += a.Late
		out.AtMost = out.AtMost || a.AtMost
		if a.Wave != nil && (out.Wave == nil || a.Wave.N > out.Wave.N) {
			out.Wave, out.Fit = a.Wave, a.Fit
		}
	}
	for _, width := range curveWidths(all) {
		most := Peak{Width: width}
		for _, group := range together(runs, width) {
			sum, greatest := Peak{}, uint64(0)
			arrived := 0
			for _, k := range group {
				p := pointAt(all[k].Curve, width)
				if p.Sliding > greatest {
					greatest, sum.At = p.Sliding, p.At
				}
				if all[k].N > 0 {
					arrived++
				}
				sum.Sliding += p.Sliding
				sum.Aligned += p.Aligned
			}
			out.AtMost = out.AtMost || arrived > 1
			if sum.Sliding > most.Sliding {
				most.Sliding, most.At = sum.Sliding, sum.At
			}
			most.Aligned = max(most.Aligned, sum.Aligned)
		}
		out.Curve = append(out.Curve, most)
	}
	return out
}

// curveWidths are those that every curve with arrivals has.
func curveWidths(all []*Arrivals) (widths []time.Duration) {
	first := true
	for _, a := range all {
		var own []time.Duration
		for _, p := range a.Curve {
			own = append(own, p.Width)
		}
		switch {
		case a.N == 0 && len(own) == 0:
		case first:
			widths, first = own, false
		default:
			widths = slices.DeleteFunc(widths, func(w time.Duration) bool { return !slices.Contains(own, w) })
		}
	}
	return widths
}

func pointAt(curve []Peak, width time.Duration) Peak {
	for _, p := range curve {
		if p.Width == width {
			return p
		}
	}
	return Peak{}
}

// together parts the runs, which are in order of their start, into groups that a window
// of the width may lie over. Virtual time has no order: such runs are never together.
func together(runs []Named, width time.Duration) (groups [][]int) {
	var end time.Time
	for k, r := range runs {
		run := &r.Report.Run
		if apart := run.Engine == "sim" || run.Started.Sub(end) >= width; k == 0 || apart {
			groups = append(groups, nil)
		}
		last := &groups[len(groups)-1]
		*last = append(*last, k)
		if e := run.Started.Add(run.Duration); e.After(end) {
			end = e
		}
	}
	return groups
}
