package request

// Reports are pasted into tickets, so what opens a door is replaced in them.

import (
	"net/url"
	"strings"
)

const hidden = "***"

// secrets are the parts of header and query names whose values are hidden.
var secrets = []string{
	"auth", "cookie", "credential", "key", "passphrase", "passw", "pwd", "secret", "session", "signature", "token",
}

func secret(name string) bool {
	name = strings.ToLower(name)
	for _, s := range secrets {
		if strings.Contains(name, s) {
			return true
		}
	}
	return name == "sig"
}

// Redacted returns r as a report may show it: without userinfo, without the values
// of headers and query parameters whose names sound secret, and without the body.
// Its method is written out, since that cannot be told from the body any more.
func (r Request) Redacted() Request {
	r.Method = r.Verb()
	r.URL = RedactURL(r.URL)
	r.Body = nil
	header := make([]Field, len(r.Header))
	for i, f := range r.Header {
		if secret(f.Name) {
			f.Value = hidden
		}
		header[i] = f
	}
	r.Header = header
	return r
}

// RedactURL hides userinfo and the query values whose names sound secret. It works
// on the text, so that a URL which does not parse can be shown too.
func RedactURL(raw string) string {
	start := 0
	if i := strings.Index(raw, "://"); i >= 0 {
		start = i + len("://")
	}
	end := len(raw)
	if i := strings.IndexAny(raw[start:], "/?#"); i >= 0 {
		end = start + i
	}
	authority := raw[start:end]
	port := authority[strings.LastIndexByte(authority, ':')+1:]
	if !strings.Contains(authority, "@") && port != authority && strings.Trim(port, "0123456789]") != "" {
		end = max(end, strings.LastIndexByte(raw, '@')+1) // no port, so likely a password with a slash in it
		authority = raw[start:end]
	}
	rest := raw[end:]
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority = hidden + authority[i:]
	}
	before, query, ok := strings.Cut(rest, "?")
	if !ok {
		return raw[:start] + authority + rest
	}
	query, fragment, hash := strings.Cut(query, "#")
	var b strings.Builder
	b.WriteString(raw[:start] + authority + before + "?")
	for query != "" {
		n := strings.IndexAny(query, "&;")
		separator := ""
		pair := query
		if n >= 0 {
			pair, separator = query[:n], query[n:n+1]
		}
		query = query[len(pair)+len(separator):]
		name, _, value := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		if err != nil {
			plain = name
		}
		if value && secret(plain) {
			pair = name + "=" + hidden
		}
		b.WriteString(pair + separator)
	}
	if hash {
		b.WriteString("#" + fragment)
	}
	return b.String()
}
