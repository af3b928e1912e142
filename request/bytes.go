package request

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"
)

// Bytes serialises r for HTTP/1.1: a fasthttp.Request with nothing added, renamed or put
// into another order. Its Write is not asked, since that adds "Content-Length: 0" to a
// DELETE. agent is the User-Agent if the header has none. Without keepAlive the server
// is asked to close the connection after its answer.
//
// Host comes first, exactly as given if the header has one. The URL's userinfo
// becomes Basic authorisation unless the header has its own. A body has a
// Content-Length and no Content-Type but the one given; no encoding is asked for.
func (r Request) Bytes(agent string, keepAlive bool) ([]byte, error) {
	h, err := r.head(agent, keepAlive)
	if err != nil {
		return nil, err
	}
	q := fasthttp.AcquireRequest()
	defer fasthttp.ReleaseRequest(q)
	q.Header.DisableNormalizing()
	q.Header.DisableSpecialHeader()
	q.Header.SetMethod(h.method)
	q.Header.SetRequestURI(h.path)
	for _, f := range h.fields {
		q.Header.Add(f.Name, f.Value)
	}
	return append(q.Header.AppendBytes(nil), r.Body...), nil
}

// A head is what goes before the body.
type head struct {
	method string
	path   string  // and query
	fields []Field // all of them, in order
}

// head returns what goes before r's body.
func (r Request) head(agent string, keepAlive bool) (head, error) {
	if err := r.Check(); err != nil {
		return head{}, err
	}
	p, _ := split(r.URL)
	host := p.authority
	if h, ok := r.Get("Host"); ok {
		host = h
	}
	h := head{method: r.Verb(), path: p.path}
	line := func(name, value string) { h.fields = append(h.fields, Field{name, value}) }
	missing := func(name string) bool { _, ok := r.Get(name); return !ok }

	line("Host", host)
	if agent != "" && missing("User-Agent") {
		line("User-Agent", agent)
	}
	if p.user != "" && missing("Authorization") {
		line("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(p.user)))
	}
	for _, f := range r.Header {
		if !strings.EqualFold(f.Name, "Host") {
			line(f.Name, f.Value)
		}
	}
	if !keepAlive && missing("Connection") {
		line("Connection", "close")
	}
	if missing("Content-Length") && (len(r.Body) > 0 || wantsLength(r.Verb())) {
		line("Content-Length", strconv.Itoa(len(r.Body)))
	}
	return h, nil
}

// wantsLength: a server may wait for the body of these if no length is given.
// Source: RFC 9110, section 8.6.
func wantsLength(method string) bool {
	return method == "POST" || method == "PUT" || method == "PATCH"
}
