package stats

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// exactly is P(B ≤ k) in rationals.
func exactly(k, n int64, p *big.Rat) float64 {
	q := new(big.Rat).Sub(big.NewRat(1, 1), p)
	power := func(x *big.Rat, e int64) *big.Rat {
		return new(big.Rat).SetFrac(
			new(big.Int).Exp(x.Num(), big.NewInt(e), nil),
			new(big.Int).Exp(x.Denom(), big.NewInt(e), nil))
	}
	sum := new(big.Rat)
	for i := int64(0); i <= min(k, n); i++ {
		term := new(big.Rat).SetInt(new(big.Int).Binomial(n, i))
		sum.Add(sum, term.Mul(term, new(big.Rat).Mul(power(p, i), power(q, n-i))))
	}
	f, _ := sum.Float64()
	return f
}

func TestTailsAreThoseOfExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 60).Draw(t, "n")
		k := rapid.Int64Range(0, n).Draw(t, "k")
		p := big.NewRat(rapid.Int64Range(0, 1000).Draw(t, "p in thousandths"), 1000)
		share, _ := p.Float64()

		require.InDelta(t, exactly(k, n, p), AtMost(uint64(k), uint64(n), share), 1e-12)
		require.InDelta(t, 1-exactly(k-1, n, p), AtLeast(uint64(k), uint64(n), share), 1e-12)
	})
}

func TestTailsOfABillion(t *testing.T) {
	const n = 1_000_000_000
	for _, tt := range []struct {
		name      string
		got, want float64
	}{
		// The middle weight is √(2/πn)·(1 − 1/4n), by Stirling; half of it lies below the middle.
		{"middle of a fair coin", AtMost(n/2, n, 0.5), 0.5 + math.Sqrt(2/(math.Pi*n))/2},
		{"the other way round", AtLeast(n/2, n, 0.5), 0.5 + math.Sqrt(2/(math.Pi*n))/2},
		{"none of a rare thing", AtMost(0, n, 1e-9), math.Exp(n * math.Log1p(-1e-9))},
		{"all of a common thing", AtLeast(n, n, 1-1e-9), math.Exp(n * math.Log(1-1e-9))},
	} {
		t.Run(tt.name, func(t *testing.T) { require.InEpsilon(t, tt.want, tt.got, 1e-9) })
	}
	lower, upper := RankCI(n, 0.99, 0.95)
	// ± 1.96 standard deviations of 3,146.4, to a rank.
	require.InDelta(t, 990_000_000-6166.8, float64(lower), 2)
	require.InDelta(t, 990_000_000+6166.8, float64(upper), 2)
}

func TestRankCI(t *testing.T) {
	for _, tt := range []struct {
		name         string
		n            uint64
		p            float64
		lower, upper uint64
	}{
		{"S1: median of 200", 200, 0.5, 86, 115},
		{"S1: p90 of 200", 200, 0.9, 171, 189},
		{"S1: p95 of 200", 200, 0.95, 184, 197},
		{"S1: p99 of 200 has no upper bound", 200, 0.99, 195, 0},
		{"S2: p99 of 1,000", 1000, 0.99, 983, 997},
		{"S2: p99 of 12,000", 12000, 0.99, 11858, 11902},
		{"S2: p99.9 of 12,000", 12000, 0.999, 11981, 11995},
		{"S2: p99.9 of 1,000 has no upper bound", 1000, 0.999, 997, 0},
		{"p1 of 200 has no lower bound", 200, 0.01, 0, 6},
		{"368 is the first p99 with an upper bound", 368, 0.99, 360, 368},
		{"nothing bounds nothing", 0, 0.5, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lower, upper := RankCI(tt.n, tt.p, 0.95)
			require.Equal(t, tt.lower, lower)
			require.Equal(t, tt.upper, upper)
		})
	}
}

