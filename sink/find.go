package sink

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"openload/report"
	"openload/sla"
)

// FindJSON writes the document openload/find/v1.
func FindJSON(w io.Writer, f *report.Find) error {
	c := *f
	c.Steps = []report.FindStep{}
	for _, s := range f.Steps {
		c.Steps = append(c.Steps, report.FindStep{Rate: s.Rate, Report: tidy(s.Report)})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(c)
}

// FindText writes a search for people: the answer, a row for each step by its rate, and
// what limits the answer. The first word is FOUND, AT LEAST, NOT EVEN, UNDECIDED or
// INTERRUPTED.
func FindText(w io.Writer, f *report.Find, opt TextOptions) error {
	p := &page{Report: &report.Report{}, TextOptions: opt, style: style{opt.Unit, opt.ASCII}}
	if len(f.Steps) > 0 {
		last := *f.Steps[len(f.Steps)-1].Report
		last.Plan.Command, last.Schedule = f.Command, nil // that of one step
		p.Report = tidy(&last)
	}
	word, answer := p.answer(f)
	p.lines(wrap(" "+word+"  ", inset, sentence(answer)), word)
	if !opt.Quiet && len(f.Steps) > 0 {
		p.section()
		p.lines(Columns(p.steps(f)), "PASS", "FAIL", "INVALID", "INCONCLUSIVE", "INTERRUPTED")
		p.section()
		p.lines(wrap(" what limits it   ", inset, sentence(p.limit(f))))
		if early(f) {
			p.lines([]string{"   - a step that cannot pass any more ends early: its figures are of what it sent"})
		}
		if growing(f) {
			p.point("at " + PerSecond(*f.Holds) + " more and more operations were under way towards the end: with longer steps (--step-duration) it may not hold")
		}
		if n := repeated(f); n > 0 {
			p.point(several(uint64(n), "step") + " made twice, for the first try could not be judged")
		}
		p.next()
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// allRules are those searched with, in words.
func (p *page) allRules() string {
	var rules []string
	for _, r := range p.SLA {
		rules = append(rules, r.Rule)
	}
	return strings.Join(rules, ", ")
}

// answer is the first line.
func (p *page) answer(f *report.Find) (word, text string) {
	rules := p.allRules()
	verb := func(rate float64) string { return "holds at " + PerSecond(rate) }
	if f.Limit == report.ByUser {
		text = "after " + several(uint64(len(f.Steps)), "step")
		if f.Holds != nil {
			text += "; " + rules + " " + verb(*f.Holds) + ", the rest is open"
		}
		return "INTERRUPTED", text
	}
	switch {
	case f.Holds != nil && f.Above == nil:
		return "AT LEAST", fmt.Sprintf("%s: %s %s, the highest rate of the search", PerSecond(*f.Holds), rules, verb(*f.Holds))
	case f.Holds != nil && f.Limit == report.ByServer:
		return "FOUND", fmt.Sprintf("%s %s and no longer at %s", rules, verb(*f.Holds), PerSecond(*f.Above))
	case f.Holds != nil:
		return "UNDECIDED", fmt.Sprintf("at least %s: %s %s; at %s this measurement was the limit", PerSecond(*f.Holds), rules, verb(*f.Holds), PerSecond(*f.Above))
	case f.Limit == report.ByServer:
		return "NOT EVEN", fmt.Sprintf("%s: %s does not hold at the lowest rate of the search", PerSecond(f.From), rules)
	}
	if i := len(f.Steps) - 1; i >= 0 && f.Steps[i].Report.Verdict == "inconclusive" {
		if needed := neededBy(f.Steps[i].Report); needed > 0 {
			return "UNDECIDED", fmt.Sprintf("too few operations at %s: %d, and at least %d are needed at %v %%; give longer steps (--step-duration)",
				PerSecond(f.From), f.Steps[i].Report.Counts.Scheduled, needed, f.Steps[i].Report.Plan.Confidence)
		}
	}
	if i := len(f.Steps) - 1; i >= 0 && f.Steps[i].Report.FailedByServer() {
		return "UNDECIDED", fmt.Sprintf("the server failed all %s at %s, which it answered with %s",
			several(f.Steps[i].Report.Counts.Scheduled, "operation"), PerSecond(f.From), statuses(f.Steps[i].Report))
	}
	return "UNDECIDED", fmt.Sprintf("nothing was measured at %s that could be judged", PerSecond(f.From))
}

// neededBy is how many operations the rules of r need at the least, where it had fewer; 0
// if that is not why they are undecided.
func neededBy(r *report.Report) (most uint64) {
	for _, x := range r.SLA {
		rule, err := sla.Parse(x.Rule)
		if n, ok := rule.Needed(r.Plan.Confidence); err == nil && ok && n > r.Counts.Scheduled {
			most = max(most, n)
		}
	}
	return most
}

// statuses lists those that came, such as 500 and 503.
func statuses(r *report.Report) string {
	return strings.Join(slices.Sorted(maps.Keys(r.Counts.Status)), " and ")
}

func (p *page) steps(f *report.Find) [][]string {
	rows := [][]string{{" rate", "sent", "ok", "p50", "p99", "raw p99", "our lag", "verdict"}}
	for _, s := range slices.SortedStableFunc(slices.Values(f.Steps), func(a, b report.FindStep) int { return cmp.Compare(a.Rate, b.Rate) }) {
		r := s.Report
		p99 := func(d *report.Dist) string {
			if d == nil {
				return "-"
			}
			return p.known(d.P99, "failed")
		}
		p50, lag := "-", "-"
		if d := r.Latency.Corrected; d != nil {
			p50 = p.known(d.P50, "failed")
		}
		if d := r.Latency.Lag; d != nil {
			lag = p.known(d.Max, "-")
		}
		rows = append(rows, []string{
			" " + PerSecond(s.Rate), strconv.FormatUint(r.Counts.Sent, 10), share(r.Counts.OK, r.Counts.Scheduled), p50, p99(r.Latency.Corrected), p99(r.Latency.Raw), lag, runWord(r),
		})
	}
	return rows
}

func share(n, of uint64) string {
	if of == 0 {
		return "-"
	}
	return percent(float64(n) / float64(of))
}

// limit says in words what the answer is limited by.
func (p *page) limit(f *report.Find) string {
	if f.Limit == report.ByUser {
		return "nothing yet: the search was interrupted"
	}
	if f.Above == nil {
		return "the search, which ends at " + PerSecond(f.To) + "; give a higher --to to go on"
	}
	var at *report.Report
	for _, s := range f.Steps {
		if s.Rate == *f.Above {
			at = s.Report // the last of them decided
		}
	}
	var why []string
	if at != nil {
		for _, r := range at.Reasons {
			why = append(why, r.Text)
		}
	}
	who := "the server"
	failed := at != nil && f.Limit == report.ByMeasurement && at.FailedByServer()
	if failed {
		who = "the server, which failed all of it"
	} else if f.Limit != report.ByServer {
		who = "the measurement, which says nothing of the server"
	}
	text := fmt.Sprintf("%s: at %s %s", who, PerSecond(*f.Above), strings.Join(why, "; "))
	switch {
	case failed:
		text += "; see that a single request succeeds, or say with --expect-status what is a success"
	case at != nil && at.Verdict == "inconclusive":
		text += "; longer steps (--step-duration) show more"
	case f.Limit == report.ByServer && f.Holds == nil:
		text += "; start with a lower --from"
	}
	return text
}

// repeated is how many steps were made again because they could not be judged.
func repeated(f *report.Find) (n int) {
	seen := map[float64]bool{}
	for _, s := range f.Steps {
		if seen[s.Rate] {
			n++
		}
		seen[s.Rate] = true
	}
	return n
}

// growing reports whether the highest rate that held did so without a steady state.
func growing(f *report.Find) bool {
	return f.Holds != nil && slices.ContainsFunc(f.Steps, func(s report.FindStep) bool {
		return s.Rate == *f.Holds && slices.ContainsFunc(s.Report.Notes, func(n report.Reason) bool { return n.Code == "no_steady_state" })
	})
}

// early reports whether a step was cut short.
func early(f *report.Find) bool {
	return slices.ContainsFunc(f.Steps, func(s report.FindStep) bool { return s.Report.Run.Aborted })
}

// WriteFind writes a search; the kinds are text and json.
func (o Output) WriteFind(stdout io.Writer, f *report.Find, opt TextOptions) error {
	if o.File != "" {
		opt.Color, opt.Quiet = false, false
	}
	write := FindText
	if o.Kind.Name == "json" {
		write = func(w io.Writer, f *report.Find, _ TextOptions) error { return FindJSON(w, f) }
	}
	t, err := o.create(stdout)
	if err != nil {
		return o.explain(err)
	}
	return o.explain(t.close(write(t, f, opt)))
}
