package sink_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/internal/golden"
	"openload/report"
)

func TestMarkdown(t *testing.T) {
	golden.Check(t, "rules.md", []byte(as(t, "markdown", rules())))
	golden.Check(t, "failing.md", []byte(as(t, "markdown", failing())))
	golden.Check(t, "closed.md", []byte(as(t, "markdown", closed())))
}

// hostile is a report of which every text tries to be something else.
func hostile() *report.Report {
	const evil = "</script><img src=x onerror=alert(1)> | **x** [a](javascript:alert(1)) `x` ``` ~~~ @all \x1b[31m\r\n::error::x %0A \u202e https://evil.example"
	r := rules()
	r.Plan.URL, r.Plan.Method, r.Plan.Command = "http://127.0.0.1/"+evil, evil, "openload "+evil
	r.SLA[0].Rule = evil
	r.Reasons = append(r.Reasons, reason("odd", evil))
	r.Notes = append(r.Notes, reason("odd", evil))
	r.Counts.Errors = map[string]uint64{evil: 1}
	r.Schedule.Description, r.Tool.Version = evil, evil
	return r
}

// code is what stands in backticks: in four where it holds three.
var code = regexp.MustCompile("(?s)````.*?````|\\| `[^`]+` \\|")

// What came from outside is text: no element, no link, no table cell, no heading.
func TestMarkdownOfHostileTexts(t *testing.T) {
	text := as(t, "markdown", hostile())
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| ") {
			require.Contains(t, []int{5, 9}, strings.Count(line, "|")-strings.Count(line, "\\|"), line)
		}
	}
	outside := code.ReplaceAllString(text, "")
	require.NotRegexp(t, `[^\\]<|<[a-z/]`, outside)
	require.NotRegexp(t, `[^\\]\[`, outside)
	require.NotContains(t, outside, "https://")
	require.NotContains(t, text, "\x1b")
	require.NotContains(t, text, "\u202e")
	require.Contains(t, text, "````sh\n", "a fence longer than what it holds")
}

// Every row of a table has as many cells as its heading, whatever a report holds.
func TestMarkdownOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := 0
		for line := range strings.Lines(as(t, "markdown", reports().Draw(t, "report"))) {
			if !strings.HasPrefix(line, "|") {
				cells = 0
				continue
			}
			n := strings.Count(line, "|") - strings.Count(line, "\\|")
			if cells == 0 {
				cells = n
			}
			require.Equal(t, cells, n, line)
		}
	})
}
