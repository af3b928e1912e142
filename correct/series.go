package correct

import (
	"maps"
	"slices"
	"time"
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

// series keeps the windows of a run.
type series struct {
	width time.Duration
	at    map[int64]*window
	bench *bench

	spare [][]uint16 // for loose values

	// Where the latest arrival and the latest settled operation were, which is mostly
	// where the next ones are: apart, since in a stall they are not in one window.
	arriving, settling cursor
}

// A cursor is a window, if there is one, and where it starts.
type cursor struct {
	w    *window
	from time.Duration
}

// holds reports whether t is in the cursor's window, of this width.
func (c *cursor) holds(t, width time.Duration) bool {
	return c.w != nil && uint64(t-c.from) < uint64(width)
}

type window struct {
	Window
	corrected, raw thin
}

func (s *series) arrive(intended time.Duration, waiting, out int) {
	w := s.window(&s.arriving, intended)
	w.Scheduled++
	w.Backlog = max(w.Backlog, waiting)
	w.Out = max(w.Out, out)
}

func (s *series) settle(x *Sample) {
	w := s.window(&s.settling, x.Intended)
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
	w.corrected.record(x.Corrected(), s.bench)
	w.raw.record(x.Raw(), s.bench)
}

// settleAll is settle for operations that succeeded at their first attempt.
func (s *series) settleAll(intended, wait, raw, corrected []time.Duration) {
	for len(intended) > 0 {
		w := s.window(&s.settling, intended[0])
		n := 1 // of the same window
		for n < len(intended) && s.settling.holds(intended[n], s.width) {
			n++
		}
		w.SettledCount += uint64(n)
		w.Sent += uint64(n)
		w.OK += uint64(n)
		w.OldestWait = max(w.OldestWait, slices.Max(wait[:n]))
		w.CorrectedMax = max(w.CorrectedMax, slices.Max(corrected[:n]))
		w.corrected.recordAll(corrected[:n], s.bench)
		w.raw.recordAll(raw[:n], s.bench)
		intended, wait, raw, corrected = intended[n:], wait[n:], raw[n:], corrected[n:]
	}
}

// window is the one of t, to which it moves the cursor.
func (s *series) window(c *cursor, t time.Duration) *window {
	if !c.holds(t, s.width) {
		*c = s.find(t)
	}
	return c.w
}

func (s *series) find(t time.Duration) cursor {
	if s.at == nil {
		s.width, s.at, s.bench = firstWidth, map[int64]*window{}, new(bench)
	}
	for t/s.width >= mostWindows {
		s.widen()
	}
	i := int64(t / s.width)
	w := s.at[i]
	if w == nil {
		s.tidy(i - 1)
		s.tidy(i - 10)
		w = new(window)
		w.corrected.loose, w.raw.loose = s.loose(), s.loose()
		s.at[i] = w
	}
	return cursor{w, time.Duration(i) * s.width}
}

// tidy counts the values of a window that gets no more, or few.
func (s *series) tidy(i int64) {
	if w := s.at[i]; w != nil {
		w.corrected.pack(s.bench)
		w.raw.pack(s.bench)
		w.corrected.packed, w.raw.packed = slices.Clone(w.corrected.packed), slices.Clone(w.raw.packed) // without the room to grow
		if len(s.spare) < 8 {
			s.spare = append(s.spare, w.corrected.loose, w.raw.loose)
		}
		w.corrected.loose, w.raw.loose = nil, nil
	}
}

func (s *series) loose() (b []uint16) {
	if n := len(s.spare); n > 0 {
		s.spare, b = s.spare[:n-1], s.spare[n-1]
	}
	return b
}

// widen merges the windows two by two.
func (s *series) widen() {
	old := s.at
	s.width *= 2
	s.arriving, s.settling = cursor{}, cursor{}
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
	into.corrected.merge(&w.corrected, s.bench)
	into.raw.merge(&w.raw, s.bench)
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
	if s.at == nil {
		return series{}
	}
	c := series{width: s.width, at: maps.Clone(s.at), bench: new(bench)}
	for i, w := range c.at {
		c.at[i] = &window{w.Window, w.corrected.clone(), w.raw.clone()}
	}
	return c
}

func (s *series) windows() []Window {
	all := make([]Window, 0, len(s.at))
	for _, i := range slices.Sorted(maps.Keys(s.at)) {
		w := s.at[i]
		v := w.Window
		v.At, v.Width = time.Duration(i)*s.width, s.width
		v.CorrectedP99, v.HasCorrected = w.corrected.at(P99, w.FailedHere, s.bench)
		v.RawP99, v.HasRaw = w.raw.at(P99, w.FailedHere, s.bench)
		all = append(all, v)
	}
	return all
}
