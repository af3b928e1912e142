package plan

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// some are keys of every form.
func some() []Key {
	keys := Keys([]Key{
		KeyOf("url", Text), KeyOf("rate", Text), KeyOf("n", Integer), KeyOf("confidence", Number), KeyOf("closed", Switch),
		KeyOf("connect-timeout", Time), KeyOf("sla", List), KeyOf("header", List), KeyOf("out", List), KeyOf("retry", Text),
	})
	for i := range keys {
		if keys[i].Name == "rate" {
			keys[i].Form = Text
		}
	}
	return append(keys, Key{Name: "engine", Flag: "engine", Enum: []string{"auto", "sim"}}, Key{Name: "experiment", Form: Sections})
}

func words(f *File, flag string) (all []string) {
	for _, w := range f.Words(flag) {
		all = append(all, w.Text)
	}
	return all
}

func TestRead(t *testing.T) {
	const text = `
description: what for
rate: 12.5
n: 200
closed: false
connect_timeout: 2s
sla:
  - p99<500ms
  - errors<1%
headers:
  X-A: 1
  X-B: [b, c]
outputs: text
retry: {attempts: 3, jitter: full, aligned: true, odd: false}
engine: &name sim
confidence: 95
url: *name
experiment: {runs: 3}
`
	f, err := Read("p.yaml", []byte(text), some())
	require.NoError(t, err)
	for flag, want := range map[string][]string{
		"description": {"what for"}, "rate": {"12.5"}, "n": {"200"}, "closed": {"false"}, "connect-timeout": {"2s"},
		"sla": {"p99<500ms", "errors<1%"}, "header": {"X-A: 1", "X-B: b", "X-B: c"}, "out": {"text"},
		"retry": {"attempts=3 jitter=full aligned"}, "engine": {"sim"}, "confidence": {"95"}, "url": {"sim"}, "missing": nil,
	} {
		require.Equal(t, want, words(f, flag), flag)
	}
	require.Equal(t, Place{9, 5}, f.Words("sla")[1].At)
	_, ok := f.Section("experiment")
	require.True(t, ok)
}

func TestHeadersInEveryForm(t *testing.T) {
	for _, text := range []string{"headers: {A: b}", "headers: ['A: b']", "headers:\n  - A: b", "headers: 'A: b'"} {
		f, err := Read("p.yaml", []byte(text), some())
		require.NoError(t, err, text)
		require.Equal(t, []string{"A: b"}, words(f, "header"), text)
	}
}

// Everything that is wrong is said, each with its line and what stands there.
func TestWhatIsWrong(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a typing error", "rate: 5\nraet: 5", "p.yaml:2: unknown key \"raet\", did you mean rate?\n     1 | rate: 5\n     2 | raet: 5\n       | ^"},
		{"the flag's name", "connect-timeout: 5s", "p.yaml:1: unknown key \"connect-timeout\"; in a plan it is connect_timeout"},
		{"the flag's name in singular", "header: x", "in a plan it is headers"},
		{"too short to guess from", "a: x", "p.yaml:1: unknown key \"a\"; 'openload schema' lists the keys"},
		{"twice", "n: 1\nrate: 5\nn: 2", "p.yaml:3: n is given twice, first on line 1"},
		{"a list for one value", "rate: [1, 2]", "p.yaml:1: rate: a list, where one value belongs"},
		{"a mapping for one value", "rate: {a: b}", "rate: a mapping, where one value belongs"},
		{"no value", "rate:\nn: 1", "rate: has no value"},
		{"octal", "n: 010", "n: 010 begins with a zero, which readers of YAML take for an octal number; write 10"},
		{"a fraction", "n: 1.5", `n: "1.5" is not a whole number`},
		{"a negative number", "n: -1", `n: "-1" is not a whole number`},
		{"a word for a number", "confidence: high", `confidence: "high" is not a number`},
		{"a word for a switch", "closed: yes", `closed: "yes" is neither true nor false`},
		{"a time without unit", "connect_timeout: 20", `connect_timeout: "20" has no unit; write 20s`},
		{"a negative time", "connect_timeout: -2s", "is not a duration"},
		{"not one of few", "engine: loop", `engine: "loop" is not one of auto, sim`},
		{"a list in a list", "sla: [[a]]", "sla 1: a list, where one value belongs"},
		{"a blank in a pair", "retry: {base: 1 s}", `retry base: "1 s" has a blank`},
		{"a tab", "sla:\n\t- x", "here is a tab"},
		{"two colons", "url: http: //x", "p.yaml:1: this is no YAML: a second colon"},
		{"an open bracket", "sla: [a\nrate: 5", "p.yaml:1: this is no YAML"},
		{"two documents", "rate: 5\n---\nrate: 6", "several documents"},
		{"no mapping", "- a", "p.yaml:1: a list, where names and values belong"},
		{"nothing", "", "the file is empty"},
		{"only a comment", "# a", "the file is empty"},
		{"too much", strings.Repeat("#", MaxFile+1), "too many"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read("p.yaml", []byte(tt.text), some())
			require.ErrorContains(t, err, tt.want)
		})
	}
	_, err := Read("p.yaml", []byte("a: 1\nn: x\nrate: 5\nrate: 6\nclosed: no"), some())
	for _, want := range []string{"p.yaml:1:", "p.yaml:2:", "p.yaml:4:", "p.yaml:5:"} {
		require.ErrorContains(t, err, want)
	}
}

