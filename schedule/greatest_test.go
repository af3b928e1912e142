package schedule

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGreatestRate(t *testing.T) {
	population, err := ParseLaw("population=3000 period=300s")
	require.NoError(t, err)
	for _, tt := range []struct {
		name string
		spec Spec
		want float64
	}{
		{"constant", Spec{Shape: shape(t, "12.5")}, 12.5},
		{"the end of a ramp", Spec{Shape: shape(t, "10..200@10s")}, 200},
		{"a stage", Spec{Shape: shape(t, "50@1s,200@500ms,0@500ms")}, 200},
		{"a stage that never comes", Spec{Shape: shape(t, "50@1s,200@500ms,0@500ms"), Duration: time.Second}, 50},
		{"bursts", Spec{Law: Law{Kind: Burst, Size: 10}, Shape: shape(t, "100")}, 100},
		{"all at once", Spec{Law: Law{Kind: Burst}, N: 1000}, 0},
		{"a population", Spec{Law: population}, 10},
		{"a recording's fullest second", Spec{Replay: Recording{{0, 0}, {1, 500 * time.Millisecond}, {2, time.Second}, {3, 1499 * time.Millisecond}, {4, 5 * time.Second}}}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, tt.spec.Greatest()) })
	}
}
