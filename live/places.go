package live

import (
	"slices"
	"time"

	"openload/transport"
)

// Places are a pool's connections by the address that they go to, so that load goes to
// all addresses of a name, in turn, and moves when a look-up finds others:
//
//   - A shot goes to the next address that has an idle connection; of those, over the one
//     that was used last.
//   - An address without a connection is dialled although others would do, beside the
//     shots: nobody waits for it, and nobody fails if it cannot be reached. So is one that
//     had no idle connection in its turn, as long as others have more.
//   - Connections to an address that is gone are not used again: idle ones end at once.
//   - Where there may be no more connections, an address gives up what it has beyond others.
//
// A C is a connection. The zero value is for one address that never changes.
type Places[C comparable] struct {
	route   *transport.Route
	version int
	all     []place[C] // by the addresses' numbers
	live    []int      // which of them are the target's
	next    int        // of live, whose turn it is
	idle    int        // connections with nothing to do
	open    int        // and all that are open
}

// A place is one address.
type place[C any] struct {
	idle    []C // the one that was used last is last
	open    int
	starved bool          // it had none idle in its turn
	beside  bool          // it is being dialled beside
	failed  int           // times in a row that this was in vain
	after   time.Duration // when it is tried again at the earliest
}

// NewPlaces returns the places of a route.
func NewPlaces[C comparable](r *transport.Route) Places[C] { return Places[C]{route: r, version: -1} }

// at is a place by its number.
func (p *Places[C]) at(address int) *place[C] {
	for len(p.all) <= address {
		p.all = append(p.all, place[C]{})
	}
	return &p.all[address]
}

// Idle is how many connections have nothing to do.
func (p *Places[C]) Idle() int { return p.idle }

// Renew takes notice of the addresses that the route has now, and returns the idle
// connections to those that are gone, which the caller closes.
func (p *Places[C]) Renew() (gone []C) {
	if p.route == nil {
		return nil
	}
	version, live := p.route.Live()
	if version == p.version {
		return nil
	}
	for _, a := range live {
		if x := p.at(a); !slices.Contains(p.live, a) {
			x.failed, x.after = 0, 0
		}
	}
	p.version, p.live, p.next = version, live, 0
	for a := range p.all {
		if !slices.Contains(live, a) {
			gone = append(gone, p.all[a].idle...)
		}
	}
	return gone
}

// choose is the place whose idle connection is next.
func (p *Places[C]) choose() *place[C] {
	for range p.live {
		x := p.at(p.live[p.next])
		if len(x.idle) > 0 {
			return x
		}
		x.starved = true
		p.next = (p.next + 1) % len(p.live)
	}
	for a := range p.all { // a look-up was not noticed yet
		if len(p.all[a].idle) > 0 {
			return &p.all[a]
		}
	}
	panic("live: no connection is idle")
}

// Peek is what Take will take. One has to be idle.
func (p *Places[C]) Peek() C {
	x := p.choose()
	return x.idle[len(x.idle)-1]
}

// Take takes the idle connection of the address whose turn it is. One has to be idle.
func (p *Places[C]) Take() C {
	x := p.choose()
	last := len(x.idle) - 1
	c := x.idle[last]
	x.idle = x.idle[:last]
	p.idle--
	if len(p.live) > 1 {
		p.next = (p.next + 1) % len(p.live)
	}
	return c
}

// Put makes a connection idle.
func (p *Places[C]) Put(address int, c C) {
	x := p.at(address)
	x.idle = append(x.idle, c)
	p.idle++
}

// Opened counts a connection, and Closed one less; if it is idle, Closed takes it out.
func (p *Places[C]) Opened(address int) {
	x := p.at(address)
	x.open++
	x.failed, x.after = 0, 0
	p.open++
}

// Closed is described by [Places.Opened].
func (p *Places[C]) Closed(address int, c C) {
	x := p.at(address)
	x.open--
	p.open--
	for i := len(x.idle) - 1; i >= 0; i-- { // most likely it was used lately
		if x.idle[i] == c {
			x.idle = slices.Delete(x.idle, i, i+1)
			p.idle--
			return
		}
	}
}

// All are the idle connections.
func (p *Places[C]) All() (all []C) {
	for a := range p.all {
		all = append(all, p.all[a].idle...)
	}
	return all
}

// Wanted is an address that is to be dialled beside, now; ok is false if there is none.
// The caller says how that ends: by [Places.Beside].
func (p *Places[C]) Wanted(now time.Duration) (address int, ok bool) {
	if len(p.live) < 2 || p.open == 0 { // the first is for the shots that wait
		return 0, false
	}
	most := 0
	for _, a := range p.live {
		most = max(most, p.at(a).open)
	}
	for _, a := range p.live {
		if x := p.at(a); !x.beside && x.after <= now && (x.open == 0 || x.starved && x.open < most) {
			x.beside, x.starved = true, false
			return a, true
		}
	}
	return 0, false
}

// Beside says how a dial beside ended. One in vain is made again a second later, then
// after two, four, and so on up to half a minute.
func (p *Places[C]) Beside(address int, opened bool, now time.Duration) {
	x := p.at(address)
	x.beside = false
	p.route.Leave(address, !opened)
	if !opened {
		x.after = now + min(time.Second<<min(x.failed, 5), 30*time.Second)
		x.failed++
	}
}

// Spare is an address that has so much fewer connections than this one that one of this
// one's is to end, where there may be no more, and another to be dialled beside in its
// place, as by [Places.Wanted].
func (p *Places[C]) Spare(address int, now time.Duration) (to int, ok bool) {
	if len(p.live) < 2 {
		return 0, false
	}
	own := p.at(address).open
	for _, a := range p.live {
		if x := p.at(a); !x.beside && x.after <= now && x.open+1 < own {
			x.beside = true
			return a, true
		}
	}
	return 0, false
}
