package sink

import (
	"fmt"
	"strings"
)

// trust says whether the measurement can be relied on, and by what.
func (p *page) trust() {
	p.section()
	label := "run is VALID"
	switch p.word() {
	case "INVALID":
		label = "run is INVALID"
	case "INTERRUPTED":
		label = "interrupted"
	}
	p.list(label, p.measured()...)
	p.list("correction", p.correction()...)
	heading := []string{" notes"}
	for _, n := range p.Notes {
		if n.Code == "aborted" {
			continue // said beside the verdict
		}
		p.lines(heading)
		heading = nil
		p.point(n.Text)
	}
}

// measured is what bears on the trust.
func (p *page) measured() (items []string) {
	if p.Plan.Model == "file" {
		return nil
	}
	if lag := p.Latency.Lag; lag != nil && lag.N > 0 {
		items = append(items, fmt.Sprintf("our lag p99 %s, max %s", p.known(lag.P99, "unknown"), p.known(lag.Max, "unknown")))
	}
	if p.Rate != nil {
		items = append(items, fmt.Sprintf("%s asked, %s offered", PerSecond(p.Rate.Asked), PerSecond(p.Rate.Offered)))
	}
	if p.Run.Engine == "sim" {
		return append(items, "virtual time")
	}
	items = append(items, fmt.Sprintf("resent %d", p.Counts.Resent))
	if n := p.Counts.ConnectionsOpened; n != nil {
		items = append(items, several(*n, "connection")+" opened")
	}
	return items
}

// correction says what a file's samples went through. A live run's are measured
// from the schedule and need none.
func (p *page) correction() []string {
	c := p.Correction
	if p.Plan.Model != "file" {
		return nil
	}
	method := c.Method
	if c.Interval != nil {
		method += " at " + p.duration(*c.Interval)
	}
	if c.Source != "" {
		method += " (" + c.Source + ")"
	}
	return []string{method, several(c.Synthetic, "synthetic sample")}
}

// next says what ran, and how to run it again.
func (p *page) next() {
	p.section()
	switch {
	case p.Plan.Server != "":
		p.say("target", "simulated: "+p.Plan.Server)
	case p.Plan.URL != "":
		p.say("target", p.Plan.Method+" "+p.Plan.URL)
	}
	if s := p.Schedule; s != nil {
		items := []string{s.Description}
		if s.Description == "" {
			items = []string{s.Law}
		}
		items = append(items, fmt.Sprintf("seed %d", s.Seed))
		if s.SHA256 != "" {
			items = append(items, fmt.Sprintf("sha256 %.12s", s.SHA256))
		}
		p.list("schedule", items...)
	}
	var with []string
	if p.Plan.Insecure {
		with = append(with, "-k: TLS certificates were not verified")
	}
	if p.Plan.NoKeepalive {
		with = append(with, "no keep-alive: a connection for each request")
	}
	for _, flag := range p.Plan.Network {
		if flag != "--insecure" {
			with = append(with, flag)
		}
	}
	p.list("with", with...)
	if p.Plan.Command != "" {
		p.lines([]string{" " + "rerun:" + spaces(margin-7) + strings.TrimSpace(printable(p.Plan.Command))})
	}
}
