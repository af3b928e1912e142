package schedule

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

var nan = math.NaN()

func TestParseLaw(t *testing.T) {
	for text, want := range map[string]Law{
		"even": {}, "poisson": {Kind: Poisson}, "uniform": {Kind: Uniform},
		"burst": {Kind: Burst}, "burst=10": {Kind: Burst, Size: 10},
	} {
		t.Run(text, func(t *testing.T) {
			got, err := ParseLaw(text)
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, text, got.String())
		})
	}
	const badSize = ": a burst has a whole number of arrivals above 0; write for example burst=10, or burst for all at once"
	for text, want := range map[string]string{
		"":         `arrival law "": write even, poisson, uniform, burst, burst=K or 'population=N period=TIME'`,
		"Poisson":  `arrival law "Poisson": write even, poisson, uniform, burst, burst=K or 'population=N period=TIME'`,
		"even=3":   `arrival law "even=3": write even, poisson, uniform, burst, burst=K or 'population=N period=TIME'`,
		"burst=":   `arrival law "burst="` + badSize,
		"burst=0":  `arrival law "burst=0"` + badSize,
		"burst=-1": `arrival law "burst=-1"` + badSize,
	} {
		t.Run("refuses "+text, func(t *testing.T) {
			_, err := ParseLaw(text)
			require.EqualError(t, err, want)
		})
	}
}

func generator(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// Gaps of mean 10 ms and the standard deviation of an exponential, which is its
// mean; counts in a second of mean and variance 100.
func TestPoissonMeanAndVariance(t *testing.T) {
	const n = 200_000
	s := Spec{Law: Law{Kind: Poisson}, Shape: shape(t, "100"), N: n}.Open(generator(1))
	var gaps, squares, last float64
	perSecond := make([]float64, 1900)
	for range n {
		a, ok := s.Next()
		require.True(t, ok)
		gap := a.At.Seconds() - last
		last = a.At.Seconds()
		gaps, squares = gaps+gap, squares+gap*gap
		if i := int(last); i < len(perSecond) {
			perSecond[i]++
		}
	}
	mean := gaps / n
	require.InEpsilon(t, 0.010, mean, 0.01)
	require.InEpsilon(t, 0.010, math.Sqrt(squares/n-mean*mean), 0.01)

	var sum, sumSquares float64
	for _, k := range perSecond {
		sum, sumSquares = sum+k, sumSquares+k*k
	}
	m := sum / float64(len(perSecond))
	require.InEpsilon(t, 100, m, 0.01)
	require.InEpsilon(t, 100, sumSquares/float64(len(perSecond))-m*m, 0.15)
}

// The distance between the sample's distribution and the uniform one stays below
// Kolmogorov's 0.1 % bound, 1.95/√n.
func TestUniformIsUniform(t *testing.T) {
	const n = 100_000
	s := Spec{Law: Law{Kind: Uniform}, Shape: shape(t, "1000"), N: n}.Open(generator(1))
	var farthest float64
	for k := range n {
		a, ok := s.Next()
		require.True(t, ok)
		farthest = max(farthest, math.Abs(a.At.Seconds()/100-(float64(k)+0.5)/n))
	}
	require.Less(t, farthest, 1.95/math.Sqrt(n))
	_, more := s.Next()
	require.False(t, more)
}
