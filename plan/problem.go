package plan

import (
	"fmt"
	"regexp"
	"strings"

	"openload/request"
)

// A Place is where something stands in a file, both counted from 1. The zero Place is
// nowhere in particular.
type Place struct{ Line, Column int }

// A Problem is what is wrong at one place of a file. Its text is a line with the
// file's name and the place, and below it what stands there.
type Problem struct {
	File  string
	Place Place
	Text  string

	excerpt string
}

// Error is one line, and an excerpt if the place is known.
func (p *Problem) Error() string {
	if p.Place.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Text)
	}
	return fmt.Sprintf("%s:%d: %s%s", p.File, p.Place.Line, p.Text, p.excerpt)
}

// Problem is what is wrong at a place of the file.
func (f *File) Problem(at Place, format string, args ...any) error {
	at.Line = min(at.Line, len(f.lines)) // what is missing at the end lies beyond it
	return &Problem{File: f.Name, Place: at, Text: fmt.Errorf(format, args...).Error(), excerpt: f.excerpt(at)}
}

// mostShown is how much of a line an excerpt shows.
const mostShown = 70

// excerpt shows the line of a place between its neighbours, and a caret below it.
func (f *File) excerpt(at Place) string {
	if at.Line < 1 || at.Line > len(f.lines) {
		return ""
	}
	var b strings.Builder
	for n := max(1, at.Line-1); n <= min(len(f.lines), at.Line+1); n++ {
		line, caret := shown(f.lines[n-1], at.Column)
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

// shown is a line as an excerpt shows it, and how far its column lies from the left.
// Tabs are a blank each, so that the caret stands where it should.
func shown(line string, column int) (text string, caret int) {
	clean := func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}
	runes := []rune(strings.Map(clean, hideSecrets(line)))
	caret = min(max(0, column-1), len(runes))
	from := 0
	if caret > mostShown-10 {
		from = caret - mostShown/2
	}
	text = string(runes[from:min(len(runes), from+mostShown)])
	if from > 0 {
		return "…" + text, caret - from + 1
	}
	return text, caret
}

// nameBefore is the name in front of a value, as YAML, JSON and headers write it.
var nameBefore = regexp.MustCompile(`([\w-]+)["']?\s*:\s*\S`)

// hideSecrets cuts a line after the first name that sounds secret, and hides what a URL
// may carry: a file's mistakes are pasted into tickets too.
func hideSecrets(line string) string {
	for _, m := range nameBefore.FindAllStringSubmatchIndex(line, -1) {
		if request.Secret(line[m[2]:m[3]]) {
			return line[:m[1]-1] + "***"
		}
	}
	if i := strings.Index(line, "://"); i >= 0 {
		start := strings.LastIndexAny(line[:i], " \t\"'[,") + 1
		return line[:start] + request.RedactURL(line[start:])
	}
	return line
}
