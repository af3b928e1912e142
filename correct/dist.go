package correct

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Longest is the greatest value that keeps its place in a Dist. Longer ones are
// counted above it.
const Longest = time.Hour

// A Dist is a distribution of durations and of failures, which rank above every
// duration. Beside a 3-digit histogram (8 kB a doubling, 264 at most) it keeps n,
// least, greatest and sum exactly, and for each limit that it was told of beforehand
// the exact number of values at or over it.
type Dist struct {
	bins     *bins  // values up to Longest; nil while there are none
	values   uint64 // durations, the ones above Longest too
	failed   uint64
	min, max time.Duration
	sum      sum
	limits   []time.Duration // shared and ascending; over[i] values are limits[i] or more
	over     []uint64
}

// NewDist returns an empty distribution that counts exactly how many values reach
// each of the limits.
func NewDist(limits ...time.Duration) Dist {
	limits = slices.Compact(slices.Sorted(slices.Values(limits)))
	return Dist{limits: limits, over: make([]uint64, len(limits))}
}

// Record adds one duration. A negative one is a bug of the caller's: clocks here
// are monotonic and importers reject such rows.
func (d *Dist) Record(v time.Duration) { d.RecordN(v, 1) }

// RecordN adds v n times.
func (d *Dist) RecordN(v time.Duration, n uint64) {
	if n == 0 {
		return
	}
	d.keep(v, n)
	d.tally(v, v, n)
	d.sum.add(uint64(v), n)
	for i := len(d.limits) - 1; i >= 0; i-- {
		if v >= d.limits[i] {
			d.over[i] += n
		}
	}
}

// recordAll adds durations, all of which must be 0 or more, and returns their sum. One
// by one it costs twice as much.
func (d *Dist) recordAll(all []time.Duration) (total sum) {
	if len(all) == 0 {
		return total
	}
	least, greatest := all[0], all[0]
	for _, v := range all {
		least, greatest = min(least, v), max(greatest, v)
		total.lo += uint64(v)
	}
	if uint64(greatest) > math.MaxUint64/uint64(len(all)) { // the sum may not have room
		total = sum{}
		for _, v := range all {
			total.plus(v)
		}
	}
	if d.bins != nil && 0 <= least && greatest <= Longest {
		d.bins.addAll(all)
	} else {
		for _, v := range all {
			d.keep(v, 1)
		}
	}
	d.tally(least, greatest, uint64(len(all)))
	d.sum.merge(total)
	for i, limit := range d.limits {
		if limit <= least {
			d.over[i] += uint64(len(all))
		} else if limit <= greatest {
			for _, v := range all {
				if v >= limit {
					d.over[i]++
				}
			}
		}
	}
	return total
}

// keep puts n values into the histogram's bucket of v.
func (d *Dist) keep(v time.Duration, n uint64) {
	if v < 0 {
		panic("correct: negative duration recorded: " + v.String())
	}
	if v > Longest {
		return
	}
	if d.bins == nil {
		d.bins = new(bins)
	}
	d.bins.add(v, n)
}

// tally counts n values of which least and greatest are the extremes.
func (d *Dist) tally(least, greatest time.Duration, n uint64) {
	if d.values == 0 || least < d.min {
		d.min = least
	}
	d.max = max(d.max, greatest)
	d.values += n
}

// Fail adds n failures: values above every duration.
func (d *Dist) Fail(n uint64) { d.failed += n }

// N is the number of values, failures included.
func (d *Dist) N() uint64 { return d.values + d.failed }

// Failed is the number of failures.
func (d *Dist) Failed() uint64 { return d.failed }

// Quantile is the value at q's nearest rank, to three digits and never outside
// the least and greatest value. There is none (ok is false) in an empty set and
// where the rank falls among the failures.
func (d *Dist) Quantile(q Quantile) (v time.Duration, ok bool) { return d.AtRank(q.Rank(d.N())) }

// AtRank is the value of a rank, from 1, as Quantile gives it.
func (d *Dist) AtRank(rank uint64) (v time.Duration, ok bool) {
	switch {
	case rank == 0 || rank > d.values:
		return 0, false
	case rank == d.values:
		return d.max, true
	case d.bins == nil || rank > d.bins.n:
		// Above Longest only the greatest is known, and this rank is not above it.
		return d.max, true
	}
	return min(max(d.bins.at(rank), d.min), d.max), true
}

// Min is the least duration.
func (d *Dist) Min() (v time.Duration, ok bool) { return d.min, d.values > 0 }

// Slowest is the greatest duration, whether or not failures rank above it; 0 if
// there is none.
func (d *Dist) Slowest() time.Duration { return d.max }

// Max is the greatest value; a set with failures has none.
func (d *Dist) Max() (v time.Duration, ok bool) { return d.Quantile(Max) }

// Mean is the exact mean to the nearest nanosecond; a set with failures has none.
func (d *Dist) Mean() (v time.Duration, ok bool) {
	if d.failed > 0 || d.values == 0 {
		return 0, false
	}
	return d.sum.over(d.values), true
}

// Over is the exact number of values at or over limit, failures included. It is
// known (ok) only for the limits that the Dist was made with.
func (d *Dist) Over(limit time.Duration) (n uint64, ok bool) {
	i, ok := slices.BinarySearch(d.limits, limit)
	if !ok {
		return 0, false
	}
	return d.over[i] + d.failed, true
}

// Merge adds o to d. Both must have been made with the same limits.
func (d *Dist) Merge(o *Dist) {
	if !slices.Equal(d.limits, o.limits) {
		panic("correct: merge of distributions with different limits")
	}
	d.failed += o.failed
	if o.values == 0 {
		return
	}
	d.tally(o.min, o.max, o.values)
	d.sum.merge(o.sum)
	for i, n := range o.over {
		d.over[i] += n
	}
	switch {
	case o.bins == nil:
	case d.bins == nil:
		d.bins = o.bins.clone()
	default:
		d.bins.merge(o.bins)
	}
}

// Clone returns a copy that shares nothing which changes.
func (d *Dist) Clone() Dist {
	c := *d
	c.over = slices.Clone(d.over)
	if d.bins != nil {
		c.bins = d.bins.clone()
	}
	return c
}

// Histogram is a copy of the values up to Longest, for those who export it; nil
// if there are none.
func (d *Dist) Histogram() *hdrhistogram.Histogram {
	if d.bins == nil {
		return nil
	}
	return d.bins.export()
}

// A sum adds nanoseconds in 128 bits: a billion values of an hour do not overflow it.
type sum struct{ hi, lo uint64 }

func (s *sum) add(v, n uint64) {
	hi, lo := bits.Mul64(v, n)
	s.merge(sum{hi, lo})
}

// plus adds one v.
func (s *sum) plus(v time.Duration) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, uint64(v), 0)
	s.hi += carry
}

func (s *sum) merge(o sum) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, o.lo, 0)
	s.hi, _ = bits.Add64(s.hi, o.hi, carry)
}

// over is s/n to the nearest integer.
func (s sum) over(n uint64) time.Duration {
	if s.hi == 0 && s.lo <= 1<<62 {
		return time.Duration((s.lo + n/2) / n)
	}
	total := s.big()
	total.Add(total, new(big.Int).SetUint64(n/2))
	return time.Duration(total.Div(total, new(big.Int).SetUint64(n)).Int64())
}

func (s sum) big() *big.Int {
	total := new(big.Int).Lsh(new(big.Int).SetUint64(s.hi), 64)
	return total.Add(total, new(big.Int).SetUint64(s.lo))
}
