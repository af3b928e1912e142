package lab

import "time"

// A gate stands before the server and turns away, at once, what is too much: more
// than the limit in the server, more than the quota in a window of time.
type gate struct {
	limit uint64 // 0: none
	quota quota
	held  departures // of what is in the server

	window time.Duration // the number of the present one
	taken  uint64        // in it
}

// A quota is a number of requests in each of the windows that follow each other from
// the first arrival on. Of 0: there is none.
type quota struct {
	count  uint64
	window time.Duration
}

// admits reports whether the request that arrives now may enter. What the limit turns
// away takes nothing of the quota.
func (g *gate) admits(now time.Duration) bool {
	g.held.until(now)
	if g.limit > 0 && uint64(g.held.len()) >= g.limit {
		return false
	}
	if g.quota.count == 0 {
		return true
	}
	if window := now / g.quota.window; window != g.window {
		g.window, g.taken = window, 0
	}
	if g.taken == g.quota.count {
		return false
	}
	g.taken++
	return true
}
