package sink

import (
	"errors"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"openload/correct"
	"openload/report"
)

// A step is some of a reading's values, to three digits.
type step struct {
	value time.Duration // the greatest that they may be
	count uint64
}

var errCounts = errors.New("its counts do not add up to the reading's")

// bars are a reading's values in ascending order, without those that failed. Values
// that are longer than a histogram holds stand at the greatest one, or if that is not
// known at the longest that it holds. Empty if the report has no histogram.
func bars(d *report.Dist) (all []step, err error) {
	if d == nil || d.Histogram == "" {
		return nil, nil
	}
	h, err := hdrhistogram.Decode([]byte(d.Histogram))
	if err != nil {
		return nil, err
	}
	if d.Failed > d.N || uint64(h.TotalCount()) > d.N-d.Failed {
		return nil, errCounts
	}
	for _, b := range h.Distribution() {
		if b.Count <= 0 {
			continue
		}
		v := time.Duration(b.To)
		if d.Max != nil {
			v = min(v, *d.Max)
		}
		if d.Min != nil {
			v = max(v, *d.Min)
		}
		all = append(all, step{v, uint64(b.Count)})
	}
	if n := d.N - d.Failed - uint64(h.TotalCount()); n > 0 {
		v := correct.Longest
		if d.Max != nil {
			v = *d.Max
		}
		all = append(all, step{v, n})
	}
	return all, nil
}
