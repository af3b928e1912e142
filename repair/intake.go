package repair

import (
	"math"
	"slices"
	"time"

	"openload/correct"
	"openload/source"
)

// An intake takes a file's rows, once and in its order, and keeps what any of the
// corrections needs: which one is right shows only at the end.
type intake struct {
	opt   *Options
	facts *source.Facts
	pace  pace

	classes  [256]uint64 // by correct.Class
	statuses [1000]uint64
	n        uint64
	plain    values       // successes that would not have to wait in a queue
	waiting  values       // successes that would
	failures correct.Dist // how long failed rows took

	slow    time.Duration // a row of that latency or more is worth a look
	sample  correct.Dist  // some latencies, for the median
	lessons uint64        // times that there were more
	again   uint64        // the lesson after which to look for the median again

	tooLong uint64  // rows longer than the interval
	missing missing // what was left out at the interval

	timed   bool // rows can be put in order in time
	first   bool // no row with a time was seen yet
	slack   time.Duration
	next    int32         // the run that the next row belongs to
	run     int32         // and the one at hand
	from    time.Duration // first start in this run
	latest  time.Duration // last start in this run
	end     time.Duration // last end in this run
	span    time.Duration // between first and last start, of all runs that ended
	wall    time.Duration // between first start and last end, of all runs that ended
	begin   time.Duration // first start in the file
	sorter  *sorter
	one     track // as if the file were one worker's
	tracks  map[int32]*track
	gaps    gaps
	stalls  stalls
	replays *replays
	line    *line   // nil once rows overlap
	early   []span  // the first rows of the file
	most    int     // of them, under way at once
	chained float64 // share of them that began as an answer came
}

func newIntake(opt *Options, f *source.Facts, p pace, limits []time.Duration) *intake {
	a := &intake{
		opt: opt, facts: f, pace: p,
		plain: newValues(f.Resolution, limits), waiting: newValues(f.Resolution, limits),
		failures: correct.NewDist(limits...), sample: correct.NewDist(),
		slow:    math.MaxInt64,
		missing: newMissing(p.interval, limits),
		first:   true,
		slack:   max(2*f.StampStep, 2*f.Resolution),
		tracks:  map[int32]*track{},
	}
	if p.interval > 0 {
		a.slow = p.interval
	}
	a.timed = f.Stamp != source.NoStamp && f.Order != source.ByLatency && f.StampStep < time.Second &&
		(p.interval == 0 || 4*f.StampStep <= p.interval)
	if a.timed || opt.Workers == 1 && f.Order != source.ByLatency {
		a.line = newLine(p.interval, opt.Method == Queue, a.timed && f.Order != source.ByEnd, limits)
	}
	if !a.timed {
		return a
	}
	a.one = track{interval: p.interval, slack: a.slack}
	a.sorter = byEndOf(f.Order, a.ordered)
	a.stalls.init()
	a.stalls.workers = p.workers
	a.stalls.judged = func(s *stall, is scope) {
		if p.interval > 0 {
			a.missing.add(s.Took, is)
		}
	}
	skipsOnly := f.Pacing == source.Skips && f.Otherwise != source.CatchesUp
	if opt.Method == Schedule || !skipsOnly && f.Pacing != source.Corrected {
		a.replays = newReplays(&p, f, limits)
	}
	return a
}

// take takes rows of one run.
func (a *intake) take(rows []moment, run int32) {
	a.next = run
	a.learn(rows)
	for i := 0; i < len(rows); i++ {
		if i += a.dull(rows[i:]); i < len(rows) {
			a.row(&rows[i])
		}
	}
}

// row takes one row.
func (a *intake) row(m *moment) {
	if a.opt.Expect != nil {
		a.judge(m)
	}
	a.n++
	a.classes[m.Class]++
	if uint(m.Status) < uint(len(a.statuses)) {
		a.statuses[m.Status]++
	}
	var waits bool
	if a.timed && m.Start != source.NoTime {
		waits = a.moment(m)
	} else {
		waits = a.untimed(m)
	}
	switch {
	case !m.OK():
		a.failures.Record(m.Took)
	case waits:
		a.waiting.add(m.Took)
	default:
		a.plain.add(m.Took)
	}
}

// judge says by the statuses expected whether m is a success. A failure of which the
// file names neither a status nor a cause was an answer of some kind: who expects any
// status takes it for a success.
func (a *intake) judge(m *moment) {
	expect := a.opt.Expect
	switch unnamed := m.Class == correct.BadStatus || m.Class == correct.Network; {
	case m.Status == 0 && (!unnamed || !expect.Has(anyStatus)):
		return
	case m.Status == 0 || expect.Has(int(m.Status)):
		m.Class = correct.OK
	default:
		m.Class = correct.BadStatus
	}
}

