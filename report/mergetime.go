package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"openload/correct"
)

// mostWorst is how many operations that took longest a report has.
const mostWorst = 20

// mergePicture draws runs over one another, each from its own start; whole is false if
// one of them was not drawn. The error names what can't have been.
func (r *Report) mergePicture(runs []Named) (whole bool, err error) {
	closed := r.Plan.Model == "closed"
	all := correct.NewPicture(closed)
	r.Flow, r.Heat, r.Worst = nil, nil, nil
	for _, run := range runs {
		if run.Flow == nil || run.Heat == nil {
			return false, nil
		}
		p, err := run.redraw(closed)
		if err != nil {
			return false, wrongIn(run, err)
		}
		all.Merge(p)
	}
	r.Flow, r.Heat = flowOf(all.Flow(), closed), heatOf(all.Heat(), closed)
	for k, run := range runs {
		for _, o := range run.Worst {
			if o.Run == 0 { // else it was merged already, and its run is not one of these
				o.Run = k + 1
			}
			r.Worst = append(r.Worst, o)
		}
	}
	slices.SortStableFunc(r.Worst, func(a, b Operation) int { return cmp.Compare(b.Took, a.Took) })
	r.Worst = r.Worst[:min(len(r.Worst), mostWorst)]
	return true, nil
}

// redraw undoes flowOf and heatOf.
func (r *Report) redraw(closed bool) (*correct.Picture, error) {
	f := correct.Flow{Width: r.Flow.Width}
	for i := range max(len(r.Flow.Scheduled), len(r.Flow.Sent), len(r.Flow.Ended), len(r.Flow.Lag), len(r.Flow.Late)) {
		f.Bins = append(f.Bins, correct.Bin{
			Scheduled: at(r.Flow.Scheduled, i), Sent: at(r.Flow.Sent, i), Ended: at(r.Flow.Ended, i), Lag: at(r.Flow.Lag, i), Late: at(r.Flow.Late, i),
		})
	}
	h := correct.Heat{Width: r.Heat.Width}
	for i := range max(len(r.Heat.Corrected), len(r.Heat.Raw), len(r.Heat.Failed)) {
		corrected, err := decoded(at(r.Heat.Corrected, i))
		if err != nil {
			return nil, err
		}
		raw, err := decoded(at(r.Heat.Raw, i))
		if err != nil {
			return nil, err
		}
		h.Columns = append(h.Columns, correct.Column{Corrected: corrected, Raw: raw, Failed: at(r.Heat.Failed, i)})
	}
	return correct.Redraw(f, h, closed)
}

// at is all[i], and nothing behind the end.
func at[T any](all []T, i int) (x T) {
	if i < len(all) {
		return all[i]
	}
	return x
}

func decoded(text string) (*hdrhistogram.Histogram, error) {
	if text == "" {
		return nil, nil
	}
	return hdrhistogram.Decode([]byte(text))
}

// mergeSeries adds up windows that begin as long after each run's start, of the widest
// width that a run has; percentiles of a window are unknown then. There is no series if
// the widths don't go into one another.
func mergeSeries(runs []Named) []Window {
	var width time.Duration
	for _, r := range runs {
		for _, w := range r.Series {
			width = max(width, w.Width)
		}
	}
	byStart := map[time.Duration]Window{}
	for _, r := range runs {
		for _, o := range r.Series {
			if o.Width <= 0 || width%o.Width != 0 || o.At < 0 {
				return []Window{}
			}
			start := o.At / width * width
			w := byStart[start]
			w.At, w.Width = start, width
			w.add(&o)
			byStart[start] = w
		}
	}
	out := make([]Window, 0, len(byStart))
	for _, w := range byStart {
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b Window) int { return cmp.Compare(a.At, b.At) })
	return out
}

func (w *Window) add(o *Window) {
	w.Scheduled += o.Scheduled
	w.Sent += o.Sent
	w.OK += o.OK
	w.Failed += o.Failed
	w.Backlog, w.Out, w.OldestWait = max(w.Backlog, o.Backlog), max(w.Out, o.Out), max(w.OldestWait, o.OldestWait)
	if o.CorrectedMax != nil && (w.CorrectedMax == nil || *o.CorrectedMax > *w.CorrectedMax) {
		w.CorrectedMax = o.CorrectedMax
	}
}
