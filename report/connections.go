package report

import "time"

// Network is whom a run's connections reached, and how they were found.
type Network struct {
	Protocol  string   `json:"protocol"`           // what was spoken last
	HTTP2     *HTTP2   `json:"http2"`              // null for another protocol
	TLS       *TLS     `json:"tls,omitempty"`      // absent where there were no handshakes
	Redirects *uint64  `json:"redirects_followed"` // null where none would have been
	BodyBytes uint64   `json:"body_bytes"`         // of all responses, as they came: compressed, if they were
	Decoded   *Decoded `json:"decoded,omitempty"`  // what they came to; absent unless --compressed asked for codings
	Peers     []Peer   `json:"peers"`
	Lookups   *Lookups `json:"lookups"`         // null if no name was looked up
	Hosts     []Host   `json:"hosts,omitempty"` // each of several
}

// A Host is one of several that a run went to. Each has connections of its own.
type Host struct {
	URL            string `json:"url"`             // without a path
	Connections    uint64 `json:"connections"`     // opened
	MaxConnections int    `json:"max_connections"` // of them at once
	Attempts       uint64 `json:"attempts"`        // of which a byte was sent there
	Held           bool   `json:"held"`            // attempts waited although more connections might have been open
	Peers          []Peer `json:"peers"`
}

// A Peer is an address that connections went to, or what stands in for one: a proxy, a
// Unix socket.
type Peer struct {
	Address     string `json:"address"`
	Connections uint64 `json:"connections"` // opened
	Attempts    uint64 `json:"attempts"`    // of which a byte was sent there
}

// HTTP2 is what its streams came to.
type HTTP2 struct {
	Streams uint64 `json:"streams"` // opened: requests put on the wire
	Refused uint64 `json:"refused"` // of them, by a server that had not processed them; they were sent again
}

// TLS is what its handshakes came to.
type TLS struct {
	Handshakes uint64 `json:"handshakes"` // in which the server was accepted
	Resumed    uint64 `json:"resumed"`    // of them, those that resumed a session
}

// Lookups are what asking for names came to. No request waits for it, and its time is
// in no latency.
type Lookups struct {
	N       uint64        `json:"n"`
	Failed  uint64        `json:"failed"`  // the addresses known before stayed in use
	Changed uint64        `json:"changed"` // times that the addresses were others than before
	Slowest time.Duration `json:"slowest_ns"`
}

func networkOf(c *Connections) *Network {
	if c == nil {
		return nil
	}
	n := &Network{
		Protocol: c.Protocol, HTTP2: c.HTTP2, TLS: c.TLS, Redirects: c.Redirects, BodyBytes: c.BodyBytes, Decoded: c.Decoded,
		Peers: c.Peers, Lookups: c.Lookups, Hosts: c.Hosts,
	}
	if n.Peers == nil {
		n.Peers = []Peer{}
	}
	return n
}
