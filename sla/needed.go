package sla

import (
	"openload/correct"
	"openload/stats"
)

// Needed is the least number of operations with which a sample can show r at a
// confidence in percent, with none of them over the limit; ok is false for a rule that
// no sample shows, such as one about the mean.
func (r Rule) Needed(percent float64) (n uint64, ok bool) {
	share, byChance := r.chance()
	if !byChance {
		return 0, false
	}
	return stats.Needed(0, share, percent/100), true
}

// OfLatency reports whether r limits a duration.
func (r Rule) OfLatency() bool { return r.latency() }

// OfRaw reports whether r limits the service time of attempts, and not what users wait.
func (r Rule) OfRaw() bool { return r.latency() && r.Set == correct.Raw }
