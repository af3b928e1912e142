package retry

import "time"

// A fuse describes a breaker; the zero value is none at all.
type fuse struct {
	share  int64         // of failures at which it opens, in thousandths
	window time.Duration // over which the share is taken
	calls  int64         // fewest attempts in the window that make a share
	open   time.Duration // how long nothing is let through
	probes int64         // attempts let through after that, all of which must succeed
}

// A state is what a breaker lets through: everything, nothing, or a few probes.
type state uint8

const (
	closed state = iota
	open
	halfOpen
)

// A breaker lets no attempt through, first or later, while too many of the recent
// ones have failed. A nil breaker lets everything through.
//
// An attempt counts only for the state in which it started: what was on the wire
// when the breaker opened decides nothing about it later.
//
// Source: Nygard, Release It! (2007), ch. 5; the defaults are those of Hystrix.
type breaker struct {
	fuse
	state  state
	since  time.Duration // when the state began
	recent window        // a: failed, b: succeeded

	started, passed int64 // probes
	opened          uint64
}

func newBreaker(f fuse) *breaker {
	if f == (fuse{}) {
		return nil
	}
	return &breaker{fuse: f, recent: newWindow(f.window)}
}

// lets reports whether an attempt may start now, and counts it as a probe if it is one.
func (b *breaker) lets(now time.Duration) bool {
	if b == nil || b.state == closed {
		return true
	}
	if b.blocks(now) {
		return false
	}
	if b.state == open {
		b.become(halfOpen, now)
	}
	if b.started == b.probes {
		return false
	}
	b.started++
	return true
}

// blocks reports whether it is certain that nothing will be let through at the
// instant t.
func (b *breaker) blocks(t time.Duration) bool {
	return b != nil && b.state == open && t < b.since+b.open
}

// result is how an attempt counts.
type result uint8

const (
	neither result = iota
	success
	failure
)

// ended takes an attempt that was let through at the instant started.
func (b *breaker) ended(r result, started, now time.Duration) {
	if b == nil || started < b.since {
		return
	}
	switch b.state {
	case closed:
		b.count(r, now)
	case halfOpen:
		b.probe(r, now)
	}
}

func (b *breaker) count(r result, now time.Duration) {
	i := b.recent.at(now)
	switch r {
	case failure:
		b.recent.a[i]++
	case success:
		b.recent.b[i]++
	case neither:
		return
	}
	failed, succeeded := b.recent.sums()
	if all := failed + succeeded; all >= b.calls && token*failed >= b.share*all {
		b.trip(now)
	}
}

func (b *breaker) probe(r result, now time.Duration) {
	switch r {
	case failure:
		b.trip(now)
	case success:
		if b.passed++; b.passed == b.probes {
			b.recent.clear()
			b.become(closed, now)
		}
	case neither:
		b.started-- // it told nothing, another may try
	}
}

func (b *breaker) trip(now time.Duration) {
	b.opened++
	b.become(open, now)
}

func (b *breaker) become(s state, now time.Duration) {
	b.state, b.since, b.started, b.passed = s, now, 0, 0
}
