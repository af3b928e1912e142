package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// The help of every command fits a terminal of 80 columns, and says what it is.
func TestEveryHelpFits(t *testing.T) {
	var g grammar
	app := kong.Must(&g, kong.ExplicitGroups(groups), kong.Vars{"kinds": outputKinds()}).Model
	for _, args := range append([][]string{{}}, commandsOf(app)...) {
		var out, err bytes.Buffer
		require.Zero(t, execute(append(args, "--help"), streams{in: strings.NewReader(""), out: &out, err: &err}), args)
		require.Contains(t, out.String(), "Usage: openload", args)
		for line := range strings.Lines(out.String()) {
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")), 80, "%v: %s", args, line)
		}
	}
}

func commandsOf(app *kong.Application) (all [][]string) {
	for _, c := range app.Children {
		all = append(all, []string{c.Name})
	}
	return all
}

func TestDetailIsWrapped(t *testing.T) {
	long := strings.Repeat("word ", 20)
	var b strings.Builder
	detail(&b, "a line\nand its next\n\n"+long+"\nthe end\n\n  "+long+"\nKEY=1   one")
	require.Equal(t, `a line
and its next

word word word word word word word word word word word word word word word word
word word word word the end

  word word word word word word word word word word word word word word word
  word word word word word
KEY=1   one
`, b.String())
}
