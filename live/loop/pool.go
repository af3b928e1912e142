//go:build linux

package loop

import (
	"slices"
	"time"

	"openload/correct"
	"openload/engine"
	"openload/live"
	"openload/transport"
)

// A pool is the connections to one host, and the shots that wait for them. What a pool
// has to itself no other pool can use up.
type pool struct {
	world   *World
	client  *transport.Client
	parts   transport.Parts
	address []address // of the route, by their numbers
	most    int       // connections
	spread  int       // most dials under way

	places  live.Places[*conn] // and which connections have nothing to do
	pending []job              // fired, and waiting for a connection; oldest first
	open    int                // connections there are, and being dialled
	dialing int                // of them being dialled for shots
	beside  int                // and beside them
	took    recent             // how long dials took

	hungry bool          // room could not give all that was asked for
	grow   time.Duration // when it could give more, if nothing else happens
	heard  time.Duration // when the poll returned that told of it last

	host live.Host
}

func (w *World) newPool(c *transport.Client, connections, dials int) *pool {
	return &pool{
		world: w, client: c, parts: c.Parts(), places: live.NewPlaces[*conn](c.Route()), most: connections, spread: min(dials, connections),
		grow: engine.Forever, heard: -1,
	}
}

// room counts the idle connections, the dials under way that no shot waits for, and the
// dials that may be started for shots that wait since the instant given.
func (p *pool) room(waiting int, since time.Duration) int {
	w := p.world
	p.hungry, p.grow = false, engine.Forever
	room := p.places.Idle() + max(0, p.dialing-len(p.pending))
	if room >= waiting {
		return waiting
	}
	if p.open == p.most {
		p.host.CapReached = true
	}
	if more := min(p.spread-p.dialing, p.most-p.open); more > 0 {
		patience := p.patience()
		if ripe := max(since+patience, w.calm); patience == 0 || ripe <= p.dry() || since+enough <= w.now() {
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
	if p.world.eager || p.open < p.host.Peak {
		return 0
	}
	return p.took.median()
}

// dry is when the last poll returned that had nothing to tell of this host, as far as
// that is known: there may be events that were not looked at yet.
func (p *pool) dry() time.Duration {
	w := p.world
	if w.several && w.at == w.n && p.heard < w.polled {
		return w.polled
	}
	return w.dry
}

// roomier notes that there may be room where there was none.
func (p *pool) roomier() {
	if p.hungry {
		p.world.roomier = p
	}
}

// fire sends the job over an idle connection, or lets it wait here for the next one.
func (p *pool) fire(j job, now time.Duration) {
	w := p.world
	for _, c := range p.places.Renew() {
		w.close(c)
	}
	if p.places.Idle() > 0 && now-max(w.polled, p.places.Peek().freed) > fresh {
		w.weed()
		now = w.now()
	}
	if p.places.Idle() > 0 {
		w.start(p.places.Take(), j, now)
	} else {
		p.push(j)
		p.dial()
	}
	p.widen(now)
}

// widen dials an address beside the shots, if there is one that wants it.
func (p *pool) widen(now time.Duration) {
	if p.world.once || p.open >= p.most || p.beside >= p.spread {
		return
	}
	if address, ok := p.places.Wanted(now); ok {
		p.dialAt(address)
	}
}

// spare is where a connection is to be dialled in place of c, which has answered, if there
// may be no more.
func (p *pool) spare(c *conn, now time.Duration) (to int, ok bool) {
	if p.open < p.most || p.beside >= p.spread {
		return 0, false
	}
	return p.places.Spare(c.address, now)
}

// dialAt dials an address beside the shots.
func (p *pool) dialAt(address int) {
	w := p.world
	p.open++
	p.beside++
	if p.aside() {
		w.aside.dial(p, w.source(), address)
		return
	}
	w.connect(&conn{pool: p, beside: true, began: w.now(), pick: p.parts.Route.PickAt(address)}, nil)
}

// aside reports whether a dial is more than a TCP connection.
func (p *pool) aside() bool { return p.parts.TLS != nil || !p.parts.Route.Plain() }

// dial opens connections for the shots that no dial under way will serve.
func (p *pool) dial() {
	w := p.world
	for len(p.pending) > p.dialing && p.dialing < p.spread && p.open < p.most {
		p.open++
		p.dialing++
		if p.aside() {
			w.aside.dial(p, w.source(), transport.Anywhere)
			continue
		}
		w.connect(&conn{pool: p, began: w.now(), pick: p.parts.Route.Pick()}, nil)
	}
}

// dialled notes that c's dial has ended.
func (p *pool) dialled(c *conn) {
	if c.beside {
		p.beside--
	} else {
		p.dialing--
	}
}

// numbered is an address by its number.
func (p *pool) numbered(n int) *address {
	for all := p.parts.Route.Addresses(); len(p.address) <= n; {
		p.address = append(p.address, resolved(all[len(p.address)]))
	}
	return &p.address[n]
}

// free gives c to the shot that has waited longest here, or to the idle.
func (p *pool) free(c *conn, now time.Duration) {
	if len(p.pending) == 0 {
		c.state, c.freed, c.rested = idle, now, true
		p.places.Put(c.address, c)
		return
	}
	p.world.start(c, p.pop(0), max(now, p.world.now()))
}

// fail answers a shot that waits here and was never sent.
func (p *pool) fail(i int, at time.Duration, o transport.Outcome) correct.Sample {
	w := p.world
	w.out--
	w.count(o)
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
		p.pending = slices.Delete(p.pending, i, i+1)
	}
	return j
}
