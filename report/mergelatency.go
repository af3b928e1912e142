package report

import (
	"fmt"
	"slices"
	"time"

	"openload/correct"
)

// mergeLatency merges the readings that all have.
func mergeLatency(all []*Latency) (out Latency, err error) {
	for _, x := range []struct {
		name string
		of   func(*Latency) **Dist
	}{
		{"corrected", func(l *Latency) **Dist { return &l.Corrected }},
		{"raw", func(l *Latency) **Dist { return &l.Raw }},
		{"queue", func(l *Latency) **Dist { return &l.Queue }},
		{"corrected_ok", func(l *Latency) **Dist { return &l.CorrectedOK }},
		{"corrected_less_lag", func(l *Latency) **Dist { return &l.LessLag }},
		{"corrected_less_lag_and_wait", func(l *Latency) **Dist { return &l.LessWait }},
		{"settled", func(l *Latency) **Dist { return &l.Settled }},
	} {
		var dists []*Dist
		for _, l := range all {
			d := *x.of(l)
			if d == nil && x.name == "corrected_less_lag_and_wait" {
				d = l.LessLag // there the wait makes no difference
			}
			dists = append(dists, d)
		}
		if x.name == "corrected_less_lag_and_wait" && !slices.ContainsFunc(all, func(l *Latency) bool { return l.LessWait != nil }) {
			continue
		}
		if *x.of(&out), err = mergeDists(dists); err != nil {
			return out, fmt.Errorf("latency %s: %w", x.name, err)
		}
	}
	var lag, wait []*Dist
	for _, l := range all {
		lag, wait = append(lag, l.Lag), append(wait, l.Wait)
	}
	out.Lag, out.Wait = extremes(lag), extremes(wait)
	return out, nil
}

// mergeDists merges distributions; nil if one is missing.
func mergeDists(all []*Dist) (*Dist, error) {
	if slices.Contains(all, nil) {
		return nil, nil
	}
	var parts []*correct.Dist
	var limits []time.Duration // that all count exactly
	for i, d := range all {
		part, err := d.restore()
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		if i == 0 {
			limits = part.Limits()
		}
		limits = slices.DeleteFunc(limits, func(l time.Duration) bool { return !slices.Contains(part.Limits(), l) })
	}
	whole := correct.NewDist(limits...)
	for _, p := range parts {
		one := p.Only(limits)
		whole.Merge(&one)
	}
	return WithHistogram(&whole), nil
}

// extremes are what distributions without a histogram say together: percentiles are
// unknown but for those that all agree on.
func extremes(all []*Dist) *Dist {
	if slices.Contains(all, nil) {
		return nil
	}
	var out Dist
	for _, d := range all {
		out.N += d.N
		out.Failed += d.Failed
		if d.Min != nil && (out.Min == nil || *d.Min < *out.Min) {
			out.Min = d.Min
		}
		if d.Max != nil && (out.Max == nil || *d.Max > *out.Max) {
			out.Max = d.Max
		}
	}
	if out.Failed > 0 {
		out.Max = nil
	}
	return &out
}
