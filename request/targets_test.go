package request

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

var files = FileOptions{Plain: true, Open: func(name string) ([]byte, error) {
	if name == "body.json" {
		return []byte(`{"a":1}`), nil
	}
	return nil, fs.ErrNotExist
}}

func TestReadTargets(t *testing.T) {
	body := base64.StdEncoding.EncodeToString([]byte("hello"))
	for _, tt := range []struct {
		name, text string
		want       []Item
	}{
		{"one line", "GET http://h/a", []Item{{Line: 1, Request: Request{Method: "GET", URL: "http://h/a"}}}},
		{"without an empty line", "GET http://h/a\nGET http://h/b\n", []Item{
			{Line: 1, Request: Request{Method: "GET", URL: "http://h/a"}}, {Line: 2, Request: Request{Method: "GET", URL: "http://h/b"}},
		}},
		{
			"all there is", "# a comment\n# name=check out weight=3\nPOST http://h/c\nContent-Type: application/json\nX: 1\n@body.json\n\n\n# weight=2\nGET http://h/d\r\n",
			[]Item{
				{"check out", 3, 3, Request{"POST", "http://h/c", []Field{{"Content-Type", "application/json"}, {"X", "1"}}, []byte(`{"a":1}`)}},
				{"", 2, 10, Request{Method: "GET", URL: "http://h/d"}},
			},
		},
		{"a header is no target", "GET http://h/a\nReferer: http://h/b\n", []Item{
			{Line: 1, Request: Request{Method: "GET", URL: "http://h/a", Header: []Field{{"Referer", "http://h/b"}}}},
		}},
		{
			"json", `
{"method": "POST", "url": "http://h/a", "header": {"B": ["1", "2"], "A": ["3"]}, "body": "` + body + `"}

{"name": "x", "weight": 2, "method": "GET", "url": "http://h/b", "header": {"A": "one"}}`,
			[]Item{
				{Line: 2, Request: Request{"POST", "http://h/a", []Field{{"B", "1"}, {"B", "2"}, {"A", "3"}}, []byte("hello")}},
				{"x", 2, 4, Request{"GET", "http://h/b", []Field{{"A", "one"}}, nil}},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadTargets(strings.NewReader(tt.text), files)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestDefaultsFillWhatTargetsLeaveOpen(t *testing.T) {
	opt := files
	opt.Header, opt.Body = []Field{{"X", "default"}, {"Y", "default"}}, []byte("default")
	got, err := ReadTargets(strings.NewReader("POST http://h/a\nx: own\n\nPOST http://h/b\n@body.json\n"), opt)
	require.NoError(t, err)
	require.Equal(t, []Field{{"x", "own"}, {"Y", "default"}}, got[0].Header)
	require.Equal(t, "default", string(got[0].Body))
	require.Equal(t, `{"a":1}`, string(got[1].Body))
}

func TestWhatIsNoFileOfTargets(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "\n# nothing\n", "no target in it"},
		{"no method", "http://h/a\n", `line 1: "http://h/a" is no target; write a method and a URL`},
		{"secrets stay one", "http://user:pa55@h/a?token=pa55\n", `line 1: "http://***@h/a?token=***" is no target`},
		{"no URL", "GET h/a\n", "line 1: URL \"h/a\": no scheme"},
		{"no header", "GET http://h/\nnonsense\n", "line 2: header \"nonsense\" has no colon"},
		{"no file", "GET http://h/\n@gone\n", "line 2: body @gone: file does not exist"},
		{"all at once", "GET h\n\nGET i\n", "line 1: URL \"h\": no scheme: write http:// or https:// before it\nline 3:"},
		{"no weight", "# weight=many\nGET http://h/\n", "line 1: weight=many: write a whole number"},
		{"unknown property", `{"method":"GET","url":"http://h/","wieght":2}`, `line 1: unknown field "wieght"`},
		{"wrong type", `{"method":"GET","url":3}`, "line 1: url: a number cannot be that"},
		{"no base64", `{"method":"GET","url":"http://h/","body":"&"}`, "line 1: illegal base64"},
		{"negative", `{"method":"GET","url":"http://h/","weight":-1}`, "line 1: weight -1"},
		{"two on a line", `{"method":"GET","url":"http://h/"}{}`, "write one a line"},
		{"header", `{"method":"GET","url":"http://h/","header":{"A":1}}`, "header A: write a list of strings"},
		{"cut in json", `{"method":"GET","url":"http://h/"` + "\n", "line 1: the object has no end: the file is cut off"},
		{"one name twice", "# name=a\nGET http://h/\n\n# name=a\nGET http://h/b\n", `line 5: the name "a" is taken by the request in line 2, and a report could not tell the two apart; give each its own name, or none`},
		{"one name twice in json", `{"name":"a","method":"GET","url":"http://h/"}` + "\n" + `{"name":"a","method":"GET","url":"http://h/b"}`, `line 2: the name "a" is taken by the request in line 1`},
		{"many", strings.Repeat("nonsense\n", 20), "and 10 more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadTargets(strings.NewReader(tt.text), files)
			require.ErrorContains(t, err, tt.want)
		})
	}
	_, err := ReadTargets(strings.NewReader(""), FileOptions{Format: "xml"})
	require.EqualError(t, err, `"xml" is no format of targets; write http or json`)
}

// Law: what was read can be written, and reads the same.
func FuzzTargets(f *testing.F) {
	f.Add("# name=a weight=3\nPOST http://h/c\nX: 1\n@body.json\n")
	f.Add(`{"name":"x","weight":2,"method":"POST","url":"http://h/a","header":{"B":["1","2"],"A":"3"},"body":"aGVsbG8="}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ReadTargets(strings.NewReader(text), files)
		if err != nil || !utf8.ValidString(text) { // JSON cannot hold other text
			return
		}
		if _, err := NewMix(got, Cycle, nil); err != nil {
			return
		}
		var b bytes.Buffer
		require.NoError(t, WriteTargets(&b, got))
		again, err := ReadTargets(&b, files)
		require.NoError(t, err)
		require.Len(t, again, len(got))
		for i := range got {
			want, err := got[i].Bytes("agent", true)
			require.NoError(t, err)
			have, err := again[i].Bytes("agent", true)
			require.NoError(t, err)
			// Lines of one header come together, which changes nothing: RFC 9110, section 5.3.
			require.Equal(t, len(want), len(have))
		}
	})
}

var errNoFile = errors.New("there is no file here")

func TestReadErrorsAreTold(t *testing.T) {
	_, err := ReadTargets(broken{}, files)
	require.ErrorContains(t, err, errNoFile.Error())
	_, err = ReadRows(broken{})
	require.ErrorIs(t, err, errNoFile)
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errNoFile }
