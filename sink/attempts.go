package sink

import (
	"fmt"

	"openload/report"
)

// attempts writes what was tried beyond once, and what that came to.
func (p *page) attempts() {
	c, r := p.Counts, p.Retries
	if r == nil {
		if c.Attempts != c.Fired && c.Attempts > 0 {
			p.list("attempts", fmt.Sprintf("%d at %s", c.Attempts, several(c.Fired, "operation")), fmt.Sprintf("%d sent", c.AttemptsSent))
		}
		return
	}
	tried := []string{fmt.Sprintf("%d at %s", c.Attempts, several(c.Fired, "operation"))}
	if x := r.AttemptsPerOperation; x != nil {
		tried = append(tried, fmt.Sprintf("%.2f an operation", *x))
	}
	p.list("attempts", append(tried, fmt.Sprintf("%d wasted", r.Wasted))...)
	var spread []string
	for n, operations := range r.OperationsByAttempts {
		if operations > 0 {
			spread = append(spread, fmt.Sprintf("%d: %d", n, operations))
		}
	}
	p.list("by attempts", spread...)
	if r.OperationSuccess != nil && r.AttemptSuccess != nil {
		first := ""
		if c.Fired > 0 {
			first = fmt.Sprintf(", %s at the first try", percent(float64(r.FirstTry)/float64(c.Fired)))
		}
		p.list("succeeded", percent(*r.OperationSuccess)+" of operations"+first, percent(*r.AttemptSuccess)+" of attempts")
	}
	var refused []string
	for _, x := range []struct {
		n    uint64
		what string
	}{{r.Denied, "denied by the budget"}, {r.Blocked, "blocked by the breaker"}, {r.Unsafe, "not made: might do it twice"}} {
		if x.n > 0 {
			refused = append(refused, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	switch r.Opened {
	case 0:
	case 1:
		refused = append(refused, "the breaker opened once")
	default:
		refused = append(refused, fmt.Sprintf("the breaker opened %d times", r.Opened))
	}
	p.list("refused", refused...)
	if r.Queries > 0 {
		p.list("queries", fmt.Sprintf("%d asked what became of an operation", r.Queries), several(r.Resolved, "operation")+" had been done")
	}
}

// tidyRetries is tidy for the part about retries.
func tidyRetries(r *report.Retries) *report.Retries {
	if r == nil {
		return nil
	}
	c := *r
	c.OperationsByAttempts = append([]uint64{}, r.OperationsByAttempts...)
	for _, share := range []**float64{&c.AttemptsPerOperation, &c.OperationSuccess, &c.AttemptSuccess} {
		if *share != nil && !number(**share) {
			*share = nil
		}
	}
	return &c
}
