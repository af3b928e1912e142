//go:build linux

package loop

import (
	"time"

	"openload/live"
)

// auditEvery is of how many reads one is audited. Asking about each would cost a third of
// a request.
const auditEvery = 64

// An audit holds what late says against what the kernel knows: for how long had what was
// read lain there?
type audit struct {
	left  int // reads until the next that is audited
	reads live.Audit
}

// turn reports whether it is the turn of this read.
func (a *audit) turn() bool {
	if a.left > 0 {
		a.left--
		return false
	}
	a.left = auditEvery - 1
	return true
}

// note takes for how long what was read had lain there, and what is said of it. The
// kernel's clock is the wall clock, which may be set meanwhile.
func (a *audit) note(lay, said time.Duration) {
	a.reads.Late.Record(max(0, lay))
	if lay > said {
		a.reads.Beyond++
	}
}
