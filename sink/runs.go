package sink

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"openload/report"
)

// RunsJSON writes the document openload/runs/v1.
func RunsJSON(w io.Writer, all *report.Runs) error {
	c := *all
	c.Runs = nil
	for _, r := range all.Runs {
		c.Runs = append(c.Runs, tidy(r))
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(c)
}

// RunsText writes a repeated run for people: the verdict of all, a row for each run, and
// over each column the median, the least and the greatest. Nothing is pooled.
func RunsText(w io.Writer, all *report.Runs, opt TextOptions) error {
	if len(all.Runs) == 0 {
		_, err := io.WriteString(w, " INTERRUPTED  before the first run ended\n")
		return err
	}
	first := *all.Runs[0]
	first.Plan.Command = all.Command
	p := &page{Report: tidy(&first), TextOptions: opt, style: style{opt.Unit, opt.ASCII}}
	p.runsVerdict(all)
	if !opt.Quiet {
		p.runsReasons(all)
		p.section()
		p.lines(Columns(p.runsTable(all)), "PASS", "FAIL", "INVALID", "INCONCLUSIVE", "INTERRUPTED")
		p.section()
		p.point("each run had connections of its own, and its own seed; none of the figures mixes runs")
		if v := p.spread(all); v != "" {
			p.point(v)
		}
		p.next()
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// runWord is the word for one run of several.
func runWord(r *report.Report) string { return (&page{Report: r}).word() }

func (p *page) runsVerdict(all *report.Runs) {
	word := runWord(&report.Report{Verdict: all.Verdict})
	if all.Interrupted() {
		word = "INTERRUPTED"
	}
	var rules []string
	for _, r := range p.SLA {
		rules = append(rules, r.Rule)
	}
	parts := []string{strings.Join(rules, ", ")}
	switch word {
	case "PASS":
		parts = append(parts, fmt.Sprintf("held in each of %d runs", len(all.Runs)))
	case "DONE":
		parts = []string{several(uint64(len(all.Runs)), "run")}
	case "INTERRUPTED":
		parts = []string{fmt.Sprintf("after %d of %s", whole(all), several(uint64(all.Planned), "run")), "no verdict"}
	default:
		var which []string
		for i, r := range all.Runs {
			if r.Verdict == all.Verdict {
				which = append(which, strconv.Itoa(i+1))
			}
		}
		say := map[string]string{"FAIL": "broken", "INVALID": "not to be decided", "INCONCLUSIVE": "neither shown nor refuted"}[word]
		parts = append(parts, fmt.Sprintf("%s in %d of %d runs: %s", say, len(which), len(all.Runs), strings.Join(which, ", ")))
	}
	start := " " + word + "  "
	if line := start + strings.Join(parts, "   "); width(line) <= columns {
		p.lines([]string{line}, word)
		return
	}
	p.lines(wrap(start, inset, sentence(strings.Join(parts, " "))), word)
}

// whole is how many runs came to their end.
func whole(all *report.Runs) (n int) {
	for _, r := range all.Runs {
		if !r.Run.Interrupted {
			n++
		}
	}
	return n
}

func (p *page) runsReasons(all *report.Runs) {
	p.section()
	if n := len(all.Runs); n < all.Planned && all.Verdict == "fail" {
		p.point(fmt.Sprintf("stopped early (--abort-on-fail): after %d of %d runs, one of which failed", n, all.Planned))
	}
	for i, r := range all.Runs {
		if r.Verdict == "pass" || r.Verdict == "none" {
			continue
		}
		for _, reason := range r.Reasons {
			p.point(fmt.Sprintf("run %d: %s", i+1, reason.Text))
		}
	}
}

// A column of the table is one reading of every run.
type runsColumn struct {
	name string
	of   func(*report.Report) *time.Duration
}

func (p *page) runsColumns() []runsColumn {
	at := func(set func(*report.Report) *report.Dist, value func(*report.Dist) *time.Duration) func(*report.Report) *time.Duration {
		return func(r *report.Report) *time.Duration {
			if d := set(r); d != nil {
				return value(d)
			}
			return nil
		}
	}
	raw := func(r *report.Report) *report.Dist { return r.Latency.Raw }
	main := func(r *report.Report) *report.Dist { return r.Latency.Corrected }
	if p.Latency.Corrected == nil {
		main = raw
	}
	columns := []runsColumn{
		{"p50", at(main, func(d *report.Dist) *time.Duration { return d.P50 })},
		{"p99", at(main, func(d *report.Dist) *time.Duration { return d.P99 })},
		{"max", at(main, func(d *report.Dist) *time.Duration { return d.Max })},
	}
	if p.Latency.Corrected != nil {
		columns = append(columns, runsColumn{"raw p99", at(raw, func(d *report.Dist) *time.Duration { return d.P99 })})
	}
	return append(columns, runsColumn{"our lag", at(func(r *report.Report) *report.Dist { return r.Latency.Lag }, func(d *report.Dist) *time.Duration { return d.Max })})
}

func (p *page) runsTable(all *report.Runs) [][]string {
	columns := p.runsColumns()
	head := []string{" run", "seed", "verdict", "failed"}
	for _, c := range columns {
		head = append(head, c.name)
	}
	rows := [][]string{head}
	for i, r := range all.Runs {
		seed := ""
		if r.Schedule != nil {
			seed = strconv.FormatUint(r.Schedule.Seed, 10)
		}
		row := []string{fmt.Sprintf(" %d", i+1), seed, runWord(r), strconv.FormatUint(r.Counts.Scheduled-min(r.Counts.OK, r.Counts.Scheduled), 10)}
		for _, c := range columns {
			row = append(row, p.known(c.of(r), "failed"))
		}
		rows = append(rows, row)
	}
	if whole(all) == 0 {
		return rows
	}
	for _, stat := range []struct {
		name string
		at   func(n int) int // the place in ascending order
	}{{"least", func(int) int { return 0 }}, {"median", func(n int) int { return (n - 1) / 2 }}, {"greatest", func(n int) int { return n - 1 }}} {
		row := []string{" " + stat.name, "", "", ""}
		for _, c := range columns {
			values := sorted(all, c)
			row = append(row, p.known(values[stat.at(len(values))], "failed"))
		}
		rows = append(rows, row)
	}
	return rows
}

// sorted is a column in ascending order, without a run that was cut short; failures,
// which have no value, rank above all.
func sorted(all *report.Runs, c runsColumn) (values []*time.Duration) {
	for _, r := range all.Runs {
		if !r.Run.Interrupted {
			values = append(values, c.of(r))
		}
	}
	slices.SortStableFunc(values, func(a, b *time.Duration) int {
		switch {
		case a == nil && b == nil:
			return 0
		case a == nil:
			return 1
		case b == nil:
			return -1
		}
		return cmp.Compare(*a, *b)
	})
	return values
}

// spread says how far apart the runs' p99 lie, in parts of the median.
func (p *page) spread(all *report.Runs) string {
	values := sorted(all, p.runsColumns()[1])
	if len(values) < 2 {
		return ""
	}
	least, median, greatest := values[0], values[(len(values)-1)/2], values[len(values)-1]
	if greatest == nil || *median == 0 || *least == *greatest {
		return ""
	}
	return fmt.Sprintf("p99 differs between runs of the same plan by %s of its median: from %s to %s",
		percent(float64(*greatest-*least)/float64(*median)), p.duration(*least), p.duration(*greatest))
}

// Numbered is the output for run k of several: its file has the number before its
// extensions.
func (o Output) Numbered(k int) Output {
	if o.File == "" {
		return o
	}
	dir, base := filepath.Split(o.File)
	name, ext, dot := strings.Cut(base, ".")
	if name == "" { // a hidden file
		name, ext, dot = base, "", false
	}
	o.File = fmt.Sprintf("%s%s-%d", dir, name, k)
	if dot {
		o.File += "." + ext
	}
	return o
}

// WriteRuns writes all runs to an output that takes them together; see [Output.Apart].
func (o Output) WriteRuns(stdout io.Writer, all *report.Runs, opt TextOptions) error {
	if o.File != "" {
		opt.Color, opt.Quiet = false, false
	}
	write := RunsText
	if o.Kind.Name == "json" {
		write = func(w io.Writer, all *report.Runs, _ TextOptions) error { return RunsJSON(w, all) }
	}
	t, err := o.create(stdout)
	if err != nil {
		return o.explain(err)
	}
	return o.explain(t.close(write(t, all, opt)))
}

// Apart reports whether several runs go to an output of this kind one by one, each to a
// file of its own.
func (o Output) Apart() bool { return o.Kind.Name != "text" && o.Kind.Name != "json" }
