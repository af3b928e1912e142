package request

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestImportCurl(t *testing.T) {
	accept := Field{"Accept", "*/*"}
	for _, tt := range []struct {
		name, command string
		want          Request
	}{
		{"plain", "curl h.example/a", Request{"GET", "http://h.example/a", []Field{accept}, nil}},
		{"what a browser copies", `curl 'https://h/api?x=1' \
  -H 'accept: application/json' \
  -H 'cookie: a=b' \
  --data-raw $'{"it\'s":"\u00e9\n"}' \
  --compressed ;`, Request{"POST", "https://h/api?x=1", []Field{
			{"Accept-Encoding", "deflate, gzip, br, zstd"}, {"accept", "application/json"}, {"cookie", "a=b"}, {"Content-Type", "application/x-www-form-urlencoded"},
		}, []byte("{\"it's\":\"é\n\"}")}},
		{"curl's order", `curl -X PUT -d a=1 -d b=2 -H 'X: 1' -b 'c=d' -u me:pa55 -A agent -e http://r/ "http://h/"`, Request{"PUT", "http://h/", []Field{
			{"Authorization", "Basic bWU6cGE1NQ=="}, {"User-Agent", "agent"}, accept, {"Referer", "http://r/"}, {"Cookie", "c=d"}, {"X", "1"}, {"Content-Type", "application/x-www-form-urlencoded"},
		}, []byte("a=1&b=2")}},
		{"short options together", `curl -sSXDELETE -H'A:b' http://h/`, Request{"DELETE", "http://h/", []Field{accept, {"A", "b"}}, nil}},
		{"a header taken out, one left empty", `curl -H Accept: -H 'X;' http://h/`, Request{"GET", "http://h/", []Field{{"X", ""}}, nil}},
		{"query", `curl -G http://h/?a -d 'b c' --data-urlencode 'd=e f'`, Request{"GET", "http://h/?a&b c&d=e+f", nil, nil}},
		{"json", `curl --json '{}' http://h/`, Request{"POST", "http://h/", []Field{{"Content-Type", "application/json"}, {"Accept", "application/json"}}, []byte("{}")}},
		{"a form", `curl -F a=1 http://h/`, Request{"POST", "http://h/", []Field{accept, {"Content-Type", "multipart/form-data; boundary=XYZ"}},
			[]byte("--XYZ\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--XYZ--\r\n")}},
		{"a file", `curl -d @dir/a.txt http://h/`, Request{"POST", "http://h/", []Field{accept, {"Content-Type", "application/x-www-form-urlencoded"}}, []byte("line 1line 2")}},
		{"bytes of a file", `curl --data-binary @dir/a.txt http://h/`, Request{"POST", "http://h/", []Field{accept, {"Content-Type", "application/x-www-form-urlencoded"}}, []byte("line 1\r\nline 2\n")}},
		{"head", `curl -I http://h/`, Request{"HEAD", "http://h/", []Field{accept}, nil}},
		{"dots in the path", `curl http://h/a/./b/../c/..?x=/../y`, Request{"GET", "http://h/a/?x=/../y", []Field{accept}, nil}},
		{"dots that stay", `curl --path-as-is http://h/a/../b`, Request{"GET", "http://h/a/../b", []Field{accept}, nil}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			items, _, err := ImportCurl(tt.command, "XYZ", openFake)
			if tt.name == "query" {
				require.ErrorContains(t, err, "a space in the path", "curl sends it, and HTTP does not allow it")
				return
			}
			require.NoError(t, err)
			require.Len(t, items, 1)
			if tt.want.Body == nil {
				require.Empty(t, items[0].Body)
				items[0].Body = nil
			}
			require.Equal(t, tt.want, items[0].Request)
		})
	}
}

func TestSeveralCurls(t *testing.T) {
	items, notes, err := ImportCurl("curl http://h/a -k;\ncurl http://h/b http://h/c -k --max-time 3 &", "XYZ", openFake)
	require.NoError(t, err)
	require.Len(t, items, 3)
	require.Equal(t, "http://h/c", items[2].URL)
	require.Equal(t, []string{"-k: add --insecure to the run", "--max-time: add --timeout 3s to the run"}, notes)
}

