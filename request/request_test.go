package request_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/request"
)

// Law: what stands behind the authority goes out byte by byte as it was typed.
func TestPathIsSentAsGiven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringMatching(`/[!-"$-~]{0,40}`).Draw(t, "path and query")
		b, err := request.Request{URL: "http://h:1" + path}.Bytes("", true)
		require.NoError(t, err)
		require.Equal(t, "GET "+path+" HTTP/1.1\r\nHost: h:1\r\n\r\n", string(b))
	})
}

func TestBytes(t *testing.T) {
	const url = "http://h/"
	for _, tt := range []struct {
		name  string
		r     request.Request
		close bool
		want  []string
	}{
		{"a plain GET", request.Request{URL: url}, false, []string{"GET / HTTP/1.1", "Host: h", "User-Agent: openload/1"}},
		{"no path becomes a slash", request.Request{URL: "http://h?a=1#top"}, false, []string{"GET /?a=1 HTTP/1.1", "Host: h", "User-Agent: openload/1"}},
		{"a body makes a POST with its length", request.Request{URL: url, Body: []byte("a=1")}, false,
			[]string{"POST / HTTP/1.1", "Host: h", "User-Agent: openload/1", "Content-Length: 3", "", "a=1"}},
		{"a method that is given stays", request.Request{Method: "PUT", URL: url}, false,
			[]string{"PUT / HTTP/1.1", "Host: h", "User-Agent: openload/1", "Content-Length: 0"}},
		{"Host is overridden once and exactly", request.Request{URL: url, Header: []request.Field{{"X-A", "1"}, {"host", "hello"}}}, false,
			[]string{"GET / HTTP/1.1", "Host: hello", "User-Agent: openload/1", "X-A: 1"}},
		{"the user's agent stands alone", request.Request{URL: url, Header: []request.Field{{"user-agent", "me"}}}, false,
			[]string{"GET / HTTP/1.1", "Host: h", "user-agent: me"}},
		{"names repeat in order", request.Request{URL: url, Header: []request.Field{{"B", "1"}, {"A", "2"}, {"B", "3"}}}, false,
			[]string{"GET / HTTP/1.1", "Host: h", "User-Agent: openload/1", "B: 1", "A: 2", "B: 3"}},
		{"userinfo becomes Basic", request.Request{URL: "http://us%40er:p%3Aw@h/"}, false,
			[]string{"GET / HTTP/1.1", "Host: h", "User-Agent: openload/1", "Authorization: Basic dXNAZXI6cDp3"}},
		{"a header of one's own beats userinfo", request.Request{URL: "http://u:p@h/", Header: []request.Field{{"Authorization", "Bearer t"}}}, false,
			[]string{"GET / HTTP/1.1", "Host: h", "User-Agent: openload/1", "Authorization: Bearer t"}},
		{"an address keeps brackets and port", request.Request{URL: "http://[::1]:8080/"}, false,
			[]string{"GET / HTTP/1.1", "Host: [::1]:8080", "User-Agent: openload/1"}},
		{"a zone stays here", request.Request{URL: "http://[fe80::1%25eth0]/"}, false,
			[]string{"GET / HTTP/1.1", "Host: [fe80::1]", "User-Agent: openload/1"}},
		{"without keep-alive the server is told", request.Request{URL: url}, true,
			[]string{"GET / HTTP/1.1", "Host: h", "User-Agent: openload/1", "Connection: close"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, err := tt.r.Bytes("openload/1", !tt.close)
			require.NoError(t, err)
			want := strings.Join(tt.want, "\r\n")
			if len(tt.r.Body) == 0 {
				want += "\r\n\r\n"
			}
			require.Equal(t, want, string(b))
		})
	}
}

func TestTarget(t *testing.T) {
	for _, tt := range []struct {
		url  string
		tls  bool
		host string
		addr string
	}{
		{"http://example.com", false, "example.com", "example.com:80"},
		{"HTTPS://u@example.com/x", true, "example.com", "example.com:443"},
		{"https://[::1]:8443/", true, "::1", "[::1]:8443"},
		{"http://[fe80::1%25eth0]:81/", false, "fe80::1%eth0", "[fe80::1%eth0]:81"},
		{"http://127.0.0.1:8080?x", false, "127.0.0.1", "127.0.0.1:8080"},
	} {
		t.Run(tt.url, func(t *testing.T) {
			got, err := request.Request{URL: tt.url}.Target()
			require.NoError(t, err)
			require.Equal(t, tt.tls, got.TLS)
			require.Equal(t, tt.host, got.Host)
			require.Equal(t, tt.addr, got.String())
		})
	}
}

