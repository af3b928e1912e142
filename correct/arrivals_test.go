package correct

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/peak"
)

// The peaks are those of the attempts that were written, at the instants at which they
// were; later ones are known by their number. Shards merge to the whole.
func TestPeaksAreThoseOfWrittenAttempts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := drawSamples(t)
		for i := range samples {
			samples[i].Attempt = rapid.IntRange(1, 3).Draw(t, "attempt")
		}
		var all, later []time.Duration
		for _, x := range samples {
			if !x.Fired || !x.Written {
				continue
			}
			at := x.Sent / peak.Quantum * peak.Quantum
			all = append(all, at)
			if x.Attempt > 1 {
				later = append(later, at)
			}
		}
		check := func(s *Snapshot) {
			a, l := s.Peaks()
			require.Equal(t, peak.Of(all), a)
			require.Equal(t, peak.Of(later), l)
		}
		check(recordAll(samples, 1))
		even := slices.DeleteFunc(slices.Clone(samples), func(x Sample) bool { return x.Seq%2 == 1 })
		odd := slices.DeleteFunc(slices.Clone(samples), func(x Sample) bool { return x.Seq%2 == 0 })
		half := recordAll(odd, 2)
		half.Merge(recordAll(even, 2))
		check(half)
		check(half.clone())
	})
}
