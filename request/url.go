package request

// URLs are taken apart here by hand: net/url decodes and encodes again, and what
// is sent would differ from what was typed.

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// ParseURL completes a URL as typed: host:port, host:port/path, a name with a dot
// and an address get http://, and note says so. A single word is an error, since it
// is more likely a command than a host.
func ParseURL(typed string) (complete, note string, err error) {
	complete = typed
	if !strings.Contains(typed, "://") {
		if err := bare(typed); err != nil {
			return "", "", err
		}
		complete = "http://" + typed
		note = "no scheme in the URL: took " + RedactURL(complete)
	}
	if _, err := split(complete); err != nil {
		return "", "", err
	}
	return complete, note, nil
}

// bare says why a URL without :// is none.
func bare(typed string) error {
	host, rest, colon := strings.Cut(typed, ":")
	scheme := strings.ToLower(host)
	switch {
	case typed == "":
		return errors.New("URL is empty")
	case colon && (scheme == "http" || scheme == "https"):
		return fmt.Errorf("URL %q: after %s: come two slashes, as in %s://%s", RedactURL(typed), host, scheme, strings.TrimLeft(RedactURL(rest), "/"))
	case !strings.ContainsAny(typed, ".:/[") && typed != "localhost":
		return fmt.Errorf("%q is no URL: write http://%s/ if it is a host", typed, typed)
	}
	return nil
}

// parts is a URL taken apart.
type parts struct {
	tls       bool
	user      string // user:password, decoded
	authority string // what the Host header says
	host      string
	port      uint16
	path      string // path and query as given, at least "/"
}

// split takes an absolute URL apart. Its errors are one line and hide secrets.
func split(raw string) (parts, error) {
	p, err := cut(raw)
	if err != nil {
		return parts{}, fmt.Errorf("URL %q: %w", RedactURL(raw), err)
	}
	return p, nil
}

func cut(raw string) (p parts, err error) {
	scheme, rest, ok := strings.Cut(raw, "://")
	switch strings.ToLower(scheme) {
	case "http":
		p.port = 80
	case "https":
		p.tls, p.port = true, 443
	default:
		if !ok {
			return p, errors.New("no scheme: write http:// or https:// before it")
		}
		return p, fmt.Errorf("scheme %s is not supported: http and https are", scheme)
	}
	rest, _, _ = strings.Cut(rest, "#")
	end := len(rest)
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		end = i
	}
	authority, path := rest[:end], rest[end:]
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	for i := range len(path) {
		switch c := path[i]; {
		case c == ' ':
			return p, errors.New("a space in the path: write %20")
		case c < ' ' || c == 0x7f:
			return p, errors.New("a control character in the path")
		}
	}
	p.path = path
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		if p.user, err = userinfo(authority[:i]); err != nil {
			return p, err
		}
		authority = authority[i+1:]
	}
	return p, p.setHost(authority)
}

// userinfo decodes user:password; the colon is there even if the password is not.
func userinfo(s string) (string, error) {
	user, password, _ := strings.Cut(s, ":")
	u, err1 := url.PathUnescape(user)
	w, err2 := url.PathUnescape(password)
	if errors.Join(err1, err2) != nil {
		return "", errors.New("a % in user or password that encodes nothing: write %25")
	}
	return u + ":" + w, nil
}

// setHost takes host, host:port, [address] or [address]:port.
func (p *parts) setHost(authority string) error {
	host, port := authority, ""
	bracket := strings.HasPrefix(authority, "[")
	if bracket {
		end := strings.IndexByte(authority, ']')
		if end < 0 {
			return errors.New("a [ without its ]")
		}
		host, port = authority[1:end], authority[end+1:]
		if port != "" && port[0] != ':' {
			return fmt.Errorf("%q after the ]: a port is written :8080", port)
		}
		port = strings.TrimPrefix(port, ":")
		host = strings.Replace(host, "%25", "%", 1)
		a, err := netip.ParseAddr(host)
		if err != nil || !a.Is6() {
			return fmt.Errorf("%q in brackets is no IPv6 address", host)
		}
	} else if strings.Count(authority, ":") > 1 {
		return errors.New("more than one colon: an IPv6 address goes into brackets, as in [::1]:8080")
	} else {
		host, port, _ = strings.Cut(authority, ":")
		if err := checkName(host); err != nil {
			return err
		}
	}
	p.host = host
	p.authority = host
	if bracket {
		bare, _, _ := strings.Cut(host, "%") // a zone means nothing to the server: RFC 6874
		p.authority = "[" + bare + "]"
	}
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return errors.New("its port is no number from 1 to 65535")
		}
		p.port = uint16(n)
		p.authority += ":" + port
	}
	return nil
}

func checkName(host string) error {
	if host == "" {
		return errors.New("no host")
	}
	for i := range len(host) {
		switch c := host[i]; {
		case c >= 0x80:
			return fmt.Errorf("host %q: write the form in ASCII that starts xn--…", host)
		case !isAlnum(c) && c != '-' && c != '.' && c != '_':
			return fmt.Errorf("host %q: %q cannot be part of a host", host, c)
		}
	}
	return nil
}

// withoutDots resolves . and .. in the path, as curl does before it sends.
// Source: RFC 3986, section 5.2.4.
func withoutDots(url string) string {
	start := strings.Index(url, "://") + len("://")
	slash := strings.IndexByte(url[start:], '/')
	if slash < 0 {
		return url
	}
	start += slash
	end := len(url)
	if i := strings.IndexAny(url[start:], "?#"); i >= 0 {
		end = start + i
	}
	if !strings.Contains(url[start:end], "/.") {
		return url
	}
	var out []string
	parts := strings.Split(url[start+1:end], "/")
	for i, p := range parts {
		last := i == len(parts)-1
		switch p {
		case ".":
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
		default:
			out = append(out, p)
			continue
		}
		if last {
			out = append(out, "")
		}
	}
	return url[:start] + "/" + strings.Join(out, "/") + url[end:]
}
