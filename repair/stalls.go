package repair

import "time"

// A stall is one slow request and what went on beside it.
type stall struct {
	moment        // the request
	at     uint64 // its number in the order of ends
	due    uint64 // the row after which it can be judged
}

// A scope says how much of the server a stall held.
type scope uint8

const (
	unclear scope = iota
	whole         // nothing was answered meanwhile
	local         // others were, as usual
)

// stalls looks at what went on while a request was slow. It keeps the latest rows in
// the order of their ends.
type stalls struct {
	ring    []span
	n       uint64 // rows seen
	since   uint64 // the first row of this run
	pending []stall
	judged  func(s *stall, is scope)
	workers int           // 0: unknown
	usual   time.Duration // the median latency so far

	looked   int
	wholes   int
	locals   int
	expected float64 // sends that a schedule would have seen during the stalls
	under    float64 // requests under way at their ends
	began    float64 // requests begun during them
}

// mostStalls are looked at. The rest are taken to be like them.
const mostStalls = 1000

func (s *stalls) init() { s.ring = make([]span, window) }

func (s *stalls) next(m *moment) {
	s.ring[s.n%window] = span{m.Start, m.End()}
	s.n++
	if len(s.pending) > 0 && s.n >= s.pending[0].due {
		s.judge()
	}
}

// add takes the row that came last for a stall, in a file of rate rows per ns so far.
func (s *stalls) add(m *moment, rate float64) {
	if s.looked+len(s.pending) == mostStalls {
		s.judged(&stall{moment: *m}, unclear)
		return
	}
	// Requests that began meanwhile end later, in an open model half as many again.
	after := min(1.5*rate*float64(m.Took)+64, window/2)
	s.pending = append(s.pending, stall{*m, s.n - 1, s.n + uint64(after)})
}

// flush judges those that are left at the end of a run.
func (s *stalls) flush() {
	for len(s.pending) > 0 {
		s.judge()
	}
}

func (s *stalls) restart() {
	s.flush()
	s.since = s.n
}

// judge looks at the oldest stall.
func (s *stalls) judge() {
	x := s.pending[0]
	s.pending = s.pending[1:]
	s.looked++
	beside := s.beside(&x)
	took := float64(x.Took)
	rate := s.rate(&x)
	if expected := rate * took; expected >= 4 {
		s.expected += expected
		s.began += float64(beside.began)
		s.under += float64(beside.under)
	}
	is := unclear
	if beside.others && s.usual > 0 {
		share := 0.5
		if s.workers > 1 {
			share = float64(s.workers-1) / float64(s.workers)
		}
		switch usual := rate * share * float64(beside.span); {
		case usual >= 3 && float64(beside.fast) <= usual/10:
			is = whole
			s.wholes++
		case beside.fast >= 3 && float64(beside.fast) >= usual/2:
			is = local
			s.locals++
		}
	}
	s.judged(&x, is)
}

// rate is how many rows there were in a ns, around x and as far as they are kept.
func (s *stalls) rate(x *stall) float64 {
	first := s.oldest()
	from, to := s.ring[first%window].end, s.ring[(s.n-1)%window].end
	if to <= from {
		return 0
	}
	return float64(s.n-1-first) / float64(to-from)
}

func (s *stalls) oldest() uint64 {
	if s.n > s.since+window {
		return s.n - window
	}
	return s.since
}

// company is what there was beside a stall.
type company struct {
	began  int           // requests that began during it
	under  int           // requests under way at its end
	fast   int           // requests answered as usual well within it
	span   time.Duration // well within it
	others bool          // other requests were under way at some time
}

func (s *stalls) beside(x *stall) (c company) {
	pad := 2 * s.usual
	from, to := x.Start+pad, x.End()-pad
	c.span = max(0, to-from)
	end := x.End()
	count := func(m *span) {
		if m.start < end && m.end > x.Start {
			c.others = true
		}
		if x.Start < m.start && m.start < end {
			c.began++
		}
		if m.start < end && m.end >= end {
			c.under++
		}
		if from < m.end && m.end < to && m.end-m.start <= 3*s.usual {
			c.fast++
		}
	}
	oldest := s.oldest()
	for i := x.at; i > oldest; i-- {
		m := &s.ring[(i-1)%window]
		if m.end <= x.Start {
			break
		}
		count(m)
	}
	for i := x.at + 1; i < s.n; i++ {
		count(&s.ring[i%window])
	}
	c.under++ // itself
	return c
}
