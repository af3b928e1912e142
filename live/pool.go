package live

import (
	"time"

	"openload/correct"
	"openload/engine"
	"openload/transport"
)

// MaxDials is how many connections are dialled at the same time to a host. Without a
// limit a single hiccup turns an open model into a storm of dials that never ends.
const MaxDials = 32

// dialsInAll is how many are dialled at the same time to all hosts together, as long as
// each may have one. They are shared out beforehand, so that a host that cannot be
// reached keeps no other from being dialled.
const dialsInAll = 256

// Dials is how many connections to each of so many hosts may be dialled at the same time.
func Dials(hosts int) int { return min(MaxDials, max(1, dialsInAll/hosts)) }

// A pool is the connections to one host, and the shots that wait for them. What a pool
// has to itself no other pool can use up.
type pool struct {
	world  *World
	dialer Dialer
	most   int // connections
	dials  int // most dials under way

	idle     []*worker // the one that was used last is last
	pending  []job     // fired, and waiting for a connection; oldest first
	open     int       // connections there are, and being dialled
	dialing  int       // of them being dialled
	dialTime recent    // how long dials took

	hungry bool          // room could not give all that was asked for
	grow   time.Duration // when it could give more, if nothing else happens

	host Host
}

func (w *World) newPool(d Dialer, connections, dials int) *pool {
	return &pool{world: w, dialer: d, most: connections, dials: min(dials, connections), grow: engine.Forever}
}

// room counts the idle connections, and the dials that may be started for shots that
// wait since the instant given.
func (p *pool) room(waiting int, since time.Duration) int {
	p.hungry, p.grow = false, engine.Forever
	room := len(p.idle)
	if room >= waiting {
		return waiting
	}
	if p.open == p.most {
		p.host.CapReached = true
	}
	if more := min(p.dials-p.dialing, p.most-p.open); more > 0 {
		if ripe := since + p.patience(); ripe <= p.world.now() {
			room += more
		} else {
			p.grow = ripe
		}
	}
	p.hungry = room < waiting
	p.host.Held = p.host.Held || p.hungry && p.open < p.most
	return min(room, waiting)
}

// patience is how long a shot waits for a busy connection before one more is opened:
// as long as a recent dial took, since a shorter wait gains nothing. It does not wait
// if there were more connections before, for then those that are busy are no pool that
// has proven large enough; nor if each request needs a connection of its own.
func (p *pool) patience() time.Duration {
	if p.world.once || p.open < p.host.Peak {
		return 0
	}
	return p.dialTime.median()
}

// fire gives the job to the connection that was used last, or lets it wait here for the
// next one.
func (p *pool) fire(j job) {
	if n := len(p.idle); n > 0 {
		k := p.idle[n-1]
		p.idle = p.idle[:n-1]
		j.idle = true
		k.jobs <- j
		return
	}
	p.push(j)
	p.dial()
}

// dial opens connections for the shots that no dial under way will serve.
func (p *pool) dial() {
	for len(p.pending) > p.dialing && p.dialing < p.dials && p.open < p.most {
		p.open++
		p.dialing++
		k := &worker{world: p.world, pool: p, jobs: make(chan job, 1)}
		p.world.owners.Go(k.dial)
	}
}

// free gives a connection to the shot that has waited longest here, or to the idle.
func (p *pool) free(k *worker) {
	if len(p.pending) == 0 {
		p.idle = append(p.idle, k)
		return
	}
	j := p.pop(0)
	j.ready, j.idle = max(j.ready, k.at), false
	k.jobs <- j
}

// fail answers a shot that waits here and was never sent.
func (p *pool) fail(i int, at time.Duration, o transport.Outcome) correct.Sample {
	w := p.world
	w.out--
	j := p.pop(i)
	w.drop(&j)
	s := j.shot.Sample()
	s.Done = max(at, s.Dispatched)
	s.Sent, s.Class, s.Late = s.Done, o.Class, j.late
	return s
}

// push and pop keep the shots that wait here, oldest first.
func (p *pool) push(j job) {
	if j.shot.Deadline > 0 {
		p.world.timed++
	}
	p.pending = append(p.pending, j)
}

func (p *pool) pop(i int) job {
	j := p.pending[i]
	if j.shot.Deadline > 0 {
		p.world.timed--
	}
	if i == 0 {
		p.pending = p.pending[1:]
	} else {
		p.pending = append(p.pending[:i], p.pending[i+1:]...)
	}
	return j
}
