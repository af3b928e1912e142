package live

import (
	"slices"

	"openload/correct"
	"openload/transport"
)

// Counters tell what happened to the connections.
type Counters struct {
	Opened     int       // connections established
	Peak       int       // most of them at once
	Held       bool      // a shot waited although more could have been opened
	CapReached bool      // a shot waited when no more could be opened
	Bytes      int64     // of response bodies, as they came
	Peers      []Peer    // whom connections reached, in the order in which they were
	Failures   []Failure // what the classes leave open, by text; the first few that came up
	Pace       string    // how sends are paced, where there is a choice
	Reads      Audit
	Hosts      []Host // each of several, in their order; nil: there is one
}

// A Host is what of it was one host's.
type Host struct {
	Opened, Peak     int
	Held, CapReached bool
	Peers            []Peer
}

// Over is c with what is the hosts'.
func (c Counters) Over(hosts []Host) Counters {
	if len(hosts) == 1 {
		h := hosts[0]
		c.Opened, c.Peak, c.Held, c.CapReached, c.Peers = h.Opened, h.Peak, h.Held, h.CapReached, h.Peers
		return c
	}
	c.Hosts, c.Peers = hosts, nil
	at := map[string]int{} // two hosts may be at one address
	for _, h := range hosts {
		c.Opened += h.Opened
		c.Held, c.CapReached = c.Held || h.Held, c.CapReached || h.CapReached
		for _, p := range h.Peers {
			i, known := at[p.Address]
			if !known {
				i = len(c.Peers)
				at[p.Address] = i
				c.Peers = append(c.Peers, Peer{Address: p.Address})
			}
			c.Peers[i].Opened += p.Opened
			c.Peers[i].Attempts += p.Attempts
		}
	}
	return c
}

// An Audit is what the kernel knows of some of the reads.
type Audit struct {
	Late   correct.Dist // for how long what was read had lain there
	Beyond uint64       // of them, longer than a sample's Late would have said
}

// A Failure is one way in which attempts or dials failed.
type Failure struct {
	Class correct.Class
	Text  string // without addresses or ports
	Count int
}

// A Peer is an address, or what stands in for one.
type Peer struct {
	Address  string
	Opened   int // connections
	Attempts int // of which a byte was written
}

// maxPeers bounds the peers that are told apart; later ones share the last place.
const maxPeers = 1000

// Reached notes that a peer was reached, over a new connection or one that was there,
// and returns its place in Peers; -1 for one that has no name.
func (h *Host) Reached(address string, anew bool) int {
	if anew {
		h.Opened++
	}
	if address == "" {
		return -1
	}
	i := slices.IndexFunc(h.Peers, func(p Peer) bool { return p.Address == address })
	switch {
	case i < 0 && len(h.Peers) < maxPeers:
		i = len(h.Peers)
		h.Peers = append(h.Peers, Peer{Address: address})
	case i < 0:
		i = maxPeers - 1
		h.Peers[i].Address = "others"
	}
	if anew {
		h.Peers[i].Opened++
	}
	return i
}

// Wrote notes that an attempt was sent to the peer of that place.
func (h *Host) Wrote(peer int) {
	if peer >= 0 {
		h.Peers[peer].Attempts++
	}
}

// maxFailures bounds the texts that are kept: a report shows a few.
const maxFailures = 32

func (c *Counters) count(o transport.Outcome) {
	if o.Detail == "" {
		return
	}
	for i := range c.Failures {
		if f := &c.Failures[i]; f.Class == o.Class && f.Text == o.Detail {
			f.Count++
			return
		}
	}
	if len(c.Failures) < maxFailures {
		c.Failures = append(c.Failures, Failure{o.Class, o.Detail, 1})
	}
}
