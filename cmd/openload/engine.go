package main

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"openload/engine"
	"openload/live"
	"openload/live/loop"
	"openload/plan"
	"openload/request"
	"openload/transport"
)

// engineFlags choose what sends the requests.
type engineFlags struct {
	Engine    string   `group:"connection" enum:"auto,loop,portable" default:"auto" placeholder:"NAME" help:"What sends the requests: loop (Linux: an event loop on each of --threads), portable, or auto: the loop where there is one."`
	LocalAddr []string `group:"connection" sep:"," placeholder:"ADDR" help:"Connect from this address: ADDR or FIRST-LAST. Repeatable, each in turn; every one has its own 28,000 ports. Needs the loop."`
	Threads   string   `group:"connection" default:"auto" placeholder:"N" help:"Loops that send, each on a processor of its own, with its share of the operations and of -c. auto: one, and for more than 30,000/s as many as that takes, as far as there are processors. More than one needs the loop."`
	Pace      string   `group:"connection" enum:"auto,precise,balanced,frugal" default:"auto" placeholder:"NAME" help:"What punctuality of the loop may cost: precise spins up to 250 us before each request and is 1 us late, balanced 50 us, frugal sleeps only and is 50-100 us late. auto: precise unless there is only one processor."`
}

// A world is a World of sockets.
type world interface {
	engine.World
	Counters() live.Counters
	Close()
}

// open makes the world of a loop, and names it. most are its share of the connections.
func (f engineFlags) open(epoch time.Time, l share, p *plan.Plan, most int, clients []*transport.Client, feed *request.Feed, how *manner) (w world, name string, err error) {
	local, err := localAddrs(f.LocalAddr)
	if err != nil {
		return nil, "", usage(err)
	}
	why := how.why()
	switch {
	case why == "":
	case f.Engine == "loop":
		return nil, "", usagef("--engine loop does not know %s; leave one of them out", why)
	case len(local) > 0:
		return nil, "", usagef("--local-addr needs the event loop, which does not know %s; leave one of them out", why)
	}
	host := func(uint64) int { return 0 }
	if feed != nil {
		host = feed.TargetOf
	}
	if f.Engine != "portable" && why == "" {
		pace, err := loop.ParsePace(f.pace())
		if err != nil {
			return nil, "", usagef("--pace: %w", err)
		}
		w, err := loop.New(loop.Options{
			Epoch: epoch, Clients: clients, Host: host, Feed: feed, Pace: pace, Connections: most, Dials: max(1, l.of(live.Dials(len(clients)))),
			ConnectTimeout: p.ConnectTimeout, NoKeepAlive: p.Target.NoKeepalive, PerConnection: how.limit(), Eager: p.Closed != nil, Local: local,
		})
		if err == nil {
			return w, "loop", nil
		}
		if f.Engine == "loop" || len(local) > 0 || l.n > 1 {
			return nil, "", fmt.Errorf("event loop: %w", err)
		}
	} else if len(local) > 0 {
		return nil, "", usagef("--local-addr needs --engine loop; leave one of them out")
	}
	return live.New(live.Options{
		Epoch: epoch, Dialers: how.dialers(clients), Host: host, Feed: feed, Connections: most,
		ConnectTimeout: p.ConnectTimeout, NoKeepAlive: p.Target.NoKeepalive, PerConnection: how.limit(),
	}), "portable", nil
}

// maxLocal bounds a range of addresses.
const maxLocal = 1024

// localAddrs reads addresses and ranges of them.
func localAddrs(texts []string) (all []netip.Addr, err error) {
	for _, text := range texts {
		first, last, isRange := strings.Cut(text, "-")
		from, err := netip.ParseAddr(strings.TrimSpace(first))
		to := from
		if err == nil && isRange {
			to, err = netip.ParseAddr(strings.TrimSpace(last))
		}
		if err != nil || to.Less(from) || from.BitLen() != to.BitLen() {
			return nil, fmt.Errorf("--local-addr: %q is no address; write 127.0.0.2, or 127.0.0.2-127.0.0.9", text)
		}
		for a := from; !to.Less(a); a = a.Next() {
			if all = append(all, a); len(all) > maxLocal {
				return nil, fmt.Errorf("--local-addr: more than %d addresses; each has 28,000 ports, so fewer will do", maxLocal)
			}
		}
	}
	return all, nil
}

func (f engineFlags) pace() string {
	if f.Pace == "" {
		return "auto"
	}
	return f.Pace
}

// again are the flags that choose the same.
func (f engineFlags) again() (flags string) {
	if f.Engine != "auto" {
		flags += " --engine " + f.Engine
	}
	if f.pace() != "auto" {
		flags += " --pace " + f.Pace
	}
	if len(f.LocalAddr) > 0 {
		flags += " --local-addr " + quote(strings.Join(f.LocalAddr, ","))
	}
	if f.Threads != "" && f.Threads != autoThreads {
		flags += " --threads " + f.Threads
	}
	return flags
}
