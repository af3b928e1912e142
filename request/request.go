package request

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// A Request is what every operation sends.
type Request struct {
	Method string  `json:"method,omitempty"` // empty: GET, or POST with a body
	URL    string  `json:"url"`              // absolute: http or https
	Header []Field `json:"header,omitempty"` // in the order in which they are sent; a name may come twice
	Body   []byte  `json:"body,omitempty"`
}

// A Field is one header line.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ParseField reads a header as curl and hey take it: "Name: value".
func ParseField(line string) (Field, error) {
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		// The rest of the line may be a secret, so only its first word is named.
		return Field{}, fmt.Errorf("header %q has no colon: write 'Name: value'", firstToken(line))
	}
	f := Field{strings.TrimSpace(name), strings.Trim(value, " \t")}
	return f, f.check()
}

func (f Field) check() error {
	if !isToken(f.Name) {
		first := firstToken(f.Name) // behind it may be a value, with a colon of its own
		if len(first) < len(f.Name) {
			first += "…"
		}
		return fmt.Errorf("header name %q: letters, digits and dashes are allowed", first)
	}
	for i := range len(f.Value) {
		if c := f.Value[i]; c < ' ' && c != '\t' || c == 0x7f {
			return fmt.Errorf("header %s: its value has a control character (byte %d)", f.Name, i)
		}
	}
	return nil
}

// Verb is the method that is sent.
func (r Request) Verb() string {
	switch {
	case r.Method != "":
		return r.Method
	case len(r.Body) > 0:
		return "POST"
	}
	return "GET"
}

// Get returns the value of the first header of that name, in whatever case.
func (r Request) Get(name string) (value string, ok bool) {
	for _, f := range r.Header {
		if strings.EqualFold(f.Name, name) {
			return f.Value, true
		}
	}
	return "", false
}

// Check reports everything that is wrong with r, not only the first.
func (r Request) Check() error {
	_, err := split(r.URL)
	problems := []error{err}
	switch {
	case !isToken(r.Verb()):
		problems = append(problems, fmt.Errorf("method %q: letters are allowed", r.Method))
	case r.Verb() == "CONNECT":
		problems = append(problems, errors.New("method CONNECT opens a tunnel and cannot be sent"))
	}
	hosts := 0
	for _, f := range r.Header {
		problems = append(problems, f.check())
		switch strings.ToLower(f.Name) {
		case "host":
			if hosts++; hosts == 2 {
				problems = append(problems, errors.New("header Host is given twice: a request has one"))
			}
		case "content-length":
			if f.Value != strconv.Itoa(len(r.Body)) {
				problems = append(problems, fmt.Errorf("header Content-Length is %q, but the body has %d bytes: leave it out", f.Value, len(r.Body)))
			}
		case "transfer-encoding":
			problems = append(problems, errors.New("header Transfer-Encoding: the body is sent with its Content-Length; leave it out"))
		}
	}
	return errors.Join(problems...)
}

// A Target is where a request goes.
type Target struct {
	TLS  bool
	Host string // name or address, without brackets; an IPv6 address keeps its zone
	Port uint16
}

// String is the target as host:port.
func (t Target) String() string { return net.JoinHostPort(t.Host, strconv.Itoa(int(t.Port))) }

// URL is the target as a URL without a path.
func (t Target) URL() string {
	scheme, usual := "http", uint16(80)
	if t.TLS {
		scheme, usual = "https", 443
	}
	host := t.String()
	if t.Port == usual {
		host = strings.TrimSuffix(host, ":"+strconv.Itoa(int(usual)))
	}
	return scheme + "://" + host
}

// Target returns where r goes, or why its URL is no good.
func (r Request) Target() (Target, error) {
	p, err := split(r.URL)
	return Target{p.tls, p.host, p.port}, err
}

// isToken reports whether s is a token of RFC 9110, section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isAlnum(c) && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// firstToken is what s begins with that could be a header's name.
func firstToken(s string) string {
	for i := range len(s) {
		if !isToken(s[i : i+1]) {
			return s[:i]
		}
	}
	return s
}

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
