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

	places   Places[*worker] // and which of them have nothing to do
	pending  []job           // fired, and waiting for a connection; oldest first
	open     int             // connections there are, and being dialled
	dialing  int             // of them being dialled for shots
	beside   int             // and beside them
	dialTime recent          // how long dials took

	hungry bool          // room could not give all that was asked for
	grow   time.Duration // when it could give more, if nothing else happens

	host Host
}

func (w *World) newPool(d Dialer, connections, dials int) *pool {
	return &pool{world: w, dialer: d, places: NewPlaces[*worker](routeOf(d)), most: connections, dials: min(dials, connections), grow: engine.Forever}
}

// room counts the idle connections, and the dials that may be started for shots that
// wait since the instant given.
func (p *pool) room(waiting int, since time.Duration) int {
	p.hungry, p.grow = false, engine.Forever
	room := p.places.Idle()
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

// fire gives the job to an idle connection, or lets it wait here for the next one.
func (p *pool) fire(j job) {
	for _, k := range p.places.Renew() {
		p.end(k)
	}
	if p.places.Idle() > 0 {
		j.idle = true
		p.places.Take().jobs <- j
	} else {
		p.push(j)
		p.dial()
	}
	p.widen()
}

// lose counts one connection less.
func (p *pool) lose() {
	p.open--
	p.world.open--
}

// end ends a connection that has nothing to do.
func (p *pool) end(k *worker) {
	p.places.Closed(k.address, k)
	p.lose()
	close(k.jobs)
}

// widen dials an address beside the shots, if there is one that wants it.
func (p *pool) widen() {
	if p.world.once || p.open >= p.most || p.beside >= p.dials {
		return
	}
	if address, ok := p.places.Wanted(p.world.now()); ok {
		p.dialAt(address)
	}
}

// spare is where a connection is to be dialled in place of k, which has answered, if there
// may be no more.
func (p *pool) spare(k *worker) (to int, ok bool) {
	if p.open < p.most || p.beside >= p.dials {
		return 0, false
	}
	return p.places.Spare(k.address, k.at)
}

// dialAt dials an address beside the shots.
func (p *pool) dialAt(address int) {
	p.open++
	p.beside++
	k := &worker{world: p.world, pool: p, jobs: make(chan job, 1), beside: true, address: address}
	p.world.owners.Go(k.dial)
}

// dial opens connections for the shots that no dial under way will serve.
func (p *pool) dial() {
	for len(p.pending) > p.dialing && p.dialing < p.dials && p.open < p.most {
		p.open++
		p.dialing++
		k := &worker{world: p.world, pool: p, jobs: make(chan job, 1), address: transport.Anywhere}
		p.world.owners.Go(k.dial)
	}
}

// dialled notes that a dial has ended.
func (p *pool) dialled(k *worker, opened bool) {
	if !k.beside {
		p.dialing--
		return
	}
	p.beside--
	p.places.Beside(k.address, opened, k.at)
	if !opened {
		p.host.Reached(routeOf(p.dialer).Label(k.address), false) // it stands in the report
	}
}

// free gives a connection to the shot that has waited longest here, or to the idle.
func (p *pool) free(k *worker) {
	if len(p.pending) == 0 {
		p.places.Put(k.address, k)
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
