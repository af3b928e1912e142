package engine

import (
	"math"
	"sync/atomic"
	"time"
)

// Common is what loops that make one run together know of each other: how many attempts
// wait and are out in all, and how late any of them was. The zero value is that of loops
// without [Pooled] Worlds; for others see [NewCommon]. Each number is a word that takes
// one atomic operation to change.
type Common struct {
	now   atomic.Uint64 // how many wait, and in the low half how many are out
	only  crowd
	pools []crowd
}

// NewCommon is for loops over Worlds of so many pools each.
func NewCommon(pools int) *Common { return &Common{pools: make([]crowd, pools)} }

const half = 32

// stand notes that so many more wait and are out.
func (c *Common) stand(waiting, out int64) { c.now.Add(uint64(waiting)<<half + uint64(out)) }

func (c *Common) standing() (waiting, out int) {
	v := c.now.Load()
	return int(v >> half), int(v & math.MaxUint32)
}

func (c *Common) pool(k int32) *crowd {
	if c.pools == nil {
		return &c.only
	}
	return &c.pools[k]
}

// A crowd is all that wait or are out in one pool, and in the high half our greatest
// lateness since there were none, in microseconds rounded up. Both are one word, so that
// no lateness is forgotten that comes as the last of the others goes.
type crowd struct{ atomic.Uint64 }

// join and leave count one more, and one less that was never out.
func (c *crowd) join()  { c.Add(1) }
func (c *crowd) leave() { c.Add(math.MaxUint64) }

// late notes that one who joined is late by this much.
func (c *crowd) late(by time.Duration) {
	b := micros(by)
	for v := c.Load(); v>>half < b; v = c.Load() {
		if c.CompareAndSwap(v, b<<half|v&math.MaxUint32) {
			return
		}
	}
}

// behind is our greatest lateness.
func (c *crowd) behind() time.Duration { return time.Duration(c.Load()>>half) * time.Microsecond }

// land counts one less that was out and was answered late by this much. It returns our
// greatest lateness until then.
func (c *crowd) land(by time.Duration) (behind time.Duration) {
	for b := micros(by); ; {
		v := c.Load()
		greatest, n := max(v>>half, b), v&math.MaxUint32-1
		next := greatest<<half | n
		if n == 0 {
			next = 0
		}
		if c.CompareAndSwap(v, next) {
			return time.Duration(greatest) * time.Microsecond
		}
	}
}

// micros is d in microseconds, rounded up: an upper bound stays one.
func micros(d time.Duration) uint64 {
	return uint64(min(max(0, d+time.Microsecond-1)/time.Microsecond, math.MaxUint32))
}
