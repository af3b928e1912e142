package transport

import (
	"crypto/tls"

	"openload/coding"
	"openload/correct"
	"openload/request"
)

// Parts are what a Client is made of, for a World that dials, writes and reads by
// itself. They are shared and must not be changed.
type Parts struct {
	Message request.Message // the request, ready to be written
	Route   *Route          // where to dial
	TLS     *tls.Config     // nil for http
	Bodies  *coding.Counter // for [Parser.Reset]
}

// Parts returns what l is made of.
func (l *Client) Parts() Parts {
	return Parts{Message: l.message, Route: l.route, TLS: l.tls, Bodies: l.bodies}
}

// Target is the host that l's connections are for.
func (l *Client) Target() request.Target { return l.target }

// Route is the way that l's connections take.
func (l *Client) Route() *Route { return l.route }

// Answer is the outcome of an exchange of m whose response p has read: completely if err
// is nil, else until err ended it.
func (l *Client) Answer(m *request.Message, p *Parser, err error) Outcome {
	var o Outcome
	if err != nil {
		o = failed(readClass(err, p.began))
	} else {
		o.Status, o.Keep, o.RetryAfter = p.status, p.keep && !m.Close, p.framing.pause()
		if !l.expect(p.status) {
			o.Class = correct.BadStatus
		}
	}
	o.Bytes, o.Written = p.bytes, true
	return o
}

// Unwritten is the outcome of an exchange of which err let no byte be written.
func Unwritten(err error) Outcome { return failed(readClass(err, false)) }

// Undialled is the outcome of a dial that err ended.
func Undialled(err error) Outcome { return failed(dialClass(err)) }

// Unsecured is the outcome of a TLS handshake that err ended.
func Unsecured(err error) Outcome { return failed(handshakeClass(err)) }

// Unmade is the outcome of an exchange whose request could not be made.
func Unmade(err error) Outcome {
	o := failed(correct.Unmade, err.Error())
	o.Keep = true
	return o
}
