package transport

import (
	"bytes"
	"errors"
	"net/url"
	"slices"
	"strings"

	"openload/request"
)

// MaxHops is how many redirects in a row are followed.
const MaxHops = 10

// Redirected reports whether an outcome asks for another request, elsewhere.
func (o *Outcome) Redirected() bool {
	switch o.Status {
	case 301, 302, 303, 307, 308:
		return o.Location != ""
	}
	return false
}

// elsewhere are the headers that another host must not see, as in curl, or that say
// where a request goes.
var elsewhere = []string{"authorization", "cookie", "cookie2", "www-authenticate", "host"}

// Follow is the request that follows m, which went to from, where o redirects it, and
// its target. As in curl, 301 and 302 turn a POST into a GET, 303 all but a HEAD, and
// 307 and 308 nothing; another scheme, host or port is not told who the user is.
func Follow(m *request.Message, from request.Target, o *Outcome) (next request.Message, to request.Target, err error) {
	head, body, _ := bytes.Cut(m.Bytes, []byte("\r\n\r\n"))
	lines := strings.Split(string(head), "\r\n")
	line := strings.Split(lines[0], " ")
	if len(line) != 3 {
		return next, to, errors.New("not a request") // it is ours
	}
	path := strings.TrimPrefix(line[1], "http://") // a proxy's form
	if path != line[1] {
		path = path[max(0, strings.IndexByte(path, '/')):]
	}
	where, err := locate(from.URL()+path, o.Location)
	if err != nil {
		return next, to, err
	}
	if to, err = (request.Request{URL: where}).Target(); err != nil {
		return next, to, errors.New("the server redirects to what is no URL of http or https")
	}
	r := request.Request{Method: line[0], URL: where}
	turned := o.Status == 303 && r.Method != "HEAD" || o.Status < 303 && r.Method == "POST"
	if turned {
		r.Method = "GET"
	} else {
		r.Body = body
	}
	for _, l := range lines[1:] {
		name, value, _ := strings.Cut(l, ": ")
		lower := strings.ToLower(name)
		switch {
		case to != from && slices.Contains(elsewhere, lower), lower == "proxy-authorization", lower == "content-length":
		case turned && (lower == "content-type" || lower == "content-encoding"):
		default:
			r.Header = append(r.Header, request.Field{Name: name, Value: value})
		}
	}
	next = request.Message{Head: r.Method == "HEAD", Close: m.Close}
	next.Bytes, err = r.Bytes("", true)
	return next, to, err
}

// locate is where a Location leads from a URL. What a browser would mend is mended.
func locate(base, location string) (string, error) {
	b, err := url.Parse(base)
	if err != nil {
		b, err = url.Parse(base[:strings.IndexByte(base[len("https://"):], '/')+len("https://")+1])
	}
	if err != nil {
		return "", errors.New("the server redirects from a URL that cannot be resolved")
	}
	u, err := b.Parse(strings.ReplaceAll(strings.TrimSpace(location), " ", "%20"))
	if err != nil {
		return "", errors.New("the server redirects to what is no URL")
	}
	u.Fragment, u.RawFragment = "", ""
	return u.String(), nil
}
