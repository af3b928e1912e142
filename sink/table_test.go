package sink

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestColumns(t *testing.T) {
	for _, tt := range []struct {
		name string
		rows [][]string
		want []string
	}{
		{"names to the left, numbers to the right",
			[][]string{{"", "p50", "max"}, {"raw", "50.1 ms", "2.00 s"}, {"corrected", "1 ms", ""}},
			[]string{
				"                p50      max",
				"raw         50.1 ms   2.00 s",
				"corrected      1 ms         "}},
		{"width is what shows", // µ is two bytes, a wide character two columns
			[][]string{{"日本", "930 µs"}, {"tea", "1.00 ms"}},
			[]string{
				"日本    930 µs",
				"tea    1.00 ms"}},
		{"closer together where 80 columns are too few",
			[][]string{{strings.Repeat("a", 30), strings.Repeat("b", 24), strings.Repeat("c", 22)}},
			[]string{strings.Repeat("a", 30) + "  " + strings.Repeat("b", 24) + "  " + strings.Repeat("c", 22)}},
	} {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, Columns(tt.rows)) })
	}
}

func TestWrap(t *testing.T) {
	long := strings.Repeat("x", 90)
	for _, tt := range []struct {
		name   string
		tokens []token
		want   []string
	}{
		{"a number keeps its unit", sentence(strings.Repeat("word ", 14) + "305 ms, then"),
			[]string{"- " + strings.Repeat("word ", 13) + "word 305 ms,", "  then"}},
		{"a word that is too long has a line of its own", sentence("see " + long + " now"),
			[]string{"- see", "  " + long, "  now"}},
		{"an item is not torn", items([]string{strings.Repeat("a", 40), "b " + strings.Repeat("c", 40)}, 2),
			[]string{"- " + strings.Repeat("a", 40), "  b " + strings.Repeat("c", 40)}},
		{"unless it is too long", items([]string{"a", strings.Repeat("b ", 45)}, 2),
			[]string{"- a   " + strings.TrimSpace(strings.Repeat("b ", 37)), "  " + strings.TrimSpace(strings.Repeat("b ", 8))}},
		{"nothing", nil, []string{"- "}},
	} {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, wrap("- ", 2, tt.tokens)) })
	}
}

// What comes from outside can't reach the terminal's controls.
func TestPrintable(t *testing.T) {
	require.Equal(t, "?[31mred? and back ? line", printable("\x1b[31mred\x07 and\tback \u202e line"))
}
