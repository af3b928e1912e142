package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"openload/request"
)

// A Family is which kinds of address are used.
type Family string

// The families, as package net names them.
const (
	AnyFamily Family = "ip"
	IPv4      Family = "ip4"
	IPv6      Family = "ip6"
)

// A Network says how targets are found and reached. The zero value asks the system's
// resolver, and connects straight.
type Network struct {
	Family    Family                                                                // "" is AnyFamily
	Redirects []Redirect                                                            // the first that fits counts
	Overrides []Override                                                            // likewise
	Unix      string                                                                // path of the socket to which every connection goes
	Proxy     *Proxy                                                                // through which every connection goes
	Lookup    func(ctx context.Context, network, host string) ([]netip.Addr, error) // nil: the system's
}

// A Redirect has connections for one target go to another, as curl's --connect-to does:
// Host, certificate and SNI stay those of the first. "" and 0 fit all, or change nothing.
type Redirect struct {
	Host   string
	Port   uint16
	ToHost string
	ToPort uint16
}

// ParseRedirect reads HOST:PORT:HOST2:PORT2, of which each may be empty.
func ParseRedirect(text string) (r Redirect, err error) {
	parts := colons(text)
	if len(parts) != 4 {
		return r, fmt.Errorf("%q is not HOST:PORT:HOST2:PORT2; an IPv6 address goes into brackets, and what is left empty stays as it is", text)
	}
	r.Host, r.ToHost = strings.ToLower(parts[0]), parts[2]
	for i, port := range []*uint16{&r.Port, &r.ToPort} {
		if p := parts[2*i+1]; p != "" {
			if *port, err = parsePort(p); err != nil {
				return r, fmt.Errorf("%q: %w", text, err)
			}
		}
	}
	return r, nil
}

// An Override is the addresses of a name, as curl's --resolve gives them.
type Override struct {
	Host  string // "*": every one
	Port  uint16
	Addrs []netip.Addr
}

// fits reports whether o is for t.
func (o Override) fits(t request.Target) bool {
	return (o.Host == "*" || o.Host == strings.ToLower(t.Host)) && o.Port == t.Port
}

// ParseOverride reads HOST:PORT:ADDR, or several addresses with commas between.
func ParseOverride(text string) (o Override, err error) {
	parts := strings.SplitN(text, ":", 3)
	if strings.HasPrefix(text, "[") {
		parts = colons(text)
		if len(parts) > 3 {
			parts = append(parts[:2:2], strings.Join(parts[2:], ":"))
		}
	}
	if len(parts) != 3 || parts[0] == "" {
		return o, fmt.Errorf("%q is not HOST:PORT:ADDR; write example.com:443:127.0.0.1", text)
	}
	o.Host = strings.ToLower(parts[0])
	if o.Port, err = parsePort(parts[1]); err != nil {
		return o, fmt.Errorf("%q: %w", text, err)
	}
	for _, a := range strings.Split(parts[2], ",") {
		ip, err := netip.ParseAddr(strings.Trim(a, "[]"))
		if err != nil {
			return o, fmt.Errorf("%q: %q is no address", text, a)
		}
		o.Addrs = append(o.Addrs, ip.Unmap())
	}
	return o, nil
}

// colons cuts text at colons outside of brackets, which it takes off.
func colons(text string) (parts []string) {
	for {
		part, rest, more := text, "", false
		if strings.HasPrefix(text, "[") {
			end := strings.IndexByte(text, ']')
			if end < 0 {
				return nil
			}
			part, rest = text[1:end], text[end+1:]
			if rest, more = strings.CutPrefix(rest, ":"); !more && rest != "" {
				return nil
			}
		} else {
			part, rest, more = strings.Cut(text, ":")
		}
		parts = append(parts, part)
		if !more {
			return parts
		}
		text = rest
	}
}

func parsePort(text string) (uint16, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%q is no port; write one from 1 to 65535", text)
	}
	return uint16(n), nil
}

// Route finds the way to a target: a name that does not resolve is an error before the
// run, and not thirty seconds of failed requests.
func (n *Network) Route(ctx context.Context, target request.Target) (*Route, error) {
	if n.Unix != "" {
		return &Route{unix: n.Unix, kind: overUnix}, nil
	}
	to := n.redirect(target)
	if n.Proxy == nil {
		return n.straight(ctx, to)
	}
	first := Network{Family: n.Family, Lookup: n.Lookup, Overrides: n.Overrides}
	proxy, err := first.straight(ctx, n.Proxy.at)
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	r := &Route{kind: overProxy, proxy: n.Proxy, by: proxy, end: to, tunnel: target.TLS || n.Proxy.socks}
	if n.Proxy.socks && !n.Proxy.names {
		if r.beyond, err = n.straight(ctx, to); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (n *Network) redirect(t request.Target) request.Target {
	for _, r := range n.Redirects {
		if (r.Host == "" || r.Host == strings.ToLower(t.Host)) && (r.Port == 0 || r.Port == t.Port) {
			if r.ToHost != "" {
				t.Host = r.ToHost
			}
			if r.ToPort != 0 {
				t.Port = r.ToPort
			}
			break
		}
	}
	return t
}

// straight is the way to a target without a proxy.
func (n *Network) straight(ctx context.Context, t request.Target) (*Route, error) {
	r := &Route{port: t.Port}
	addrs, fixed, err := n.addresses(ctx, t)
	if err != nil {
		return nil, err
	}
	if !fixed {
		r.lookup = func(ctx context.Context) ([]netip.Addr, error) {
			addrs, _, err := n.addresses(ctx, t)
			return addrs, err
		}
	}
	r.set(addrs)
	return r, nil
}

// addresses are those of a target; fixed if they cannot change.
func (n *Network) addresses(ctx context.Context, t request.Target) (addrs []netip.Addr, fixed bool, err error) {
	i := slices.IndexFunc(n.Overrides, func(o Override) bool { return o.fits(t) })
	if i >= 0 {
		addrs, fixed = n.Overrides[i].Addrs, true
	} else if a, err := netip.ParseAddr(t.Host); err == nil {
		addrs, fixed = []netip.Addr{a.Unmap()}, true
	} else if addrs, err = n.lookup(ctx, t.Host); err != nil {
		return nil, false, err
	}
	var fit []netip.Addr
	for _, a := range addrs {
		if n.Family == IPv4 && !a.Is4() || n.Family == IPv6 && !a.Is6() {
			continue
		}
		fit = append(fit, a)
	}
	if len(fit) == 0 {
		return nil, fixed, fmt.Errorf("resolve %s: it has no IPv%s address", t.Host, strings.TrimPrefix(string(n.Family), "ip"))
	}
	return fit, fixed, nil
}

func (n *Network) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	look := n.Lookup
	if look == nil {
		look = net.DefaultResolver.LookupNetIP
	}
	family := n.Family
	if family == "" {
		family = AnyFamily
	}
	found, err := look(ctx, string(family), host)
	if err != nil {
		reason := err.Error()
		if dns, ok := errors.AsType[*net.DNSError](err); ok {
			reason = dns.Err
		}
		return nil, fmt.Errorf("resolve %s: %s", host, reason)
	}
	var addrs []netip.Addr
	for _, a := range found {
		if a = a.Unmap(); !slices.Contains(addrs, a) {
			addrs = append(addrs, a)
		}
	}
	return addrs, nil
}
