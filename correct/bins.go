package correct

import (
	"math/bits"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// bins count values up to Longest in the buckets of a 3-digit HdrHistogram from 1 ns:
// 2048 of one nanosecond, then 1024 for each doubling, each twice as wide as before.
// They come 1024 at a time, when they are needed: latencies of one run seldom span
// more than ten doublings, 80 kB instead of 264. The zero value is empty.
type bins struct {
	n    uint64
	part [33]*[perPart]uint64 // bucket i is part[i/perPart][i%perPart]
}

const (
	perPart = 1 << partBits

	partBits = 10
)

// bin is the bucket of v.
func bin(v time.Duration) uint {
	shift := uint(bits.Len64(uint64(v)|(2*perPart-1))-partBits-1) & 63 // less than 64: no test for it
	return shift<<partBits + uint(v)>>shift
}

// binTop is the greatest value of a bucket, binFloor the least.
func binTop(i uint) time.Duration { return binFloor(i+1) - 1 }

func binFloor(i uint) time.Duration {
	if i < 2*perPart {
		return time.Duration(i)
	}
	shift := i>>partBits - 1
	return time.Duration(i-shift<<partBits) << shift
}

// add counts v n times; it must be from 0 to Longest.
func (b *bins) add(v time.Duration, n uint64) {
	i := bin(v)
	b.of(i)[i%perPart] += n
	b.n += n
}

// addAll counts values from 0 to Longest.
func (b *bins) addAll(all []time.Duration) {
	for _, v := range all {
		i := bin(v)
		part := b.part[i>>partBits]
		if part == nil {
			part = b.of(i)
		}
		part[i%perPart]++
	}
	b.n += uint64(len(all))
}

// of is the part with bucket i.
func (b *bins) of(i uint) *[perPart]uint64 {
	part := &b.part[i>>partBits]
	if *part == nil {
		*part = new([perPart]uint64)
	}
	return *part
}

// at is the greatest value of the bucket that holds the value of this rank, from 1 to n.
func (b *bins) at(rank uint64) (v time.Duration) {
	b.each(func(i uint, n uint64) bool {
		v = binTop(i)
		if rank <= n {
			return false
		}
		rank -= n
		return true
	})
	return v
}

// each calls f for each bucket that is not empty, in order, until it returns false.
func (b *bins) each(f func(i uint, n uint64) bool) {
	for k, part := range b.part {
		if part == nil {
			continue
		}
		for i, n := range part {
			if n > 0 && !f(uint(k<<partBits+i), n) {
				return
			}
		}
	}
}

func (b *bins) merge(o *bins) {
	for k, part := range o.part {
		if part == nil {
			continue
		}
		if b.part[k] == nil {
			own := *part
			b.part[k] = &own
			continue
		}
		for i, n := range part {
			b.part[k][i] += n
		}
	}
	b.n += o.n
}

func (b *bins) clone() *bins {
	c := new(bins)
	c.merge(b)
	return c
}

// export makes the library's histogram of b.
func (b *bins) export() *hdrhistogram.Histogram {
	h := hdrhistogram.New(1, int64(Longest), 3)
	b.each(func(i uint, n uint64) bool {
		if err := h.RecordValues(int64(binFloor(i)), int64(n)); err != nil {
			panic("correct: histogram refused a value in its range: " + err.Error())
		}
		return true
	})
	return h
}
