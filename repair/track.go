package repair

import "time"

// A track is what requests that follow each other show: those of one worker, or of a
// whole file in which none overlaps another.
type track struct {
	interval time.Duration // of the schedule; 0: unknown
	slack    time.Duration // what the stamps leave open

	rows       uint64
	follows    bool          // a request of this run came before
	start, end time.Duration // of the last request

	overlaps uint64        // began before the last one had ended
	pairs    uint64        // neighbours far enough apart for the stamps to tell
	chained  uint64        // of them, those with less than a tenth of the time between them
	widest   time.Duration // from one start to the next
	onPace   uint64        // begun an interval after the one before, within a fifth

	look  int // requests after a stall that are still to be looked at
	skip  bool
	even  uint64 // of them, those that kept the interval
	burst uint64 // and those that followed in less than half of it

	// Before the first stall a tool keeps its schedule, if it has one.
	cycles  uint64        // from one start to the next
	took    time.Duration // all of them
	stalled bool
}

// mostLook is enough to tell a burst from a schedule.
const mostLook = 32

// next takes the next request; slow says that it held up the worker.
func (t *track) next(m *moment, slow bool) {
	if t.follows {
		t.pair(m)
	}
	t.rows++
	t.follows = true
	t.start, t.end = m.Start, max(t.end, m.End())
	if !slow {
		return
	}
	t.stalled = true
	if i := t.pace(); i > 0 {
		// The first request after a stall may be one that waited in the tool, whatever the tool does.
		if missed := m.Took / i; missed >= 4 {
			t.look, t.skip = int(min(missed-1, mostLook)), true
		}
	}
}

func (t *track) pair(m *moment) {
	cycle, gap := m.Start-t.start, m.Start-t.end
	if gap < -t.slack {
		t.overlaps++
		return
	}
	t.widest = max(t.widest, cycle)
	if cycle > 4*t.slack {
		t.pairs++
		if 10*gap <= cycle+10*t.slack {
			t.chained++
		}
	}
	if !t.stalled && (t.interval == 0 || cycle < 2*t.interval) { // in a longer one a row is missing
		t.cycles++
		t.took += cycle
	}
	switch i := t.interval; {
	case t.look > 0:
		t.after(cycle)
	case i > 0 && 5*cycle >= 4*i && 5*cycle <= 6*i:
		t.onPace++
	}
}

// after judges a cycle that came after a stall.
func (t *track) after(cycle time.Duration) {
	t.look--
	if t.skip {
		t.skip = false
		return
	}
	switch i := t.pace(); {
	case 2*cycle < i:
		t.burst++
	case 5*cycle >= 4*i:
		t.even++
	}
}

// fewest is how many cycles a pace must be read from.
const fewest = 8

// pace is the interval given, or the mean one before the first stall; 0: unknown.
func (t *track) pace() time.Duration {
	if t.interval > 0 || t.cycles < fewest {
		return t.interval
	}
	return t.mean()
}

// mean is the mean interval before the first stall.
func (t *track) mean() time.Duration {
	if t.cycles == 0 {
		return 0
	}
	return t.took / time.Duration(t.cycles)
}

// join adds up what another worker's track shows.
func (t *track) join(o *track) {
	t.rows += o.rows
	t.overlaps += o.overlaps
	t.pairs += o.pairs
	t.chained += o.chained
	t.onPace += o.onPace
	t.even += o.even
	t.widest = max(t.widest, o.widest)
	t.burst += o.burst
	t.cycles += o.cycles
	t.took += o.took
}

// restart forgets the last request: what follows belongs to another run.
func (t *track) restart() {
	t.follows, t.look, t.end = false, 0, 0
	t.stalled = t.stalled || t.cycles > 0
}
