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
	for _, h := range hosts {
		c.Opened += h.Opened
		c.Held, c.CapReached = c.Held || h.Held, c.CapReached || h.CapReached
		c.Peers = joined(c.Peers, h.Peers) // two hosts may be at one address
	}
	return c
}

// Add adds those of another loop of the same run. Peak is an upper bound then: the loops'
// need not coincide.
func (c *Counters) Add(o Counters) {
	own := Host{c.Opened, c.Peak, c.Held, c.CapReached, c.Peers}
	own.add(Host{o.Opened, o.Peak, o.Held, o.CapReached, o.Peers})
	c.Opened, c.Peak, c.Held, c.CapReached, c.Peers = own.Opened, own.Peak, own.Held, own.CapReached, own.Peers
	c.Bytes += o.Bytes
	c.Reads.Late.Merge(&o.Reads.Late)
	c.Reads.Beyond += o.Reads.Beyond
	for i := range c.Hosts {
		c.Hosts[i].add(o.Hosts[i])
	}
	for _, f := range o.Failures {
		i := slices.IndexFunc(c.Failures, func(own Failure) bool { return own.Class == f.Class && own.Text == f.Text })
		if i < 0 {
			c.Failures = append(c.Failures, f)
			continue
		}
		c.Failures[i].Count += f.Count
	}
}

func (h *Host) add(o Host) {
	h.Opened += o.Opened
	h.Peak += o.Peak
	h.Held, h.CapReached = h.Held || o.Held, h.CapReached || o.CapReached
	h.Peers = joined(h.Peers, o.Peers)
}

// joined adds peers to those of the same address, and the others behind them.
func joined(to, more []Peer) []Peer {
	at := make(map[string]int, len(to))
	for i, p := range to {
		at[p.Address] = i
	}
	for _, p := range more {
		i, known := at[p.Address]
		if !known {
			i = len(to)
			at[p.Address] = i
			to = append(to, Peer{Address: p.Address})
		}
		to[i].Opened += p.Opened
		to[i].Attempts += p.Attempts
	}
	return to
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
