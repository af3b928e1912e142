package retry

import (
	"testing"

	"github.com/stretchr/testify/require"

	"openload/seed"
)

// C7: a key made of the clock's second is another one on each attempt, and the same
// for two operations that start together.
func TestC7OneKeyForAnOperation(t *testing.T) {
	ofSecond, ofOperation := map[int]bool{}, map[string]bool{}
	for _, start := range []int{0, 4, 9} { // seconds: 3 s of waiting and 1, 2 s of backoff
		ofSecond[start] = true
		ofOperation[IdempotencyKey(seed.Seed(1).At("key", 7))] = true
	}
	require.Len(t, ofSecond, 3)
	require.Len(t, ofOperation, 1)

	for seq := range uint64(1000) {
		key := IdempotencyKey(seed.Seed(1).At("key", seq))
		require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, key)
		ofOperation[key] = true
	}
	require.Len(t, ofOperation, 1000)
}
