package sink_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/report"
	"openload/sink"
)

// as writes r as a kind.
func as(t require.TestingT, kind string, r *report.Report) string {
	o, err := sink.Parse(kind)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, o.Write(&b, r, sink.TextOptions{}))
	return b.String()
}

// The schema that Jenkins holds JUnit files against: an element's attributes, with a ! for
// those that it must have, and the elements in it.
// Source: jenkinsci/xunit-plugin, junit-10.xsd.
var junitSchema = map[string]struct{ attributes, children string }{
	"testsuites": {"name time tests failures errors disabled", "testsuite"},
	"testsuite":  {"name! tests! failures errors time disabled skipped timestamp hostname id package file log url version group", "testsuite properties testcase system-out system-err"},
	"properties": {"", "property"},
	"property":   {"name! value", ""},
	"testcase":   {"name! assertions time classname status class file line log group url", "skipped error failure system-out system-err"},
	"skipped":    {"message type", ""},
	"error":      {"message type", ""},
	"failure":    {"message type", ""},
	"system-out": {"", ""},
}

// keepsJUnit holds a document against the schema, and counts its elements.
func keepsJUnit(t require.TestingT, document string) map[string]int {
	found := map[string]int{}
	var open []string
	for d := xml.NewDecoder(strings.NewReader(document)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return found
		}
		require.NoError(t, err)
		switch x := token.(type) {
		case xml.StartElement:
			name := x.Name.Local
			found[name]++
			is, known := junitSchema[name]
			require.True(t, known, name)
			if len(open) > 0 {
				require.Contains(t, strings.Fields(junitSchema[open[len(open)-1]].children), name)
			} else {
				require.Equal(t, "testsuites", name)
			}
			has := map[string]string{}
			for _, a := range x.Attr {
				has[a.Name.Local] = a.Value
				require.Contains(t, strings.Fields(strings.ReplaceAll(is.attributes, "!", "")), a.Name.Local, name)
			}
			for _, a := range strings.Fields(is.attributes) {
				if must, ok := strings.CutSuffix(a, "!"); ok {
					require.Contains(t, slices.Collect(maps.Keys(has)), must)
				}
			}
			for _, count := range []string{"tests", "failures", "errors", "skipped"} {
				if text, ok := has[count]; ok {
					_, err := strconv.ParseUint(text, 10, 31)
					require.NoError(t, err)
				}
			}
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}

func TestJUnit(t *testing.T) {
	for _, tt := range []struct {
		name                      string
		of                        func() *report.Report
		cases                     int
		failures, errors, skipped int
	}{
		{"a rule that is broken is a failure", lab, 2, 1, 0, 0},
		{"a run that passed", calm, 2, 0, 0, 0},
		{"a run that decides nothing is an error, and its rules are not judged", starved, 2, 0, 1, 1},
		{"nor is a rule about nothing", refused, 2, 0, 2, 0},
		{"a run that was interrupted", interrupted, 2, 0, 1, 1},
		{"without rules there is one case", done, 1, 0, 0, 0},
		{"each rule is a case", rules, 8, 3, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := as(t, "junit", tt.of())
			found := keepsJUnit(t, text)
			require.Equal(t, tt.cases, found["testcase"], text)
			require.Equal(t, tt.failures, found["failure"], text)
			require.Equal(t, tt.errors, found["error"], text)
			require.Equal(t, tt.skipped, found["skipped"], text)
			require.Contains(t, text, `<testsuite name="openload" tests="`+strconv.Itoa(tt.cases)+`" failures="`+strconv.Itoa(tt.failures)+
				`" errors="`+strconv.Itoa(tt.errors)+`" skipped="`+strconv.Itoa(tt.skipped)+`"`)
		})
	}
}

// Too few operations for the confidence asked for is no pass.
func TestJUnitOfTooFew(t *testing.T) {
	r := inconclusive()
	r.SLA[0].Outcome = "inconclusive"
	require.Equal(t, 1, keepsJUnit(t, as(t, "junit", r))["error"])
}

// Whatever a report holds, the document keeps the schema.
func TestJUnitOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { keepsJUnit(t, as(t, "junit", reports().Draw(t, "report"))) })
}