func TestWhatIsNoCurl(t *testing.T) {
	for _, tt := range []struct{ name, command, want string }{
		{"an unknown option", "curl --proxy http://p/ http://h/", "curl's --proxy cannot be imported"},
		{"a typing error", "curl --dta-raw x http://h/", "did you mean --data-raw?"},
		{"an unknown short one", "curl -sT f http://h/", "curl's -T cannot be imported"},
		{"all of them", "curl --proxy p --cert c http://h/", "--proxy cannot be imported\ncurl's --cert cannot"},
		{"no value", "curl http://h/ -H", "curl's -H has no value"},
		{"no URL", "curl -H a:b", "no URL in the command"},
		{"another command", "wget http://h/", "the command is wget and not curl"},
		{"a variable", `curl -H "A: $TOKEN" http://h/`, "a variable of the shell"},
		{"a command", "curl -d \"$(cat x)\" http://h/", "the output of another command"},
		{"a pipe", "curl http://h/ | jq .", "more than one call of curl"},
		{"a redirection", "curl http://h/ > x", "a redirection"},
		{"an assignment", "A=b curl http://h/", "more than one call"},
		{"an open quote", "curl 'http://h/", "no command of bash"},
		{"nothing", "", "no curl command"},
		{"a series", "curl 'http://h/[1-3]'", "with -g they are themselves"},
		{"cookies from a file", "curl -b jar http://h/", "cookies from a file"},
		{"a file that is not there", "curl -d @gone http://h/", "curl's -d: file does not exist"},
		{"two bodies", "curl -d a -F b=c http://h/", "either --data or --form"},
		{"a bad header", "curl -H 'A B: c' http://h/", "header name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := ImportCurl(tt.command, "XYZ", openFake)
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), "pa55")
		})
	}
}

// Whatever is typed, it is refused, or gives requests that can be sent.
func FuzzCurl(f *testing.F) {
	f.Add("curl 'http://h/a' -H 'A: b' --data-raw $'x\\n' --compressed")
	f.Add("curl -sSXPUT -F a=@dir/a.txt 'http://h/[1]' -g;curl -G -d a h:80")
	f.Fuzz(func(t *testing.T, command string) {
		if strings.Contains(command, "..") && strings.Contains(command, "{") {
			return // {1..9999999} is a long way to count
		}
		items, _, err := ImportCurl(command, "XYZ", openFake)
		if err != nil {
			return
		}
		require.NotEmpty(t, items)
		for _, it := range items {
			_, err := it.Bytes("agent", true)
			require.NoError(t, err)
		}
	})
}

func TestImportHAR(t *testing.T) {
	const archive = `{"log":{"entries":[
		{"request":{"method":"GET","url":"https://h/a?x=1","headers":[{"name":":authority","value":"h"},{"name":"Host","value":"h"},{"name":"accept","value":"*/*"},{"name":"Content-Length","value":"0"}]}},
		{"request":{"method":"POST","url":"https://h/b","headers":[{"name":"Content-Type","value":"text/plain"},{"name":"content-length","value":"2"}],"postData":{"mimeType":"text/plain","text":"hi"}}},
		{"request":{"method":"POST","url":"http://h/c","headers":[],"postData":{"mimeType":"application/octet-stream","encoding":"base64","text":"AAE="}}},
		{"request":{"method":"POST","url":"http://h/d","headers":[],"postData":{"mimeType":"application/x-www-form-urlencoded","params":[{"name":"a","value":"b c"},{"name":"d","value":"e"}]}}},
		{"request":{"method":"GET","url":"data:text/plain,x","headers":[]}},
		{"request":{"method":"GET","url":"wss://h/socket","headers":[]}},
		{"request":{"method":"POST","url":"http://h/e","headers":[{"name":"Content-Length","value":"10"}]}},
		{"request":{"method":"POST","url":"http://h/f","headers":[],"postData":{"mimeType":"multipart/form-data","params":[{"name":"f","fileName":"x"}]}}},
		{"request":{"method":"GE T","url":"http://h/g","headers":[]}}
	]}}`
	items, started, notes, err := ImportHAR(strings.NewReader(archive))
	require.NoError(t, err)
	require.Equal(t, []Item{
		{Request: Request{"GET", "https://h/a?x=1", []Field{{"accept", "*/*"}}, nil}},
		{Request: Request{"POST", "https://h/b", []Field{{"Content-Type", "text/plain"}}, []byte("hi")}},
		{Request: Request{"POST", "http://h/c", nil, []byte{0, 1}}},
		{Request: Request{"POST", "http://h/d", nil, []byte("a=b+c&d=e")}},
	}, items)
	require.Equal(t, make([]time.Time, 4), started)
	require.Equal(t, []string{
		"1 left out that HTTP does not allow", "1 left out with the scheme data", "1 left out with the scheme wss", "2 left out whose body the archive does not hold",
	}, notes)
	for _, text := range []string{"", "[]", "{}", `{"log":{"entries":[]}}`, `{"log":{"entries":[{"request":{"url":3}}]}}`} {
		_, _, _, err := ImportHAR(strings.NewReader(text))
		require.Error(t, err, text)
	}
}

