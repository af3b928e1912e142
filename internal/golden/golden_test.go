package golden

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What -update wrote is what Check accepts, and nothing else is.
func TestCheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "page.txt")
	require.ErrorIs(t, check(file, []byte("a\nb\n"), false), os.ErrNotExist)
	require.NoError(t, check(file, []byte("a\nb\n"), true))
	require.NoError(t, check(file, []byte("a\nb\n"), false))

	for _, tt := range []struct {
		name, got, want string
	}{
		{"another line", "a\nc\n", `line 2 differs`},
		{"a line too few", "a\n", `line 2 differs`},
		{"a line too many", "a\nb\nc\n", `line 3 differs`},
		{"no newline at the end", "a\nb", `line 2 differs`},
		{"nothing", "", `line 1 differs`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.ErrorContains(t, check(file, []byte(tt.got), false), tt.want)
		})
	}
}
