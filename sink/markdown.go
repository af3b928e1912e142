package sink

import (
	"fmt"
	"io"
	"strings"

	"openload/report"
)

// markdown writes the report as GitHub's dialect of Markdown: for a step's summary, a
// comment on a pull request, a wiki. What came from outside is escaped, or stands in code.
func markdown(w io.Writer, r *report.Report, opt TextOptions) error {
	opt.Color = false
	m := &marked{page: pageOf(r, opt)}
	m.verdict()
	if !opt.Quiet {
		m.rules()
		m.latency()
		m.points(m.explanation())
		m.points("what became of the operations", m.became())
		m.points("how well it was measured", m.measured())
		m.points("notes", m.notes())
		m.rerun()
	}
	_, err := io.WriteString(w, m.String())
	return err
}

// A marked is a page of Markdown in the making.
type marked struct{ *page }

func (m *marked) verdict() {
	word, parts := m.headline()
	fmt.Fprintf(m, "## %s\n", escaped(word))
	if len(parts) > 0 {
		fmt.Fprintf(m, "\n%s\n", escaped(strings.Join(parts, " · ")))
	}
	for i, text := range m.untold() {
		if i == 0 {
			m.WriteByte('\n')
		}
		fmt.Fprintf(m, "- %s\n", escaped(text))
	}
}

func (m *marked) rules() {
	if len(m.SLA) == 0 {
		return
	}
	rows := [][]string{{"rule", "verdict", "measured", "details"}}
	for _, r := range m.SLA {
		var details []string
		for _, d := range []string{m.over(r), m.flip(r)} {
			if d != "" {
				details = append(details, d)
			}
		}
		status := ruleStatus(r)
		if status == "FAILED" {
			status = "**FAILED**"
		}
		rows = append(rows, []string{inCode(r.Rule), status, escaped(m.value(r)), escaped(strings.Join(details, "; "))})
	}
	m.grid(rows, false)
}

func (m *marked) latency() {
	rows := m.readings()
	if !anySuccess(rows) {
		return
	}
	cells := [][]string{{"latency", "p50", "p90", "p95", "p99", "p99.9", "max", "mean"}}
	for _, x := range rows {
		line := []string{"**" + x.name + "**"}
		for _, d := range percentiles(x.Dist) {
			line = append(line, m.known(d, "failed"))
		}
		cells = append(cells, append(line, m.known(x.Mean, "-")))
	}
	m.grid(cells, true)
}

// grid writes rows of cells that are Markdown already, the first of them as heading.
func (m *marked) grid(rows [][]string, numbers bool) {
	m.WriteByte('\n')
	for i, row := range rows {
		m.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			for j := range row {
				m.WriteString(either(numbers && j > 0, "|---:", "|---"))
			}
			m.WriteString("|\n")
		}
	}
}

func (m *marked) points(heading string, texts []string) {
	if len(texts) == 0 {
		return
	}
	fmt.Fprintf(m, "\n**%s**\n\n", escaped(strings.ToUpper(heading[:1])+heading[1:]))
	for _, text := range texts {
		fmt.Fprintf(m, "- %s\n", escaped(text))
	}
}

// became are the balance's lines.
func (p *page) became() []string {
	if p.Plan.Model == "file" {
		return []string{fmt.Sprintf("%d samples read, %d ok, %d failed", p.Counts.Scheduled, p.Counts.OK, p.failures())}
	}
	lines := []string{strings.Join(p.operations(), ", ")}
	if by := p.failedBy(); len(by) > 0 {
		lines = append(lines, "failed: "+strings.Join(by, ", "))
	}
	return lines
}

func (p *page) notes() (texts []string) {
	for _, n := range p.Notes {
		texts = append(texts, n.Text)
	}
	return texts
}

func (m *marked) rerun() {
	if m.Plan.Command == "" {
		return
	}
	command := strings.TrimSpace(printable(m.Plan.Command))
	fence := strings.Repeat("`", max(3, longestRun(command, '`')+1))
	fmt.Fprintf(m, "\nRun it again:\n\n%ssh\n%s\n%s\n", fence, command, fence)
}

// escaped is text in which nothing is Markdown or HTML any more.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range printable(text) {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case strings.ContainsRune("\\`*_[]#|~!@", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == ':' && strings.HasSuffix(b.String(), "http"), r == ':' && strings.HasSuffix(b.String(), "https"):
			b.WriteString("\\:") // else it would become a link
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// inCode is text as code, within a table too.
func inCode(text string) string {
	text = strings.TrimSpace(printable(text))
	ticks := strings.Repeat("`", longestRun(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return ticks + strings.ReplaceAll(text, "|", "\\|") + ticks
}

// longestRun is how often c stands in a row in text, at most.
func longestRun(text string, c byte) (most int) {
	run := 0
	for i := range len(text) {
		if text[i] != c {
			run = 0
			continue
		}
		run++
		most = max(most, run)
	}
	return most
}
