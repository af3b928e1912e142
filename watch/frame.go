package watch

import (
	"fmt"
	"math"
	"strings"
	"time"

	"openload/sink"
	"openload/sla"
)

// A Head is what does not change while a run goes on.
type Head struct {
	Request string        // GET http://127.0.0.1:8080/
	Load    []string      // 12.5/s x 200; 1 connection; SLA p99<500ms
	Planned uint64        // operations in all; 0: unknown
	Warm    uint64        // of them, those of the warm-up, which are not judged
	WarmEnd time.Duration // when it is over
	Length  time.Duration // until the last is sent; 0: unknown
	Closed  bool          // a closed loop: nothing is corrected
}

// A Style is how a frame is drawn.
type Style struct {
	Width int // columns
	Color bool
	ASCII bool
}

// narrow is where the block's tables no longer fit; below it a frame is one line.
const narrow = 40

// Frame draws a run as lines of at most st.Width columns. Numbers keep their places from
// one frame to the next.
func (h Head) Frame(s Sight, st Style) (lines []string) {
	if st.Width < narrow {
		return []string{h.Brief(s, st)}
	}
	lines = append(lines, " openload  "+sink.Printable(h.Request))
	lines = append(lines, " "+sink.Printable(strings.Join(h.Load, "   ")))
	lines = append(lines, "", h.bar(s, st), "")
	lines = append(lines, counts(s, st)...)
	lines = append(lines, "")
	lines = append(lines, h.latency(s, st)...)
	if len(s.Budgets) > 0 {
		lines = append(lines, "")
	}
	for i, b := range s.Budgets {
		if i == mostRules && len(s.Budgets) > mostRules+1 {
			lines = append(lines, fmt.Sprintf(" and %d more rules", len(s.Budgets)-mostRules))
			break
		}
		lines = append(lines, h.budget(b, st)...)
	}
	for i, line := range lines {
		lines[i] = colored(fit(line, st), st)
	}
	return lines
}

// mostRules of the rules have a line each: a screen is 24 lines high.
const mostRules = 4

// bar is how far the run is.
func (h Head) bar(s Sight, st Style) string {
	done, ok := h.share(s)
	right := "   " + h.clock(s)
	if ok {
		right += fmt.Sprintf("  %3d%%", int(100*done))
	}
	cells := min(54, st.Width-3-sink.Width(right))
	if !ok || cells < 4 {
		return " " + strings.TrimSpace(right)
	}
	full, half, empty := "█", "▌", "░"
	if st.ASCII {
		full, half, empty = "#", "-", "."
	}
	halves := int(done * float64(2*cells))
	b := strings.Repeat(full, halves/2)
	if halves%2 == 1 {
		b += half
	}
	return " " + b + strings.Repeat(empty, cells-(halves+1)/2) + right
}

// share is how much of the run is over.
func (h Head) share(s Sight) (float64, bool) {
	switch {
	case h.Length > 0:
		return min(1, s.At.Seconds()/h.Length.Seconds()), true
	case h.Planned > 0:
		return min(1, float64(s.Done)/float64(h.Planned)), true
	}
	return 0, false
}

func (h Head) clock(s Sight) string {
	switch {
	case h.Length == 0:
		return seconds(s.At)
	case s.At < h.WarmEnd:
		return seconds(s.At) + ", warming up"
	case s.At > h.Length && h.Planned > 0 && s.Due >= h.Planned:
		return seconds(s.At) + ", all sent"
	}
	whole := seconds(h.Length)
	return fmt.Sprintf("%*s of %s", len(whole), seconds(s.At), whole)
}

