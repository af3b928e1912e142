package repair

import (
	"math"
	"time"

	"openload/correct"
	"openload/source"
)

// dull takes the leading rows that change nothing but counts and extremes, and returns
// how many those are: of a file that has millions of rows nearly all. What a row that
// isn't dull needs to know of the others is kept as row keeps it, so whether rows are
// taken here or there makes no difference (TestDullRows).
func (a *intake) dull(rows []moment) int {
	if !a.dulls() {
		return 0
	}
	s, g := &a.stalls, &a.gaps
	room := uint64(len(rows))
	if s.n < window {
		room = min(room, window-1-s.n) // at the window's end the first rows are put by
	}
	if len(s.pending) > 0 {
		due := s.pending[0].due
		room = min(room, max(due, s.n+1)-s.n-1) // the row that it is due at, or a later one, judges a stall
	}
	rows = rows[:room]

	ring := (*[window]span)(s.ring)
	cells, step, perStep := a.plain.cells, a.plain.step, a.plain.perStep
	slow, floor, edge := a.slow, g.floor, g.edge()
	from, latest, end := a.from, a.latest, g.end
	n := s.n
	taken := 0
	for ; taken < len(rows); taken++ {
		m := &rows[taken]
		start, took := m.Start, m.Took
		if m.Class != correct.OK || took >= slow || start == source.NoTime {
			break
		}
		if start > end {
			if start-end > floor {
				break // a gap
			}
		} else if start < edge && took > floor {
			break // covers one
		}
		cell := int(float64(took)*perStep + 0.5)
		if uint(cell) >= uint(len(cells)) || time.Duration(cell)*step != took {
			break
		}
		cells[cell]++
		if uint(m.Status) < uint(len(a.statuses)) {
			a.statuses[m.Status]++
		}
		ring[n%window] = span{start, start + took}
		n++
		from, latest, end = min(from, start), max(latest, start), max(end, start+took)
	}
	a.from, a.latest, a.end, a.begin = from, latest, max(a.end, end), min(a.begin, from)
	s.n, g.end = n, end
	a.n += uint64(taken)
	a.classes[correct.OK] += uint64(taken)
	return taken
}

// dulls reports whether there may be dull rows: in a file in the order of ends, whose
// rows overlap, don't name their worker and need no replay, within a run.
func (a *intake) dulls() bool {
	return a.timed && a.sorter == nil && a.replays == nil && a.line == nil && !a.facts.Workers &&
		a.one.overlaps > 0 && a.opt.Expect == nil && a.gaps.began && a.next == a.run && !a.opt.careful
}

// edge is the end of the last gap: no row that begins later covers any.
func (g *gaps) edge() time.Duration {
	edge := time.Duration(math.MinInt64)
	for _, x := range g.list {
		edge = max(edge, x.to)
	}
	return edge
}
