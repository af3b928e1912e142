package stats

import (
	"math"
	"slices"
)

// Tails are the exact one-sided p-values of the difference of two groups' means: of all
// ways to part the values into groups of these sizes, the shares in which b's mean lies
// as far above a's as it does, or farther, and as far below. Twice the smaller one is
// the two-sided p-value; for groups of one size it is that of [Permutation]. ok is false
// as it is there. Values may be infinite: then their ranks count in their place, and all
// infinite ones share the highest.
func Tails(a, b []float64) (above, below float64, ok bool) {
	n := len(a) + len(b)
	if len(a) == 0 || len(b) == 0 || n > MostPermuted {
		return 0, 0, false
	}
	a, b = ranked(a, b)
	all := append(slices.Clone(a), b...)
	var total, largest, sum float64
	for _, x := range all {
		total += x
		largest = max(largest, math.Abs(x))
	}
	for _, x := range a {
		sum += x
	}
	// With the total given, the means' difference falls as the sum of a's side grows.
	// Sums of the same numbers in another order may differ in their last digits.
	slack := largest * float64(n) * 1e-12
	var up, down, ways uint64
	subsets(all, len(a), func(s float64) {
		ways++
		if s <= sum+slack {
			up++
		}
		if s >= sum-slack {
			down++
		}
	})
	return float64(up) / float64(ways), float64(down) / float64(ways), true
}

// ranked are ranks, from 1, where a value is infinite, and the values themselves where
// none is.
func ranked(a, b []float64) (ra, rb []float64) {
	infinite := func(x float64) bool { return math.IsInf(x, 0) }
	if !slices.ContainsFunc(a, infinite) && !slices.ContainsFunc(b, infinite) {
		return a, b
	}
	all := slices.Sorted(slices.Values(append(slices.Clone(a), b...)))
	rank := func(of []float64) (ranks []float64) {
		for _, x := range of {
			first, _ := slices.BinarySearch(all, x)
			same := 0
			for ; first+same < len(all) && all[first+same] == x; same++ {
			}
			ranks = append(ranks, float64(first)+float64(same+1)/2) // ties have the middle of theirs
		}
		return ranks
	}
	return rank(a), rank(b)
}

// subsets calls f with the sum of every choice of k of all.
func subsets(all []float64, k int, f func(sum float64)) {
	var choose func(from, left int, sum float64)
	choose = func(from, left int, sum float64) {
		if left == 0 {
			f(sum)
			return
		}
		for i := from; i <= len(all)-left; i++ {
			choose(i+1, left-1, sum+all[i])
		}
	}
	choose(0, k, 0)
}

// ShiftCI is the exact two-sided confidence interval, of at least conf, of how far b
// lies above a: all shifts of a that the permutation test does not refute. ok is false
// if the groups are too small for it, or too large for [Permutation], or a value is
// infinite.
//
// Shifting a by d makes another parting as extreme as the one seen exactly if the mean
// of those that it takes out of b, less that of those that it takes out of a, is d or
// less. So the bounds are two of these differences, of all pairs of equally many values.
// Source: Good, Permutation Tests (2000), on intervals from tests; the bounds are derived.
func ShiftCI(a, b []float64, conf float64) (lower, upper float64, ok bool) {
	n := len(a) + len(b)
	if len(a) == 0 || len(b) == 0 || n > MostPermuted {
		return 0, 0, false
	}
	for _, x := range append(slices.Clone(a), b...) {
		if math.IsInf(x, 0) {
			return 0, 0, false
		}
	}
	var all []float64
	for k := 1; k <= min(len(a), len(b)); k++ {
		var from, into []float64
		subsets(a, k, func(s float64) { from = append(from, s) })
		subsets(b, k, func(s float64) { into = append(into, s) })
		for _, s := range from {
			for _, t := range into {
				all = append(all, (t-s)/float64(k))
			}
		}
	}
	ways := float64(len(all) + 1)
	cut := int((1-conf)/2*ways+1e-9) - 1 // differences that a refuted shift may leave below it
	if cut < 0 {
		return 0, 0, false
	}
	slices.Sort(all)
	return all[cut], all[len(all)-1-cut], true
}

// TooFew reports whether groups of these sizes can show no difference at conf, however
// far apart they lie: of three and three values not even a complete separation is rarer
// than one in ten.
func TooFew(n, m int, conf float64) bool {
	if n < 1 || m < 1 {
		return true
	}
	ways := 1.0
	for i := 1; i <= n; i++ {
		ways *= float64(m+i) / float64(i)
	}
	return 2/ways > 1-conf+1e-12
}
