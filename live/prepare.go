package live

import (
	"fmt"
	"math"
	"runtime"
)

const (
	// MaxConnections is the automatic cap where descriptors allow more, of all hosts
	// together.
	MaxConnections = 10_000
	// reserved descriptors are for everything else: streams, result files, the poller,
	// a lab server's listener.
	reserved = 32
)

// Prepare readies the process for a run and returns how many connections its file
// descriptors allow. Call it early: on Linux the finer timers
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
	return max(1, int(min(raiseDescriptors(), math.MaxInt32))-reserved)
}

// Threads readies the process for loops on threads of their own: GOMAXPROCS is one more
// at least, so that recording and dialling beside them find a processor.
func Threads(loops int) {
	if runtime.GOMAXPROCS(0) <= loops {
		runtime.GOMAXPROCS(loops + 1)
	}
}

// Cap is the most connections that a run opens to each of so many hosts: those asked for,
// or, for 0, an equal share of those that descriptors allow, so that no host can use up
// another's. err warns that more were asked for than allowed: some dials may fail then, as
// out of descriptors, and the run is worth nothing.
func Cap(asked, allowed, hosts int) (each int, err error) {
	if asked <= 0 {
		return max(1, min(allowed, MaxConnections)/hosts), nil
	}
	if asked > allowed/hosts {
		what := fmt.Sprintf("%d connections", asked)
		if hosts > 1 {
			what += fmt.Sprintf(" to each of %d hosts", hosts)
		}
		err = fmt.Errorf("%s asked for, but file descriptors allow %d here: raise the limit (ulimit -n %d)", what, allowed, asked*hosts+reserved)
	}
	return asked, err
}
