package request

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Law: what is sent is byte for byte what was typed: the path as it is, names in their
// case, lines in their order, and no line that nobody asked for.
func TestBytesAreWhatWasTyped(t *testing.T) {
	names := []string{"host", "HOST", "User-agent", "accept", "X-a", "x-A", "Cookie", "cookie", "Content-TYPE", "connection", "Authorization", "Trailer", "Expect", "TE", "~"}
	rapid.Check(t, func(t *rapid.T) {
		one := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
		path := rapid.StringMatching(`(/[a-zA-Z0-9%./\\:;@&=+$,_\-é"<>^{|}]*)?(\?[ -~]{0,20})?`).Filter(func(s string) bool { return !strings.ContainsAny(s, " #") }).Draw(t, "path")
		r := Request{
			Method: one("method", "", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "PURGE", "a!"),
			URL:    one("scheme", "http", "https") + "://" + one("user", "", "u:p@", "u@") + one("host", "h", "h:1", "[::1]:80", "127.0.0.1") + path,
			Body:   rapid.SliceOf(rapid.Byte()).Draw(t, "body"),
		}
		hosts := 0
		for range rapid.IntRange(0, 6).Draw(t, "fields") {
			f := Field{Name: one("name", names...), Value: rapid.StringMatching(`[ -~é\t]{0,20}`).Draw(t, "value")}
			if strings.EqualFold(f.Name, "Host") {
				if hosts++; hosts > 1 {
					continue // a request has one
				}
			}
			r.Header = append(r.Header, f)
		}
		agent, keepAlive := one("agent", "", "openload/1"), rapid.Bool().Draw(t, "keepAlive")

		h, err := r.head(agent, keepAlive)
		require.NoError(t, err)
		want := r.Verb() + " "
		if !strings.HasPrefix(path, "/") {
			want += "/"
		}
		want += path + " HTTP/1.1\r\n"
		for _, f := range h.fields {
			want += f.Name + ": " + f.Value + "\r\n"
		}
		got, err := r.Bytes(agent, keepAlive)
		require.NoError(t, err)
		require.Equal(t, want+"\r\n"+string(r.Body), string(got))
	})
}
