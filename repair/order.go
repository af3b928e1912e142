package repair

import (
	"time"

	"openload/source"
)

// A moment is what matters of a row.
type moment = source.Moment

// A span is the time that a request was under way.
type span struct{ start, end time.Duration }

// window is how many rows are put in order, or kept, at most.
const window = 1 << 14

// A sorter hands moments on in the order of less, as far as a window of rows allows.
type sorter struct {
	less func(a, b *moment) bool
	// ready says whether the least moment can be handed on once newest was seen; nil:
	// only when the window is full.
	ready func(least, newest *moment) bool
	next  func(moment)
	heap  []moment
}

func (s *sorter) add(m moment) {
	s.push(m)
	for len(s.heap) == window || s.ready != nil && len(s.heap) > 0 && s.ready(&s.heap[0], &m) {
		s.next(s.pop())
	}
}

// flush hands on what is left.
func (s *sorter) flush() {
	for len(s.heap) > 0 {
		s.next(s.pop())
	}
}

func (s *sorter) push(m moment) {
	s.heap = append(s.heap, m)
	h := s.heap
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !s.less(&h[i], &h[parent]) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func (s *sorter) pop() moment {
	top, last := s.heap[0], len(s.heap)-1
	s.heap[0] = s.heap[last]
	s.heap = s.heap[:last]
	h := s.heap
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return top
		}
		if child+1 < last && s.less(&h[child+1], &h[child]) {
			child++
		}
		if !s.less(&h[child], &h[i]) {
			return top
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

func byStart(a, b *moment) bool { return a.Start < b.Start || a.Start == b.Start && a.Took < b.Took }
func byEnd(a, b *moment) bool   { return a.End() < b.End() || a.End() == b.End() && a.Start < b.Start }

// byEndOf returns how to get from a file's order to that of the ends; nil where the
// file has it.
func byEndOf(o source.Order, next func(moment)) *sorter {
	switch o {
	case source.ByEnd:
		return nil
	case source.ByStart: // what ended before the newest start ended before all to come
		return &sorter{less: byEnd, next: next, ready: func(least, newest *moment) bool { return least.End() <= newest.Start }}
	default:
		return &sorter{less: byEnd, next: next}
	}
}
