package correct

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// A Quantile is a share of a sample in billionths, so that ranks are computed in
// integers: as a float, ceil(0.999 × 1000) is 1000 and not 999.
type Quantile uint64

// The quantiles that every report shows, and Max, which is the last rank.
const (
	P50  Quantile = 500_000_000
	P90  Quantile = 900_000_000
	P95  Quantile = 950_000_000
	P99  Quantile = 990_000_000
	P999 Quantile = 999_000_000
	Max  Quantile = 1_000_000_000
)

// ParseQuantile reads a percentile as people write it: "50", "99.9". It accepts
// more than 0 and less than 100, with at most seven decimals.
func ParseQuantile(percentile string) (Quantile, error) {
	whole, frac, _ := strings.Cut(percentile, ".")
	if len(frac) <= 7 {
		v, err := strconv.ParseUint(whole+frac+strings.Repeat("0", 7-len(frac)), 10, 63)
		if q := Quantile(v); err == nil && whole != "" && 0 < q && q < Max {
			return q, nil
		}
	}
	return 0, fmt.Errorf("%q is not a percentile between 0 and 100 with at most seven decimals, such as 99 or 99.9", percentile)
}

// String is the percentile's usual name: p50, p99.9, max.
func (q Quantile) String() string {
	if q == Max {
		return "max"
	}
	s := fmt.Sprintf("p%d.%07d", q/10_000_000, q%10_000_000)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// Rank is the nearest rank of q among n values: max(1, ⌈q·n⌉), 0 if n is 0.
// Source: Hyndman and Fan, Sample Quantiles in Statistical Packages (1996), definition 1.
func (q Quantile) Rank(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(q), n)
	rank, rest := bits.Div64(hi, lo, uint64(Max))
	if rest > 0 {
		rank++
	}
	return max(1, rank)
}

// Allowed is how many of n values may lie at or over a limit while q stays below it.
func (q Quantile) Allowed(n uint64) uint64 { return n - q.Rank(n) }
