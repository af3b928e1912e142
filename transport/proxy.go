package transport

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/proxy"

	"openload/request"
)

// A Proxy is one that connections go through.
type Proxy struct {
	at    request.Target
	socks bool
	names bool   // it looks names up; else we do
	user  string // user:password; "": none
	shown string
}

// ParseProxy reads http://[USER:PASSWORD@]HOST[:PORT], or the same with socks5, where we
// look names up, or socks5h, where the proxy does. As in curl the port is 1080 if none is
// given.
func ParseProxy(text string) (*Proxy, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	scheme, rest, _ := strings.Cut(text, "://")
	p := &Proxy{names: true}
	switch scheme = strings.ToLower(scheme); scheme {
	case "http":
	case "socks5", "socks5h":
		p.socks, p.names = true, scheme == "socks5h"
	default:
		return nil, fmt.Errorf("a proxy over %s is not supported: http, socks5 and socks5h are", scheme)
	}
	p.shown = scheme + "://" + strings.TrimPrefix(request.RedactURL("http://"+rest), "http://")
	u, err := url.Parse("http://" + rest)
	if err != nil || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" {
		return nil, fmt.Errorf("%q is no proxy; write http://HOST:PORT", p.shown)
	}
	if u.User != nil {
		password, _ := u.User.Password()
		p.user = u.User.Username() + ":" + password
	}
	p.at = request.Target{Host: u.Hostname(), Port: 1080}
	if u.Port() != "" {
		if p.at.Port, err = parsePort(u.Port()); err != nil {
			return nil, fmt.Errorf("%q: %w", p.shown, err)
		}
	}
	return p, nil
}

// String is the proxy without its secrets.
func (p *Proxy) String() string { return p.shown }

// Heeds reports whether o matters on the way through p: where we look names up, or if it
// is for p itself. p may be nil.
func (p *Proxy) Heeds(o Override) bool { return p == nil || !p.names || o.fits(p.at) }

// Takes reports whether p takes requests to a target, and makes no tunnel to it. p may
// be nil.
func (p *Proxy) Takes(to request.Target) bool { return p != nil && !p.socks && !to.TLS }

// Rewrite is a request as p wants it if it takes those for the target: the first line
// then names the whole URL. Source: RFC 9112, section 3.2.2. p may be nil.
func (p *Proxy) Rewrite(wire []byte, to request.Target) []byte {
	if !p.Takes(to) {
		return wire
	}
	authority := to.String()
	if to.Port == 80 {
		authority = strings.TrimSuffix(authority, ":80")
	}
	method, rest, _ := bytes.Cut(wire, []byte(" "))
	line, rest, _ := bytes.Cut(rest, []byte("\r\n"))
	out := slices.Concat(method, []byte(" http://"+authority), line, []byte("\r\n"))
	if a := p.authorization(); a != "" {
		out = append(out, "Proxy-Authorization: "+a+"\r\n"...)
	}
	return append(out, rest...)
}

func (p *Proxy) authorization() string {
	if p.user == "" {
		return ""
	}
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(p.user))
}

// proxyError is what a proxy had against a connection.
type proxyError struct{ reason string }

func (e proxyError) Error() string { return e.reason }

// through connects to the other side of the proxy.
func (r *Route) through(ctx context.Context, timeout time.Duration, control Control, address int) (Way, error) {
	if !r.tunnel {
		w, err := r.by.Connect(ctx, timeout, control, address)
		return w, unreached(err)
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	if r.proxy.socks {
		return r.socks(ctx, timeout, control, address)
	}
	w, err := r.by.Connect(ctx, timeout, control, address)
	if err != nil {
		return w, unreached(err)
	}
	stop := context.AfterFunc(ctx, func() { w.Conn.Close() })
	err = r.ask(w.Conn)
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		w.Conn.Close()
		return Way{}, err
	}
	return w, nil
}

// unreached is the error of a dial to the proxy itself: it is the proxy's fault, unless
// it is ours or time ran out.
func unreached(err error) error {
	if err == nil {
		return nil
	}
	class, detail := dialClass(err)
	switch {
	case class.Ours() || class.TimedOut():
		return err
	case detail == "":
		detail = class.String()
	}
	return proxyError{"it cannot be reached: " + detail}
}

// ask has an HTTP proxy make a tunnel. Byte by byte, so that nothing is read of what
// comes through it.
func (r *Route) ask(c net.Conn) error {
	lines := "CONNECT " + r.end.String() + " HTTP/1.1\r\nHost: " + r.end.String() + "\r\n"
	if a := r.proxy.authorization(); a != "" {
		lines += "Proxy-Authorization: " + a + "\r\n"
	}
	if _, err := c.Write([]byte(lines + "\r\n")); err != nil {
		return proxyError{"it closed the connection"}
	}
	var answer []byte
	for one := make([]byte, 1); !bytes.HasSuffix(answer, []byte("\r\n\r\n")); answer = append(answer, one...) {
		if _, err := c.Read(one); err != nil {
			return proxyError{"it closed the connection"}
		}
		if len(answer) == maxHeader {
			return proxyError{"its answer to CONNECT has no end"}
		}
	}
	status, _, _ := strings.Cut(string(answer), "\r\n")
	version, code, _ := strings.Cut(status, " ")
	switch {
	case !strings.HasPrefix(version, "HTTP/1."):
		return proxyError{"it does not speak HTTP"}
	case !strings.HasPrefix(code, "2"):
		return proxyError{"it answered CONNECT with " + shorten(code)}
	}
	return nil
}

// shorten keeps a foreign text fit to be shown.
func shorten(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
	return text[:min(len(text), 60)]
}

// socks has a SOCKS5 proxy connect.
func (r *Route) socks(ctx context.Context, timeout time.Duration, control Control, address int) (Way, error) {
	var auth *proxy.Auth
	if user, password, ok := strings.Cut(r.proxy.user, ":"); ok {
		auth = &proxy.Auth{User: user, Password: password}
	}
	to := &forward{route: r.by, timeout: timeout, control: control, address: address}
	if r.beyond != nil {
		to.address = Anywhere
	}
	dialer, err := proxy.SOCKS5("tcp", r.proxy.at.String(), auth, to)
	if err != nil {
		return Way{}, err
	}
	target := r.end.String()
	if r.beyond != nil {
		pick := r.beyond.picked(address)
		address, _ = pick.Next()
		target = r.beyond.Addresses()[address].String()
	}
	_, err = dialer.(proxy.ContextDialer).DialContext(ctx, "tcp", target)
	switch {
	case err == nil:
		if r.beyond != nil {
			to.way.Address = address
		}
		return to.way, nil // it adds nothing to it
	case to.err != nil:
		return Way{}, unreached(to.err)
	case ctx.Err() != nil:
		return Way{}, ctx.Err()
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	if timedOut(err) {
		return Way{}, err
	}
	return Way{}, proxyError{shorten(err.Error())}
}

// forward connects to the SOCKS proxy itself.
type forward struct {
	route   *Route
	timeout time.Duration
	control Control
	address int // of the proxy's, or Anywhere
	way     Way
	err     error
}

func (f *forward) Dial(network, address string) (net.Conn, error) {
	return f.DialContext(context.Background(), network, address)
}

func (f *forward) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	f.way, f.err = f.route.Connect(ctx, f.timeout, f.control, f.address)
	return f.way.Conn, f.err
}
