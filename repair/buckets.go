package repair

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"openload/correct"
	"openload/source"
)

// buckets are a histogram's samples. A bucket's values are taken to be its greatest,
// as HdrHistogram's copyCorrectedForCoordinatedOmission does: a stall just under a
// multiple of the interval may get one synthetic sample too many.
type buckets struct {
	n         uint64
	raw, done correct.Dist // as measured; as the tool corrected them itself
	failures  correct.Dist
	long      map[[2]time.Duration]uint64 // counts of buckets, by their bounds, that leave something out
	series    map[int32]bool              // uncorrected ones
	hasDone   bool
	interval  time.Duration
	ok, bad   uint64
}

func takeBuckets(f *source.File, p *pace, limits []time.Duration) *buckets {
	b := &buckets{
		raw: correct.NewDist(limits...), done: correct.NewDist(limits...), failures: correct.NewDist(limits...),
		long: map[[2]time.Duration]uint64{}, series: map[int32]bool{}, interval: p.interval,
	}
	for x := range f.Buckets() {
		count, failed := uint64(x.Count), uint64(min(x.Failed, x.Count))
		into := &b.raw
		if x.Corrected {
			into, b.hasDone = &b.done, true
		} else {
			b.series[x.Series] = true
			b.n += count
			b.ok += count - failed
			b.bad += failed
			if p.interval > 0 && x.High >= p.interval {
				b.keep(f, x, count)
			}
		}
		into.RecordN(x.High, count-failed)
		into.Fail(failed)
		b.failures.RecordN(x.High, failed)
	}
	return b
}

// keep counts a bucket that may leave something out. A row of a percentile
// distribution is a recorded value; what lies between it and the row before is folded
// into it.
func (b *buckets) keep(f *source.File, x *source.Bucket, count uint64) {
	if count > 0 && f.Facts.Tool == "HdrHistogram percentiles" {
		b.long[[2]time.Duration{x.High, x.High}]++
		count--
	}
	if count > 0 {
		b.long[[2]time.Duration{x.Low, x.High}] += count
	}
}

// oneSeries is an error if the file holds several that nobody chose between: what
// was measured of different requests must not be added up unasked.
func (b *buckets) oneSeries(f *source.File) error {
	if len(b.series) < 2 {
		return nil
	}
	var names []string
	for _, id := range slices.Sorted(maps.Keys(b.series)) {
		name := f.Name(id)
		if name == "" {
			name = Untagged + " (those without a tag)"
		}
		names = append(names, name)
	}
	return fmt.Errorf("%s: it holds %d series, which don't add up; choose one with --tag: %s", f.Format, len(names), strings.Join(names, ", "))
}

// Untagged is what to write for the series without a tag.
const Untagged = "-"

// missing are the samples that were left out, and between how many the widths of the
// buckets leave it.
func (b *buckets) missing(limits []time.Duration) (m missing, least, most uint64) {
	m = newMissing(b.interval, limits)
	atLeast := correct.NewDist()
	for bounds, n := range b.long {
		most += m.all.FillN(bounds[1], n, b.interval)
		least += atLeast.FillN(bounds[0], n, b.interval)
		m.half.FillN(bounds[1], n, b.interval/2)
		m.double.FillN(bounds[1], n, 2*b.interval)
	}
	return m, least, most
}

// tooLong is how many values are over the interval.
func (b *buckets) tooLong() (n uint64) {
	for bounds, count := range b.long {
		if bounds[1] > b.interval {
			n += count
		}
	}
	return n
}

// widest is the widest of the buckets from which samples were left out.
func (b *buckets) widest() (w time.Duration) {
	for bounds := range b.long {
		if bounds[1] >= 2*b.interval {
			w = max(w, bounds[1]-bounds[0])
		}
	}
	return w
}
