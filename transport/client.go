package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"openload/correct"
	"openload/request"
)

// Config says what is sent, and how.
type Config struct {
	Request request.Request       // what every exchange sends that is given no message of its own
	Agent   string                // User-Agent if the request has none
	Addrs   []netip.Addr          // where the target is, from Resolve; each dial falls back to the next
	Expect  func(status int) bool // which statuses are a success; nil: 200-399

	NoKeepAlive bool // ask the server to close after each response, and never use a connection twice
	Security    Security

	Clock func() time.Time // for the instants in an Outcome; nil: it has none
}

// A Client opens connections to one host. It may be used by many goroutines at once.
type Client struct {
	message request.Message // the request, ready to be written
	expect  func(status int) bool
	addrs   []string     // address and port
	good    atomic.Int32 // index of the address that answered last
	tls     *tls.Config  // nil for http
	clock   func() time.Time
}

// New checks c and serialises its request.
func New(c Config) (*Client, error) {
	wire, err := serialise(c.Request, c.Agent, !c.NoKeepAlive)
	if err != nil {
		return nil, err
	}
	target, err := c.Request.Target()
	if err != nil {
		return nil, err
	}
	if len(c.Addrs) == 0 {
		return nil, fmt.Errorf("no address given for %s", target.Host)
	}
	connection, _ := c.Request.Get("Connection")
	l := &Client{
		message: request.Message{
			Bytes: wire,
			Head:  c.Request.Verb() == "HEAD",
			Close: c.NoKeepAlive || hasToken([]byte(connection), "close"),
		},
		expect: c.Expect,
		clock:  c.Clock,
	}
	if l.clock == nil {
		l.clock = func() time.Time { return time.Time{} }
	}
	if l.expect == nil {
		l.expect = func(status int) bool { return 200 <= status && status < 400 }
	}
	for _, a := range c.Addrs {
		l.addrs = append(l.addrs, netip.AddrPortFrom(a, target.Port).String())
	}
	if target.TLS {
		l.tls = c.Security.config(target.Host, "http/1.1")
	}
	return l, nil
}

// Resolve looks a host up, once and before the run: a name that does not resolve is
// an error then, not thirty seconds of failed requests. An address is its own answer.
// The order is the resolver's.
func Resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a.Unmap()}, nil
	}
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
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

// Dial opens a connection, TLS included, within timeout; 0 is no limit. The
// addresses are tried in turn, from the one that answered last, each with its share
// of the time. If ctx ends, Dial returns and the connection made by it is closed,
// at once; the class is then Unfinished.
func (l *Client) Dial(ctx context.Context, timeout time.Duration) (*Conn, Outcome) {
	within, cancel := ctx, context.CancelFunc(func() {})
	if timeout > 0 {
		within, cancel = context.WithTimeout(ctx, timeout)
	}
	defer cancel()
	// Keep-alive probes would cost three system calls a dial; a dead peer is found by the request's timeout.
	dialer := net.Dialer{Timeout: timeout / time.Duration(len(l.addrs)), KeepAlive: -1}
	var err error
	first := int(l.good.Load())
	for i := range l.addrs {
		n := (first + i) % len(l.addrs)
		var c net.Conn
		if c, err = dialer.DialContext(within, "tcp", l.addrs[n]); err == nil {
			l.good.Store(int32(n))
			connected := l.clock()
			k, o := l.secure(ctx, within, c.(*net.TCPConn))
			o.Connected = connected
			if l.tls != nil {
				o.Secured = l.clock()
			}
			return k, o
		}
		if within.Err() != nil {
			break
		}
	}
	return nil, undialled(ctx, dialClass, err)
}

// secure does the TLS handshake if there is one to do.
func (l *Client) secure(ctx, within context.Context, tcp *net.TCPConn) (*Conn, Outcome) {
	c := &Conn{client: l, tcp: tcp}
	c.peeker.open(tcp)
	if l.tls == nil {
		c.stream = tcp
	} else {
		counted := &counting{Conn: tcp}
		secured := tls.Client(counted, l.tls)
		if err := secured.HandshakeContext(within); err != nil {
			tcp.Close()
			return nil, undialled(ctx, handshakeClass, err)
		}
		c.stream, c.written = secured, &counted.n
	}
	c.arrival = arrival{src: c.stream, clock: l.clock}
	c.reader.src = &c.arrival
	c.unhook = context.AfterFunc(ctx, func() { tcp.Close() })
	return c, Outcome{Class: correct.OK}
}

// undialled is the outcome of a failed dial. When ctx has ended, that is the cause.
func undialled(ctx context.Context, class func(error) (correct.Class, string), err error) Outcome {
	if ctx.Err() != nil {
		return Outcome{Class: correct.Unfinished}
	}
	return failed(class(err))
}

// counting counts the bytes that went to the kernel beneath TLS.
type counting struct {
	net.Conn
	n int64
}

func (c *counting) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.n += int64(n)
	return n, err
}
