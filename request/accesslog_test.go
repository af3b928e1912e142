package request

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const someLog = `127.0.0.1 - - [30/Nov/2026:09:00:01 +0000] "GET /b?x=1 HTTP/1.1" 200 5 "http://r/" "an \"agent\""
127.0.0.1 - ann [30/Nov/2026:10:00:00 +0100] "GET /a HTTP/1.1" 200 5 "-" "agent"
127.0.0.1 - - [30/Nov/2026:09:00:01 +0000] "HEAD /c HTTP/2.0" 404 0
127.0.0.1 - - [30/Nov/2026:09:00:04 +0000] "POST /d HTTP/1.1" 200 5 "-" "-"
127.0.0.1 - - [30/Nov/2026:09:00:04 +0000] "\x16\x03\x01" 400 0 "-" "-"
127.0.0.1 - - [30/Nov/2026:09:00:05 +0000] "GET http://elsewhere/ HTTP/1.1" 200 5 "-" "-"
127.0.0.1 - - [30.11.2026] "GET /e HTTP/1.1" 200 5 "-" "-"

`

func TestImportAccessLog(t *testing.T) {
	items, at, notes, err := ImportAccessLog(strings.NewReader(someLog), "http://127.0.0.1:8080/")
	require.NoError(t, err)
	require.Equal(t, []Item{
		{Request: Request{"GET", "http://127.0.0.1:8080/a", []Field{{"User-Agent", "agent"}}, nil}},
		{Request: Request{"GET", "http://127.0.0.1:8080/b?x=1", []Field{{"Referer", "http://r/"}}, nil}},
		{Request: Request{"HEAD", "http://127.0.0.1:8080/c", nil, nil}},
	}, items)
	require.Equal(t, []time.Duration{0, time.Second, 1500 * time.Millisecond}, at, "those of a second are spread over it")
	require.Equal(t, []string{
		"1 of 8 lines left out that are no requests in the combined format",
		"1 of 8 lines left out whose path cannot be sent",
		"1 of 8 lines left out with POST, whose body a log does not hold",
		"1 of 8 lines left out without a time such as 30/Nov/2026:09:00:00 +0000",
	}, notes)
}

func TestWhatIsNoAccessLog(t *testing.T) {
	for _, tt := range []struct{ name, text, base, want string }{
		{"no request", "nonsense\n", "http://h", "no request in it"},
		{"no host", someLog, "h", "no scheme"},
		{"a path", someLog, "http://h/a", "only the host is wanted"},
		{"a long line", strings.Repeat("x", mostLine+1), "http://h", "line 1 is longer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, _, err := ImportAccessLog(strings.NewReader(tt.text), tt.base)
			require.ErrorContains(t, err, tt.want)
		})
	}
	_, _, _, err := ImportAccessLog(broken{}, "http://h")
	require.ErrorIs(t, err, errNoFile)
}

func FuzzAccessLog(f *testing.F) {
	f.Add(someLog)
	f.Fuzz(func(t *testing.T, text string) {
		items, at, _, err := ImportAccessLog(strings.NewReader(text), "http://h")
		if err != nil {
			return
		}
		require.Len(t, at, len(items))
		require.True(t, slices.IsSorted(at))
		require.Zero(t, at[0])
		for _, it := range items {
			_, err := it.Bytes("", true)
			require.NoError(t, err)
		}
	})
}
