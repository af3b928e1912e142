package request

// Reports are pasted into tickets, so what opens a door is replaced in them.

import (
	"net/url"
	"regexp"
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

// RedactURL hides userinfo and the values in path and query whose names sound secret,
// those of URLs within the URL as well, and leaves out the fragment, which is never
// sent. It works on the text, so that a URL which does not parse can be shown too.
func RedactURL(raw string) string {
	start := 0
	if i := strings.Index(raw, "://"); i >= 0 && !strings.ContainsAny(raw[:i], "/?#") {
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
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority = hidden + authority[i:]
	}
	rest, _, _ := strings.Cut(raw[end:], "#")
	path, query, asked := strings.Cut(rest, "?")
	shown := raw[:start] + authority + redactPairs(path, "/;")
	if asked {
		shown += "?" + redactPairs(query, "&;")
	}
	return shown
}

// redactPairs hides what is secret between the separators: values by their names, and
// what holds a secret itself.
func redactPairs(text, separators string) string {
	var b strings.Builder
	for text != "" {
		pair, separator := text, ""
		if n := strings.IndexAny(text, separators); n >= 0 {
			pair, separator = text[:n], text[n:n+1]
		}
		text = text[len(pair)+len(separator):]
		b.WriteString(redactPair(pair) + separator)
	}
	return b.String()
}

func redactPair(pair string) string {
	name, value, ok := strings.Cut(pair, "=")
	if !ok {
		name, value = "", pair
	}
	switch {
	case ok && secret(unescaped(name)), holdsSecret(unescaped(value)):
		value = hidden
	}
	if !ok {
		return value
	}
	return name + "=" + value
}

// unescaped undoes what was escaped, also several times over.
func unescaped(s string) string {
	for range 4 {
		plain, err := url.QueryUnescape(s)
		if err != nil || plain == s {
			break
		}
		s = plain
	}
	return s
}

// inner finds names within a value: of a query, of an object, of a header.
var inner = regexp.MustCompile(`([\w-]+)["']?\s*[=:]`)

// withUser is a URL's userinfo, with a password.
var withUser = regexp.MustCompile(`[^/\s]*:[^\s]*@`)

// holdsSecret reports whether a value is a URL, a query or an object with a secret.
func holdsSecret(value string) bool {
	for _, m := range inner.FindAllStringSubmatch(value, -1) {
		if secret(m[1]) {
			return true
		}
	}
	return withUser.MatchString(value)
}
