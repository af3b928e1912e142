package stats

import "sort"

// AtMost is the probability that at most k of n independent trials come true, if
// each does with probability p.
func AtMost(k, n uint64, p float64) float64 {
	low, high := split(k, n, p)
	return low / (low + high)
}

// AtLeast is the probability that k or more of n independent trials come true.
func AtLeast(k, n uint64, p float64) float64 {
	if k == 0 {
		return 1
	}
	low, high := split(k-1, n, p)
	return high / (low + high)
}

// split sums the binomial weights up to k and above it, in units of the greatest
// weight. From one weight to the next is a ratio of small numbers, so neither
// factorials nor their logarithms occur, of which a billion would leave only five
// digits.
func split(k, n uint64, p float64) (low, high float64) {
	// Weights below this add nothing: they lie 13 standard deviations out.
	const nothing = 1e-40
	q := 1 - p
	mode := min(n, uint64(float64(n+1)*p))
	add := func(j uint64, w float64) {
		if j <= k {
			low += w
		} else {
			high += w
		}
	}
	add(mode, 1)
	for j, w := mode, 1.0; j > 0; {
		w *= float64(j) * q / (float64(n-j+1) * p)
		if j--; w < nothing {
			break
		}
		add(j, w)
	}
	for j, w := mode, 1.0; j < n; {
		w *= float64(n-j) * p / (float64(j+1) * q)
		if j++; w < nothing {
			break
		}
		add(j, w)
	}
	return low, high
}

// Proves reports whether over of n operations at or over a limit show, at the
// confidence conf (0.95), that at most share of all operations are: with more than
// share, so few would be seen with a probability of at most 1 − conf.
func Proves(over, n uint64, share, conf float64) bool {
	return AtMost(over, n, share) <= 1-conf
}

// Disproves reports whether over of n show, at the confidence conf, that more than
// share of all operations are over the limit: with share or less, so many would be
// seen with a probability of at most 1 − conf.
func Disproves(over, n uint64, share, conf float64) bool {
	return AtLeast(over, n, share) <= 1-conf
}

// Needed is the smallest n with which Proves holds for the given over. For none
// over it is also the smallest n that gives the 1 − share quantile an upper
// bound: a one-sided one at conf, or a two-sided one if conf is (1 + confidence)/2.
// It panics unless share lies between 0 and 1: nothing proves that none are over.
func Needed(over uint64, share, conf float64) uint64 {
	if !(0 < share && share < 1) {
		panic("stats: no sample proves a share of 0, and none is needed for 1")
	}
	enough := 1 / share
	for !Proves(over, over+uint64(enough), share, conf) {
		enough *= 2
	}
	more := sort.Search(int(enough), func(i int) bool { return Proves(over, over+uint64(i), share, conf) })
	return over + uint64(more)
}

// RankCI is the two-sided confidence interval of the p quantile of a distribution
// from n independent values of it, as ranks from 1: with a probability of at least
// conf the quantile lies from the lower-th smallest value to the upper-th. A rank of
// 0 is no bound: n is too small for it.
//
// lower is the largest rank l with P(B ≤ l−1) ≤ α/2 and upper the smallest rank u
// with P(B ≤ u−1) ≥ 1 − α/2, for a binomial B of n and p and α = 1 − conf.
// Source: Hahn and Meeker, Statistical Intervals (1991), section 5.2.
func RankCI(n uint64, p, conf float64) (lower, upper uint64) {
	half := (1 - conf) / 2
	lower = uint64(sort.Search(int(n), func(i int) bool { return AtMost(uint64(i), n, p) > half }))
	upper = 1 + uint64(sort.Search(int(n), func(i int) bool { return AtLeast(uint64(i)+1, n, p) <= half }))
	if upper > n {
		upper = 0
	}
	return lower, upper
}
