package sink

import (
	"regexp"
	"strings"
	"unicode"
)

const columns = 80 // width of every text

// Columns lays out rows of cells: the first column to the left, the others to the
// right, three spaces apart or, where 80 columns are too few, two or one. Width is
// display width, so that wide characters and µ count as they show. All rows need
// as many cells as the first.
func Columns(rows [][]string) []string {
	if len(rows) == 0 {
		return nil
	}
	wide := make([]int, len(rows[0]))
	total := 0
	for i := range wide {
		for _, row := range rows {
			wide[i] = max(wide[i], width(row[i]))
		}
		total += wide[i]
	}
	gap := 3
	for gap > 1 && total+gap*(len(wide)-1) > columns {
		gap--
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		var b strings.Builder
		b.WriteString(row[0])
		b.WriteString(spaces(wide[0] - width(row[0])))
		for j := 1; j < len(row); j++ {
			b.WriteString(spaces(gap + wide[j] - width(row[j])))
			b.WriteString(row[j])
		}
		lines[i] = b.String()
	}
	return lines
}

// A token is what a line is not broken within.
type token struct {
	text string
	gap  int // columns between it and what stands before it on the line
}

// sentence is text to be wrapped. A number keeps its unit beside it.
func sentence(text string) (all []token) {
	for _, w := range strings.Fields(printable(text)) {
		if n := len(all) - 1; n >= 0 && unitName.MatchString(w) && endsInDigit.MatchString(all[n].text) {
			all[n].text += " " + w
			continue
		}
		all = append(all, token{w, 1})
	}
	return all
}

// items are short texts to be set side by side. One that is too long for a line
// beside an indent of hang is wrapped itself.
func items(texts []string, hang int) (all []token) {
	for _, text := range texts {
		i := len(all)
		if text = strings.TrimSpace(printable(text)); text == "" {
			continue
		}
		if width(text) <= columns-hang {
			all = append(all, token{text, 3})
		} else if all = append(all, sentence(text)...); len(all) > i {
			all[i].gap = 3
		}
	}
	return all
}

// wrap sets tokens into lines of at most 80 columns, the first line after first,
// the others after an indent of hang. A longer token has a line of its own.
func wrap(first string, hang int, tokens []token) (lines []string) {
	line, empty := first, true
	for _, t := range tokens {
		switch {
		case empty:
			line += t.text
		case width(line)+t.gap+width(t.text) > columns:
			lines = append(lines, line)
			line = spaces(hang) + t.text
		default:
			line += spaces(t.gap) + t.text
		}
		empty = false
	}
	return append(lines, line)
}

// Width is the number of terminal columns that s takes.
func Width(s string) int { return width(s) }

// Printable is s with what would move a terminal's cursor replaced.
func Printable(s string) string { return printable(s) }

// width is the number of terminal columns that s takes.
func width(s string) (n int) {
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me):
		case unicode.Is(wideRunes, r):
			n += 2
		default:
			n++
		}
	}
	return n
}

// wideRunes are the blocks of characters that take two columns.
// Source: Unicode Standard Annex 11, classes W and F, by whole blocks.
var wideRunes = &unicode.RangeTable{
	R16: []unicode.Range16{{0x1100, 0x115f, 1}, {0x2e80, 0xa4cf, 1}, {0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1}, {0xfe30, 0xfe6f, 1}, {0xff00, 0xff60, 1}, {0xffe0, 0xffe6, 1}},
	R32: []unicode.Range32{{0x1f300, 0x1faff, 1}, {0x20000, 0x3fffd, 1}},
}

// A number and a unit in running text, with what may follow it.
var (
	endsInDigit = regexp.MustCompile(`^[0-9.]*[0-9]$`)
	unitName    = regexp.MustCompile(`^(h|min|s|ms|µs|us|ns|%)[.,:;)]*$`)
)

// printable replaces what would move a terminal's cursor, change its colours or
// the direction of its text: a target's URL may come from anywhere.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return '?'
		}
		return r
	}, s)
}

func spaces(n int) string { return strings.Repeat(" ", max(0, n)) }
