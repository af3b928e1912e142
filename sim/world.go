package sim

import (
	"context"
	"time"

	"openload/correct"
	"openload/engine"
	"openload/lab"
)

// A World is a virtual clock and a modelled server. The server does the work of a
// request even if the client has given it up.
type World struct {
	now     time.Duration
	model   lab.Model
	expect  func(status int) bool
	answers answers
}

var _ engine.World = (*World)(nil)

// New returns a World at instant 0. expect says which statuses are a success.
func New(m lab.Model, expect func(status int) bool) *World {
	return &World{model: m, expect: expect}
}

// Room is all that is asked for: connections cost nothing here.
func (w *World) Room(waiting int, _ time.Duration) int { return waiting }

// Fire sends the request now.
func (w *World) Fire(s engine.Shot) {
	x := s.Sample()
	x.Sent, x.Written = w.now, true
	answer := w.model.Serve(w.now)
	cut, class := s.Cut(w.now)
	switch {
	case answer.At > cut:
		x.Done, x.Class = cut, class
	case answer.Status == 0:
		x.Done, x.Class = answer.At, correct.Reset
	case w.expect(answer.Status):
		x.Done, x.Status = answer.At, answer.Status
	default:
		x.Done, x.Status, x.Class = answer.At, answer.Status, correct.BadStatus
	}
	w.answers.push(x)
}

// Wait jumps to the next answer, or to until.
func (w *World) Wait(ctx context.Context, until time.Duration) (time.Duration, correct.Sample, bool) {
	if len(w.answers) > 0 {
		if next := w.answers[0].Done; next <= until {
			w.now = max(w.now, next)
			return w.now, w.answers.pop(), true
		}
		if ctx.Err() != nil {
			x := w.answers.pop()
			x.Done, x.Status, x.Class = w.now, 0, correct.Unfinished
			return w.now, x, true
		}
	}
	w.now = max(w.now, until)
	return w.now, correct.Sample{}, false
}

// answers is a heap by Done, then Seq. It is written out for Samples: through
// container/heap every push allocates.
type answers []correct.Sample

func (a answers) before(i, j int) bool {
	return a[i].Done < a[j].Done || a[i].Done == a[j].Done && a[i].Seq < a[j].Seq
}

func (a *answers) push(x correct.Sample) {
	*a = append(*a, x)
	h := *a
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.before(i, parent) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func (a *answers) pop() correct.Sample {
	h := *a
	top, last := h[0], len(h)-1
	h[0] = h[last]
	*a = h[:last]
	h = h[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(h) {
			return top
		}
		if child+1 < len(h) && h.before(child+1, child) {
			child++
		}
		if !h.before(child, i) {
			return top
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
