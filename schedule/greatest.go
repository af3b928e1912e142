package schedule

import "time"

// Greatest is the greatest rate that s offers, per second: that of its shape, a
// population's, or of a recording the arrivals of its fullest second. It is 0 if all leave
// at once, for that is no rate. What chance adds to a law is not in it.
func (s Spec) Greatest() (ratePerSec float64) {
	if s.Law.Kind == Population {
		return float64(s.Law.Size) / s.Law.Period.Seconds()
	}
	if len(s.Replay) > 0 {
		return float64(s.kept().fullest(time.Second))
	}
	at, end := time.Duration(0), s.end()
	for _, g := range s.Shape {
		if at >= end {
			break
		}
		ratePerSec = max(ratePerSec, g.From.PerSecond(), g.To.PerSecond())
		at += g.length()
	}
	return ratePerSec
}

// fullest is the most arrivals within the time given.
func (r Recording) fullest(within time.Duration) (most int) {
	first := 0
	for i, a := range r {
		for r[first].At <= a.At-within {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}
