package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/engine"
)

// Q7: three layers of three attempts each make 27 of one, 39 in all, whether or not the
// client waits for it; a client with three attempts of its own makes 81.
func TestQ7LayersMultiply(t *testing.T) {
	const behaviour = "status=503:100% service=1s workers=0 layers=3 attempts=3"
	for _, tt := range []struct {
		name, policy string
		timeout      time.Duration
		attempts     int
		class        correct.Class
		done         time.Duration
		layers       []uint64
	}{
		{"it waits", "none", 0, 1, correct.BadStatus, 27 * time.Second, []uint64{3, 9, 27}},
		{"it gives up", "none", 10 * time.Second, 1, correct.Timeout, 10 * time.Second, []uint64{3, 9, 27}},
		{"it gives up as an answer comes", "none", 27 * time.Second, 1, correct.BadStatus, 27 * time.Second, []uint64{3, 9, 27}},
		{"it tries again", "attempts=3 backoff=fixed base=1s", 0, 3, correct.BadStatus, 83 * time.Second, []uint64{9, 27, 81}},
		{"it tries again while the layers do", "attempts=3 backoff=fixed base=1s", 2 * time.Second, 3, correct.Timeout, 8 * time.Second, []uint64{9, 27, 81}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, stats := crowd(t, 1, chancy(t, behaviour), tt.policy, engine.Limits{Timeout: tt.timeout}, 1)
			require.Len(t, got, tt.attempts)
			last := got[len(got)-1]
			require.Equal(t, tt.class, last.Class)
			require.Equal(t, tt.done, last.Done)
			require.Equal(t, tt.layers, stats.Layers)
			require.EqualValues(t, tt.attempts, stats.Received)
			require.EqualValues(t, tt.attempts, stats.Status[503], "of the layers' own attempts nobody is told")
		})
	}
}

// What the layers do twice is done twice.
func TestLayersThatAreHungUpOn(t *testing.T) {
	got, stats := crowd(t, 5, chancy(t, "close=100% service=1s layers=2 attempts=2"), "none", engine.Limits{}, 1)
	require.Len(t, got, 5)
	for _, x := range got {
		require.Equal(t, correct.Reset, x.Class)
	}
	require.EqualValues(t, 20, stats.Executed)
	require.EqualValues(t, 15, stats.Duplicates)
	require.EqualValues(t, 5, stats.Closed)
}