// An archive's times are those at which requests began, in whatever order and zone it
// names them.
func TestImportHARInTurn(t *testing.T) {
	entry := func(path, started string) string {
		return `{"startedDateTime":` + started + `,"request":{"method":"GET","url":"http://h` + path + `","headers":[]}}`
	}
	items, started, _, err := ImportHAR(strings.NewReader(`{"log":{"entries":[` + strings.Join([]string{
		entry("/late", `"2026-11-30T10:00:01.500+01:00"`),
		entry("/first", `"2026-11-30T09:00:00.250Z"`),
		entry("/unknown", `"yesterday"`),
		entry("/same", `"2026-11-30T09:00:00.25+0000"`),
		entry("/number", `12`),
		entry("/data", `null`),
	}, ",") + `]}}`))
	require.NoError(t, err)
	require.Len(t, items, 6)
	ordered, at := InTurn(items, started)
	require.Equal(t, []time.Duration{0, 0, 1250 * time.Millisecond}, at)
	var urls []string
	for _, it := range ordered {
		urls = append(urls, it.URL)
	}
	require.Equal(t, []string{"http://h/first", "http://h/same", "http://h/late"}, urls)
	ordered, at = InTurn(items[2:3], started[2:3])
	require.Empty(t, ordered)
	require.Empty(t, at)
}

func FuzzHAR(f *testing.F) {
	f.Add(`{"log":{"entries":[{"request":{"method":"POST","url":"https://h/b","headers":[{"name":"A","value":"b"}],"postData":{"mimeType":"text/plain","text":"hi"}}}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		items, started, _, err := ImportHAR(strings.NewReader(text))
		if err != nil {
			return
		}
		require.Len(t, started, len(items))
		if _, at := InTurn(items, started); len(at) > 0 {
			require.Zero(t, at[0])
			require.True(t, slices.IsSorted(at))
		}
		for _, it := range items {
			_, err := it.Bytes("", true)
			require.NoError(t, err)
		}
	})
}

// Words of a command may be secrets, so an error names none but options and the command.
func TestWhatCurlCannotImportStaysSecret(t *testing.T) {
	for text, want := range map[string]string{
		"curl ^\"http://h/?token=SECRETX^\" ^\n  -H ^\"Authorization: Bearer SECRETX^\"":   "Copy as cURL (bash)",
		"curl ^\"http://me:SECRETX@h/^\" -H ^\"Authorization: Bearer SECRETX^\"":           "Copy as cURL (bash)",
		"curl -X POST ^\r\n -H ^\"Authorization: SECRETX^\"":                               "Copy as cURL (bash)",
		"sudo curl -H 'Authorization: Bearer SECRETX' http://h/":                           "the command is sudo and not curl; begin with curl",
		"curl http://h/\n-H 'Authorization: Bearer SECRETX'":                               "does not begin with curl",
		"curl http://h/\n'Authorization: SECRETX'":                                         "does not begin with curl",
		"curl --header='Authorization: Bearer SECRETX' http://h/":                          "curl's --header= cannot be imported",
		"curl '--hdr Authorization: Bearer SECRETX' http://h/":                             "curl's --hdr cannot be imported",
		"curl -H 'X-Api-Key=SECRETX' http://h/":                                            `header "X-Api-Key" has no colon`,
		"curl -H 'Bearer SECRETX: x' http://h/":                                            "header name",
		"curl http://h/ -H 'Authorization: SECRETX":                                        "this is no command of bash",
		"curl http://h/ SECRETX(a b)":                                                      "this is no command of bash",
		"curl 'http://me:SECRETX@h:x/;token=SECRETX?u=http://me:SECRETX@h/#token=SECRETX'": "its port is no number",
	} {
		_, _, err := ImportCurl(text, "b", nil)
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "SECRETX")
	}
}
