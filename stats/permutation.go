package stats

import "math"

// MostPermuted is how many values Permutation takes, of both groups together: they can
// be parted in up to 2,704,156 ways.
const MostPermuted = 24

// Permutation is the exact two-sided p-value of the difference of two groups' means: of
// all ways to part the values into groups of these sizes, the share in which the means
// differ by as much or more. The unit is what was assigned to a group by itself: a run,
// and never a request. ok is false if a group is empty or there are more than
// [MostPermuted] values.
// Source: Fisher, The Design of Experiments (1935), section 21; Good, Permutation Tests (2000).
func Permutation(a, b []float64) (p float64, ok bool) {
	n := len(a) + len(b)
	if len(a) == 0 || len(b) == 0 || n > MostPermuted {
		return 0, false
	}
	all := append(append(make([]float64, 0, n), a...), b...)
	var total, largest float64
	for _, x := range all {
		total += x
		largest = max(largest, math.Abs(x))
	}
	// With the total given, the difference of the means is a line in the sum of one group.
	distance := func(sum float64) float64 {
		return math.Abs(sum/float64(len(a)) - (total-sum)/float64(len(b)))
	}
	var sum float64
	for _, x := range a {
		sum += x
	}
	// Sums of the same numbers in another order may differ in their last digits.
	seen := distance(sum) - largest*1e-12
	var extreme, ways uint64
	var part func(from, left int, sum float64)
	part = func(from, left int, sum float64) {
		if left == 0 {
			ways++
			if distance(sum) >= seen {
				extreme++
			}
			return
		}
		for i := from; i <= n-left; i++ {
			part(i+1, left-1, sum+all[i])
		}
	}
	part(0, len(a), 0)
	return float64(extreme) / float64(ways), true
}

// LeastP is the smallest p-value that Permutation can give for groups of these sizes,
// however far they lie apart: with three runs a side 1/10, so that no difference reaches
// 5 %.
func LeastP(n, m int) float64 {
	if n < 1 || m < 1 {
		return 1
	}
	ways := 1.0
	for i := 1; i <= n; i++ {
		ways *= float64(m+i) / float64(i)
	}
	if n == m { // the same groups, swapped, differ as much
		return 2 / ways
	}
	return 1 / ways
}
