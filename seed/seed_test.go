package seed

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSameSeedAndNameGiveTheSameStream(t *testing.T) {
	require.Equal(t, Seed(7).Stream("arrivals").Uint64(), Seed(7).Stream("arrivals").Uint64())
	require.Equal(t, Seed(7).At("row", 3).Uint64(), Seed(7).At("row", 3).Uint64())
}

func TestDifferentUsesAreUnrelated(t *testing.T) {
	seen := map[uint64]string{}
	for _, s := range []Seed{0, 1, 2, 1 << 63} {
		for _, name := range []string{"", "arrivals", "jitter"} {
			for seq := range uint64(50) {
				v := s.At(name, seq).Uint64()
				require.NotContains(t, seen, v)
				seen[v] = name
			}
			v := s.Stream(name).Uint64()
			require.NotContains(t, seen, v)
			seen[v] = name
		}
	}
}

func TestNumbersAreEvenAndUnrelated(t *testing.T) {
	seen := map[uint64]bool{}
	var ones, n int
	for _, s := range []Seed{0, 1, 2, 1 << 63} {
		for _, name := range []string{"", "targets", "rows"} {
			draw := s.Numbers(name)
			for seq := range uint64(1000) {
				v := draw(seq)
				require.Equal(t, v, s.Numbers(name)(seq))
				require.False(t, seen[v])
				seen[v] = true
				ones += bits.OnesCount64(v)
				n += 64
			}
		}
	}
	require.InDelta(t, 0.5, float64(ones)/float64(n), 0.003) // 5 standard deviations
}
