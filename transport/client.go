package transport

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"openload/coding"
	"openload/correct"
	"openload/request"
)

// Config says what is sent, and how.
type Config struct {
	Request request.Request       // what every exchange sends that is given no message of its own
	Agent   string                // User-Agent if the request has none
	Route   *Route                // the way there, from [Network.Route]
	Addrs   []netip.Addr          // or else where the target is
	Expect  func(status int) bool // which statuses are a success; nil: 200-399

	NoKeepAlive bool // ask the server to close after each response, and never use a connection twice
	HTTP2       bool // offer it in TLS handshakes, for [Streams]
	Security    Security

	Bodies *coding.Counter // of what responses come to once they are decoded; nil: nobody wants to know

	Clock func() time.Time // for the instants in an Outcome; nil: it has none
}

// A Client opens connections to one host. It may be used by many goroutines at once.
type Client struct {
	message request.Message // the request, ready to be written
	target  request.Target
	expect  func(status int) bool
	route   *Route
	tls     *tls.Config // nil for http
	bodies  *coding.Counter
	clock   func() time.Time
}

// New checks c and serialises its request.
func New(c Config) (*Client, error) {
	wire, err := c.Request.Bytes(c.Agent, !c.NoKeepAlive)
	if err != nil {
		return nil, err
	}
	target, err := c.Request.Target()
	if err != nil {
		return nil, err
	}
	if c.Route == nil && len(c.Addrs) == 0 {
		return nil, fmt.Errorf("no address given for %s", target.Host)
	}
	connection, _ := c.Request.Get("Connection")
	l := &Client{
		message: request.Message{
			Bytes: wire,
			Head:  c.Request.Verb() == "HEAD",
			Close: c.NoKeepAlive || hasToken([]byte(connection), "close"),
		},
		target: target,
		expect: c.Expect,
		bodies: c.Bodies,
		clock:  c.Clock,
	}
	if l.clock == nil {
		l.clock = func() time.Time { return time.Time{} }
	}
	if l.expect == nil {
		l.expect = func(status int) bool { return 200 <= status && status < 400 }
	}
	if l.route = c.Route; l.route == nil {
		l.route = fixed(target.Port, c.Addrs)
	}
	l.message.Bytes = l.route.proxy.Rewrite(l.message.Bytes, target)
	if target.TLS {
		protocols := []string{"http/1.1"}
		if c.HTTP2 {
			protocols = []string{"h2", "http/1.1"}
		}
		l.tls = c.Security.config(target.Host, protocols...)
	}
	return l, nil
}

// Dial opens a connection, TLS included, within timeout; 0 is no limit. If ctx ends,
// Dial returns and the connection made by it is closed, at once; the class is then
// Unfinished.
func (l *Client) Dial(ctx context.Context, timeout time.Duration) (*Conn, Outcome) {
	return l.DialAt(ctx, timeout, Anywhere)
}

// DialAt is Dial to an address of the route by its number.
func (l *Client) DialAt(ctx context.Context, timeout time.Duration, address int) (*Conn, Outcome) {
	within, cancel := ctx, context.CancelFunc(func() {})
	if timeout > 0 {
		within, cancel = context.WithTimeout(ctx, timeout)
	}
	defer cancel()
	w, err := l.route.Connect(within, timeout, nil, address)
	if err != nil {
		return nil, undialled(ctx, dialClass, err)
	}
	connected := l.clock()
	c, o := l.secure(ctx, within, w)
	if c == nil {
		return nil, o
	}
	o.Connected, o.Peer, o.Address = connected, l.route.Label(w.Address), w.Address
	if l.tls != nil {
		o.Secured = l.clock()
	}
	return c, o
}

// secure does the TLS handshake if there is one to do.
func (l *Client) secure(ctx, within context.Context, w Way) (*Conn, Outcome) {
	c := &Conn{client: l, plain: w.Conn, address: w.Address}
	c.peeker.open(w.Conn.(syscall.Conn)) // every socket of ours is one
	if l.tls == nil {
		c.stream = w.Conn
	} else {
		counted := &counting{Conn: w.Conn}
		secured := tls.Client(counted, l.tls)
		if err := secured.HandshakeContext(within); err != nil {
			w.Conn.Close()
			return nil, undialled(ctx, handshakeClass, err)
		}
		c.stream, c.written = secured, &counted.n
	}
	c.arrival = arrival{src: c.stream, clock: l.clock}
	c.reader.src, c.reader.bodies = &c.arrival, l.bodies
	c.unhook = context.AfterFunc(ctx, func() { w.Conn.Close() })
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
