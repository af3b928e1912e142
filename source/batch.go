package source

import (
	"slices"
	"time"

	"openload/correct"
)

// A Moment is what matters of a row for its place in time, in 24 bytes: millions
// of them pass from one core to another.
type Moment struct {
	Start  time.Duration // NoTime if unknown
	Took   time.Duration // Row.Latency
	Worker int32
	Status int16
	Class  correct.Class
}

// OK reports whether the request succeeded, as far as Class tells.
func (m *Moment) OK() bool { return m.Class == correct.OK }

// End is when the request ended, if Start is known.
func (m *Moment) End() time.Duration { return m.Start + m.Took }

// BatchRows are what a batch holds at most.
const BatchRows = 4096

// A Batch is some rows that follow each other in one of the file's runs.
type Batch struct {
	Rows [BatchRows]Moment
	N    int // of them filled
	Run  int32
}

// Batches reads the rows as Rows does and hands them on in batches, which are full
// but for the last one of a run: where one ends doesn't depend on how rows were read.
// next takes a batch, at first nil, and returns an empty one to fill; nil to stop.
func (f *File) Batches(next func(full *Batch) *Batch) {
	rows := f.rows
	if rows == nil {
		return
	}
	f.rows = nil
	w := &filler{next: next, label: NoName}
	if w.b = next(nil); w.b == nil {
		return
	}
	w.b.N = 0
	f.filler = w
	f.finish(rows(w.put))
	if w.b != nil && w.b.N > 0 {
		next(w.b)
	}
	f.labels = w.labels
}

// Labels are some of those that the rows of Batches had: enough to tell whether there
// are several, and to name a few.
func (f *File) Labels() []int32 { return f.labels }

// mostLabels are told apart; more are not worth naming.
const mostLabels = 8

// A filler writes rows into batches.
type filler struct {
	b    *Batch // nil once it was told to stop
	next func(full *Batch) *Batch

	label  int32 // of the last row
	labels []int32
}

// room is where the next rows of a run go; nil to stop.
func (w *filler) room(run int32) []Moment {
	if b := w.b; b.N == len(b.Rows) || run != b.Run {
		if b.N > 0 {
			if w.b = w.next(b); w.b == nil {
				return nil
			}
			w.b.N = 0
		}
		w.b.Run = run
	}
	return w.b.Rows[w.b.N:]
}

func (w *filler) put(r *Row) bool {
	if r.Label != w.label && len(w.labels) < mostLabels {
		w.label = r.Label
		if !slices.Contains(w.labels, r.Label) {
			w.labels = append(w.labels, r.Label)
		}
	}
	room := w.room(r.Run)
	if room == nil {
		return false
	}
	m := &room[0]
	w.b.N++
	// Field by field: a literal would be built elsewhere first and copied, at twice the time.
	m.Start, m.Took = r.Start, r.Latency
	m.Worker, m.Status, m.Class = r.Worker, int16(r.Status), r.Class
	return true
}
