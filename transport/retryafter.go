package transport

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter is the longest pause that is believed, far from the end of time.Duration.
const maxRetryAfter = 10_000 * time.Hour

// retryAfter is the pause that a response asks for before another attempt: a number of
// seconds, or a date. A date counts from the response's own Date, so that the server's
// clock may differ from ours. What is neither, or a date without a Date, is no wish.
// Source: RFC 9110, section 10.2.3.
func retryAfter(value, date string) (pause time.Duration) {
	if value != "" && strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(maxRetryAfter/time.Second) {
			return maxRetryAfter
		}
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(date)
	if err != nil {
		return 0
	}
	return min(max(0, until.Sub(now)), maxRetryAfter)
}
