package sink

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"openload/report"
)

// TextOptions says how Text writes. The zero value is plain text.
type TextOptions struct {
	Color bool   // ANSI colours around words that say the same
	Quiet bool   // the verdict alone: the first line, unless that is too long for one
	ASCII bool   // neither µ nor block characters of our own
	Unit  string // us, ms or s for every duration; "": what suits each
}

// Text writes r for people: verdict, numbers, why, may you trust it, what next.
// The first word is the verdict: PASS, FAIL, INVALID, INCONCLUSIVE, INTERRUPTED, or
// DONE if there were no rules. The error is w's, or an unknown unit.
func Text(w io.Writer, r *report.Report, opt TextOptions) error {
	if !slices.Contains([]string{"", "us", "ms", "s"}, opt.Unit) {
		return fmt.Errorf("unit %q: durations can be shown in us, ms or s", opt.Unit)
	}
	p := pageOf(r, opt)
	p.verdict()
	if !opt.Quiet {
		p.reasons()
		p.rules()
		p.latency()
		p.why()
		p.phases()
		p.file()
		p.balance()
		p.targets()
		p.stages()
		p.peaks()
		p.trust()
		p.next()
	}
	_, err := io.WriteString(w, p.String())
	return err
}

func pageOf(r *report.Report, opt TextOptions) *page {
	return &page{Report: tidy(r), TextOptions: opt, style: style{opt.Unit, opt.ASCII}}
}

// A page is a text in the making.
type page struct {
	*report.Report
	TextOptions
	style
	strings.Builder
	apart bool // a blank line is due before what comes next
}

const (
	margin = 17 // where the text beside a label starts
	inset  = 3  // where what stands under a heading starts
)

// lines writes finished lines, with words in colour if that is wanted. Colour comes
// last, so that it moves nothing.
func (p *page) lines(lines []string, words ...string) {
	if p.apart {
		p.WriteByte('\n')
	}
	p.apart = false
	for _, line := range lines {
		for _, word := range words {
			if code := colors[word]; p.Color && code != "" {
				line = strings.Replace(line, word, code+word+"\x1b[0m", 1)
			}
		}
		p.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// Every word in colour says the same without it.
var colors = map[string]string{
	"PASS": "\x1b[32m", "FAIL": "\x1b[31m", "INVALID": "\x1b[33m", "INCONCLUSIVE": "\x1b[33m", "INTERRUPTED": "\x1b[33m",
	"ok": "\x1b[32m", "FAILED": "\x1b[31m", "VALID": "\x1b[32m",
}

// section starts a part of the page, if anything follows.
func (p *page) section() { p.apart = true }

// say writes sentences beside a label.
func (p *page) say(label, text string) {
	p.lines(beside(" "+label, margin, sentence(text)))
}

// list writes items beside a label, and nothing if there are none.
func (p *page) list(label string, texts ...string) {
	if len(texts) > 0 {
		p.lines(beside(" "+label, margin, items(texts, margin)), label[strings.LastIndex(label, " ")+1:])
	}
}

// point writes one of several sentences under a heading.
func (p *page) point(text string) {
	p.lines(wrap(spaces(inset)+"- ", inset+2, sentence(text)))
}

// beside wraps tokens at an indent, with the label before the first line, or above
// it if it is too long for that.
func beside(label string, at int, tokens []token) []string {
	if width(label) < at {
		return wrap(label+spaces(at-width(label)), at, tokens)
	}
	return append([]string{label}, wrap(spaces(at), at, tokens)...)
}

// known writes d, or what if it does not exist.
func (p *page) known(d *time.Duration, what string) string {
	if d == nil {
		return what
	}
	return p.duration(*d)
}
