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
func (c *Counters) Reached(address string, anew bool) int {
	if address == "" {
		return -1
	}
	i := slices.IndexFunc(c.Peers, func(p Peer) bool { return p.Address == address })
	switch {
	case i < 0 && len(c.Peers) < maxPeers:
		i = len(c.Peers)
		c.Peers = append(c.Peers, Peer{Address: address})
	case i < 0:
		i = maxPeers - 1
		c.Peers[i].Address = "others"
	}
	if anew {
		c.Peers[i].Opened++
	}
	return i
}

// Wrote notes that an attempt was sent to the peer of that place.
func (c *Counters) Wrote(peer int) {
	if peer >= 0 {
		c.Peers[peer].Attempts++
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
