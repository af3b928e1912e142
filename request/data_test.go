package request

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRows(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"csv", "\ufeffname,n\nann,1\n\"b,b\",2\n"},
		{"json lines", "{\"name\":\"ann\",\"n\":1}\n\n{\"n\":2,\"name\":\"b,b\"}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows, err := ReadRows(strings.NewReader(tt.text))
			require.NoError(t, err)
			require.Equal(t, 2, rows.Len())
			require.Equal(t, "ann", rows.Of(0)["name"])
			require.Equal(t, "b,b", rows.Of(1)["name"])
			require.Equal(t, "ann", rows.Of(4)["name"], "after the last the first again")
			require.EqualValues(t, "2", rows.Of(1)["n"])
		})
	}
}

func TestWhatIsNoData(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "no row in it"},
		{"only names", "a,b\n", "no row in it"},
		{"too few columns", "a,b\npa55\n", "line 2 has 1 columns, and the first line 2"},
		{"no name", "a,\n1,2\n", "column 2 has no name"},
		{"a name twice", "a,a\n1,2\n", "two columns are named a"},
		{"a bare quote", "a\n1\"2\n", "line 2: a quote within a field that does not begin with one"},
		{"a bare quote in a name", "a\"b\n1\n", "line 1: a quote within a field"},
		{"a quote", "a\n\"pa55", "line 2: a quoted field that does not end"},
		{"no object", "{\"a\":1}\n[\"pa55\"]\n", "line 2 is no JSON object"},
		{"two objects", "{\"a\":1}{}\n", "line 1 is no JSON object"},
		{"null", "{}\nnull\n", "line 2 is no JSON object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadRows(strings.NewReader(tt.text))
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), "pa55")
		})
	}
}

func FuzzRows(f *testing.F) {
	f.Add("a,b\n1,2\n", uint64(3))
	f.Add("{\"a\":1}\n", uint64(0))
	f.Fuzz(func(t *testing.T, text string, seq uint64) {
		rows, err := ReadRows(strings.NewReader(text))
		if err != nil {
			return
		}
		require.NotNil(t, rows.Of(seq))
		require.Equal(t, rows.Of(seq%uint64(rows.Len())), rows.Of(seq))
	})
}