func TestParseURL(t *testing.T) {
	for _, tt := range []struct {
		typed, complete, note string
	}{
		{"localhost", "http://localhost", "no scheme in the URL: took http://localhost"},
		{"localhost:8080/x?y", "http://localhost:8080/x?y", "no scheme in the URL: took http://localhost:8080/x?y"},
		{"[::1]:8080", "http://[::1]:8080", "no scheme in the URL: took http://[::1]:8080"},
		{"u:p@h:1/?token=t", "http://u:p@h:1/?token=t", "no scheme in the URL: took http://***@h:1/?token=***"},
		{"https://h/", "https://h/", ""},
	} {
		t.Run(tt.typed, func(t *testing.T) {
			complete, note, err := request.ParseURL(tt.typed)
			require.NoError(t, err)
			require.Equal(t, tt.complete, complete)
			require.Equal(t, tt.note, note)
		})
	}
}

func TestURLErrors(t *testing.T) {
	for _, tt := range []struct {
		typed, want string
	}{
		{"", `URL is empty`},
		{"demmo", `"demmo" is no URL: write http://demmo/ if it is a host`},
		{"http:/h/x", `URL "http:/h/x": after http: come two slashes, as in http://h/x`},
		{"ftp://h/", `URL "ftp://h/": scheme ftp is not supported: http and https are`},
		{"http://", `URL "http://": no host`},
		{"http:///x", `URL "http:///x": no host`},
		{"http://h:http/", `URL "http://h:http/": its port is no number from 1 to 65535`},
		{"http://h:0/", `URL "http://h:0/": its port is no number from 1 to 65535`},
		{"http://h:70000/", `URL "http://h:70000/": its port is no number from 1 to 65535`},
		{"http://::1/", `URL "http://::1/": more than one colon: an IPv6 address goes into brackets, as in [::1]:8080`},
		{"http://[::1/", `URL "http://[::1/": a [ without its ]`},
		{"http://[h]/", `URL "http://[h]/": "h" in brackets is no IPv6 address`},
		{"http://[::1]8080/", `URL "http://[::1]8080/": "8080" after the ]: a port is written :8080`},
		{"http://bücher.de/", `URL "http://bücher.de/": host "bücher.de": write the form in ASCII that starts xn--…`},
		{"http://a b/", `URL "http://a b/": host "a b": ' ' cannot be part of a host`},
		{"http://h/a b", `URL "http://h/a b": a space in the path: write %20`},
		{"http://h/a\r\nX: y", `URL "http://h/a\r\nX: y": a control character in the path`},
		{"http://u:p%@h/", `URL "http://***@h/": a % in user or password that encodes nothing: write %25`},
		{"http://u:pass/word@h/", `URL "http://***@h/": its port is no number from 1 to 65535`},
	} {
		t.Run(tt.typed, func(t *testing.T) {
			_, _, err := request.ParseURL(tt.typed)
			require.EqualError(t, err, tt.want)
		})
	}
}

