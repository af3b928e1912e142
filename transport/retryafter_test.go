package transport

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRetryAfter(t *testing.T) {
	const now = "Sun, 06 Nov 1994 08:49:37 GMT"
	for _, tt := range []struct {
		name, value, date string
		want              time.Duration
	}{
		{"seconds", "120", now, 2 * time.Minute},
		{"seconds need no date", "120", "", 2 * time.Minute},
		{"at once", "0", now, 0},
		{"a date", "Sun, 06 Nov 1994 08:50:00 GMT", now, 23 * time.Second},
		{"a date as of RFC 850", "Sunday, 06-Nov-94 08:50:00 GMT", now, 23 * time.Second},
		{"a date of asctime", "Sun Nov  6 08:50:00 1994", now, 23 * time.Second},
		{"a date that has passed", "Sun, 06 Nov 1994 08:49:00 GMT", now, 0},
		{"a date without a Date", "Sun, 06 Nov 1994 08:50:00 GMT", "", 0},
		{"a date beside nonsense", "Sun, 06 Nov 1994 08:50:00 GMT", "now", 0},
		{"no header", "", now, 0},
		{"nonsense", "soon", now, 0},
		{"negative", "-1", now, 0},
		{"a fraction", "1.5", now, 0},
		{"longer than anybody waits", "99999999999999999999", now, maxRetryAfter},
		{"the year 9999", "Fri, 31 Dec 9999 23:59:59 GMT", now, maxRetryAfter},
	} {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, retryAfter(tt.value, tt.date)) })
	}
}

// Both readers hear what a response asks for.
func TestRetryAfterIsHeard(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"Retry-After: 3\r\n": 3 * time.Second,
		"Date: Mon, 30 Nov 2026 05:00:00 GMT\r\nRetry-After: Mon, 30 Nov 2026 05:00:07 GMT\r\n": 7 * time.Second,
		"Retry-After: soon\r\n": 0,
		"":                      0,
	} {
		text := "HTTP/1.1 503 Busy\r\n" + header + "Content-Length: 0\r\n\r\n"
		r := reader{src: strings.NewReader(text)}
		got, err := r.response(false)
		require.NoError(t, err)
		require.Equal(t, want, got.pause, header)
		var p Parser
		p.Reset(false, nil)
		done, err := p.Feed([]byte(text))
		require.NoError(t, err)
		require.True(t, done)
		require.Equal(t, want, p.framing.pause(), header)
	}
}
