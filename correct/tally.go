package correct

import "sync/atomic"

// A Tally is the running count of a run, for a progress line: the recorder
// writes it, anyone may read it at any time, and reading delays nobody.
type Tally struct {
	Scheduled atomic.Uint64 // operations dispatched, or dropped
	Settled   atomic.Uint64 // operations that ended
	OK        atomic.Uint64 // of them, successes
	MaxLag    atomic.Int64  // our own greatest lag, ns
}
