package schedule

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Law: the shards' numbers are the whole, each once and in order.
func TestShardsNumbersAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(1, 9).Draw(t, "shards")
		round, whole := rapid.Uint64Range(0, 12).Draw(t, "round"), rapid.Uint64Range(n, 500).Draw(t, "whole")
		owners := map[uint64]uint64{}
		for i := range n {
			s, last := NewShard(i, n, round, whole), int64(-1)
			for k := range (whole + n - 1 - i) / n {
				seq := s.Number(k)
				require.Greater(t, int64(seq), last)
				last = int64(seq)
				require.Less(t, seq, whole)
				require.NotContains(t, owners, seq)
				owners[seq] = i
			}
		}
		require.Len(t, owners, int(whole))
		for seq, i := range owners {
			require.Equal(t, i, NewShard(0, n, round, whole).Owner(seq))
		}
	})
}

// Law: every shard comes to every turn of a round as often as to any other.
func TestEveryShardComesToEveryTurn(t *testing.T) {
	for n := uint64(1); n <= 8; n++ {
		for round := uint64(2); round <= 24; round++ {
			common := n * round / gcd(n, round)
			for i := range n {
				s := NewShard(i, n, round, 0)
				times := map[uint64]uint64{}
				for k := range common {
					times[s.Number(k)%round]++
				}
				require.Len(t, times, int(round), "shard %d of %d, rounds of %d", i, n, round)
				for turn, got := range times {
					require.Equal(t, common/round, got, "turn %d of %d for shard %d of %d", turn, round, i, n)
				}
			}
		}
	}
}
