package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"openload/live"
	"openload/transport"
)

// networkFlags say how targets are found and reached.
type networkFlags struct {
	ConnectTo  []string `group:"network" sep:"none" placeholder:"HOST:PORT:HOST2:PORT2" help:"Connect to HOST2:PORT2 in place of HOST:PORT; Host header, certificate and SNI stay. Repeatable; what is left empty fits all, or stays."`
	Resolve    []string `group:"network" sep:"none" placeholder:"HOST:PORT:ADDR[,ADDR]" help:"Use these addresses for HOST:PORT, and ask no resolver. Repeatable. Not for what a proxy looks up."`
	IPv4       bool     `name:"ipv4" short:"4" group:"network" help:"IPv4 addresses only."`
	IPv6       bool     `name:"ipv6" short:"6" group:"network" help:"IPv6 addresses only."`
	DNSTTL     span     `name:"dns-ttl" group:"network" placeholder:"TIME" help:"Look names up again every so often during the run: new addresses take their share of the load, and connections to those that are gone end with the request they have. Default: once, before the run."`
	UnixSocket string   `group:"network" placeholder:"PATH" help:"Connect to this Unix socket, whatever the URL's host is."`
	Proxy      string   `short:"x" group:"network" placeholder:"URL" help:"Go through a proxy: http://[USER:PASSWORD@]HOST:PORT, socks5:// (we look names up) or socks5h:// (it does). HTTP_PROXY is not heeded."`
}

// network is what the flags describe.
func (f *networkFlags) network() (n transport.Network, err error) {
	var wrong []error
	note := func(flag string, err error) {
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--%s: %w", flag, err))
		}
	}
	for _, text := range f.ConnectTo {
		r, err := transport.ParseRedirect(text)
		note("connect-to", err)
		n.Redirects = append(n.Redirects, r)
	}
	for _, text := range f.Resolve {
		o, err := transport.ParseOverride(text)
		note("resolve", err)
		n.Overrides = append(n.Overrides, o)
	}
	switch {
	case f.IPv4 && f.IPv6:
		note("ipv4", errors.New("--ipv6 leaves no address with it; give one of them, or neither for both"))
	case f.IPv4:
		n.Family = transport.IPv4
	case f.IPv6:
		n.Family = transport.IPv6
	}
	if f.Proxy != "" {
		n.Proxy, err = transport.ParseProxy(f.Proxy)
		note("proxy", err)
	}
	for i, o := range n.Overrides {
		if o.Host != "" && !n.Proxy.Heeds(o) { // what could not be read has been said
			note("resolve", fmt.Errorf("%s has no effect, since the proxy looks names up; leave it out, or go through a socks5:// proxy, for which we do", f.Resolve[i]))
		}
	}
	n.Unix = f.UnixSocket
	if f.UnixSocket != "" && (f.Proxy != "" || len(f.ConnectTo) > 0 || len(f.Resolve) > 0 || f.IPv4 || f.IPv6 || f.DNSTTL > 0) {
		note("unix-socket", errors.New("a socket is the whole way there; leave out --proxy, --connect-to, --resolve, --ipv4, --ipv6 and --dns-ttl"))
	}
	return n, usage(errors.Join(wrong...))
}

// again are the flags that ask for the same, secrets redacted.
func (f *networkFlags) again() (flags []string) {
	add := func(flag, value string) {
		if value != "" {
			flags = append(flags, "--"+flag+" "+quote(value))
		}
	}
	for _, text := range f.ConnectTo {
		add("connect-to", text)
	}
	for _, text := range f.Resolve {
		add("resolve", text)
	}
	if f.IPv4 {
		flags = append(flags, "--ipv4")
	}
	if f.IPv6 {
		flags = append(flags, "--ipv6")
	}
	if f.DNSTTL > 0 {
		add("dns-ttl", time.Duration(f.DNSTTL).String())
	}
	add("unix-socket", f.UnixSocket)
	if p, err := transport.ParseProxy(f.Proxy); err == nil && f.Proxy != "" {
		add("proxy", p.String())
	}
	return flags
}

// reach finds the way to the target and readies its transport: what can't be found is
// known before the run, and not thirty seconds into it.
func reach(ctx context.Context, c transport.Config, n transport.Network) (*transport.Client, live.Lookups, error) {
	var looked live.Lookups
	target, err := c.Request.Target()
	if err != nil {
		return nil, looked, usage(err)
	}
	if n.Unix != "" {
		if _, err := os.Stat(n.Unix); err != nil {
			return nil, looked, usagef("--unix-socket: %w; name the socket on which the server listens", err)
		}
	}
	began := time.Now()
	if c.Route, err = n.Route(ctx, target); err != nil {
		return nil, looked, err
	}
	if c.Route.CanChange() {
		looked = live.Lookups{N: 1, Slowest: time.Since(began)}
	}
	c.Agent, c.Clock = "openload/"+version(), time.Now
	client, err := transport.New(c)
	return client, looked, err
}