// untimed takes a row of which only its place in the file is known, if that.
func (a *intake) untimed(m *moment) (waits bool) {
	if m.Took >= a.slow {
		a.holdUp(m)
	}
	if m.Start != source.NoTime {
		a.time(m)
	}
	return a.line != nil && a.line.add(m.Took, m.OK())
}

// anyStatus is a status that no server sends: who expects it expects any.
const anyStatus = 999

// learn looks at what is usual, before the rows are taken: at each of the first ones,
// and at some of the later ones.
func (a *intake) learn(rows []moment) {
	const few, each = 16, 64
	step := each
	if a.lessons < few {
		step = 1
	}
	for i := 0; i < len(rows); i += step {
		a.sample.Record(rows[i].Took)
	}
	// A look costs as much as taking a batch, and changes ever less.
	if a.lessons++; a.lessons <= few || a.lessons >= a.again {
		a.again = a.lessons + max(few, a.lessons/8)
		a.median()
	}
}

func (a *intake) median() {
	usual, _ := a.sample.Quantile(correct.P50)
	a.stalls.usual = usual
	if a.pace.interval == 0 && a.sample.N() >= 16 {
		a.slow = max(manyTimes*usual, 1)
	}
}

// manyTimes the median is slow where no interval tells what is.
const manyTimes = 10

// time keeps when the run at hand began and ended.
func (a *intake) time(m *moment) {
	if a.first || a.next != a.run {
		a.newRun(m.Start, a.next)
	}
	a.from, a.latest, a.end = min(a.from, m.Start), max(a.latest, m.Start), max(a.end, m.End())
}

// newRun begins a run, and ends the one before.
func (a *intake) newRun(start time.Duration, run int32) {
	if a.first {
		a.begin = start
	} else {
		a.endRun()
	}
	a.first, a.run, a.from, a.latest, a.end = false, run, start, start, start
}

func (a *intake) endRun() {
	a.span += a.latest - a.from
	a.wall += a.end - a.from
}

// moment takes a row on the time axis. It reports whether it would wait in a queue.
func (a *intake) moment(m *moment) (waits bool) {
	if a.next != a.run && !a.first {
		a.closeRun()
	}
	a.time(m)
	a.begin = min(a.begin, m.Start)
	if a.facts.Workers {
		a.worker(m)
	}
	if a.replays != nil {
		a.replays.add(*m)
	}
	if a.sorter == nil {
		return a.inOrder(m)
	}
	a.sorter.add(*m)
	return false
}

// ordered takes rows that had to be put into the order of their ends.
func (a *intake) ordered(m moment) { a.inOrder(&m) }

func (a *intake) inOrder(m *moment) (waits bool) {
	slow := m.Took >= a.slow
	a.stalls.next(m)
	if a.stalls.n == window {
		a.early = slices.Clone(a.stalls.ring)
	}
	a.gaps.next(m)
	if a.one.overlaps == 0 { // else it is no single worker's
		a.one.next(m, slow)
	}
	if a.line != nil {
		if a.one.overlaps > 0 {
			a.line = nil // rows of several workers have no order to queue in
		} else {
			waits = a.line.add(m.Took, m.OK())
		}
	}
	if slow {
		a.holdUp(m)
	}
	return waits
}

// worker follows the requests of each worker.
func (a *intake) worker(m *moment) {
	t := a.tracks[m.Worker]
	if t == nil {
		t = &track{interval: a.pace.interval, slack: a.slack}
		a.tracks[m.Worker] = t
	}
	t.next(m, m.Took >= a.slow)
}

// holdUp takes a row that may have kept its worker from sending.
func (a *intake) holdUp(m *moment) {
	if i := a.pace.interval; i > 0 {
		if m.Took > i {
			a.tooLong++
		}
		if m.Took < 2*i || !a.timed {
			a.missing.add(m.Took, unclear)
			return
		}
	}
	if took := a.latest - a.from; took > 0 && a.timed {
		a.stalls.add(m, float64(a.stalls.n-a.stalls.since)/float64(took))
	} else if a.pace.interval > 0 {
		a.missing.add(m.Took, unclear)
	}
}

// closeRun ends what must not reach from one run into the next.
func (a *intake) closeRun() {
	if a.sorter != nil {
		a.sorter.flush()
	}
	a.stalls.restart()
	a.gaps.restart()
	a.one.restart()
	for _, t := range a.tracks {
		t.restart()
	}
	if a.replays != nil {
		a.replays.restart()
	}
}

// close ends the taking in.
func (a *intake) close() {
	if !a.first {
		a.closeRun()
		a.endRun()
	}
	if a.early == nil {
		a.early = a.stalls.ring[:min(a.stalls.n, window)]
	}
	a.most, a.chained = peak(a.early, a.slack)
	a.missing.flush()
}

// raw is what the tool measured.
func (a *intake) raw() correct.Dist {
	d := a.plain.dist()
	waiting := a.waiting.dist()
	d.Merge(&waiting)
	d.Fail(a.n - a.classes[correct.OK])
	return d
}
