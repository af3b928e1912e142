package correct

import (
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What is decoded is what was recorded, bucket by bucket, but for failures and for
// what is longer than a histogram reaches.
func TestEncodedGivesBackTheHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Int64Range(0, int64(2*Longest))).Draw(t, "values")
		d := NewDist()
		d.Fail(rapid.Uint64Range(0, 3).Draw(t, "failures"))
		within := 0
		for _, v := range values {
			d.Record(time.Duration(v))
			if time.Duration(v) <= Longest {
				within++
			}
		}
		if within == 0 {
			require.Empty(t, d.Encoded())
			return
		}
		back, err := hdrhistogram.Decode([]byte(d.Encoded()))
		require.NoError(t, err)
		require.EqualValues(t, within, back.TotalCount())
		require.Equal(t, d.Histogram().Distribution(), back.Distribution())
	})
}
