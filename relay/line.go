package relay

import (
	"sync/atomic"
	"time"

	"openload/correct"
	"openload/engine"
)

const (
	// A block is 28 kB: so many tellings, and of each kind a third of it, since an
	// operation is mostly one of each.
	blockSize, third = 256, 86
	// mostBlocks are 60 MB, or 170,000 operations that wait to be recorded.
	mostBlocks, leastBlocks = 2048, 64
)

// A Line is where one loop tells what happens. It makes no system call, takes a lock once
// a block for a moment, and waits for nobody until as much waits to be handed on as there
// is room for.
type Line struct {
	// The loop's.
	block *block
	n     int           // tellings in it
	of    [kinds]int    // of each kind
	total uint64        // tellings in all
	at    time.Duration // of the last
	fires bool          // somebody wants to know what is fired
	made  int           // blocks there are
	most  int
	held  uint64 // times that it had to wait for one
	_     [64]byte

	told atomic.Uint64 // tellings that may be read
	seen atomic.Int64  // nothing that happened before is told from now on
	_    [64]byte

	used chan *block // that were read; there is room for all
	read reader
}

var _ engine.Watcher = (*Line)(nil)

// A block is written by the loop from its start to its end, once.
type block struct {
	tellings [blockSize]telling
	arrivals [third]arrival
	shots    [third]engine.Shot
	samples  [third]correct.Sample
	next     *block
}

// A telling is one thing that happened: to the next of the block's arrivals, shots or
// samples. Apart from them it is small: what a loop writes is not in the caches.
type telling struct {
	at   time.Duration // when it was told, or somewhat before
	kind kind
}

type arrival struct {
	seq                  uint64
	intended, dispatched time.Duration
	waiting, out         int
}

type kind uint8

const (
	arrived kind = iota
	fired
	ended
	kinds
	turned = kinds // nothing: what follows is in the next block
)

func newLine(fires bool, most int) *Line {
	l := &Line{block: new(block), made: 1, most: most, fires: fires, used: make(chan *block, most)}
	l.read.block = l.block
	return l
}

// Arrive is described by [engine.Recorder].
func (l *Line) Arrive(seq uint64, intended, dispatched time.Duration, waiting, out int) {
	i := l.tell(arrived, dispatched)
	l.block.arrivals[i] = arrival{seq, intended, dispatched, waiting, out}
}

// Fire is described by [engine.Watcher].
func (l *Line) Fire(s engine.Shot) {
	if !l.fires {
		return
	}
	i := l.tell(fired, s.Handed)
	l.block.shots[i] = s
}

// Record is described by [engine.Recorder].
func (l *Line) Record(x correct.Sample) {
	i := l.tell(ended, x.Done)
	l.block.samples[i] = x
}

// tell tells of something of that kind, to be written at the index returned.
func (l *Line) tell(k kind, at time.Duration) (i int) {
	if l.n == blockSize-1 || l.of[k] == third {
		next := l.fresh()
		l.block.tellings[l.n].kind, l.block.next = turned, next
		l.total++
		l.block, l.n, l.of = next, 0, [kinds]int{}
	}
	l.at = max(l.at, at)
	l.block.tellings[l.n] = telling{l.at, k}
	l.n++
	l.total++
	i = l.of[k]
	l.of[k]++
	return i
}

// fresh returns a block to be written.
func (l *Line) fresh() *block {
	select {
	case b := <-l.used:
		return b
	default:
	}
	if l.made < l.most {
		l.made++
		return new(block)
	}
	l.held++
	l.show()
	return <-l.used
}

// Turn is described by [engine.Watcher].
func (l *Line) Turn(now time.Duration) {
	l.at = max(l.at, now)
	l.show()
}

// show lets be read what was told so far.
func (l *Line) show() {
	if l.told.Load() != l.total {
		l.told.Store(l.total)
	}
	l.seen.Store(int64(l.at))
}

// End says that the loop tells no more.
func (l *Line) End() {
	l.at = engine.Forever
	l.show()
}

// A reader is how far a line was read.
type reader struct {
	block *block
	n     int
	of    [kinds]int
	left  uint64        // tellings that may be read
	total uint64        // that were
	until time.Duration // nothing that happened before is told any more
}

// look finds out what may be read, and until when that is all that happened.
func (l *Line) look() (until time.Duration) {
	r := &l.read
	r.until = time.Duration(l.seen.Load()) // before what it is said of
	r.left = l.told.Load() - r.total
	return r.until
}

// head is the next telling; nil if there is none that may be read.
func (l *Line) head() *telling {
	r := &l.read
	if r.left == 0 {
		return nil
	}
	if r.block.tellings[r.n].kind == turned {
		old := r.block
		r.block, r.n, r.of = old.next, 0, [kinds]int{}
		r.left--
		r.total++
		old.next = nil
		l.used <- old
	}
	return &r.block.tellings[r.n]
}

// news is the head, with what it is of.
func (r *reader) news() news {
	n := news{telling: r.block.tellings[r.n]}
	switch i := r.of[n.kind]; n.kind {
	case arrived:
		n.arrival = &r.block.arrivals[i]
	case fired:
		n.shot = &r.block.shots[i]
	case ended:
		n.sample = &r.block.samples[i]
	}
	return n
}

// pass goes on to the next.
func (r *reader) pass() {
	r.of[r.block.tellings[r.n].kind]++
	r.n++
	r.left--
	r.total++
}
