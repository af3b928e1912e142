package sink

import (
	"fmt"
	"net/url"
	"strings"

	"openload/report"
)

// whom says what a plan asks.
func whom(plan *report.Plan) string { return strings.TrimSpace(plan.Method + " " + where(plan)) }

// where is the plan's URL. Of many hosts it names a few.
func where(plan *report.Plan) string {
	const few = 4
	n := len(plan.Hosts)
	if n <= few {
		return plan.URL
	}
	return fmt.Sprintf("%d hosts: %s and %d more", n, strings.Join(plan.Hosts[:few-1], " "), n-few+1)
}

// hosts says how much each of several hosts was sent, and at which addresses it was
// reached where its URL does not tell.
func hosts(all []report.Host) (items []string) {
	for i, h := range all {
		if i == mostPeers && len(all) > mostPeers+1 {
			return append(items, fmt.Sprintf("and %d more hosts in the JSON report", len(all)-mostPeers))
		}
		item := printable(h.URL) + ": "
		if h.Connections == 0 {
			item += "no connection"
		} else {
			item += fmt.Sprintf("%d sent over %s", h.Attempts, several(h.Connections, "connection"))
		}
		items = append(items, item+addresses(h))
	}
	return items
}

// addresses are those of a host, in brackets; "" if there is one and its URL names it.
func addresses(h report.Host) string {
	const few = 3
	if u, err := url.Parse(h.URL); len(h.Peers) == 0 || err == nil && len(h.Peers) == 1 && h.Peers[0].Address == u.Host {
		return ""
	}
	var parts []string
	for i, p := range h.Peers {
		if i == few && len(h.Peers) > few+1 {
			parts = append(parts, fmt.Sprintf("and %d more", len(h.Peers)-few))
			break
		}
		parts = append(parts, fmt.Sprintf("%s: %d", printable(p.Address), p.Attempts))
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