func TestParseField(t *testing.T) {
	for _, tt := range []struct {
		line string
		want request.Field
		err  string
	}{
		{line: "Name: value", want: request.Field{Name: "Name", Value: "value"}},
		{line: "Name:a:b ", want: request.Field{Name: "Name", Value: "a:b"}},
		{line: "Name:", want: request.Field{Name: "Name"}},
		{line: "Authorization Bearer hush", err: `header "Authorization" has no colon: write 'Name: value'`},
		{line: ": x", err: `header name "": letters, digits and dashes are allowed`},
		{line: "A B: x", err: `header name "A…": letters, digits and dashes are allowed`},
		{line: "A: x\r\nB: y", err: `header A: its value has a control character (byte 1)`},
	} {
		t.Run(tt.line, func(t *testing.T) {
			got, err := request.ParseField(tt.line)
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestCheckReportsEverything(t *testing.T) {
	err := request.Request{Method: "G T", URL: "gopher://h", Header: []request.Field{
		{"Host", "a"}, {"HOST", "b"}, {"Content-Length", "7"}, {"Transfer-Encoding", "chunked"}, {"X", "a\nb"},
	}}.Check()
	require.EqualError(t, err, strings.Join([]string{
		`URL "gopher://h": scheme gopher is not supported: http and https are`,
		`method "G T": letters are allowed`,
		`header Host is given twice: a request has one`,
		`header Content-Length is "7", but the body has 0 bytes: leave it out`,
		`header Transfer-Encoding: the body is sent with its Content-Length; leave it out`,
		`header X: its value has a control character (byte 1)`,
	}, "\n"))
	require.EqualError(t, request.Request{Method: "CONNECT", URL: "http://h/"}.Check(), "method CONNECT opens a tunnel and cannot be sent")
}

// Law: no secret survives, and what is no secret stays.
func TestRedacted(t *testing.T) {
	r := request.Request{
		URL: "https://user:hush@h/p@th?q=shoes&api_key=hush&%74oken=hush;sig=hush&flag#frag",
		Header: []request.Field{
			{"Accept", "*/*"}, {"Authorization", "hush"}, {"Proxy-Authorization", "hush"}, {"Cookie", "hush"},
			{"X-Secret-Thing", "hush"}, {"X-API-KEY", "hush"}, {"X-Password", "hush"},
		},
		Body: []byte("password=hush"),
	}
	got := r.Redacted()
	require.Equal(t, "https://***@h/p@th?q=shoes&api_key=***&%74oken=***;sig=***&flag", got.URL)
	require.Equal(t, "POST", got.Method)
	require.Empty(t, got.Body)
	require.Equal(t, request.Field{Name: "Accept", Value: "*/*"}, got.Header[0])
	for _, f := range got.Header[1:] {
		require.Equal(t, "***", f.Value, f.Name)
	}
	require.Equal(t, "hush", r.Header[1].Value, "the original is untouched")
	require.Equal(t, "http://[::1]:80/@me", request.RedactURL("http://[::1]:80/@me"))
}

// Wherever in a URL a secret is, and however often it was escaped, it is hidden; what is
// none is there to be read.
func TestRedactURL(t *testing.T) {
	for raw, want := range map[string]string{
		"http://h/a#token=SECRETX":                                "http://h/a",
		"http://h/a?x=1#token=SECRETX":                            "http://h/a?x=1",
		"http://h/;token=SECRETX":                                 "http://h/;token=***",
		"http://h/a;v=1;session_id=SECRETX/b?x":                   "http://h/a;v=1;session_id=***/b?x",
		"http://h/token=SECRETX/b":                                "http://h/token=***/b",
		"http://h/token%3DSECRETX/b":                              "http://h/***/b",
		"http://h/?url=http://u:SECRETX@h/&x=1":                   "http://h/?url=***&x=1",
		"http://h/?url=http%3A%2F%2Fu%3ASECRETX%40h%2F&x=1":       "http://h/?url=***&x=1",
		"http://h/?next=%2Fx%3Ftoken%3DSECRETX":                   "http://h/?next=***",
		"http://h/?next=%252Fx%253Ftoken%253DSECRETX":             "http://h/?next=***",
		"http://h/?next=/x?token=SECRETX&y=2":                     "http://h/?next=***&y=2",
		"http://h/?state={%22password%22:%22SECRETX%22}":          "http://h/?state=***",
		"http://h/?http%3A%2F%2Fu%3ASECRETX%40h":                  "http://h/?***",
		"/x?token=SECRETX&id={{.id}}":                             "/x?token=***&id={{.id}}",
		"http://h/a?url=http://b/c?d=e&at=12:30&mail=me@b":        "http://h/a?url=http://b/c?d=e&at=12:30&mail=me@b",
		"http://h/{{.name}}/v1:run?id={{uuid}}&q=a%20b&n={{seq}}": "http://h/{{.name}}/v1:run?id={{uuid}}&q=a%20b&n={{seq}}",
	} {
		require.Equal(t, want, request.RedactURL(raw))
		require.Equal(t, want, request.RedactURL(want), "twice")
	}
}
