package watch

import (
	"math/bits"
	"time"
)

// Each power of two is cut into 512: a value is known to 0.1 %, and so to three digits.
const (
	subBits  = 9
	sub      = 1 << subBits
	greatest = 2 * time.Hour // longer ones stand here
	cells    = (43-subBits)*sub + sub
)

// buckets count finished values, as precisely as a look while a run goes on needs it:
// what is copied four times a second must be small.
type buckets struct {
	n        uint64
	min, max time.Duration
	lo, hi   int // the cells in use, if n > 0
	count    [cells]uint64
}

func cellOf(v time.Duration) int {
	v = min(max(v, 0), greatest)
	e := max(0, bits.Len64(uint64(v))-subBits-1)
	return e*sub + int(v>>e)
}

// valueOf is the middle of a cell.
func valueOf(cell int) time.Duration {
	e := max(0, cell/sub-1)
	low := time.Duration(cell-e*sub) << e
	return low + (time.Duration(1)<<e)/2
}

func (b *buckets) add(v time.Duration) {
	c := cellOf(v)
	if b.n == 0 {
		b.min, b.max, b.lo, b.hi = v, v, c, c
	}
	b.n++
	b.min, b.max = min(b.min, v), max(b.max, v)
	b.lo, b.hi = min(b.lo, c), max(b.hi, c)
	b.count[c]++
}

// copyTo copies what is in use; dst must be a former copy of b, or empty.
func (b *buckets) copyTo(dst *buckets) {
	dst.n, dst.min, dst.max, dst.lo, dst.hi = b.n, b.min, b.max, b.lo, b.hi
	if b.n > 0 {
		copy(dst.count[b.lo:b.hi+1], b.count[b.lo:b.hi+1])
	}
}

// value is cell c's, and never outside of what was seen.
func (b *buckets) value(c int) time.Duration { return min(max(valueOf(c), b.min), b.max) }
