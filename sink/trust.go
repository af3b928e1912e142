package sink

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"openload/report"
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
	p.list("reached", p.reached()...)
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
	if p.Run.Threads > 1 {
		items = append(items, fmt.Sprintf("%d threads", p.Run.Threads))
	}
	if pace := p.Run.Pace; pace != "" && pace != "precise" {
		items = append(items, "pace "+pace)
	}
	if a, raw := p.Run.ReadAudit, p.Latency.Raw; a != nil && raw != nil && raw.P50 != nil && a.P50 > *raw.P50/10 {
		items = append(items, fmt.Sprintf("answers lay unread %s in the middle, p99 %s", p.duration(a.P50), p.duration(a.P99)))
	}
	items = append(items, fmt.Sprintf("resent %d", p.Counts.Resent))
	if n := p.Counts.ConnectionsOpened; n != nil {
		items = append(items, several(*n, "connection")+" opened")
	}
	if n := p.Network; n != nil && n.TLS != nil {
		items = append(items, fmt.Sprintf("%s, %d resumed", several(n.TLS.Handshakes, "TLS handshake"), n.TLS.Resumed))
	}
	if n := p.Network; n != nil && n.Decoded != nil {
		items = append(items, bodies(n)...)
	}
	if n := p.Network; n != nil && n.Redirects != nil {
		items = append(items, several(*n.Redirects, "redirect")+" followed")
	}
	if n := p.Network; n != nil && n.HTTP2 != nil {
		items = append(items, fmt.Sprintf("HTTP/2: %s, %d refused", several(n.HTTP2.Streams, "stream"), n.HTTP2.Refused))
	} else if n != nil && slices.Contains(p.Plan.Network, "--http2") {
		items = append(items, "HTTP/1.1: the server did not agree to HTTP/2")
	}
	return items
}

// bodies says what came and what it came to, where codings were asked for.
func bodies(n *report.Network) (items []string) {
	items = []string{fmt.Sprintf("%d B of bodies on the wire", n.BodyBytes)}
	d := n.Decoded
	if d.Bodies == 0 {
		return append(items, "none of them encoded")
	}
	var with []string
	for _, name := range slices.Sorted(maps.Keys(d.Codings)) {
		with = append(with, printable(name))
	}
	what := fmt.Sprintf("%d of %d encoded ones (%s) decoded", d.Decoded, d.Bodies, strings.Join(with, "; "))
	if d.Decoded > 0 {
		what += fmt.Sprintf(", %d B to %d B", d.Wire, d.Bytes)
	}
	return append(items, what)
}

// mostPeers is how many addresses the text tells apart.
const mostPeers = 8

// reached says whom connections went to, if that is not plain from the URL.
func (p *page) reached() (items []string) {
	n := p.Network
	if n == nil {
		return nil
	}
	if len(n.Hosts) > 1 {
		items = hosts(n.Hosts)
	} else if len(n.Peers) > 1 || len(n.Peers) == 1 && strings.ContainsAny(n.Peers[0].Address, " /") {
		for i, peer := range n.Peers {
			if i == mostPeers && len(n.Peers) > mostPeers+1 {
				items = append(items, fmt.Sprintf("and %d more", len(n.Peers)-mostPeers))
				break
			}
			if peer.Attempts == 0 && peer.Connections > 0 && p.redirected() {
				items = append(items, fmt.Sprintf("%s: %s for redirects", printable(peer.Address), several(peer.Connections, "connection")))
				continue
			}
			items = append(items, fmt.Sprintf("%s: %d sent over %s", printable(peer.Address), peer.Attempts, several(peer.Connections, "connection")))
		}
	}
	if l := n.Lookups; l != nil && (l.N > 1 || l.Failed > 0 || l.Slowest >= slowLookup) {
		text := fmt.Sprintf("name looked up %d x, %d failed, ", l.N, l.Failed)
		if l.Changed > 0 {
			text += fmt.Sprintf("other addresses %d x, ", l.Changed)
		}
		items = append(items, text+p.duration(l.Slowest)+" at most (in no latency)")
	}
	return items
}

// slowLookup is a look-up that is worth a word.
const slowLookup = 50 * time.Millisecond

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
		p.say("target", whom(&p.Plan))
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
