package retry

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestB1FromFullAndFromEmpty(t *testing.T) {
	b := newThrottle(policy(t, "attempts=2 budget=grpc:10/0.1").throttle)
	allowed := 0
	for range 20 {
		b.failure()
		if b.allows() {
			allowed++
		}
	}
	require.Equal(t, 4, allowed)
	require.Zero(t, b.tokens, "never below")
	successes := 0
	for !b.allows() {
		b.success()
		successes++
	}
	require.Equal(t, 51, successes)
}

// B2: a share of failures above r/(1+r) drains it, one below fills it, and at 1 of 11
// the tokens stand still.
func TestB2TheShareThatDrains(t *testing.T) {
	for _, tt := range []struct {
		name  string
		of    int // one failure among so many
		after int64
	}{
		{"1 of 11", 11, 8 * token},
		{"1 of 10", 10, 0},
		{"1 of 12", 12, 9 * token}, // full, and one failure since
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newThrottle(bucket{10 * token, 100})
			b.tokens = 9 * token
			for range 1000 {
				for range tt.of - 1 {
					b.success()
				}
				b.failure()
			}
			if tt.after == 0 {
				require.False(t, b.allows())
				return
			}
			require.True(t, b.allows())
			require.LessOrEqual(t, tt.after, b.tokens)
		})
	}
}

func TestTheBucketNeitherOverflowsNorRunsDry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newThrottle(bucket{rapid.Int64Range(1, maxTokens).Draw(t, "most"), rapid.Int64Range(1, maxTokens).Draw(t, "refill")})
		for _, ok := range rapid.SliceOf(rapid.Bool()).Draw(t, "successes") {
			if ok {
				b.success()
			} else {
				b.failure()
			}
			require.GreaterOrEqual(t, b.tokens, int64(0))
			require.LessOrEqual(t, b.tokens, b.most)
		}
	})
}