func TestAnExcerptHidesSecrets(t *testing.T) {
	_, err := Read("p.yaml", []byte("headers: {Authorization: Bearer hush}\nx: 1\nurl: http://u:hush@h/?token=hush"), some())
	require.ErrorContains(t, err, "x")
	require.NotContains(t, err.Error(), "hush")
	_, err = Read("p.yaml", []byte(`{"x": 1, "headers": {"api-key": "hush"}}`), some())
	require.NotContains(t, err.Error(), "hush")
}

func TestAnExcerptOfALongLine(t *testing.T) {
	_, err := Read("p.yaml", []byte("{n: 5,"+strings.Repeat(" ", 500)+"raet: 3, rate: 4"+strings.Repeat(" ", 300)+"}"), some())
	for line := range strings.SplitSeq(err.Error(), "\n") {
		require.LessOrEqual(t, len([]rune(line)), 90, line)
	}
	lines := strings.Split(err.Error(), "\n")
	caret := strings.IndexByte(lines[2], '^')
	require.Equal(t, "raet", string([]rune(lines[1])[caret:caret+4]))
}

// A variant says some keys anew and leaves the plan that it varies as it was.
func TestWith(t *testing.T) {
	f, err := Read("p.yaml", []byte("rate: 5\nn: 3\nexperiment: {rate: 6, sla: [a]}"), some())
	require.NoError(t, err)
	v, _ := f.Section("experiment")
	_, c, err := f.With(v)
	require.NoError(t, err)
	require.Equal(t, []string{"6"}, words(c, "rate"))
	require.Equal(t, []string{"3"}, words(c, "n"))
	require.Equal(t, []string{"a"}, words(c, "sla"))
	require.Equal(t, []string{"5"}, words(f, "rate"))
	require.Nil(t, words(f, "sla"))
}

// JSON is YAML, and means the same.
func TestJSONIsAPlanToo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-z<%'"\\: #é-]{1,20}`)
		plain := map[string]any{"rate": text.Draw(t, "rate"), "n": rapid.Uint32().Draw(t, "n"), "sla": rapid.SliceOfN(text, 1, 4).Draw(t, "sla")}
		b, err := json.MarshalIndent(plain, "", "\t")
		require.NoError(t, err)
		f, err := Read("p.json", b, some())
		require.NoError(t, err, string(b))
		require.Equal(t, []string{plain["rate"].(string)}, words(f, "rate"))
		require.Equal(t, []string{fmt.Sprint(plain["n"])}, words(f, "n"))
		require.Equal(t, plain["sla"], words(f, "sla"))
	})
}

// Whatever the file, it is read or refused, and a problem's place is in the file.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"rate: 5", "a: &a [*a]", "{\"n\":\t1}", "sla: [\nx", "\ufeffn: 1\r\nn: 2", "retry: {a: [1, 2]}", "é: \"\\ud800\"", "<<: {a: 1}", "? [a]\n: b", "headers: {a: *b}"} {
		f.Add(seed)
	}
	keys := some()
	f.Fuzz(func(t *testing.T, text string) {
		_, err := Read("p.yaml", []byte(text), keys)
		if err != nil && strings.TrimSpace(err.Error()) == "" {
			t.Fatal("an error without a word")
		}
		var problems []error
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			problems = joined.Unwrap()
		}
		for _, p := range problems {
			if p, ok := p.(*Problem); ok && p.Place.Line > strings.Count(text, "\n")+strings.Count(text, "\r")+1 {
				t.Fatalf("%v lies beyond the file %q", p.Place, text)
			}
		}
	})
}
