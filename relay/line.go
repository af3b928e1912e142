package relay

import (
	"sync/atomic"
	"time"

	"openload/correct"
	"openload/engine"
)

const (
	// A block is 35 kB: so many tellings at most, and of shots and samples a third of it,
	// since three tellings mostly make an operation.
	blockSize, third = 256, 86
	// mostBlocks are 70 MB, or 170,000 operations that wait to be recorded.
	mostBlocks, leastBlocks = 2048, 64
)

// A Line is where one loop tells what happens. It makes no system call, takes a lock once
// a block for a moment, and waits for nobody until as much waits to be handed on as there
// is room for.
type Line struct {
	// The loop's.
	block *block
	n     int // tellings in it
	shots int
	ended int
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
	shots    [third]engine.Shot
	ended    [third]correct.Sample
	next     *block
}

// A telling is one thing that happened: an arrival, or the next of the block's shots or
// samples.
type telling struct {
	at   time.Duration // when it was told, or somewhat before
	kind kind

	seq                  uint64
	intended, dispatched time.Duration
	waiting, out         int
}

type kind uint8

const (
	arrived kind = iota
	fired
	ended
	turned // nothing: what follows is in the next block
)

func newLine(fires bool, most int) *Line {
	l := &Line{block: new(block), made: 1, most: most, fires: fires, used: make(chan *block, most)}
	l.read.block = l.block
	return l
}

// Arrive is described by [engine.Recorder].
func (l *Line) Arrive(seq uint64, intended, dispatched time.Duration, waiting, out int) {
	t := l.tell(arrived, dispatched)
	t.seq, t.intended, t.dispatched, t.waiting, t.out = seq, intended, dispatched, waiting, out
}

// Fire is described by [engine.Watcher].
func (l *Line) Fire(s engine.Shot) {
	if !l.fires {
		return
	}
	l.tell(fired, s.Handed)
	l.block.shots[l.shots] = s
	l.shots++
}

// Record is described by [engine.Recorder].
func (l *Line) Record(x correct.Sample) {
	l.tell(ended, x.Done)
	l.block.ended[l.ended] = x
	l.ended++
}

// tell returns the next telling, to be filled in.
func (l *Line) tell(k kind, at time.Duration) *telling {
	if l.n == blockSize-1 || k == fired && l.shots == third || k == ended && l.ended == third {
		next := l.fresh()
		l.block.tellings[l.n].kind, l.block.next = turned, next
		l.total++
		l.block, l.n, l.shots, l.ended = next, 0, 0, 0
	}
	l.at = max(l.at, at)
	t := &l.block.tellings[l.n]
	t.at, t.kind = l.at, k
	l.n++
	l.total++
	return t
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
	shots int
	ended int
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
		r.block, r.n, r.shots, r.ended = old.next, 0, 0, 0
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
	switch n.kind {
	case fired:
		n.shot = &r.block.shots[r.shots]
	case ended:
		n.sample = &r.block.ended[r.ended]
	}
	return n
}

// pass goes on to the next.
func (r *reader) pass() {
	switch r.block.tellings[r.n].kind {
	case fired:
		r.shots++
	case ended:
		r.ended++
	}
	r.n++
	r.left--
	r.total++
}
