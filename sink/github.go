package sink

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"openload/report"
)

// A GitHub is where a step of a GitHub job puts its results: files that the job's
// environment names, and lines of its log.
type GitHub struct {
	Summary string    // $GITHUB_STEP_SUMMARY: Markdown
	Output  string    // $GITHUB_OUTPUT: name=value lines
	Log     io.Writer // what GitHub reads for annotations: standard output or error
}

// What GitHub takes: a summary of 1 MiB for a step, and ten annotations of a kind.
// More of a summary is dropped as a whole, more annotations silently.
const (
	mostSummary     = 1 << 20
	mostAnnotations = 10
)

// prepare finds out whether the step's files can be written.
func (g *GitHub) prepare() error {
	if g == nil || g.Summary == "" && g.Output == "" {
		return errors.New("neither GITHUB_STEP_SUMMARY nor GITHUB_OUTPUT is set: this is for a step of a GitHub job; elsewhere use markdown=FILE or junit=FILE")
	}
	var wrong []error
	for _, file := range []string{g.Summary, g.Output} {
		if file == "" {
			continue
		}
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
		if err == nil {
			err = f.Close()
		}
		wrong = append(wrong, err)
	}
	return errors.Join(wrong...)
}

// write puts r into the step's summary, outputs and annotations. Each gets its try.
func (g *GitHub) write(r *report.Report, opt TextOptions) error {
	p := pageOf(r, opt)
	wrong := []error{g.summarise(r, opt)}
	if g.Output != "" {
		wrong = append(wrong, appendTo(g.Output, p.outputs()))
	}
	if g.Log != nil {
		_, err := io.WriteString(g.Log, p.annotations())
		wrong = append(wrong, err)
	}
	return errors.Join(wrong...)
}

// summarise appends the report to the step's summary, as far as there is room for it.
func (g *GitHub) summarise(r *report.Report, opt TextOptions) error {
	if g.Summary == "" {
		return nil
	}
	var size int64
	if info, err := os.Stat(g.Summary); err == nil {
		size = info.Size()
	}
	opt.Quiet = false
	for range 2 {
		var b strings.Builder
		if err := markdown(&b, r, opt); err != nil {
			return err
		}
		if size+int64(b.Len()) <= mostSummary {
			return appendTo(g.Summary, b.String())
		}
		opt.Quiet = true
	}
	return fmt.Errorf("the step's summary holds %d bytes already, and GitHub takes %d", size, mostSummary)
}

func appendTo(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// outputs are what further steps may read as steps.ID.outputs.NAME. A number that is
// unknown is empty.
func (p *page) outputs() string {
	var b strings.Builder
	word, parts := p.headline()
	for _, x := range [][2]string{
		{"verdict", strings.ToLower(p.word())},
		{"headline", word + "  " + strings.Join(parts, "  ")},
		{"p50_ms", millis(p.Latency.Corrected, func(d *report.Dist) *time.Duration { return d.P50 })},
		{"p99_ms", millis(p.Latency.Corrected, func(d *report.Dist) *time.Duration { return d.P99 })},
		{"max_ms", millis(p.Latency.Corrected, func(d *report.Dist) *time.Duration { return d.Max })},
		{"raw_p99_ms", millis(p.Latency.Raw, func(d *report.Dist) *time.Duration { return d.P99 })},
	} {
		fmt.Fprintf(&b, "%s=%s\n", x[0], strings.TrimSpace(printable(x[1]))) // printable leaves no line break
	}
	return b.String()
}

// millis is one of a reading's values in milliseconds; "" if there is none.
func millis(d *report.Dist, of func(*report.Dist) *time.Duration) string {
	if d == nil || of(d) == nil {
		return ""
	}
	return fmt.Sprintf("%.3f", float64(*of(d))/float64(time.Millisecond))
}

// annotations are one line for each rule that is not met, or for why nothing is
// decided, and one that says that there are more.
func (p *page) annotations() string {
	var all [][2]string // title, text
	switch word, parts := p.headline(); word {
	case "FAIL":
		for _, r := range p.SLA {
			if r.Outcome != "fail" {
				continue
			}
			text := p.outcome(r)
			for _, d := range []string{p.over(r), p.flip(r)} {
				if d != "" {
					text += "; " + d
				}
			}
			all = append(all, [2]string{"SLA not met: " + r.Rule, text})
		}
		if len(all) == 0 {
			all = append(all, [2]string{"FAIL", strings.Join(parts, "; ")})
		}
	case "INVALID", "INCONCLUSIVE", "INTERRUPTED":
		for _, r := range p.Reasons {
			all = append(all, [2]string{"openload: " + word, r.Text})
		}
		if len(all) == 0 {
			all = append(all, [2]string{"openload: " + word, strings.Join(parts, "; ")})
		}
	}
	if n := len(all); n > mostAnnotations {
		all = append(all[:mostAnnotations-1], [2]string{"openload", fmt.Sprintf("%d more; the step's summary has them all", n-mostAnnotations+1)})
	}
	var b strings.Builder
	for _, x := range all {
		fmt.Fprintf(&b, "::error title=%s::%s\n", ofProperty.Replace(printable(x[0])), ofData.Replace(printable(x[1])))
	}
	return b.String()
}

// How a workflow command writes what would end it.
// Source: actions/toolkit, packages/core/src/command.ts.
var (
	ofData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	ofProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
