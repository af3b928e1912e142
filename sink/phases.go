package sink

import (
	"time"

	"openload/report"
)

// ledWords stand behind the time until the first byte where redirects were followed.
const ledWords = ", redirects too"

// phaseNames are the phases in words.
var phaseNames = map[string]string{
	"earlier_attempts": "earlier attempts", "lag": "openload's own lag", "wait": "wait for a connection",
	"dns": "look-up of the name", "connect": "connect", "tls": "TLS handshake",
	"write": "sending", "first_byte": "until the first byte", "body": "until the last byte",
}

// redirected reports whether a redirect was followed.
func (p *page) redirected() bool {
	return p.Network != nil && p.Network.Redirects != nil && *p.Network.Redirects > 0
}

// phases shows where the corrected time went, unless nearly all of it passed in one
// phase: then there is nothing to find.
func (p *page) phases() {
	var whole, most time.Duration
	for _, x := range p.Phases {
		whole += x.Mean
		most = max(most, x.Mean)
	}
	if whole <= 0 || most >= whole-whole/100 {
		return
	}
	rows := [][]string{{" where did the corrected time go?", "mean", "share", "p50", "p99", "max"}}
	for _, x := range p.Phases {
		if x.Mean == 0 && (x.Sum == nil || *x.Sum == 0) {
			continue
		}
		name := phaseNames[x.Name]
		if name == "" {
			name = shorten(printable(x.Name), 32)
		}
		if x.Name == "first_byte" && p.redirected() {
			name += ledWords
		}
		each := x.Each
		if each == nil {
			each = &report.Dist{}
			if x.Name == "lag" && p.Latency.Lag != nil {
				each = p.Latency.Lag
			}
		}
		rows = append(rows, []string{
			spaces(inset) + name, p.duration(x.Mean), percent(float64(x.Mean) / float64(whole)),
			p.known(each.P50, "-"), p.known(each.P99, "-"), p.known(each.Max, "-"),
		})
	}
	p.section()
	p.table(rows)
	if p.redirected() {
		p.lines(wrap(spaces(inset), inset, sentence("the first byte is that of the last answer: following redirects, and connecting to where they led, is in the time until then")))
	}
}
