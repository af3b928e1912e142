package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const secretWord = "SECRETX"

// guarded are keys whose values hold a secret, in JSON, which is YAML too.
var guarded = [][2]string{
	{"user", `"me:SECRETX"`},
	{"url", `"http://me:SECRETX@127.0.0.1:1/;token=SECRETX?token=SECRETX&next=%2Fx%3Ftoken%3DSECRETX#token=SECRETX"`},
	{"headers", `{"Authorization":"Bearer SECRETX","X-Plain":"SECRETX","Cookie":["SECRETX"]}`},
	{"body", `"{\"password\":\"SECRETX\",\"rate\":\"SECRETX\"} token=SECRETX"`},
	{"data_urlencode", `["password=SECRETX","SECRETX"]`},
	{"form", `["password=SECRETX"]`},
	{"retry", `{"attempts":2,"unknown":"query:/x?token=SECRETX"}`},
	{"proxy", `"http://me:SECRETX@127.0.0.1:3128"`},
	{"description", `"it is SECRETX"`},
	{"requests", `[{"name":"a","url":"http://me:SECRETX@127.0.0.1:1/?token=SECRETX","headers":{"Cookie":"SECRETX"},"body":"SECRETX"}]`},
}

// mutants are ways to get a line wrong.
var mutants = []func(key, value string) (string, string){
	func(k, v string) (string, string) { return "x" + k, v },
	func(k, v string) (string, string) { return k[1:] + k[:1], v },
	func(k, v string) (string, string) { return "undreamt_of", v },
	func(k, v string) (string, string) { return k, "[[" + v + "]]" },
	func(k, v string) (string, string) { return k, `{"a":` + v + `}` },
	func(k, v string) (string, string) { return k, `{"b":{"rate":` + v + `}}` },
	func(k, v string) (string, string) { return k, "[" + v },
	func(k, v string) (string, string) { return k, v + "]" },
	func(k, v string) (string, string) { return k, v + ": 5" },
	func(k, v string) (string, string) { return k, "5s" },
	func(k, v string) (string, string) { return k, "*" + strings.Trim(v, `"`) },
}

// hushed runs what reads a plan, one way a turn, and finds no secret in what it says.
func hushed(t *testing.T, turn int, text string) (said string) {
	args := [][]string{{"lint", "-"}, {"run", "-f", "-", "--explain"}, {"run", "-f", "-", "--wrong"}}[turn%3]
	var out bytes.Buffer
	execute(args, streams{strings.NewReader(text), &out, &out})
	require.NotContains(t, out.String(), secretWord, "%v\n%s", args, text)
	return out.String()
}

// Whatever line of a plan is wrong, nothing that is said of it holds what the others keep.
func TestAWrongPlanTellsNoSecret(t *testing.T) {
	plain := [][2]string{{"rate", "abc"}, {"n", `"2x"`}, {"timeout", "5"}, {"raet", "5"}}
	for i, secret := range guarded {
		for j, change := range mutants {
			key, value := change(secret[0], secret[1])
			lines := [][2]string{guarded[(i+1)%len(guarded)], plain[(i+j)%len(plain)], {key, value}}
			if j%2 == 1 {
				slices.Reverse(lines)
			}
			var yaml, flow []string
			for _, l := range lines {
				yaml, flow = append(yaml, l[0]+": "+l[1]), append(flow, `"`+l[0]+`":`+l[1])
			}
			require.Contains(t, hushed(t, i, strings.Join(yaml, "\n")+"\n"), "openload: ")
			require.Contains(t, hushed(t, i+1, "{"+strings.Join(flow, ",")+"}"), "openload: ")
		}
	}
}

// A value may be written over several lines, and the line of a secret may look like one
// that is harmless.
func TestAWrongPlanTellsNoSecretOfSeveralLines(t *testing.T) {
	for _, key := range []string{"body", "user", "boby", "description", "headers:\n  Authorization", "headers:\n  Cookie", "data_urlencode"} {
		indent := "    "
		for i, block := range []string{" >\nrate: SECRETX\nBearer SECRETX", " |-\nSECRETX\nn: SECRETX", "\nBearer SECRETX", " 'a\nrate: SECRETX'", " \"a\nSECRETX\"", " a\nSECRETX"} {
			text := key + ":" + strings.ReplaceAll(block, "\n", "\n"+indent) + "\n"
			for _, whole := range []string{text + "rate: abc\n", "n: 2x\n" + text, text + "\tn: 1\n", "# SECRETX\nrate: [\n" + text} {
				hushed(t, i, whole)
			}
		}
	}
}

// What is harmless is there to be seen.
func TestAnExcerptShowsWhatIsWrong(t *testing.T) {
	b, err := json.Marshal(map[string]any{"rate": "abc", "user": "me:" + secretWord})
	require.NoError(t, err)
	require.Contains(t, hushed(t, 0, string(b)), `{"rate":"abc","user":"***"}`)
	said := hushed(t, 0, "user: me:SECRETX\nrate: abc\nsla: [p99<1s, errors<1%]\n")
	require.Contains(t, said, "     1 | user: ***\n     2 | rate: abc\n       |       ^\n     3 | sla: [p99<1s, errors<1%]\n")
}
