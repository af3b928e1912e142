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
	// perLoop descriptors are a sending thread's own: its poller, its bell, its timer.
	perLoop = 3
	// spare descriptors are for what comes and goes beside a run: a resolver's sockets,
	// result files, whoever asks for metrics.
	spare = 8
)

// Room is what the process's limit of file descriptors leaves for connections.
type Room struct {
	Limit       int // of descriptors; 0: there is none, or it is unknown
	Connections int // that it has room for
}

// Prepare readies the process for a run of so many loops and returns the room for its
// connections: the limit less the descriptors that are open now, those of the loops, and a
// few to spare. Call it early: on Linux the finer timers
// go to the threads that the calling one starts from then on.
//
// It raises the limit of descriptors as far as it may, and GOMAXPROCS to 2: with 1,
// half the sends leave in clumps, since the only processor is taken from a goroutine
// that sleeps in a system call no sooner than 20 µs later.
func Prepare(loops int) Room {
	if runtime.GOMAXPROCS(0) < 2 {
		runtime.GOMAXPROCS(2)
	}
	fineTimers()
	limit, known := raiseDescriptors()
	if !known {
		return Room{Connections: MaxConnections}
	}
	r := Room{Limit: int(min(limit, math.MaxInt32))}
	r.Connections = max(1, r.Limit-openDescriptors()-perLoop*loops-spare)
	return r
}

// Threads readies the process for loops on threads of their own: GOMAXPROCS is one more
// at least, so that recording and dialling beside them find a processor.
func Threads(loops int) {
	if runtime.GOMAXPROCS(0) <= loops {
		runtime.GOMAXPROCS(loops + 1)
	}
}

// Cap is the most connections that a run opens to each of so many hosts: those asked for,
// or, for 0, an equal share of those that there is room for, so that no host can use up
// another's. err warns that more were asked for than there is room for: some dials may
// fail then, as out of descriptors, and the run is worth nothing.
func (r Room) Cap(asked, hosts int) (each int, err error) {
	if asked <= 0 {
		return max(1, min(r.Connections, MaxConnections)/hosts), nil
	}
	if asked > r.Connections/hosts {
		what := fmt.Sprintf("%d connections", asked)
		if hosts > 1 {
			what += fmt.Sprintf(" to each of %d hosts", hosts)
		}
		err = fmt.Errorf("%s asked for, but our limit of %d file descriptors has room for %d in all: with more open at once some fail as out_of_descriptors; raise the limit (ulimit -n %d)",
			what, r.Limit, r.Connections, asked*hosts+r.Limit-r.Connections)
	}
	return asked, err
}

// CappedBy is the limit of descriptors if the automatic cap would be higher without it;
// 0: it would not.
func (r Room) CappedBy() int {
	if r.Connections >= MaxConnections {
		return 0
	}
	return r.Limit
}
