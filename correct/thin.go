package correct

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"time"
)

// thin counts values up to Longest in the buckets of a 2-digit HdrHistogram, in a few
// hundred bytes: 256 buckets of a nanosecond, then 128 for each doubling. A value costs
// two bytes and a write; once there are many, they are counted. The zero value is empty.
type thin struct {
	loose  []uint16 // buckets of values, as they came
	packed []byte   // pairs of varints: how many buckets after the one before, and its count
}

const (
	thinBits    = 7
	mostLoose   = 1024 // 2 kB, and a nanosecond or three a value to count them
	thinBuckets = 36 << thinBits
)

// A bench is where thins are counted: one for all of them.
type bench [thinBuckets]uint64

func thinBin(v time.Duration) uint16 {
	shift := uint(bits.Len64(uint64(v)|(2<<thinBits-1))-thinBits-1) & 63
	return uint16(shift<<thinBits + uint(v)>>shift)
}

// thinTop is the greatest value of a bucket.
func thinTop(i int) time.Duration {
	if i++; i < 2<<thinBits {
		return time.Duration(i) - 1
	}
	shift := i>>thinBits - 1
	return time.Duration(i-shift<<thinBits)<<shift - 1
}

// record adds v, or Longest if it is longer.
func (t *thin) record(v time.Duration, on *bench) { t.recordAll([]time.Duration{v}, on) }

func (t *thin) recordAll(all []time.Duration, on *bench) {
	n := len(t.loose)
	t.loose = slices.Grow(t.loose, len(all))[:n+len(all)]
	more := t.loose[n:][:len(all)]
	for i, v := range all {
		more[i] = thinBin(min(v, Longest))
	}
	if len(t.loose) >= mostLoose {
		t.pack(on)
	}
}

// pack counts the loose values.
func (t *thin) pack(on *bench) {
	if len(t.loose) == 0 {
		return
	}
	from, to := t.lay(on)
	t.loose = t.loose[:0]
	t.clear(on, from, to)
}

// lay adds the counts to an empty bench, and tells which buckets there may be.
func (t *thin) lay(on *bench) (from, to int) {
	from = thinBuckets
	i := -1
	for rest := t.packed; len(rest) > 0; {
		gap, n := binary.Uvarint(rest)
		count, m := binary.Uvarint(rest[n:])
		rest = rest[n+m:]
		i += int(gap)
		on[i] += count
		from, to = min(from, i), i+1
	}
	for _, i := range t.loose {
		on[i]++
		from, to = min(from, int(i)), max(to, int(i)+1)
	}
	return from, to
}

// clear takes what lies between two buckets from the bench.
func (t *thin) clear(on *bench, from, to int) {
	t.packed = t.packed[:0]
	before := -1
	for i := from; i < to; i++ {
		if on[i] > 0 {
			t.packed = binary.AppendUvarint(t.packed, uint64(i-before))
			t.packed = binary.AppendUvarint(t.packed, on[i])
			on[i], before = 0, i
		}
	}
}

// merge adds o.
func (t *thin) merge(o *thin, on *bench) {
	from, to := t.lay(on)
	f, u := o.lay(on)
	t.loose = t.loose[:0]
	t.clear(on, min(from, f), max(to, u))
}

func (t *thin) clone() thin { return thin{slices.Clone(t.loose), slices.Clone(t.packed)} }

// at is the greatest value of the bucket that holds q of the values and of failed ones
// above them; ok is false if that is one of these, or there are none at all.
func (t *thin) at(q Quantile, failed uint64, on *bench) (v time.Duration, ok bool) {
	from, to := t.lay(on)
	var n uint64
	for _, m := range on[min(from, to):to] {
		n += m
	}
	rank := q.Rank(n + failed)
	if rank > n {
		rank = 0
	}
	ok = rank > 0
	for i := from; i < to; i++ {
		if rank > 0 && rank <= on[i] {
			v = thinTop(i)
		}
		rank -= min(rank, on[i])
		on[i] = 0
	}
	return v, ok
}
