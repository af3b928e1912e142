package main

import (
	"context"
	"errors"
	"slices"
	"sync"

	"openload/live"
	"openload/report"
	"openload/request"
	"openload/transport"
)

// mostHosts bounds what a run keeps for each.
const mostHosts = 1000

// reach finds the ways to all hosts, several at once, and readies their transports.
func (s *sending) reach(ctx context.Context, c transport.Config, n transport.Network) (clients []*transport.Client, all live.Lookups, err error) {
	targets := s.wire.Targets()
	if len(targets) > mostHosts {
		return nil, all, usagef("the targets go to %d hosts; a run goes to %d at most", len(targets), mostHosts)
	}
	clients = make([]*transport.Client, len(targets))
	looked, wrong := make([]live.Lookups, len(targets)), make([]error, len(targets))
	var asking sync.WaitGroup
	room := make(chan struct{}, 16)
	for i, t := range targets {
		room <- struct{}{}
		asking.Go(func() {
			c := c
			c.Request = request.Request{URL: t.URL()}
			clients[i], looked[i], wrong[i] = reach(ctx, c, n)
			<-room
		})
	}
	asking.Wait()
	for _, l := range looked {
		all.N += l.N
		all.Slowest = max(all.Slowest, l.Slowest)
	}
	return clients, all, once(wrong)
}

// once is all errors joined, those that say the same but once: several hosts may be behind
// one proxy.
func once(all []error) error {
	said := map[string]bool{}
	return errors.Join(slices.DeleteFunc(all, func(err error) bool {
		again := err == nil || said[err.Error()]
		if err != nil {
			said[err.Error()] = true
		}
		return again
	})...)
}

// routes are the ways to all hosts.
func routes(clients []*transport.Client) (all []*transport.Route) {
	for _, c := range clients {
		all = append(all, c.Route())
	}
	return all
}

// hosts are what was each of several hosts'.
func hosts(clients []*transport.Client, all []live.Host) (out []report.Host) {
	for i, h := range all {
		host := report.Host{
			URL: clients[i].Target().URL(), Connections: uint64(h.Opened), MaxConnections: h.Peak, Held: h.Held, Peers: peers(h.Peers),
		}
		for _, p := range h.Peers {
			host.Attempts += uint64(p.Attempts)
		}
		out = append(out, host)
	}
	return out
}

func peers(all []live.Peer) []report.Peer {
	out := make([]report.Peer, len(all))
	for i, p := range all {
		out[i] = report.Peer{Address: p.Address, Connections: uint64(p.Opened), Attempts: uint64(p.Attempts)}
	}
	return out
}

// amongSeveral names one of several targets, in brackets.
func amongSeveral(t request.Target, all []request.Target) string {
	if len(all) < 2 {
		return ""
	}
	return " (" + t.URL() + ")"
}
