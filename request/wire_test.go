package request

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func mixOf(t require.TestingT, items ...Item) *Mix {
	m, err := NewMix(items, Cycle, nil)
	require.NoError(t, err)
	return m
}

func numbers(use string) func(uint64) uint64 {
	return func(seq uint64) uint64 { return scramble(seq*31 + uint64(len(use))) }
}

func wireOf(t require.TestingT, o WireOptions, items ...Item) *Wire {
	w, err := NewWire(mixOf(t, items...), o)
	require.NoError(t, err)
	return w
}

func rowsOf(t require.TestingT, text string) *Rows {
	rows, err := ReadRows(strings.NewReader(text))
	require.NoError(t, err)
	return rows
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// every operation is a feed's.
func every(k uint64) uint64 { return k }

func TestAConstantRequestIsSerialisedOnce(t *testing.T) {
	w := wireOf(t, WireOptions{KeepAlive: true}, Item{Request: Request{URL: "http://h/", Body: []byte("x")}})
	f := w.Feed(every)
	defer f.Close()
	want, err := Request{URL: "http://h/", Body: []byte("x")}.Bytes("", true)
	require.NoError(t, err)
	require.Equal(t, string(want), string(f.Message(7, 2).Bytes))
	require.Zero(t, testing.AllocsPerRun(100, func() { f.Done(f.Message(8, 1)) }))
}

func TestHeadersThatVary(t *testing.T) {
	w := wireOf(t, WireOptions{KeepAlive: true, Numbered: true, KeyHeader: "Idempotency-Key", Keys: numbers},
		Item{Request: Request{Method: "HEAD", URL: "http://h/a"}}, Item{Request: Request{URL: "https://i:1/b", Body: []byte("x")}})
	require.Equal(t, []Target{{false, "h", 80}, {true, "i", 1}}, w.Targets())
	f := w.Feed(every)
	defer f.Close()
	get := func(seq uint64, attempt int) (m Message, lines []string) {
		m = f.Message(seq, attempt)
		lines = strings.Split(string(m.Bytes), "\r\n")
		f.Done(m)
		return m, lines
	}
	m, first := get(4, 1)
	require.True(t, m.Head)
	require.Equal(t, 0, m.Target)
	key := strings.TrimPrefix(first[4], "Idempotency-Key: ")
	require.Regexp(t, uuid, key)
	require.Equal(t, []string{"HEAD /a HTTP/1.1", "Host: h", "Openload-Operation: 4", "Openload-Attempt: 1", "Idempotency-Key: " + key, "", ""}, first)
	_, second := get(4, 2)
	require.Equal(t, "Openload-Attempt: 2", second[3])
	require.Equal(t, first[4], second[4], "the key is the operation's")
	m, other := get(5, 1)
	require.False(t, m.Head)
	require.Equal(t, 1, m.Target)
	require.NotContains(t, other, first[4])
	require.Equal(t, "x", other[len(other)-1])
	require.Zero(t, testing.AllocsPerRun(100, func() { f.Done(f.Message(8, 1)) }), "buffers are used again")
}

// Law: with templates as without, an attempt's bytes depend on nothing but its numbers,
// in whatever order a feed is asked.
func TestAFeedHandsOutWhatTheWireMakes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := wireOf(t, WireOptions{
			KeepAlive: true, Numbered: rapid.Bool().Draw(t, "numbered"),
			Template: &TemplateOptions{Rows: rowsOf(t, "n\n1\n2\n3\n"), Numbers: numbers},
		}, Item{Request: Request{URL: "http://h/{{.n}}/{{seq}}", Header: []Field{{"Id", "{{uuid}}"}}, Body: []byte("{{.n}}")}},
			Item{Request: Request{URL: "http://h/constant"}})
		step := rapid.Uint64Range(1, 3).Draw(t, "step")
		f := w.Feed(func(k uint64) uint64 { return 1 + k*step })
		defer f.Close()
		at := uint64(1)
		for range 40 {
			at += step * rapid.Uint64Range(0, 5).Draw(t, "ahead")
			seq := at - step*rapid.Uint64Range(0, (at-1)/step).Draw(t, "back")
			attempt := rapid.IntRange(1, 2).Draw(t, "attempt")
			want, got := w.Message(nil, seq, attempt), f.Message(seq, attempt)
			require.Equal(t, string(want.Bytes), string(got.Bytes))
			require.Equal(t, want.Target, got.Target)
			f.Done(got)
		}
	})
	goleak.VerifyNone(t)
}