func TestNeeded(t *testing.T) {
	const oneSided, twoSided = 0.95, 0.975
	for _, tt := range []struct {
		name  string
		over  uint64
		share float64
		conf  float64
		want  uint64
	}{
		{"S3: p50 one-sided", 0, 0.5, oneSided, 5},
		{"S3: p90 one-sided", 0, 0.1, oneSided, 29},
		{"S3: p95 one-sided", 0, 0.05, oneSided, 59},
		{"S3: p99 one-sided", 0, 0.01, oneSided, 299},
		{"S3: p99.9 one-sided", 0, 0.001, oneSided, 2995},
		{"S3: p99.99 one-sided", 0, 0.0001, oneSided, 29956},
		{"S4: p50 two-sided", 0, 0.5, twoSided, 6},
		{"S4: p90 two-sided", 0, 0.1, twoSided, 36},
		{"S4: p95 two-sided", 0, 0.05, twoSided, 72},
		{"S4: p99 two-sided", 0, 0.01, twoSided, 368},
		{"S4: p99.9 two-sided", 0, 0.001, twoSided, 3688},
		{"S4: p99.99 two-sided", 0, 0.0001, twoSided, 36887},
		{"S6: 1 over", 1, 0.01, oneSided, 473},
		{"S6: 2 over", 2, 0.01, oneSided, 628},
		{"S6: 3 over", 3, 0.01, oneSided, 773},
		{"S6: 4 over", 4, 0.01, oneSided, 913},
		{"S6: 5 over", 5, 0.01, oneSided, 1049},
	} {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, Needed(tt.over, tt.share, tt.conf)) })
	}
	require.Panics(t, func() { Needed(0, 0, 0.95) })
}

func TestNeededIsTheSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		over := rapid.Uint64Range(0, 50).Draw(t, "over")
		share := rapid.Float64Range(0.001, 0.9).Draw(t, "share")
		conf := rapid.Float64Range(0.5, 0.999).Draw(t, "conf")

		n := Needed(over, share, conf)
		require.True(t, Proves(over, n, share, conf))
		require.False(t, n > over && Proves(over, n-1, share, conf))
	})
}

func TestGateByExceedances(t *testing.T) {
	for _, tt := range []struct {
		name              string
		over, n           uint64
		proves, disproves bool
	}{
		{"S6: 298 without one over are not enough", 0, 298, false, false},
		{"S6: 299 without one over", 0, 299, true, false},
		{"S7: 5 over of 200 may be chance", 5, 200, false, false},
		{"S7: 6 over of 200 are not", 6, 200, false, true},
		{"S7: 15 over of 1,000 may be chance", 15, 1000, false, false},
		{"S7: 16 over of 1,000 are not", 16, 1000, false, true},
		{"lab: the raw sample, 1 over of 200", 1, 200, false, false},
		{"lab: the open run, 50 over of 200", 50, 200, false, true},
		{"no operation shows anything", 0, 0, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.proves, Proves(tt.over, tt.n, 0.01, 0.95))
			require.Equal(t, tt.disproves, Disproves(tt.over, tt.n, 0.01, 0.95))
		})
	}
	// S5: the greatest of 200 is not below the true p99.
	require.InDelta(t, 0.866, AtLeast(1, 200, 0.01), 0.00005)
}

// Nothing is both proven and disproven, and one more over the limit never helps.
func TestGateIsConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(1, 5000).Draw(t, "n")
		over := rapid.Uint64Range(0, n-1).Draw(t, "over")
		share := rapid.Float64Range(0.0001, 0.9999).Draw(t, "share")
		conf := rapid.Float64Range(0.5, 0.9999).Draw(t, "conf")

		proves, disproves := Proves(over, n, share, conf), Disproves(over, n, share, conf)
		require.False(t, proves && disproves)
		if Proves(over+1, n, share, conf) {
			require.True(t, proves)
		}
		if disproves {
			require.True(t, Disproves(over+1, n, share, conf))
		}
	})
}

// The interval and the gate are two views of one thing: the upper bound is the
// smallest rank above which so few values prove the share, each at half the error.
func TestIntervalAgreesWithGate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(1, 2000).Draw(t, "n")
		p := rapid.Float64Range(0.01, 0.99).Draw(t, "p")
		const conf, each = 0.95, 0.975
		lower, upper := RankCI(n, p, conf)
		if upper > 0 {
			require.True(t, Proves(n-upper, n, 1-p, each))
		}
		if upper > 1 {
			require.False(t, Proves(n-upper+1, n, 1-p, each))
		}
		if lower > 0 {
			require.True(t, Disproves(n-lower+1, n, 1-p, each))
		}
	})
}
