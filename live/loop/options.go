package loop

import (
	"net/netip"
	"time"

	"openload/request"
	"openload/transport"
)

// Options say what a World is made of.
type Options struct {
	Epoch  time.Time // instant 0
	Client *transport.Client
	Feed   *request.Feed // what shots send; nil: the client's request
	Pace   Pace

	// Several hosts have a client each in place of Client, and a pool of connections. Host
	// says to which of them operation seq goes.
	Clients []*transport.Client
	Host    func(seq uint64) int

	Connections    int           // most connections to a host at once, those being dialled included; at least 1
	Dials          int           // most under way to a host at once; 0: what live.Dials says
	ConnectTimeout time.Duration // of each dial; 0: none
	NoKeepAlive    bool          // a connection takes one request
	PerConnection  int           // most requests that one takes; 0: any number

	// Local are the addresses to connect from, in turn; none: what the system takes. Each
	// has as many ports for a target as the system has, 28,000 usually.
	Local []netip.Addr

	// Eager opens a connection for each shot that finds none idle. It suits a closed
	// loop, whose workers have a connection each.
	Eager bool
}
