package plan

// A file's mistakes are pasted into tickets and printed by builds, so an excerpt shows
// what is known to be harmless and nothing else: no list of suspicious words finds every
// password, and a value may stand on another line than its name.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"openload/internal/nearest"
	"openload/request"
)

// mostShown is how much of a line an excerpt shows.
const mostShown = 70

// hidden stands for what an excerpt does not show.
const hidden = "***"

// A stretch is a part of a line, in runes.
type stretch struct{ from, to int }

// excerpt shows the line of a place between its neighbours, and a caret below it.
func (f *File) excerpt(at Place) string {
	if at.Line < 1 || at.Line > len(f.lines) {
		return ""
	}
	var b strings.Builder
	for n := max(1, at.Line-1); n <= min(len(f.lines), at.Line+1); n++ {
		line, caret := clipped(f.masked(n, at.Column-1))
		if n != at.Line && strings.TrimSpace(line) == "" {
			continue
		}
		fmt.Fprintf(&b, "\n  %4d | %s", n, line)
		if n == at.Line && at.Column > 0 {
			fmt.Fprintf(&b, "\n       | %s^", strings.Repeat(" ", caret))
		}
	}
	return b.String()
}

// masked is line n without what may be secret, and where its rune of that index is then.
// Tabs are a blank each, so that the caret stands where it should.
func (f *File) masked(n, index int) (out []rune, caret int) {
	line := []rune(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, f.lines[n-1]))
	open := f.open[n]
	if f.open == nil {
		open = f.guessed(n)
	}
	at := 0
	add := func(text []rune, own int) { // own is how many runes of the line it stands for
		if at <= index {
			caret = len(out) + min(index-at, len(text))
		}
		out, at = append(out, text...), at+own
	}
	gap := func(text []rune) {
		a, b := 0, len(text)
		for a < b && strings.ContainsRune(" {}[],:\"'#|>-?", text[a]) {
			a++
		}
		for b > a && strings.ContainsRune(" {}[],:\"'", text[b-1]) {
			b--
		}
		add(text[:a], a)
		if a < b {
			add([]rune(hidden), b-a)
		}
		add(text[b:], len(text)-b)
	}
	for _, s := range open {
		if s.from < at {
			continue
		}
		gap(line[at:s.from])
		add(line[s.from:s.to], s.to-s.from)
	}
	gap(line[at:])
	return out, max(0, caret)
}

// clipped is the part of a line around the caret, and where the caret is in it.
func clipped(line []rune, caret int) (string, int) {
	caret = min(caret, len(line))
	from := 0
	if caret > mostShown-10 {
		from = caret - mostShown/2
	}
	text := string(line[from:min(len(line), from+mostShown)])
	if from > 0 {
		return "…" + text, caret - from + 1
	}
	return text, caret
}

// harmless are the keys of which every value may be shown, beside those that are a
// number, a time, a switch, or one of a few words.
var harmless = []string{"rate", "sla", "phases", "retry", "arrival", "server", "weight", "method", "expect_status", "threads", "tls_min", "targets", "schedule", "name"}

// nested are the keys whose names within may be shown.
var nested = []string{"headers", "requests", "experiment"}

// shows reports whether the values of a key may be shown, and the names in them.
func (f *File) shows(name string) (values, names bool) {
	i := slices.IndexFunc(f.keys, func(k Key) bool { return k.Name == name })
	switch {
	case slices.Contains(harmless, name):
		return true, true
	case i < 0:
		return false, false
	case slices.Contains(nested, name):
		return false, true
	}
	k := f.keys[i]
	plain := len(k.Enum) > 0 || slices.Contains([]Form{Integer, Number, Switch, Time}, k.Form)
	return plain, plain
}

// mistyped reports whether a value may be shown that stands behind a key which there is
// not: a number, if the key that was meant takes one.
func (f *File) mistyped(name, value string) bool {
	values, _ := f.shows(nearest.Of(name, f.names()))
	return values && number.MatchString(value)
}

// disclose finds what may be shown of a file that was read.
func (f *File) disclose(n *yaml.Node) {
	f.open = map[int][]stretch{}
	f.discloseKeys(n)
	for _, line := range f.open {
		slices.SortFunc(line, func(a, b stretch) int { return a.from - b.from })
	}
}

