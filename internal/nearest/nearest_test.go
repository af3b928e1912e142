package nearest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	commands := []string{"run", "sim", "lab", "correct", "schedule", "demo"}
	for typed, want := range map[string]string{
		"correkt": "correct", "corect": "correct", "shcedule": "schedule", "dmeo": "demo", "rnu": "run",
		"": "", "localhost": "", "urn": "run", "benchmark": "", "Run": "run",
	} {
		require.Equal(t, want, Of(typed, commands), typed)
	}
	require.Empty(t, Of("a", []string{"sla", "n"}), "too short to guess from")
	require.Empty(t, Of("pass", []string{"pace"}))
	require.Equal(t, "größe", Of("größse", []string{"größe"}))
}
