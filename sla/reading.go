package sla

import (
	"time"

	"openload/correct"
)

// A view is a distribution as a rule reads it.
type view struct {
	dist    *correct.Dist
	excused uint64        // failures in dist that do not count
	less    time.Duration // what is taken off every value
}

// views are what a latency rule is judged on: first what was measured, then the
// same without our own lateness, then without the wait for a cap that nobody asked
// for either. Nil if the run has no such reading.
func (e *Evidence) views(r Rule) []view {
	s := e.Snapshot
	measured := s.Dist(r.Set)
	if measured == nil {
		return nil
	}
	list := []view{{dist: measured}}
	if e.madeUp(r) {
		return list // from a file: what is late there is not our doing
	}
	if r.Set == correct.Raw {
		// Raw runs from Sent, so the lag is not in it, and of our lateness only Late.
		return append(list, view{measured, min(e.ours(), measured.Failed()), s.MaxLate})
	}
	late := e.mostLate()
	for _, set := range e.punctual() {
		d := s.Dist(set)
		switch {
		case r.Set == correct.Corrected:
			list = append(list, view{dist: d})
		case r.Set == correct.CorrectedOK && r.Metric == Percentile:
			// The successes of d; what failed by our doing is 0 in it, and under every limit.
			list = append(list, view{d, d.Failed(), 0})
		default:
			if set == correct.LessWait {
				wait, _ := s.Dist(correct.Wait).Max()
				late += wait
			}
			list = append(list, view{measured, 0, late})
		}
	}
	return list
}

// over is the number of values at or over bound, failures included. It is exact if
// unsure is 0. If not, bound was not known before the run and falls inside a bucket
// of the histogram, which has unsure values; they are counted as over.
func (v view) over(bound time.Duration) (n, unsure uint64) {
	n, exact := v.dist.Over(bound + v.less)
	if !exact {
		n, unsure = v.overInBuckets(bound + v.less)
	}
	if v.less > 0 {
		n, unsure = n-unsure, 0 // less is the most that it may have been: this is a lower bound in any case
	}
	return n - min(n, v.excused), unsure
}

func (v view) overInBuckets(bound time.Duration) (n, unsure uint64) {
	if greatest, ok := v.dist.Max(); ok && greatest < bound {
		return 0, 0
	}
	beyond := v.dist.N() - v.dist.Failed() // values that are in no bucket
	n = v.dist.Failed()
	if h := v.dist.Histogram(); h != nil {
		beyond -= uint64(h.TotalCount())
		for _, bucket := range h.Distribution() {
			if time.Duration(bucket.To) < bound {
				continue
			}
			n += uint64(bucket.Count)
			if time.Duration(bucket.From) < bound {
				unsure += uint64(bucket.Count)
			}
		}
	}
	if bound > correct.Longest {
		unsure += beyond
	}
	return n + beyond, unsure
}

// meanBreaks reports whether the mean is certainly at or over bound; one failure
// that counts makes it so.
func (v view) meanBreaks(bound time.Duration) bool {
	if v.dist.Failed() > v.excused {
		return true
	}
	mean, ok := v.dist.Mean()
	return ok && mean-v.less >= bound
}

// value is what r limits, in d. A percentile comes from a bucket of the histogram,
// whose top may lie over a limit that the count says is kept: then it is the greatest
// value that keeps the limit.
func (r Rule) value(d *correct.Dist, pass bool) *time.Duration {
	v, ok := d.Mean()
	if r.Metric == Percentile {
		v, ok = d.Quantile(r.Quantile)
	}
	if !ok {
		return nil
	}
	if pass {
		v = min(v, r.bound()-1)
	}
	return &v
}

// on is r on other samples than its own; nil if there are none.
func (r Rule) on(d *correct.Dist) *Reading {
	if d == nil || d.N() == 0 {
		return nil
	}
	var pass bool
	if r.Metric == Mean {
		pass = !view{dist: d}.meanBreaks(r.bound())
	} else {
		over, _ := view{dist: d}.over(r.bound())
		pass = over <= r.allowed(d.N())
	}
	return &Reading{Latency: r.value(d, pass), Pass: pass}
}
