package report

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/stats"
)

// A study of what Compare answers, by simulated runs: n latencies, lognormal, of a run
// that is itself faster or slower than others by a factor of exp(between·N(0,1)). Shares
// of 1,000 comparisons in which p99 +0% came out as a FAIL, at 95 %:
//
//	runs a side   between runs   operations   server         shown worse
//	4, 5          0, 5 or 20 %   200          as before      1 to 3 %, of 2.5 allowed: half of 5, for one side
//	3             0              200          twice as slow  never: too few runs, and it says so
//	5             5 %            2,000        20 % slower    96 %
//	5             20 %           200          20 % slower    16 %
//	8             20 %           200          20 % slower    34 %
//
// With one run each, of 5,000 operations, the bounds of p50 lie apart in under 5 % of all
// pairs if runs do not differ among themselves, and in most if they do by 5 %: hence no
// gate rests on them.
type study struct {
	a, b    int     // runs before and after
	n       int     // operations a run
	between float64 // how far runs differ
	slower  float64 // factor of the runs after
}

func (s study) run(r *rand.Rand, slower float64) *correct.Dist {
	d := correct.NewDist()
	luck := math.Exp(s.between*r.NormFloat64()) * slower
	for range s.n {
		d.Record(time.Duration(luck * 50e6 * math.Exp(0.5*r.NormFloat64())))
	}
	return &d
}

func p99s(s study, r *rand.Rand, runs int, slower float64) (all []float64, dists []*correct.Dist) {
	for range runs {
		d := s.run(r, slower)
		v, _ := d.Quantile(correct.P99)
		all, dists = append(all, float64(v)), append(dists, d)
	}
	return all, dists
}

// worse is the share of comparisons that end in FAIL.
func (s study) worse(t *testing.T, trials int) float64 {
	g, err := ParseGate("p99 +0%")
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(uint64(s.a), uint64(s.n)))
	failed := 0
	for range trials {
		before, _ := p99s(s, r, s.a, 1)
		after, _ := p99s(s, r, s.b, s.slower)
		if g.test(before, after, 0.95).Outcome == "fail" {
			failed++
		}
	}
	return float64(failed) / float64(trials)
}

func TestStudyOfFalseAlarmsAndPower(t *testing.T) {
	const trials = 1000
	few := 200 // operations: the study is about runs
	for _, s := range []study{{4, 4, few, 0, 1}, {5, 5, few, 0.05, 1}, {5, 5, few, 0.2, 1}, {4, 6, few, 0.2, 1}} {
		alarms := s.worse(t, trials)
		t.Logf("%+v: shown worse in %.1f %%", s, 100*alarms)
		require.Greater(t, stats.AtLeast(uint64(alarms*trials+0.5), trials, 0.025), 1e-4, "more false alarms than stated: %+v", s)
	}
	for _, x := range []struct {
		study
		least, most float64
	}{
		{study{3, 3, few, 0, 2}, 0, 0},
		{study{5, 5, 2000, 0.05, 1.2}, 0.9, 1},
		{study{5, 5, few, 0.2, 1.2}, 0.1, 0.5},
		{study{8, 8, few, 0.2, 1.2}, 0.25, 0.75},
	} {
		power := x.worse(t, trials/4)
		t.Logf("%+v: shown worse in %.1f %%", x.study, 100*power)
		require.True(t, x.least <= power && power <= x.most, "%+v: %v", x.study, power)
	}
}

// Bounds of one run each keep their level while runs don't differ among themselves, and
// lose it as soon as they do.
func TestStudyOfOneRunEach(t *testing.T) {
	const trials = 300
	apart := func(between float64) (n uint64) {
		r := rand.New(rand.NewPCG(7, 8))
		s := study{1, 1, 5000, between, 1}
		for range trials {
			_, a := p99s(s, r, 1, 1)
			_, b := p99s(s, r, 1, 1)
			x, y := boundsOf(a[0], correct.P50, 95), boundsOf(b[0], correct.P50, 95)
			if x.below(y) || y.below(x) {
				n++
			}
		}
		return n
	}
	require.Greater(t, stats.AtLeast(apart(0), trials, 0.05), 1e-4)
	require.Greater(t, apart(0.05), uint64(trials/3))
}
