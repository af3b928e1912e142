package report

import (
	"time"

	"openload/correct"
)

// A Phase is where a part of the corrected time of the successes went. The sums of all
// phases add up to that of corrected_ok.
type Phase struct {
	Name string        `json:"name"` // earlier_attempts, lag, wait, dns, connect, tls, write, first_byte, body
	Sum  *int64        `json:"sum_ns"`
	Mean time.Duration `json:"mean_ns"` // of all successes, also those that had no part in it
	Each *Dist         `json:"each"`    // what each success had of it; null for lag, of which latency.lag has every attempt's
}

func phasesOf(s *correct.Snapshot) (all []Phase) {
	for _, p := range s.Phases() {
		out := Phase{Name: p.Phase.String(), Mean: p.Mean, Each: WithHistogram(p.Dist)}
		if p.Sum.IsInt64() {
			sum := p.Sum.Int64()
			out.Sum = &sum
		}
		all = append(all, out)
	}
	return all
}