// seconds has one decimal, or minutes where a run takes long.
func seconds(d time.Duration) string {
	if d >= 10*time.Minute {
		return fmt.Sprintf("%d:%02d min", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func counts(s Sight, st Style) []string {
	row := func(cells ...any) string {
		format := "%9v%9v%8v%11v%10v    %v"
		if st.Width < 78 {
			format = "%7v%8v%8v%8v%8v"
			cells = cells[:5]
		}
		return fmt.Sprintf(format, cells...)
	}
	if st.Width < 78 {
		return []string{row("due", "sent", "done", "waiting", "errors", ""),
			row(s.Due, s.Sent, s.Done, s.Waiting, s.Fail, ""),
			" our own lag at most " + lag(s, st)}
	}
	return []string{row("due", "sent", "done", "waiting", "errors", "openload's own lag"),
		row(s.Due, s.Sent, s.Done, s.Waiting, s.Fail, "at most "+lag(s, st))}
}

func lag(s Sight, st Style) string { return duration(s.Lag, st) }

func duration(d time.Duration, st Style) string {
	text := sink.Duration(d)
	if st.ASCII {
		text = strings.ReplaceAll(text, "µ", "u")
	}
	return text
}

// latency is the percentiles so far, as many as there is room for.
func (h Head) latency(s Sight, st Style) []string {
	row := func(name, p50, p90, p99, greatest, what string) string {
		switch {
		case st.Width < 52:
			return fmt.Sprintf(" %-10s%9s%9s%9s", strings.TrimSpace(name), p50, p99, greatest)
		case st.Width < 78:
			return fmt.Sprintf(" %-11s%10s%10s%10s%10s", name, p50, p90, p99, greatest)
		}
		return fmt.Sprintf(" %-14s%10s%10s%10s%10s   %s", name, p50, p90, p99, greatest, what)
	}
	of := func(name string, r Reading, what string) string {
		return row(name, show(r.P50, st), show(r.P90, st), show(r.P99, st), show(r.Max, st), what)
	}
	title := "latency so far"
	if st.Width < 78 {
		title = "so far"
	}
	lines := []string{row(title, "p50", "p90", "p99", "max", "")}
	if !h.Closed {
		lines = append(lines, of("  corrected", s.Corrected, "due  -> answered"))
	}
	return append(lines, of("  raw", s.Raw, "sent -> answered"))
}

func show(v Value, st Style) string {
	switch {
	case v.None:
		return "-"
	case v.Failed:
		return "failed"
	case v.Grows:
		return ">" + duration(v.D, st)
	}
	return duration(v.D, st)
}

// The ends of a budget's line.
const (
	lost  = "cannot pass any more"
	holds = "holds so far"
)

// budget is what stands against a rule, and what it allows.
func (h Head) budget(b Standing, st Style) []string {
	of := "of"
	if m := b.Rule.Metric; m == sla.Mean || m == sla.Attempts {
		of = "for"
	}
	n := b.Planned
	if n > 0 {
		of += fmt.Sprintf(" %d", n)
	} else {
		n = b.Due
		of += fmt.Sprintf(" the %d so far", n)
	}
	end := holds
	switch {
	case b.Over > b.Allowed(n) && b.Planned > 0:
		end = lost
	case b.Over > b.Allowed(n):
		end = "broken so far"
	}
	left, right := " SLA "+sink.Printable(b.Rule.String()), b.against(b.Allowed(n), of, st)
	if line := left + "   " + right + "   " + end; sink.Width(line) <= st.Width {
		return []string{line}
	}
	if sink.Width(right) > st.Width-3 {
		right = strings.TrimSuffix(right, " "+of)
	}
	if line := left + "   " + end; sink.Width(line) <= st.Width {
		return []string{line, "   " + right}
	}
	return []string{left, "   " + right, "   " + end}
}

// against is it in words.
func (b Standing) against(allowed uint64, of string, st Style) string {
	switch {
	case b.Rule.Metric == sla.Mean && b.Failed():
		return "one failed, and failures have no mean"
	case b.Rule.Metric == sla.Mean:
		return fmt.Sprintf("%s in all, %s allowed %s", total(b.Over, st), total(allowed, st), of)
	case b.Episodes == 1:
		return fmt.Sprintf("%d over in 1 episode, %d allowed %s", b.Over, allowed, of)
	case b.Episodes > 1:
		return fmt.Sprintf("%d over in %d episodes, %d allowed %s", b.Over, b.Episodes, allowed, of)
	}
	return fmt.Sprintf("%d %s, %d allowed %s", b.Over, b.Offence(), allowed, of)
}

// total is the time that many operations took together.
func total(ns uint64, st Style) string { return duration(time.Duration(min(ns, math.MaxInt64)), st) }

// Brief is a run in one line.
func (h Head) Brief(s Sight, st Style) string {
	r := s.Corrected
	if h.Closed {
		r = s.Raw
	}
	text := fmt.Sprintf("%s %d/%d p99 %s", seconds(s.At), s.Done, s.Due, show(r.P99, st))
	return fit(text, st)
}

// Title is the first of whole lines, and Line each further one: what a log keeps of a
// run.
func (h Head) Title() string {
	return sink.Printable("openload  " + h.Request + "  " + strings.Join(h.Load, "  "))
}

// Line says how the run stands in one line.
func (h Head) Line(s Sight, st Style) string {
	share := "    "
	if done, ok := h.share(s); ok {
		share = fmt.Sprintf("%3d%%", int(100*done))
	}
	line := fmt.Sprintf("%s %8s  done %5d/%d  errors %d", share, seconds(s.At), s.Done, s.Due, s.Fail)
	if !h.Closed {
		line += "  corrected p99 " + show(s.Corrected.P99, st)
	}
	return line + "  raw p99 " + show(s.Raw.P99, st) + "  lag " + lag(s, st)
}

// fit cuts a line at the width: one that wraps can't be redrawn.
func fit(line string, st Style) string {
	if sink.Width(line) <= st.Width {
		return line
	}
	more := "…"
	if st.ASCII {
		more = "~"
	}
	runes := []rune(line)
	for sink.Width(string(runes)) > st.Width-1 {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + more
}

// colored paints the words that say the same without it.
func colored(line string, st Style) string {
	if !st.Color {
		return line
	}
	for word, code := range map[string]string{lost: "\x1b[31m", holds: "\x1b[32m", " openload": "\x1b[1m"} {
		if i := strings.Index(line, word); i >= 0 && (word != " openload" || i == 0) {
			line = line[:i] + code + word + "\x1b[0m" + line[i+len(word):]
		}
	}
	return line
}
