package correct

import (
	"math/bits"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A Picture is what a run looked like, for those who draw it: what was meant to leave,
// left and ended when; how long things took, by when they were due; and the operations
// that took longest. However long the run, it takes 0.4 MB, for its bins double their
// width when they would not reach. It belongs to one goroutine.
//
// No verdict reads it: a Recorder has the exact numbers.
type Picture struct {
	closed bool // a closed loop: nothing was intended, and what counts is when an attempt was due
	flow   flow
	heat   heat
	worst  worst
}

const (
	mostBins     = 600 // of the flow
	mostColumns  = 120 // of the heat map
	mostWorst    = 20
	firstBin     = 10 * time.Millisecond
	heatBits     = 3 // 8 cells between a power of two and the next: an eighth is the coarsest step
	heatCells    = (43 - heatBits) << heatBits
	longestDrawn = 1<<42 - 1 // ns, more than Longest
)

// NewPicture returns an empty picture, of a closed loop or of a schedule.
func NewPicture(closed bool) *Picture { return &Picture{closed: closed} }

// Record adds one attempt.
func (p *Picture) Record(x *Sample) {
	p.flow.record(x, p.closed)
	at, took := x.Intended, x.Corrected()
	if p.closed {
		at, took = x.Due, x.Raw()
	}
	c := p.heat.column(at)
	if x.Fired && x.Class == OK {
		c.raw[cellOf(x.Raw())]++
	}
	if !x.Final {
		return
	}
	switch {
	case x.Class != OK:
		c.failed++
	case !p.closed:
		c.corrected[cellOf(took)]++
	}
	p.worst.record(x, took)
}

// Flow is what was meant to leave, left and ended, in bins of one width from the run's
// epoch on.
type Flow struct {
	Width time.Duration
	Bins  []Bin
}

// A Bin counts what an instant of which lies in it.
type Bin struct {
	Scheduled uint64        // operations, by Intended; none in a closed loop
	Sent      uint64        // attempts that wrote a byte, by Sent
	Ended     uint64        // attempts, by Done
	Lag       time.Duration // our own greatest, by Due
	Late      time.Duration // greatest Late, by Done
}

// Flow is a copy of what was counted so far, up to the last instant.
func (p *Picture) Flow() Flow {
	n := len(p.flow.bins)
	for n > 0 && p.flow.bins[n-1] == (Bin{}) {
		n--
	}
	return Flow{p.flow.width, append([]Bin{}, p.flow.bins[:n]...)}
}

type flow struct {
	width time.Duration
	bins  []Bin
}

func (f *flow) record(x *Sample, closed bool) {
	if x.Final && !closed {
		f.bin(x.Intended).Scheduled++
	}
	if x.Written {
		f.bin(x.Sent).Sent++
	}
	if x.Fired {
		b := f.bin(x.Done)
		b.Ended++
		b.Late = max(b.Late, x.Late)
		b = f.bin(x.Due)
		b.Lag = max(b.Lag, x.Lag())
	}
}

func (f *flow) bin(t time.Duration) *Bin {
	if f.bins == nil {
		f.width, f.bins = firstBin, make([]Bin, mostBins)
	}
	for t/f.width >= mostBins {
		f.widen()
	}
	return &f.bins[max(0, t/f.width)]
}

// widen puts the bins together two by two.
func (f *flow) widen() {
	f.width *= 2
	for i := range mostBins / 2 {
		f.bins[i] = f.bins[2*i]
		f.bins[i].add(f.bins[2*i+1])
	}
	clear(f.bins[mostBins/2:])
}

func (b *Bin) add(o Bin) {
	b.Scheduled += o.Scheduled
	b.Sent += o.Sent
	b.Ended += o.Ended
	b.Lag, b.Late = max(b.Lag, o.Lag), max(b.Late, o.Late)
}

// Heat is how long things took, in columns of one width by when they were due.
type Heat struct {
	Width   time.Duration
	Columns []Column
}

// A Column holds durations to an eighth, coarser than a Dist's, and those of failures
// not at all.
type Column struct {
	Corrected, Raw *hdrhistogram.Histogram // of successes: operations, attempts; nil if there are none
	Failed         uint64                  // operations
}

// Heat is what was recorded so far, up to the last column with anything in it.
func (p *Picture) Heat() Heat {
	h := Heat{Width: p.heat.width, Columns: []Column{}}
	for _, c := range p.heat.columns {
		h.Columns = append(h.Columns, Column{histogram(&c.corrected), histogram(&c.raw), c.failed})
	}
	for n := len(h.Columns); n > 0 && h.Columns[n-1] == (Column{}); n-- {
		h.Columns = h.Columns[:n-1]
	}
	return h
}

type heat struct {
	width   time.Duration
	columns []column
}

type column struct {
	corrected, raw [heatCells]uint32
	failed         uint64
}

func (h *heat) column(t time.Duration) *column {
	if h.columns == nil {
		h.width, h.columns = firstBin, make([]column, mostColumns)
	}
	for t/h.width >= mostColumns {
		h.widen()
	}
	return &h.columns[max(0, t/h.width)]
}

// widen puts the columns together two by two.
func (h *heat) widen() {
	h.width *= 2
	for i := range mostColumns / 2 {
		h.columns[i] = h.columns[2*i]
		h.columns[i].add(&h.columns[2*i+1])
	}
	clear(h.columns[mostColumns/2:])
}

func (c *column) add(o *column) {
	for i := range heatCells {
		c.corrected[i] += o.corrected[i]
		c.raw[i] += o.raw[i]
	}
	c.failed += o.failed
}

// cellOf is the place of a duration: itself below 8, then 8 places for each power of two.
func cellOf(v time.Duration) int {
	u := uint64(min(max(v, 0), longestDrawn))
	if u < 1<<heatBits {
		return int(u)
	}
	shift := bits.Len64(u) - heatBits - 1
	return (shift+1)<<heatBits + int(u>>shift)&(1<<heatBits-1)
}

// valueOf is the middle of a place.
func valueOf(cell int) time.Duration {
	if cell < 1<<heatBits {
		return time.Duration(cell)
	}
	shift := cell>>heatBits - 1
	low := uint64(1<<heatBits+cell&(1<<heatBits-1)) << shift
	return time.Duration(low + 1<<shift/2)
}

func histogram(cells *[heatCells]uint32) *hdrhistogram.Histogram {
	var h *hdrhistogram.Histogram
	for c, n := range cells {
		if n == 0 {
			continue
		}
		if h == nil {
			h = hdrhistogram.New(1, int64(Longest), 1)
		}
		if err := h.RecordValues(int64(min(valueOf(c), Longest)), int64(n)); err != nil {
			panic("correct: histogram refused a value in its range: " + err.Error())
		}
	}
	return h
}

// Worst are the last attempts at the operations that took longest, whatever became of
// them, the longest first: from when they were due, or in a closed loop from when they
// were sent.
func (p *Picture) Worst() []Sample {
	out := make([]Sample, 0, len(p.worst.all))
	for _, o := range p.worst.all {
		out = append(out, o.Sample)
	}
	return out
}

// worst keeps its operations in order. Mostly it only looks at the least of them.
type worst struct{ all []lasting }

type lasting struct {
	Sample
	took time.Duration
}

func (w *worst) record(x *Sample, took time.Duration) {
	if n := len(w.all); n == mostWorst && took <= w.all[n-1].took {
		return
	}
	i, _ := slices.BinarySearchFunc(w.all, took, func(o lasting, took time.Duration) int {
		if o.took >= took { // of those as long, the first stay first
			return -1
		}
		return 1
	})
	if len(w.all) == mostWorst {
		w.all = w.all[:mostWorst-1]
	}
	w.all = slices.Insert(w.all, i, lasting{*x, took})
}

// Merge adds o, another shard's picture of the same run.
func (p *Picture) Merge(o *Picture) {
	p.flow.bin(0)
	for p.flow.width < o.flow.width {
		p.flow.widen()
	}
	for i, b := range o.flow.bins {
		p.flow.bin(time.Duration(i) * o.flow.width).add(b)
	}
	p.heat.column(0)
	for p.heat.width < o.heat.width {
		p.heat.widen()
	}
	for i := range o.heat.columns {
		p.heat.column(time.Duration(i) * o.heat.width).add(&o.heat.columns[i])
	}
	for i := range o.worst.all {
		p.worst.record(&o.worst.all[i].Sample, o.worst.all[i].took)
	}
}
