package retry

// What the values of several keys are made of.

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"openload/internal/nearest"
)

func readCount(value string, most int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("%q is not a whole number from 1 to %d", value, most)
	}
	return n, nil
}

// maxTime keeps sums of a few times far from the end of time.Duration.
const maxTime = 10_000 * time.Hour

func readTime(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 || d > maxTime {
		return 0, fmt.Errorf("%q is not a time with its unit, from 0s to %s", value, short(maxTime))
	}
	return d, nil
}

// readSpan reads a time that is not nothing.
func readSpan(value string) (time.Duration, error) {
	d, err := readTime(value)
	if err == nil && d == 0 {
		err = fmt.Errorf("%q is no time at all", value)
	}
	return d, err
}

// short prints d without the units that are zero: 2m, not 2m0s.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// decimal reads a number that is not negative as a whole number of 10^-places.
// Below 10^9 it is exact; more, or more decimals, are refused.
func decimal(text string, places int) (int64, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	digits := whole + fraction
	fraction = strings.TrimRight(fraction, "0")
	if digits == "" || strings.Trim(digits, "0123456789") != "" || len(whole) > 9 || len(fraction) > places {
		return 0, false
	}
	v, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", places-len(fraction)), 10, 64)
	return v, err == nil
}

// decimalText prints what decimal reads.
func decimalText(v int64, places int) string {
	digits := fmt.Sprintf("%0*d", places+1, v)
	point := len(digits) - places
	return strings.TrimSuffix(strings.TrimRight(digits[:point]+"."+digits[point:], "0"), ".")
}

// didYouMean names the word that was most likely meant, if one is close.
func didYouMean(typed string, words []string) string {
	meant := nearest.Of(typed, words)
	if meant == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", meant)
}
