package correct

import (
	"maps"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Windows of a series: the width doubles whenever a run would need more.
const (
	mostWindows = 1200
	firstWidth  = 100 * time.Millisecond
)

// A Window is one stretch of a run, cut by Intended: an operation belongs to the
// window in which the schedule wanted it, whenever it was answered.
type Window struct {
	At    time.Duration // start, from the epoch
	Width time.Duration

	Scheduled  uint64
	Sent       uint64
	OK         uint64
	Backlog    int           // most operations waiting, seen at its arrivals
	Out        int           // most attempts under way, seen at its arrivals
	OldestWait time.Duration // longest wait for a connection

	// Percentiles to two digits; failures rank above, and where the 99th
	// percentile falls among them, or the window is empty, there is none.
	CorrectedP99, RawP99     time.Duration
	HasCorrected, HasRaw     bool
	CorrectedMax             time.Duration
	SettledCount, FailedHere uint64
}

// series keeps the windows of a run. Its histograms are sparse: dense ones would
// be 264 KiB each.
type series struct {
	width time.Duration
	at    map[int64]*window

	latest   *window // the one asked for last, which is mostly the next as well
	latestAt int64
}

type window struct {
	Window
	corrected, raw *hdrhistogram.PackedHistogram
}

func (s *series) arrive(intended time.Duration, waiting, out int) {
	w := s.window(intended)
	w.Scheduled++
	w.Backlog = max(w.Backlog, waiting)
	w.Out = max(w.Out, out)
}

func (s *series) settle(x Sample) {
	w := s.window(x.Intended)
	w.SettledCount++
	if x.Written || x.Earlier {
		w.Sent++
		w.OldestWait = max(w.OldestWait, x.Wait())
	}
	if x.Class != OK {
		w.FailedHere++
		return
	}
	w.OK++
	w.CorrectedMax = max(w.CorrectedMax, x.Corrected())
	record(&w.corrected, x.Corrected())
	record(&w.raw, x.Raw())
}

func record(h **hdrhistogram.PackedHistogram, v time.Duration) {
	if *h == nil {
		*h = hdrhistogram.NewPacked(1, int64(Longest), 2)
	}
	// Longer than Longest is shown as Longest: the series is a picture, the Dists are exact.
	if err := (*h).RecordValue(int64(min(v, Longest))); err != nil {
		panic("correct: series refused a value in its range: " + err.Error())
	}
}

func (s *series) window(t time.Duration) *window {
	if s.at == nil {
		s.width, s.at = firstWidth, map[int64]*window{}
	}
	for t/s.width >= mostWindows {
		s.widen()
	}
	i := int64(t / s.width)
	if s.latest != nil && i == s.latestAt {
		return s.latest
	}
	w := s.at[i]
	if w == nil {
		w = new(window)
		s.at[i] = w
	}
	s.latest, s.latestAt = w, i
	return w
}

// widen merges the windows two by two.
func (s *series) widen() {
	old := s.at
	s.width *= 2
	s.latest = nil
	s.at = make(map[int64]*window, len(old)/2+1)
	for i, w := range old {
		s.add(i/2, w)
	}
}

func (s *series) add(i int64, w *window) {
	into := s.at[i]
	if into == nil {
		s.at[i] = w
		return
	}
	into.Scheduled += w.Scheduled
	into.Sent += w.Sent
	into.OK += w.OK
	into.SettledCount += w.SettledCount
	into.FailedHere += w.FailedHere
	into.Backlog = max(into.Backlog, w.Backlog)
	into.Out = max(into.Out, w.Out)
	into.OldestWait = max(into.OldestWait, w.OldestWait)
	into.CorrectedMax = max(into.CorrectedMax, w.CorrectedMax)
	join(&into.corrected, w.corrected)
	join(&into.raw, w.raw)
}

func join(into **hdrhistogram.PackedHistogram, from *hdrhistogram.PackedHistogram) {
	switch {
	case from == nil:
	case *into == nil:
		*into = from
	default:
		(*into).Merge(from)
	}
}

func (s *series) merge(o *series) {
	c := o.clone()
	if s.at == nil {
		*s = c
		return
	}
	for c.at != nil && c.width < s.width {
		c.widen()
	}
	for c.at != nil && s.width < c.width {
		s.widen()
	}
	for i, w := range c.at {
		s.add(i, w)
	}
}

func (s *series) clone() series {
	c := series{width: s.width, at: maps.Clone(s.at)}
	for i, w := range c.at {
		v := *w
		if v.corrected != nil {
			v.corrected, v.raw = v.corrected.Clone(), v.raw.Clone()
		}
		c.at[i] = &v
	}
	return c
}

func (s *series) windows() []Window {
	all := make([]Window, 0, len(s.at))
	for _, i := range slices.Sorted(maps.Keys(s.at)) {
		w := s.at[i]
		w.At, w.Width = time.Duration(i)*s.width, s.width
		w.CorrectedP99, w.HasCorrected = p99(w.corrected, w.FailedHere)
		w.RawP99, w.HasRaw = p99(w.raw, w.FailedHere)
		all = append(all, w.Window)
	}
	return all
}

func p99(h *hdrhistogram.PackedHistogram, failed uint64) (time.Duration, bool) {
	if h == nil {
		return 0, false
	}
	values := uint64(h.TotalCount())
	rank := P99.Rank(values + failed)
	if rank > values {
		return 0, false
	}
	return min(time.Duration(h.ValueAtPercentile(100*float64(rank)/float64(values))), time.Duration(h.Max())), true
}
