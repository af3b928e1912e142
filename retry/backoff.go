package retry

import (
	"math/rand/v2"
	"time"
)

// A kind is a rule for the window of each retry.
type kind uint8

const (
	fixed        kind = iota // base every time
	exponential              // min(cap, base·2ᵏ)
	decorrelated             // the delay itself, min(cap, U(base, 3·previous))
)

var kindNames = []string{fixed: "fixed", exponential: "exponential", decorrelated: "decorrelated"}

// A backoff is the delay from the end of one attempt to the start of the next.
type backoff struct {
	kind   kind
	base   time.Duration
	cap    time.Duration // of the window, before its jitter; 0 if kind is fixed
	jitter jitter        // none if kind is decorrelated, which is its own
}

// random reports whether the delays are drawn.
func (b backoff) random() bool { return b.kind == decorrelated || b.jitter != none }

// delay returns the pause before retry k, from 0, and the least that it could have
// been. r is the operation's own stream, from its beginning: the pauses before are
// drawn again and not remembered. It may be nil if the backoff is not random.
func (b backoff) delay(r *rand.Rand, k int) (delay, least time.Duration) {
	if b.kind == decorrelated {
		delay = b.base
		for range k + 1 {
			delay = min(b.cap, draw(r, b.base, 3*delay-b.base))
		}
		return delay, b.base
	}
	// The cap stands inside the window. Behind the jitter it would gather at one
	// instant all that it cuts off.
	for i := range k + 1 {
		var width time.Duration
		least, width = b.jitter.spread(b.window(i))
		delay = draw(r, least, width)
	}
	return delay, least
}

// window is w_k = min(cap, base·2ᵏ), or base.
func (b backoff) window(k int) time.Duration {
	w := b.base
	if b.kind == fixed {
		return w
	}
	for range k {
		if w >= b.cap {
			break
		}
		w *= 2
	}
	return min(w, b.cap)
}
