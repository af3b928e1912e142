package main

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"sync"
	"time"

	"openload/correct"
	"openload/engine"
	"openload/live"
	"openload/plan"
	"openload/run"
)

const (
	// perLoop is the rate that one loop is trusted with; bench/RESULTS.md has what it holds.
	perLoop = 30_000
	// mostThreads is more than any machine needs for what its network takes.
	mostThreads = 64
	autoThreads = "auto"
	// breath is how long the recording rests when there is nothing to record.
	breath = 5 * time.Millisecond
)

// processors is how many there are for us, as an affinity or a container's share allows.
// It is known before anything raises GOMAXPROCS.
var processors = min(runtime.NumCPU(), runtime.GOMAXPROCS(0))

// A share is loop i of n.
type share struct{ i, n int }

// of is its share of something.
func (s share) of(whole int) int { return engine.Share(whole, s.i, s.n) }

// askedThreads is how many loops were asked for; 0: as many as it takes.
func (f engineFlags) askedThreads(how *manner) (n int, err error) {
	if f.Threads == "" || f.Threads == autoThreads {
		return 0, nil
	}
	if n, err = strconv.Atoi(f.Threads); err != nil || n < 1 || n > mostThreads {
		return 0, usagef("--threads: %q is no number of threads; write one from 1 to %d, or auto", f.Threads, mostThreads)
	}
	switch why := how.why(); {
	case n == 1:
	case f.Engine == "portable":
		return 0, usagef("--threads %d needs the event loop; leave out --engine portable, which uses several processors anyway", n)
	case why != "":
		return 0, usagef("--threads %d needs the event loop, which does not know %s; leave one of them out", n, why)
	}
	return n, nil
}

// threads is how many loops make the run of p, with at most so many connections to a host
// and processors for us. They are never more than what bounds them can be divided among.
func (f engineFlags) threads(p *plan.Plan, how *manner, most, processors int) (n int, err error) {
	if n, err = f.askedThreads(how); err != nil {
		return 0, err
	}
	if n == 0 && f.Engine != "portable" && how.why() == "" && runtime.GOOS == "linux" {
		n = min(int(math.Ceil(rateOf(p)/perLoop)), processors-1) // one is for all the rest
	}
	if bound := run.MostLoops(p); bound > 0 {
		most = min(most, bound)
	}
	return max(1, min(n, most)), nil
}

// room is what descriptors leave for the connections of p. A connection that follows
// redirects may have another one beside it.
func (c *runCmd) room(p *plan.Plan, how *manner) (live.Room, error) {
	loops, err := c.threads(p, how, math.MaxInt, processors)
	room := live.Prepare(loops)
	if how.hops != nil {
		room.Connections = max(1, room.Connections/2)
	}
	return room, err
}

// rateOf is the greatest rate that p plans; 0 if it plans none, as a closed loop that is
// not paced.
func rateOf(p *plan.Plan) float64 {
	switch c := p.Closed; {
	case c == nil:
		return p.Schedule.Greatest()
	case c.Rate != nil:
		return c.Rate.PerSecond()
	}
	return 0
}

// fewer says why fewer threads sent than were asked for, if that is so: there was not
// enough of something for each to have its share. most are the connections to a host.
func fewer(p *plan.Plan, asked, threads, most int) []correct.Doubt {
	if asked <= threads {
		return nil
	}
	of := "connections"
	switch {
	case most == threads:
	case p.Closed == nil && p.Backlog == threads:
		of = "places in the backlog"
	case p.Closed != nil && p.Closed.N == uint64(threads):
		of = "operations"
	}
	if threads == 1 {
		of = map[string]string{"connections": "connection", "places in the backlog": "place in the backlog", "operations": "operation"}[of]
	}
	return []correct.Doubt{{Code: "fewer_threads", Text: fmt.Sprintf("--threads %d: %d sent, since each needs its share of the %d %s", asked, threads, threads, of)}}
}

// sharing is what a reader should know of a run that several loops made.
func sharing(p *plan.Plan, threads, processors int, capReached bool) (all []correct.Doubt) {
	if threads > max(1, processors) {
		all = append(all, correct.Doubt{Code: "threads", Text: fmt.Sprintf("%d threads sent, on %d processors: they were in each other's way", threads, processors)})
	}
	if threads > 1 && p.Closed == nil && p.Connections > 0 && capReached {
		all = append(all, correct.Doubt{Code: "connections_shared_out", Text: fmt.Sprintf("each of the %d threads had its share of the %d connections: what waited for one waited for one of its thread's, though another's may have been idle", threads, p.Connections)})
	}
	return all
}

// assemble opens the Worlds of so many loops for set. It returns what they count together,
// and what closes them. A loop that has the only processor there is records as it goes;
// others have it done beside them.
func assemble(set *run.Setup, n int, open func(share) (world, string, error)) (counters func() live.Counters, closeAll func(), err error) {
	set.Threads = n
	if n == 1 && processors == 1 {
		w, name, err := open(share{0, 1})
		if err != nil {
			return nil, nil, err
		}
		set.World, set.Engine = w, name
		return w.Counters, w.Close, nil
	}
	live.Threads(n)
	c := &crew{worlds: make([]world, n)}
	names, wrong := make([]string, n), make([]error, n)
	var opening sync.WaitGroup
	for i := range n {
		do := make(chan func())
		c.do = append(c.do, do)
		opening.Add(1)
		c.loops.Go(func() {
			w, name, err := open(share{i, n})
			c.worlds[i], names[i], wrong[i] = w, name, err
			opening.Done()
			for f := range do {
				f()
			}
			if err == nil {
				w.Close()
			}
		})
	}
	opening.Wait()
	for _, err := range wrong {
		if err != nil { // what one cannot have, none can
			c.close()
			return nil, nil, err
		}
	}
	set.Loops, set.Engine = c, names[0]
	return c.counters, c.close, nil
}

// A crew is Worlds, each opened, used and closed by a goroutine of its own.
type crew struct {
	worlds []world
	do     []chan func()
	loops  sync.WaitGroup
}

var _ run.Loops = (*crew)(nil)

func (c *crew) Worlds() (all []engine.World) {
	for _, w := range c.worlds {
		all = append(all, w)
	}
	return all
}

func (c *crew) Each(f func(loop int)) {
	var all sync.WaitGroup
	for i, do := range c.do {
		all.Add(1)
		do <- func() {
			defer all.Done()
			f(i)
		}
	}
	all.Wait()
}

func (c *crew) Pause() { time.Sleep(breath) }

// counters are those of all loops, once they have ended.
func (c *crew) counters() live.Counters {
	all := c.worlds[0].Counters()
	for _, w := range c.worlds[1:] {
		all.Add(w.Counters())
	}
	return all
}

func (c *crew) close() {
	for _, do := range c.do {
		close(do)
	}
	c.loops.Wait()
}
