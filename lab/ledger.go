package lab

import (
	"maps"
	"slices"
)

// Stats counts what a server saw since its start or the last reset. What was received
// and neither answered nor closed is still held, or was when Serve ended.
type Stats struct {
	Received    uint64         `json:"received"`    // requests read to their end
	Answered    uint64         `json:"answered"`    // responses sent, whether or not the client still waited
	Closed      uint64         `json:"closed"`      // connections closed in place of a response
	Status      map[int]uint64 `json:"status"`      // Answered by HTTP status
	Connections uint64         `json:"connections"` // accepted, less those whose first request was to /lab/

	ByAttempt  map[int]uint64 `json:"by_attempt"`       // Received by the attempt's number, of those that gave one
	HeldAtOnce int            `json:"held_at_once"`     // most requests in the server at one instant, clients gone or not
	Rejected   uint64         `json:"rejected"`         // calls turned away by accept=, limit= or queue=
	Expired    uint64         `json:"expired"`          // calls turned away by max-age=
	Layers     []uint64       `json:"layers,omitempty"` // calls that each layer made, the first layer first; the last are the server's

	Executed   uint64 `json:"executed"`   // calls whose work was done
	Keys       uint64 `json:"keys"`       // different idempotency keys that came
	Duplicates uint64 `json:"duplicates"` // of Executed, those whose key had been executed before: a payment made twice
	Forgotten  uint64 `json:"forgotten"`  // keys that the record no longer holds: if one came again, it counted as new
}

// Limits of a Ledger.
const (
	mostKeys     = 1 << 17
	mostAttempts = 1000
)

// A Ledger keeps the Stats of a server. Its memory is bounded, however long the server
// lives: it remembers at least the last 131,072 different keys, in about 10 MB, and
// counts attempts above 1000 as 1000. The zero Ledger is empty.
type Ledger struct {
	stats    Stats
	status   [600]uint64
	attempts [mostAttempts + 1]uint64

	// Of each key that came, whether it was executed. When recent is full, older is
	// forgotten and recent becomes older.
	recent, older map[uint64]bool
}

// Arrive counts a request. attempt is its number, 1 for the first, or 0 if it has none.
func (l *Ledger) Arrive(attempt int) {
	l.stats.Received++
	l.attempts[min(max(0, attempt), mostAttempts)]++
}

// Key counts a key that came with a request; it may be a hash of the key, but not 0,
// which is none.
func (l *Ledger) Key(key uint64) {
	if key == 0 {
		return
	}
	if _, known := l.executed(key); !known {
		l.stats.Keys++
		l.remember(key, false)
	}
}

// Execute counts a call whose work was done, for a key or, without one, for 0.
func (l *Ledger) Execute(key uint64) {
	l.stats.Executed++
	if key == 0 {
		return
	}
	if before, _ := l.executed(key); before {
		l.stats.Duplicates++
	} else {
		l.remember(key, true)
	}
}

// executed reports whether work has been done for a key, and whether it is known.
func (l *Ledger) executed(key uint64) (done, known bool) {
	if done, known = l.recent[key]; !known {
		done, known = l.older[key]
	}
	return done, known
}

func (l *Ledger) remember(key uint64, executed bool) {
	if l.recent == nil {
		l.recent, l.older = map[uint64]bool{}, map[uint64]bool{}
	}
	if len(l.recent) == mostKeys {
		l.stats.Forgotten += uint64(len(l.older))
		l.recent, l.older = l.older, l.recent
		clear(l.recent)
	}
	l.recent[key] = executed
}

// Call counts a call at the server, the given one of its request; see [Answer.Again].
func (l *Ledger) Call(call uint64, a Answer) {
	l.stats.HeldAtOnce = max(l.stats.HeldAtOnce, a.Held)
	switch a.Fate {
	case Rejected:
		l.stats.Rejected++
	case Expired:
		l.stats.Expired++
	}
	depth := a.layers.depth
	if depth == 0 {
		return
	}
	if l.stats.Layers == nil {
		l.stats.Layers = make([]uint64, depth)
	}
	for i := range a.layers.callers(call) {
		l.stats.Layers[depth-1-i]++
	}
}

// Leave counts the end of a request: its status, or 0 for a connection that is closed.
func (l *Ledger) Leave(status int) {
	if status == 0 {
		l.stats.Closed++
		return
	}
	l.stats.Answered++
	l.status[min(status, len(l.status)-1)]++
}

// Stats returns the counts up to now.
func (l *Ledger) Stats() Stats {
	s := l.stats
	s.Status, s.ByAttempt, s.Layers = sparse(l.status[:]), sparse(l.attempts[:]), slices.Clone(s.Layers)
	delete(s.ByAttempt, 0)
	return s
}

// sparse is counts without the zeros.
func sparse(counts []uint64) map[int]uint64 {
	m := maps.Collect(slices.All(counts))
	maps.DeleteFunc(m, func(_ int, n uint64) bool { return n == 0 })
	return m
}
