package lab

// What the values of several keys are made of.

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// readCount reads a whole number.
func readCount(value string, least, most uint64) (uint64, error) {
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%q is not a whole number from %d to %d", value, least, most)
	}
	return n, nil
}

// printCount prints n where it is not 0, which stands for a key not given.
func printCount(n uint64) []string {
	if n == 0 {
		return nil
	}
	return []string{strconv.FormatUint(n, 10)}
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

// printTime prints d where it is not 0, which stands for a key not given.
func printTime(d time.Duration) []string {
	if d == 0 {
		return nil
	}
	return []string{short(d)}
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

func readShare(value string) (percent float64, err error) {
	number, ok := strings.CutSuffix(value, "%")
	percent, err = strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(percent >= 0 && percent <= 100) { // NaN is neither
		return 0, fmt.Errorf("%q is not a share from 0%% to 100%%", value)
	}
	return percent, nil
}

func printShare(percent float64) []string {
	if percent == 0 {
		return nil
	}
	return []string{percentText(percent)}
}

func percentText(percent float64) string {
	return strconv.FormatFloat(percent, 'g', -1, 64) + "%"
}

// maxRate is one request a nanosecond.
const maxRate = 1_000_000_000

// readRate reads requests per time: 60, 60/s, 300/m, 12.5/h or 1/90s. Without a
// unit it is per second.
func readRate(value string) (perSecond *big.Rat, err error) {
	wrong := fmt.Errorf("%q is not a rate from 0/s to %d/s with at most 9 decimals", value, maxRate)
	number, unit, given := strings.Cut(value, "/")
	if !given {
		unit = "s"
	}
	if strings.Trim(number, "0123456789.") != "" || len(number) > 20 {
		return nil, wrong // no exponents: 1e999999 would be a number as long as this file is
	}
	rate, ok := new(big.Rat).SetString(number)
	if !ok {
		return nil, wrong
	}
	per, err := time.ParseDuration(unit)
	if slices.Contains([]string{"s", "m", "h"}, unit) {
		per, err = time.ParseDuration("1" + unit)
	}
	if err != nil || per <= 0 {
		return nil, wrong
	}
	rate.Mul(rate, big.NewRat(int64(time.Second), int64(per)))
	if rate.Cmp(big.NewRat(maxRate, 1)) > 0 || rate.Denom().Cmp(big.NewInt(1_000_000_000)) > 0 {
		return nil, wrong
	}
	return rate, nil
}

// printRate prints a rate as decimals per second, or where that takes more than
// readRate accepts as whole requests per whole seconds, such as 1/90s.
func printRate(perSecond *big.Rat) string {
	if decimals, exact := perSecond.FloatPrec(); exact && decimals <= 9 {
		return perSecond.FloatString(decimals) + "/s"
	}
	return perSecond.String() + "s"
}

// sizes are the units of readSize, the greatest first.
var sizes = []struct {
	name  string
	bytes uint64
}{{"GiB", 1 << 30}, {"GB", 1e9}, {"MiB", 1 << 20}, {"MB", 1e6}, {"KiB", 1 << 10}, {"kB", 1e3}, {"B", 1}}

// maxSize is the greatest body.
const maxSize = 1 << 30

// readSize reads a whole number of bytes, or of another unit: 512B, 64KiB, 1MB.
func readSize(value string) (uint64, error) {
	for _, unit := range sizes {
		number, ok := strings.CutSuffix(value, unit.name)
		if n, err := strconv.ParseUint(number, 10, 32); ok && err == nil && n > 0 && n*unit.bytes <= maxSize {
			return n * unit.bytes, nil
		}
	}
	return 0, fmt.Errorf("%q is not a size from 1B to 1GiB, in B, kB, KiB, MB or MiB", value)
}

// printSize prints n bytes in the greatest unit that keeps it whole.
func printSize(n uint64) []string {
	for _, unit := range sizes {
		if n > 0 && n%unit.bytes == 0 {
			return []string{strconv.FormatUint(n/unit.bytes, 10) + unit.name}
		}
	}
	return nil
}
