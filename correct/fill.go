package correct

import (
	"cmp"
	"slices"
	"time"
)

// Fill adds what [Dist.Backfill] synthesises for each of the values, and not the
// values themselves. It returns how many samples that were. It may reorder values.
//
// The cost hardly depends on value/interval. Values that differ by whole intervals
// leave out samples at the same places, so each place is visited once, from the
// greatest value down, with the count of values above it:
// T[m] = count[m] + T[m+interval]. Where a bucket is wider than the interval, all
// its places are one step. 10 million values of up to 2 s at 10 µs, recorded one by
// one, would be 10¹² samples; here they are as many steps as there are 10 µs in 2 s.
func (d *Dist) Fill(values []time.Duration, interval time.Duration) (synthetic uint64) {
	if interval <= 0 {
		return 0
	}
	long := 0 // values[:long] leave something out
	for i, v := range values {
		if v/2 >= interval { // 2·interval might overflow
			values[i], values[long] = values[long], v
			long++
		}
	}
	values = values[:long]
	slices.SortFunc(values, func(a, b time.Duration) int {
		return cmp.Or(cmp.Compare(a%interval, b%interval), cmp.Compare(b, a))
	})
	var above uint64 // values of this residue at or over the place
	for i, v := range values {
		above++
		last := i+1 == len(values) || values[i+1]%interval != v%interval
		least := interval + v%interval // the chain ends above or at the interval
		if v%interval == 0 {
			least = interval
		}
		if !last {
			// The next value's own place still has only this many above it.
			least = max(least, values[i+1])
		}
		if v > least {
			synthetic += d.chain(v-interval, uint64((v-least)/interval), interval, above)
		}
		if last {
			above = 0
		}
	}
	return synthetic
}

// FillN is Fill for n times the same value.
func (d *Dist) FillN(v time.Duration, n uint64, interval time.Duration) (synthetic uint64) {
	if interval <= 0 || v/2 < interval || n == 0 {
		return 0
	}
	return d.chain(v-interval, uint64(v/interval)-1, interval, n)
}

// chain adds n places, one interval apart from greatest down, times times each.
func (d *Dist) chain(greatest time.Duration, n uint64, interval time.Duration, times uint64) uint64 {
	if n == 0 {
		return 0
	}
	least := greatest - time.Duration(n-1)*interval
	for v, left := greatest, n; left > 0; {
		m := min(left, uint64((v-bucketFloor(v))/interval)+1)
		d.keep(v, m*times)
		left -= m
		v -= time.Duration(m) * interval
	}
	d.tally(least, greatest, n*times)
	d.sum.series(uint64(least), uint64(greatest), n, times)
	for i, limit := range d.limits {
		if limit <= greatest {
			d.over[i] += times * min(n, uint64((greatest-limit)/interval)+1)
		}
	}
	return n * times
}
