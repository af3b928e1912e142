package lab

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDuplicates(t *testing.T) {
	var l Ledger
	for _, key := range []uint64{1, 2, 1, 0, 0, 3} { // 0 is no key
		l.Key(key)
	}
	for _, key := range []uint64{1, 0, 0, 1, 2, 1} {
		l.Execute(key)
	}
	s := l.Stats()
	require.EqualValues(t, 3, s.Keys)
	require.EqualValues(t, 6, s.Executed)
	require.EqualValues(t, 2, s.Duplicates, "key 1, which was executed three times")
}

func TestALedgerIsBounded(t *testing.T) {
	var l Ledger
	const n = 5 * mostKeys
	for i := range uint64(n) {
		key := i + 1
		l.Key(key)
		l.Key(key)
		l.Execute(key)
		if old := key - mostKeys + 1; key >= mostKeys {
			l.Execute(old) // so many keys ago
		}
		l.Arrive(int(key))
		require.LessOrEqual(t, len(l.recent)+len(l.older), 2*mostKeys)
	}
	s := l.Stats()
	require.EqualValues(t, n, s.Keys)
	require.EqualValues(t, n-mostKeys+1, s.Duplicates)
	require.Positive(t, s.Forgotten)
	require.Len(t, s.ByAttempt, mostAttempts)
	require.EqualValues(t, n-mostAttempts+1, s.ByAttempt[mostAttempts])

	var j journal
	for range mostArrivals + 10 {
		j.add(0, nil, nil, 0)
	}
	require.Len(t, j, mostArrivals)
}