func TestTemplates(t *testing.T) {
	env := func(name string) (string, bool) { return "v:" + name, name == "HOME" }
	opt := &TemplateOptions{Rows: rowsOf(t, "name,who\nann,A B\nbob,C\n"), Numbers: numbers, Env: env}
	w := wireOf(t, WireOptions{KeepAlive: true, Template: opt}, Item{Request: Request{
		URL: "http://h/{{.name}}?q={{urlquery .who}}&n={{seq}}", Header: []Field{{"X", `{{env "HOME"}}`}, {"Y", "plain"}}, Body: []byte(`{"id":"{{uuid}}","again":"{{uuid}}"}`),
	}})
	text := string(w.Message(nil, 2, 1).Bytes)
	require.Contains(t, text, "POST /ann?q=A+B&n=2 HTTP/1.1\r\nHost: h\r\nX: v:HOME\r\nY: plain\r\n")
	body := text[strings.Index(text, "\r\n\r\n")+4:]
	require.Equal(t, body[7:43], body[54:90], "the UUID is the operation's")
	require.Regexp(t, uuid, body[7:43])
	require.Equal(t, text, string(w.Message(nil, 2, 2).Bytes), "and the same on every attempt")
	require.NotEqual(t, text, string(w.Message(nil, 4, 1).Bytes))
}

