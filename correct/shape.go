package correct

import "time"

// Greatest is the greatest duration, whatever failures rank above it.
func (d *Dist) Greatest() (v time.Duration, ok bool) { return d.max, d.values > 0 }

// Sum is the sum of the durations; the greatest Duration if it is larger.
func (d *Dist) Sum() time.Duration {
	const most = 1<<63 - 1
	if d.sum.hi > 0 || d.sum.lo > most {
		return most
	}
	return time.Duration(d.sum.lo)
}

// Between is the number of durations over low, up to high, to the buckets' three digits.
func (d *Dist) Between(low, high time.Duration) (n uint64) {
	d.cells(func(v time.Duration, count uint64) {
		if low < v && v <= high {
			n += count
		}
	})
	return n
}

// Above is how many durations are v or more, and their sum, to the buckets' three digits.
func (d *Dist) Above(v time.Duration) (n uint64, sum time.Duration) {
	d.cells(func(x time.Duration, count uint64) {
		if x >= v {
			n += count
			sum += x * time.Duration(count)
		}
	})
	return n, sum
}

// cells calls f for each bucket with its middle, or what is known better: none is
// over the greatest value. Those above Longest are taken for it.
func (d *Dist) cells(f func(v time.Duration, count uint64)) {
	if d.bins == nil {
		return
	}
	d.bins.each(func(i uint, n uint64) bool {
		f(min((binFloor(i)+binTop(i))/2, d.max), n)
		return true
	})
}
