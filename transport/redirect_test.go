package transport

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"openload/request"
)

// Outcomes as curl makes them.
func TestRedirect(t *testing.T) {
	here := request.Target{Host: "a.test", Port: 80}
	lines := func(all ...string) string { return strings.Join(all, "\r\n") }
	get := lines("GET /dir/page?x=1 HTTP/1.1", "Host: own.test", "User-Agent: o", "Authorization: Basic x", "Cookie: c=1", "", "")
	post := lines("POST /form HTTP/1.1", "Host: a.test", "Content-Type: text/plain", "Content-Length: 2", "", "hi")
	for _, tt := range []struct {
		name     string
		sent     string
		status   int
		location string
		want     string
		to       request.Target
		err      string
	}{
		{"a path", get, 302, "/other", lines("GET /other HTTP/1.1", "Host: own.test", "User-Agent: o", "Authorization: Basic x", "Cookie: c=1", "", ""), here, ""},
		{"a relative path", get, 301, "next?y#top", lines("GET /dir/next?y HTTP/1.1", "Host: own.test", "User-Agent: o", "Authorization: Basic x", "Cookie: c=1", "", ""), here, ""},
		{"another host is told no secrets", get, 302, "http://b.test/x", lines("GET /x HTTP/1.1", "Host: b.test", "User-Agent: o", "", ""), request.Target{Host: "b.test", Port: 80}, ""},
		{"nor another port", get, 302, "//a.test:81/x", lines("GET /x HTTP/1.1", "Host: a.test:81", "User-Agent: o", "", ""), request.Target{Host: "a.test", Port: 81}, ""},
		{"nor another scheme", get, 308, "https://a.test/x", lines("GET /x HTTP/1.1", "Host: a.test", "User-Agent: o", "", ""), request.Target{TLS: true, Host: "a.test", Port: 443}, ""},
		{"302 turns a POST", post, 302, "/x", lines("GET /x HTTP/1.1", "Host: a.test", "", ""), here, ""},
		{"303 turns a PUT", strings.Replace(post, "POST", "PUT", 1), 303, "/x", lines("GET /x HTTP/1.1", "Host: a.test", "", ""), here, ""},
		{"302 leaves a PUT", strings.Replace(post, "POST", "PUT", 1), 302, "/x", lines("PUT /x HTTP/1.1", "Host: a.test", "Content-Type: text/plain", "Content-Length: 2", "", "hi"), here, ""},
		{"303 leaves a HEAD", strings.Replace(get, "GET", "HEAD", 1), 303, "/x", lines("HEAD /x HTTP/1.1", "Host: own.test", "User-Agent: o", "Authorization: Basic x", "Cookie: c=1", "", ""), here, ""},
		{"307 leaves a POST", post, 307, "/x", lines("POST /x HTTP/1.1", "Host: a.test", "Content-Type: text/plain", "Content-Length: 2", "", "hi"), here, ""},
		{"through a proxy", strings.Replace(get, "GET /", "GET http://a.test/", 1), 302, "x y", lines("GET /dir/x%20y HTTP/1.1", "Host: own.test", "User-Agent: o", "Authorization: Basic x", "Cookie: c=1", "", ""), here, ""},
		{"to nowhere", get, 302, "ftp://b.test/", "", request.Target{}, "the server redirects to what is no URL of http or https"},
		{"to nonsense", get, 302, "http://[", "", request.Target{}, "the server redirects to what is no URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Outcome{Status: tt.status, Location: tt.location}
			require.True(t, o.Redirected())
			next, to, err := Follow(&request.Message{Bytes: []byte(tt.sent)}, here, &o)
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, string(next.Bytes))
			require.Equal(t, tt.to, to)
			require.Equal(t, strings.HasPrefix(tt.want, "HEAD"), next.Head)
		})
	}
}

func FuzzRedirect(f *testing.F) {
	for _, s := range []string{"/", "x", "http://b/", "//b", "https://b:1/x?y#z", "http://[::1]/", "%", "\x00", "http://u:p@h/", "?", "http:///"} {
		f.Add(s, uint16(302))
	}
	sent := request.Message{Bytes: []byte("GET /a HTTP/1.1\r\nHost: a.test\r\nCookie: c\r\n\r\n")}
	f.Fuzz(func(t *testing.T, location string, status uint16) {
		here := request.Target{Host: "a.test", Port: 80}
		next, to, err := Follow(&sent, here, &Outcome{Status: int(status), Location: location})
		if err != nil {
			return
		}
		if to.Host == "" || to != here && strings.Contains(string(next.Bytes), "Cookie") || strings.Count(string(next.Bytes), "\r\n\r\n") != 1 {
			t.Fatalf("%q: %q", location, next.Bytes)
		}
	})
}
