package repair

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamesWithTheirVerb(t *testing.T) {
	require.Equal(t, "p90 lies", lies([]string{"p90"}))
	require.Equal(t, "p90 and p95 lie", lies([]string{"p90", "p95"}))
	require.Equal(t, "p50, p90 and p95 lie", lies([]string{"p50", "p90", "p95"}))
}
