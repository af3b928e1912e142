package report

import (
	"slices"
	"strings"
)

// mergeNetwork is whom the connections of all runs reached; nil if one of them does not
// know.
func mergeNetwork(runs []Named) *Network {
	out := Network{Redirects: new(uint64), Peers: []Peer{}}
	for k, r := range runs {
		n := r.Network
		if n == nil {
			return nil
		}
		if out.BodyBytes += n.BodyBytes; k == 0 {
			out.Protocol = n.Protocol
		} else if !strings.Contains(out.Protocol, n.Protocol) {
			out.Protocol += ", " + n.Protocol
		}
		addKnown(&out.Redirects, n.Redirects)
		if h := n.HTTP2; h != nil {
			sum := deref(out.HTTP2)
			out.HTTP2 = &HTTP2{Streams: sum.Streams + h.Streams, Refused: sum.Refused + h.Refused}
		}
		if h := n.TLS; h != nil {
			sum := deref(out.TLS)
			out.TLS = &TLS{Handshakes: sum.Handshakes + h.Handshakes, Resumed: sum.Resumed + h.Resumed}
		}
		if l := n.Lookups; l != nil {
			sum := deref(out.Lookups)
			out.Lookups = &Lookups{N: sum.N + l.N, Failed: sum.Failed + l.Failed, Changed: sum.Changed + l.Changed, Slowest: max(sum.Slowest, l.Slowest)}
		}
		out.Peers = JoinedPeers(out.Peers, n.Peers)
		for _, h := range n.Hosts {
			out.host(h)
		}
		if n.Decoded != nil {
			sum := n.Decoded.plus(deref(out.Decoded))
			out.Decoded = &sum
		}
	}
	return &out
}

func deref[T any](p *T) (v T) {
	if p != nil {
		return *p
	}
	return v
}

// host adds one host of a run to those of all.
func (n *Network) host(h Host) {
	i := slices.IndexFunc(n.Hosts, func(o Host) bool { return o.URL == h.URL })
	if i < 0 {
		n.Hosts = append(n.Hosts, Host{URL: h.URL, Peers: []Peer{}})
		i = len(n.Hosts) - 1
	}
	to := &n.Hosts[i]
	to.Connections += h.Connections
	to.MaxConnections += h.MaxConnections // as in Counts: at most, if they were open side by side
	to.Attempts += h.Attempts
	to.Held = to.Held || h.Held
	to.Peers = JoinedPeers(to.Peers, h.Peers)
}

// JoinedPeers adds peers to those of the same address, and the others behind them.
func JoinedPeers(to, more []Peer) []Peer {
	for _, p := range more {
		i := slices.IndexFunc(to, func(o Peer) bool { return o.Address == p.Address })
		if i < 0 {
			to = append(to, Peer{Address: p.Address})
			i = len(to) - 1
		}
		to[i].Connections += p.Connections
		to[i].Attempts += p.Attempts
	}
	return to
}

func (d *Decoded) plus(o Decoded) Decoded {
	sum := func(a, b map[string]uint64) map[string]uint64 {
		all := map[string]uint64{}
		for _, from := range []map[string]uint64{a, b} {
			for name, n := range from {
				all[name] += n
			}
		}
		return all
	}
	return Decoded{
		Bodies: d.Bodies + o.Bodies, Decoded: d.Decoded + o.Decoded, Wire: d.Wire + o.Wire, Bytes: d.Bytes + o.Bytes, Skipped: d.Skipped + o.Skipped,
		Codings: sum(d.Codings, o.Codings), Failed: sum(d.Failed, o.Failed),
	}
}
