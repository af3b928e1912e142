package loop

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParsePace(t *testing.T) {
	for _, p := range []Pace{Precise, Balanced, Frugal} {
		got, err := ParsePace(p.String())
		require.NoError(t, err)
		require.Equal(t, p, got)
	}
	_, err := ParsePace("auto")
	require.NoError(t, err)
	_, err = ParsePace("fast")
	require.EqualError(t, err, `"fast" is no pace; write auto, precise, balanced, frugal`)
}
