package sink

import (
	"fmt"
	"strings"
	"time"

	"openload/report"
)

// why explains why corrected and raw differ, or why they don't.
func (p *page) why() {
	heading, points := p.explanation()
	if heading == "" {
		return
	}
	p.section()
	p.lines([]string{" " + heading})
	for _, text := range points {
		p.point(text)
	}
}

// explanation is why corrected and raw differ or don't, or why there is only one of
// them; "" if there is nothing to compare.
func (p *page) explanation() (heading string, points []string) {
	c, r := p.Latency.Corrected, p.Latency.Raw
	if c == nil && r != nil && p.Plan.Model != "file" {
		return p.onlyRaw()
	}
	if c == nil || r == nil || !anySuccess([]row{{"", c}, {"", r}}) {
		return "", nil
	}
	gap, agree := compare(c, r)
	if c.P50 == nil || r.P50 == nil {
		heading = "why corrected and raw cannot be compared"
		points = []string{"more than half of the operations or attempts failed, and failures have no latency"}
	} else if agree {
		heading, points = "why corrected and raw agree", p.agreement(gap)
		if reach(c) != "max" {
			heading = "how far corrected and raw agree"
		}
	} else {
		heading, points = "why corrected and raw differ", p.causes(gap)
	}
	if l := p.closedLoop(); l != nil {
		if _, agree := compare(c, l); !agree {
			points = append(points, "a closed-loop tool would have sent nothing while it waited for an answer, and what was due then would not have been measured")
		}
	}
	return heading, points
}

func (p *page) onlyRaw() (heading string, points []string) {
	points = []string{"a closed loop has no schedule: what it did not send it did not measure, and while the server was stuck it sent nothing"}
	if c := p.Plan.Closed; c != nil && c.Rate != "" {
		points = append(points, fmt.Sprintf("it was paced at %s; %s passed while a worker waited, and nothing was sent for %s",
			c.Rate, several(c.Skipped, "slot"), either(c.Skipped == 1, "it", "them")))
	}
	return "why there is no corrected row", points
}

// compare returns the greatest difference between two readings in any column, and
// whether it is within a hundredth everywhere: finer ones do not show.
func compare(c, r *report.Dist) (gap time.Duration, agree bool) {
	agree = true
	cs, rs := append(percentiles(c), c.Mean), append(percentiles(r), r.Mean)
	for i := range cs {
		if cs[i] == nil || rs[i] == nil {
			agree = agree && cs[i] == rs[i]
			continue
		}
		diff := (*cs[i] - *rs[i]).Abs()
		gap = max(gap, diff)
		agree = agree && diff <= max(*cs[i], *rs[i])/100
	}
	return gap, agree
}

// reach is the last column with a latency: the others lie among the failures.
func reach(d *report.Dist) (name string) {
	for i, v := range percentiles(d) {
		if v != nil {
			name = []string{"p50", "p90", "p95", "p99", "p99.9", "max"}[i]
		}
	}
	return name
}

// agreement says how closely they agree, how far up, and why.
func (p *page) agreement(gap time.Duration) []string {
	s := "they are equal"
	if gap > 0 {
		s = "they agree within " + p.duration(gap)
	}
	if last := reach(p.Latency.Corrected); last != "max" {
		return append(p.delays(s+" up to "+last), "above "+last+" lie failures, which have no latency to compare")
	}
	return p.delays(s)
}

// delays is what delayed requests although the columns agree, after s, which says so.
func (p *page) delays(s string) (points []string) {
	if p.Correction.Method == "backfill" && p.Correction.Synthetic == 0 {
		return []string{s + ": no sample is as long as two intervals, so the tool left none out"}
	}
	wait, lag := p.Latency.Wait, p.Latency.Lag
	if p.Plan.Model == "file" || wait == nil || lag == nil || wait.Max == nil || lag.Max == nil {
		return []string{s}
	}
	const punctual = time.Millisecond // what a user would call at once
	if *wait.Max <= punctual && *lag.Max <= punctual {
		return []string{s + ": nothing had to wait, every request was sent when it was due"}
	}
	points = []string{s}
	if how := p.howLong(wait, "for", punctual+1); how != "" {
		points = append(points, "requests had to wait for "+p.connection()+", which does not show in these columns: "+how)
	}
	if how := p.howLong(lag, "by", punctual+1); how != "" {
		points = append(points, "openload itself sent late, which is not the server's fault and does not show in these columns: "+how)
	}
	return points
}

// causes says what stands between corrected and raw. A wait or lag that never
// reached a quarter of the gap did not make it, nor one that would not show.
func (p *page) causes(gap time.Duration) (causes []string) {
	if n := p.Correction.Synthetic; n > 0 {
		causes = append(causes, fmt.Sprintf("corrected holds %s: what the tool would have sent while it waited for an answer", several(n, "synthetic sample")))
	}
	if p.Plan.Model == "file" {
		if len(causes) == 0 {
			causes = append(causes, "raw starts its clock when the tool sent a request; corrected when its schedule wanted it")
		}
		return causes
	}
	least := max(gap/4, longest(p.Latency.Corrected)/100)
	if how := p.howLong(p.Latency.Wait, "for", least); how != "" {
		if n := p.Counts.MaxBacklog; n != nil && *n > 1 {
			how += fmt.Sprintf("; up to %d waited at once", *n)
		}
		causes = append(causes, fmt.Sprintf("requests had to wait for %s before they could be sent: %s", p.connection(), how))
	}
	if how := p.howLong(p.Latency.Lag, "by", least); how != "" {
		causes = append(causes, "openload itself sent late, which is not the server's fault: "+how)
	}
	if c := p.Counts; c.Attempts > c.Fired {
		causes = append(causes, fmt.Sprintf("corrected holds all attempts at an operation and the pauses between them (%s after the first); raw is one attempt", several(c.Attempts-c.Fired, "attempt")))
	}
	return append(causes, "raw starts its clock when a request is sent; the user's clock started when it was due")
}

// longest is the greatest percentile that is no failure.
func longest(d *report.Dist) (v time.Duration) {
	for _, x := range percentiles(d) {
		if x != nil {
			v = *x
		}
	}
	return v
}

// howLong says how many waited for, or were late by, how long: by the lowest
// percentile that reaches least, and the greatest. "" if none does.
func (p *page) howLong(d *report.Dist, by string, least time.Duration) string {
	if d == nil {
		return ""
	}
	var parts []string
	for _, x := range []struct {
		share string
		at    *time.Duration
	}{{"half", d.P50}, {"1 in 10", d.P90}, {"1 in 20", d.P95}, {"1 in 100", d.P99}} {
		if x.at != nil && *x.at > 0 && *x.at >= least {
			parts = append(parts, x.share+" "+by+" "+p.duration(*x.at)+" or more")
			break
		}
	}
	if d.Max != nil && *d.Max > 0 && *d.Max >= least {
		parts = append(parts, p.duration(*d.Max)+" at most")
	}
	return strings.Join(parts, ", ")
}

// connection names what was waited for.
func (p *page) connection() string {
	to := ""
	if len(p.Plan.Hosts) > 1 {
		to = " to their host"
	}
	switch n := p.Plan.Connections; n {
	case 0:
		if e := p.Evidence; e != nil && e.Descriptors > 0 {
			return fmt.Sprintf("one of the %d connections%s that our file descriptors allow", p.Plan.ConnectionsLimit, to)
		}
		return "a connection" + to
	case 1:
		return "the only connection" + to
	default:
		return fmt.Sprintf("one of %d connections%s", n, to)
	}
}

func either(which bool, a, b string) string {
	if which {
		return a
	}
	return b
}
