package lab

// layers are callers in a chain before the server. Each makes a number of attempts at
// the next one, without a pause and whatever failed, and knows nothing of the others.
type layers struct {
	depth, attempts uint64 // 0 of both: there are none
}

// most is how many calls reach the server for one request if all of them fail:
// attempts to the power of depth.
func (l layers) most() uint64 {
	n := uint64(1)
	for range l.depth {
		n *= l.attempts
	}
	return n
}

// callers is how many layers, the deepest first, make a call of their own for the
// given call at the server, counted from 1. The deepest makes every one of them, the
// layer before it only those that begin a new round of attempts of the deepest.
func (l layers) callers(call uint64) (n uint64) {
	round := uint64(1)
	for n < l.depth && (call-1)%round == 0 {
		round *= l.attempts
		n++
	}
	return n
}

// Again reports whether a layer before the server sends the request once more, at
// a.At, after a number of calls that all failed, a being the last one's answer. A
// server without layers= is never asked twice.
func (a Answer) Again(calls uint64) bool {
	failed := a.Status == 0 || a.Status == 429 || a.Status >= 500
	return failed && calls < a.layers.most()
}
