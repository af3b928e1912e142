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

// What is written is what the library writes, whatever the histogram.
func TestEncodedIsTheLibrarys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hdrhistogram.New(1, rapid.SampledFrom([]int64{int64(Longest), 3_600_000_000}).Draw(t, "greatest"), rapid.IntRange(1, 3).Draw(t, "digits"))
		if rapid.Bool().Draw(t, "not empty") {
			for _, v := range drawValues(t, "values") {
				_ = h.RecordValues(int64(v), rapid.Int64Range(1, 1<<40).Draw(t, "n"))
			}
		}
		want, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		require.NoError(t, err)
		require.Equal(t, string(want), Encoded(h))
	})
}