// discloseKeys shows the names in a mapping, or in those of a list, and the values that
// their names allow.
func (f *File) discloseKeys(n *yaml.Node) {
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			f.discloseKeys(item)
		}
	}
	if n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		f.show(name, true)
		switch values, names := f.shows(name.Value); {
		case name.Value == "headers":
			f.discloseNames(value)
		case values, value.Kind == yaml.ScalarNode && f.mistyped(name.Value, value.Value):
			f.discloseAll(value)
		case names:
			f.discloseKeys(value)
		}
	}
}

// discloseNames shows names, whatever they are, and none of their values.
func (f *File) discloseNames(n *yaml.Node) {
	for i, x := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode:
			f.discloseNames(x)
		case i%2 == 0:
			f.show(x, true)
		}
	}
}

// discloseAll shows names and values, but for what looks like part of a URL.
func (f *File) discloseAll(n *yaml.Node) {
	for i, x := range n.Content {
		secret := n.Kind == yaml.MappingNode && i%2 == 1 && request.Secret(n.Content[i-1].Value)
		if !secret {
			f.discloseAll(x)
		}
	}
	if n.Kind == yaml.ScalarNode {
		f.show(n, false)
	}
}

// show shows a scalar where it stands in the file as it is, on one line.
func (f *File) show(n *yaml.Node, name bool) {
	if n.Kind != yaml.ScalarNode || n.Line < 1 || n.Line > len(f.lines) || n.Value == "" {
		return
	}
	if name && shownName(n.Value) != n.Value || strings.ContainsAny(n.Value, "/?@&\n") && (strings.Contains(n.Value, "query:") || !rates.MatchString(n.Value)) {
		return
	}
	line, value := []rune(f.lines[n.Line-1]), []rune(n.Value)
	from := n.Column - 1
	if from >= 0 && from < len(line) && (line[from] == '"' || line[from] == '\'') {
		from++
	}
	if to := from + len(value); from >= 0 && to <= len(line) && slices.Equal(line[from:to], value) {
		f.open[n.Line] = append(f.open[n.Line], stretch{from, to})
	}
}

// rates are the texts in which / and @ stand for something other than in a URL.
var rates = regexp.MustCompile(`^[\w .,:<>=%-]*[0-9](/(s|m|h|min)|@)?[\w .,<>=%@-]*$`)

// number is a number, with its unit and blanks.
var number = regexp.MustCompile(`^[0-9][0-9. ]*[a-z%]*$`)

// plainName is what a name looks like that can be shown.
var plainName = regexp.MustCompile(`^[\w$.-]+`)

// shownName is a name as problems show it: what stands where a name belongs may be a
// header as a whole, or a URL.
func shownName(name string) string {
	const most = 40
	plain := plainName.FindString(name)
	switch {
	case plain == "":
		return hidden
	case plain == name && len(name) <= most:
		return name
	}
	return plain[:min(len(plain), most)] + "…"
}

// known begins a line that says a key.
var known = regexp.MustCompile(`^(\s*(?:- +)?)([\w-]+)\s*:(\s+[0-9][\w.%/]*\s*$|\s|$)`)

// guessed is what may be shown of a line of a file that could not be read: the names of
// keys, and numbers at the top.
func (f *File) guessed(n int) []stretch {
	line := f.lines[n-1]
	m := known.FindStringSubmatchIndex(line)
	if m == nil || !slices.Contains(f.names(), line[m[4]:m[5]]) {
		return nil
	}
	all := []stretch{{len([]rune(line[:m[4]])), len([]rune(line[:m[5]]))}}
	if values, _ := f.shows(line[m[4]:m[5]]); values && m[3] == 0 && m[7] > m[6]+1 {
		all = append(all, stretch{len([]rune(line[:m[6]])), len([]rune(line[:m[7]]))})
	}
	return all
}

// quoted is a value as a problem shows it that may be a secret.
func quoted(text string) string {
	if number.MatchString(text) {
		return fmt.Sprintf("%q", text)
	}
	return "its value"
}
