package live

// A process that was stopped, or got no processor, reads an answer long after it has
// come. Only the process can tell: a goroutine that should beat every few milliseconds
// and did not.

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	beat  = 4 * time.Millisecond
	slack = 2 * time.Millisecond // a beat that is late by less is no hiccup: Go's timers are
)

// A meter watches for hiccups of this process.
type meter struct {
	last atomic.Int64         // instant of the last beat
	gaps atomic.Pointer[gaps] // nil before the first hiccup
}

// A gap is a hiccup: from the last beat before it to the first one after it.
type gap struct{ from, to time.Duration }

// gaps are the last ones, in no order. One is never changed, but replaced.
type gaps [8]gap

// run beats until ctx ends.
func (m *meter) run(ctx context.Context, now func() time.Duration) {
	t := time.NewTicker(beat)
	defer t.Stop()
	for n := 0; ; {
		select {
		case <-t.C:
			g := gap{time.Duration(m.last.Load()), now()}
			if g.overdue() {
				var all gaps
				if old := m.gaps.Load(); old != nil {
					all = *old
				}
				all[n%len(all)] = g
				n++
				m.gaps.Store(&all)
			}
			m.last.Store(int64(g.to))
		case <-ctx.Done():
			return
		}
	}
}

// overdue reports whether the second beat is too late after the first.
func (g gap) overdue() bool { return g.to-g.from > beat+slack }

// late bounds how long an answer that was read at done, to a request sent at sent, may
// have lain there unread: as long as hiccups that go on or have just ended lasted while
// the request was out. After a hiccup all that was due runs at once, so it has just
// ended for as long again as it took.
func (m *meter) late(sent, done time.Duration) time.Duration {
	late := time.Duration(0)
	count := func(g gap) {
		if done <= g.to+(g.to-g.from) {
			late += max(0, min(done, g.to)-max(sent, g.from))
		}
	}
	current := gap{time.Duration(m.last.Load()), done}
	if current.overdue() {
		count(current)
	}
	if all := m.gaps.Load(); all != nil {
		for _, g := range all {
			if !current.overdue() || g.from != current.from { // the beat may have come just now
				count(g)
			}
		}
	}
	return late
}
