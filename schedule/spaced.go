package schedule

import "time"

// spaced is a law's line through a shape's inverse.
type spaced struct {
	line    line
	inverse inverse
	seq, n  uint64
	last    time.Duration
	end     time.Duration
}

func (s *spaced) Next() (Arrival, bool) {
	if s.seq >= s.n {
		return Arrival{}, false
	}
	x, ok := s.line.place(s.seq)
	at, reached := s.inverse.when(x)
	if !ok || !reached {
		s.n = s.seq
		return Arrival{}, false
	}
	// The last digit of a float could carry an arrival to the end, which is outside,
	// or a nanosecond before the one that it follows.
	s.last = max(s.last, min(at, s.end-1))
	a := Arrival{Seq: s.seq, At: s.last}
	s.seq++
	return a, true
}

// atOnce is n arrivals at the start.
type atOnce struct{ seq, n uint64 }

func (s *atOnce) Next() (Arrival, bool) {
	if s.seq >= s.n {
		return Arrival{}, false
	}
	a := Arrival{Seq: s.seq}
	s.seq++
	return a, true
}
