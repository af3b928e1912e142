package transport

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/request"
)

// Law: what is sent is byte for byte what was typed.
func TestSerialise(t *testing.T) {
	names := []string{"host", "HOST", "User-agent", "accept", "X-a", "x-A", "Cookie", "cookie", "Content-TYPE", "connection", "Authorization", "Trailer", "Expect", "TE", "~"}
	rapid.Check(t, func(t *rapid.T) {
		one := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
		r := request.Request{
			Method: one("method", "", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "PURGE", "a!"),
			URL:    one("scheme", "http", "https") + "://" + one("user", "", "u:p@", "u@") + one("host", "h", "h:1", "[::1]:80", "127.0.0.1") + rapid.StringMatching(`(/[a-zA-Z0-9%./\\:;@&=+$,_\-é"<>^{|}]*)?(\?[ -~]{0,20})?`).Filter(func(s string) bool { return !strings.ContainsAny(s, " #") }).Draw(t, "path"),
			Body:   rapid.SliceOf(rapid.Byte()).Draw(t, "body"),
		}
		for range rapid.IntRange(0, 6).Draw(t, "fields") {
			r.Header = append(r.Header, request.Field{Name: one("name", names...), Value: rapid.StringMatching(`[ -~é\t]{0,20}`).Draw(t, "value")})
		}
		agent, keepAlive := one("agent", "", "openload/1"), rapid.Bool().Draw(t, "keepAlive")
		want, err := r.Bytes(agent, keepAlive)
		if err != nil {
			t.Skip(err)
		}
		got, err := serialise(r, agent, keepAlive)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	})
}
