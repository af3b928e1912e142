package correct

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What a distribution leaves in a file makes it again, as far as it is ever asked.
func TestKeptIsTheDist(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := NewDist(drawValues(t, "limits")...)
		values := drawValues(t, "values")
		for _, v := range values {
			d.Record(v)
		}
		d.Fail(rapid.Uint64Range(0, 3).Draw(t, "failed"))
		k := d.Keep()
		got, err := k.Dist()
		require.NoError(t, err)
		require.Equal(t, k, got.Keep())
		for _, q := range []Quantile{1, P50, P90, P99, P999, Max} {
			want, ok := d.Quantile(q)
			v, known := got.Quantile(q)
			require.Equal(t, ok, known)
			require.Equal(t, want, v)
		}
		want, _ := d.Mean()
		mean, _ := got.Mean()
		require.Equal(t, want, mean)
	})
}

func TestWhatCannotHaveBeenKept(t *testing.T) {
	d := NewDist(time.Second)
	d.RecordN(500*time.Millisecond, 3)
	d.Fail(1)
	for name, spoil := range map[string]func(*Kept){
		"more failed than there are": func(k *Kept) { k.Failed = 5 },
		"fewer values than buckets":  func(k *Kept) { k.N = 3 },
		"more values than buckets":   func(k *Kept) { k.N = 5 },
		"least over greatest":        func(k *Kept) { k.Min = time.Second },
		"negative":                   func(k *Kept) { k.Min = -1 },
		"a sum below 0":              func(k *Kept) { k.Sum = big.NewInt(-1) },
		"a sum of 129 bits":          func(k *Kept) { k.Sum = new(big.Int).Lsh(big.NewInt(1), 128) },
		"no histogram at all":        func(k *Kept) { k.Histogram = "" },
		"not base64":                 func(k *Kept) { k.Histogram = "%" },
		"half a histogram":           func(k *Kept) { k.Histogram = k.Histogram[:len(k.Histogram)/8*4] },
		"more over than there are":   func(k *Kept) { k.Over[0].N = 5 },
		"fewer over than failed":     func(k *Kept) { k.Over[0].N = 0 },
		"limits in disorder":         func(k *Kept) { k.Over = append(k.Over, k.Over[0]) },
	} {
		t.Run(name, func(t *testing.T) {
			k := d.Keep()
			_, err := k.Dist()
			require.NoError(t, err)
			spoil(&k)
			_, err = k.Dist()
			require.Error(t, err)
		})
	}
}