func TestWhatCannotBeFilledIn(t *testing.T) {
	for _, tt := range []struct {
		name string
		req  Request
		rows string
		want string
	}{
		{"no such column", Request{URL: "http://h/{{.nmae}}"}, "name\nann\n", `URL: the data have no "nmae"`},
		{"no data", Request{URL: "http://h/", Body: []byte("{{.name}}")}, "", `body: there are no data for "name"; give --data FILE`},
		{"no function", Request{URL: "http://h/", Header: []Field{{"X", "{{name}}"}}}, "name\nann\n", `header X: there is no function "name"; a column of the data is written {{.name}}`},
		{"the environment", Request{URL: `http://h/{{env "HOME"}}`}, "", "only with --template-env"},
		{"no template", Request{URL: "http://h/{{"}, "", "URL: "},
		{"a space in a later row", Request{URL: "http://h/{{.name}}"}, "name\nann\npa55 word\n", "row 2: URL: what is filled in makes none; {{urlquery .name}}"},
		{"a line in a header", Request{URL: "http://h/", Header: []Field{{"X", "{{.name}}"}}}, "name\n\"pa55\nword\"\n", "header X: what is filled in has a control character"},
		{"another host", Request{URL: "http://{{.name}}/"}, "name\na\nb\n", "row 2: its host is another one than before"},
		{"a missing key of a later row", Request{URL: "http://h/{{.name}}"}, "{\"name\":\"a\"}\n{}\n", `row 2: URL: the data have no "name"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opt := &TemplateOptions{Numbers: numbers}
			if tt.rows != "" {
				opt.Rows = rowsOf(t, tt.rows)
			}
			_, err := NewWire(mixOf(t, Item{Request: tt.req}), WireOptions{Template: opt})
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), "pa55")
		})
	}
}

func TestAskedAboutAnOperation(t *testing.T) {
	w := wireOf(t, WireOptions{KeepAlive: true, Agent: "me", KeyHeader: "Idempotency-Key", Keys: numbers, Query: "/payments/{key}?now"},
		Item{Request: Request{URL: "http://u:p@h/pay", Header: []Field{{"Content-Type", "text/plain"}, {"Cookie", "a=b"}}, Body: []byte("x")}})
	_, key, _ := strings.Cut(string(w.Message(nil, 3, 1).Bytes), "Idempotency-Key: ")
	key, _, _ = strings.Cut(key, "\r\n")
	require.Equal(t, "GET /payments/"+key+"?now HTTP/1.1\r\nHost: h\r\nUser-Agent: me\r\nAuthorization: Basic dTpw\r\nCookie: a=b\r\nIdempotency-Key: "+key+"\r\n\r\n",
		string(w.Query(nil, 3, 2).Bytes))
}

func TestWhatIsNoWire(t *testing.T) {
	items := []Item{{Request: Request{URL: "http://h/", Header: []Field{{"X-Key", "1"}}}}, {Request: Request{URL: "nonsense"}}}
	for _, tt := range []struct {
		name string
		opt  WireOptions
		want []string
	}{
		{"a header twice", WireOptions{KeyHeader: "x-key", Keys: numbers}, []string{"target 1 (GET h/): header x-key is its own already", "target 2 (GET nonsense): URL \"nonsense\": no scheme"}},
		{"no header's name", WireOptions{KeyHeader: "a b", Keys: numbers}, []string{`idempotency key: "a b" is no name`}},
		{"no path", WireOptions{Query: "http://h/"}, []string{"status resource"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewWire(mixOf(t, items...), tt.opt)
			for _, want := range tt.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

func BenchmarkMessage(b *testing.B) {
	rows := rowsOf(b, "name\nann\nbob\n")
	for _, tt := range []struct {
		name string
		opt  WireOptions
		url  string
	}{
		{"constant", WireOptions{}, "http://h/"},
		{"numbered", WireOptions{Numbered: true, KeyHeader: "Idempotency-Key", Keys: numbers}, "http://h/"},
		{"template", WireOptions{Template: &TemplateOptions{Rows: rows, Numbers: numbers}}, "http://h/{{.name}}/{{seq}}"},
	} {
		b.Run(tt.name, func(b *testing.B) {
			w := wireOf(b, tt.opt, Item{Request: Request{URL: tt.url}})
			var buf []byte
			b.ReportAllocs()
			for seq := uint64(0); b.Loop(); seq++ {
				if m := w.Message(buf[:0], seq, 1); m.own {
					buf = m.Bytes
				}
			}
		})
	}
}

// A template may be anything: it is refused with a reason, or its messages are those of
// the same number, made again.
func FuzzTemplate(f *testing.F) {
	f.Add("http://h/{{.a}}?{{seq}}", "{{uuid}}", "{{if .a}}x{{end}}")
	f.Add("http://h/{{range $i, $x := .}}{{$i}}{{end}}", "{{printf \"%d\" seq}}", "{{urlquery .b}}")
	rows := rowsOf(f, "a,b\n1,2 3\n\"x\ny\",\n")
	f.Fuzz(func(t *testing.T, url, header, body string) {
		if len(url)+len(header)+len(body) > 1000 || strings.Contains(url+header+body, "range") || strings.Contains(url+header+body, "template") || strings.Contains(url+header+body, "printf") {
			return // what it takes is up to its author
		}
		m, err := NewMix([]Item{{Request: Request{URL: url, Header: []Field{{"X", header}}, Body: []byte(body)}}}, Cycle, nil)
		require.NoError(t, err)
		w, err := NewWire(m, WireOptions{Template: &TemplateOptions{Rows: rows, Numbers: numbers}})
		if err != nil {
			return
		}
		require.Equal(t, fmt.Sprint(w.Message(nil, 5, 1)), fmt.Sprint(w.Message(nil, 5, 1)))
	})
}
