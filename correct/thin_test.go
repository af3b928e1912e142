package correct

import (
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Its percentiles are those of the library's 2-digit histogram, whatever was counted
// already, merged or copied.
func TestThin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hdrhistogram.New(1, int64(Longest), 2)
		var on bench
		parts := make([]thin, 3)
		for i := range parts {
			for _, v := range drawValues(t, "values") {
				parts[i].record(v, &on)
				require.NoError(t, h.RecordValue(int64(min(v, Longest))))
				if rapid.IntRange(0, 9).Draw(t, "pack") == 0 {
					parts[i].pack(&on)
				}
			}
		}
		whole := parts[0].clone()
		whole.merge(&parts[1], &on)
		whole.merge(&parts[2], &on)
		failed := uint64(rapid.IntRange(0, 20).Draw(t, "failed"))
		for _, q := range quantiles {
			n := uint64(h.TotalCount())
			got, ok := whole.at(q, failed, &on)
			rank := q.Rank(n + failed)
			require.Equal(t, rank <= n, ok)
			if ok {
				require.EqualValues(t, h.ValueAtPercentile(100*float64(rank)/float64(n)), got)
			}
		}
		require.Equal(t, bench{}, on, "the next one finds it empty")
	})
}

func TestThinOfMany(t *testing.T) {
	var d thin
	var on bench
	for i := range 5 * mostLoose {
		d.record(time.Duration(i), &on)
	}
	require.Empty(t, d.loose)
	v, ok := d.at(P50, 0, &on)
	require.True(t, ok)
	require.EqualValues(t, 5*mostLoose/2-1|15, v)
	_, ok = new(thin).at(P50, 0, &on)
	require.False(t, ok)
}
