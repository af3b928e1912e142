package live

import (
	"fmt"
	"runtime"
)

const (
	// MaxConnections is the automatic cap where descriptors allow more.
	MaxConnections = 10_000
	// reserved descriptors are for everything else: streams, result files, the poller,
	// a lab server's listener.
	reserved = 32
)

// Prepare readies the process for a run and returns how many connections its file
// descriptors allow, MaxConnections at most. Call it early: on Linux the finer timers
// go to the threads that the calling one starts from then on.
//
// It raises the limit of descriptors as far as it may, and GOMAXPROCS to 2: with 1,
// half the sends leave in clumps, since the only processor is taken from a goroutine
// that sleeps in a system call no sooner than 20 µs later.
func Prepare() (connections int) {
	if runtime.GOMAXPROCS(0) < 2 {
		runtime.GOMAXPROCS(2)
	}
	fineTimers()
	limit := raiseDescriptors()
	if limit >= MaxConnections+reserved {
		return MaxConnections
	}
	return max(1, int(limit)-reserved)
}

// Cap is the most connections that a run opens: those asked for, or, for 0, those
// that descriptors allow. err warns that more were asked for than allowed: some dials
// will fail then, as out of descriptors, and the run is worth nothing.
func Cap(asked, allowed int) (connections int, err error) {
	if asked <= 0 {
		return allowed, nil
	}
	if asked > allowed {
		err = fmt.Errorf("%d connections asked for, but file descriptors allow %d here: raise the limit (ulimit -n %d)", asked, allowed, asked+reserved)
	}
	return asked, err
}
