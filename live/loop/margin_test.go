//go:build linux

package loop

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The margin comes to what sleeps take too long, within the pace's bound, and goes back
// when they don't any more.
func TestMargin(t *testing.T) {
	for _, tt := range []struct {
		name       string
		pace       Pace
		over       time.Duration
		at         time.Duration
		afterwards bool // it goes down when sleeps are exact
	}{
		{"precise", Precise, 60 * time.Microsecond, 60 * time.Microsecond, true},
		{"precise is bounded", Precise, time.Second, 250 * time.Microsecond, true},
		{"balanced is bounded lower", Balanced, 60 * time.Microsecond, 50 * time.Microsecond, true},
		{"frugal never spins", Frugal, 60 * time.Microsecond, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := margin{most: tt.pace.most()}
			for range 100 {
				m.slept(tt.over)
			}
			require.InDelta(t, tt.at, m.now, float64(time.Microsecond))
			high := m.now
			for range 1000 {
				m.slept(0)
			}
			require.Equal(t, tt.afterwards, m.now < high/2)
		})
	}
}
