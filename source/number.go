package source

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"
	"time"
)

// A problem says why a field isn't the number that it should be; "" if it is.
type problem string

const (
	noNumber   problem = "not a number"
	isEmpty    problem = "empty"
	isNegative problem = "negative"
	hasComma   problem = "decimal comma or thousands separator: export it with a decimal point"
	tooLarge   problem = "too large"
	tooLong    problem = "longer than a year: check the unit"
	noTime     problem = "not a time"
	notObject  problem = "not a JSON object"
	isSum      problem = "a sum over several requests (StatisticalSample mode): use the Standard sample sender"
	lostDigits problem = "exponent notation: digits were lost, as when a spreadsheet saves a file; use the original"
)

// spoilsAll reports whether p is wrong with every record, so that skipping one is
// no help.
func (p problem) spoilsAll() bool { return p == lostDigits || p == isSum }

// mayBeCut reports whether p can come from a number that was cut off.
func (p problem) mayBeCut() bool {
	switch p {
	case isNegative, hasComma, tooLarge, tooLong, lostDigits, isSum:
		return false
	}
	return true
}

// No request takes a year. The limit keeps sums of times within int64, and finds
// most wrong units.
const longest = int64(366 * 24 * time.Hour)

// duration reads a non-negative decimal number of units, to the nearest
// nanosecond. An exponent is allowed: JSON writers use them.
func duration(b []byte, unit time.Duration) (time.Duration, problem) {
	var whole, frac int64
	i := 0
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		if whole = whole*10 + int64(b[i]-'0'); whole > longest {
			return 0, tooLong
		}
	}
	digits := i
	scale := int64(1)
	if i < len(b) && b[i] == '.' {
		for i++; i < len(b) && b[i]-'0' <= 9; i++ {
			digits++
			if scale < 1e9 {
				scale *= 10
				frac = frac*10 + int64(b[i]-'0')
			}
		}
	}
	if i < len(b) || digits == 0 {
		return durationSlow(b, unit)
	}
	hi, lo := bits.Mul64(uint64(whole), uint64(unit))
	if hi != 0 || lo > uint64(longest) {
		return 0, tooLong
	}
	// frac < 1e9 and unit is at most a minute: the product fits.
	return time.Duration(int64(lo) + (frac*int64(unit)+scale/2)/scale), ""
}

// durationSlow reads exponents, and says what is wrong with the rest.
func durationSlow(b []byte, unit time.Duration) (time.Duration, problem) {
	if p := wrong(b); p != "" {
		return 0, p
	}
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, noNumber
	}
	if v < 0 {
		return 0, isNegative
	}
	if v *= float64(unit); v > float64(longest) {
		return 0, tooLong
	}
	return time.Duration(math.Round(v)), ""
}

// integer reads a whole number, which may be negative.
func integer(b []byte) (int64, problem) {
	neg := len(b) > 1 && b[0] == '-'
	d := b
	if neg {
		d = b[1:]
	}
	if len(d) == 0 || len(d) > 19 {
		return integerSlow(b)
	}
	var v uint64
	for _, c := range d {
		if c -= '0'; c > 9 {
			return integerSlow(b)
		}
		v = v*10 + uint64(c)
	}
	if v > math.MaxInt64 {
		return 0, tooLarge
	}
	if neg {
		return -int64(v), ""
	}
	return int64(v), ""
}

func integerSlow(b []byte) (int64, problem) {
	if p := wrong(b); p != "" {
		return 0, p
	}
	v, err := strconv.ParseFloat(string(b), 64)
	switch {
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		return 0, noNumber
	case bytes.ContainsAny(b, "eE"):
		return 0, lostDigits
	case math.Abs(v) >= 1e18:
		return 0, tooLarge
	case v != math.Trunc(v):
		return 0, "not a whole number"
	}
	return int64(v), "" // 12.0, as data frames write integers
}

// wrong names the usual ways in which a number is none.
func wrong(b []byte) problem {
	if len(b) == 0 {
		return isEmpty
	}
	if len(b) > 64 {
		return noNumber
	}
	switch rest := bytes.Trim(b, "0123456789.,+-eE"); {
	case len(rest) > 0: // also what Go would take for a number, as 1_000 and 0x1p4
		return noNumber
	case bytes.IndexByte(b, ',') >= 0:
		return hasComma
	}
	return ""
}

// status reads a status code that may be missing or in words: then 0.
func status(b []byte) int {
	if len(b) == 3 {
		x, y, z := b[0]-'0', b[1]-'0', b[2]-'0'
		if x <= 9 && y <= 9 && z <= 9 {
			return int(x)*100 + int(y)*10 + int(z)
		}
	}
	v, p := integer(b)
	if p != "" || v < 0 || v > 999 {
		return 0
	}
	return int(v)
}

// unitOf reads a unit's name. µ is U+00B5 or U+03BC, depending on the writer.
func unitOf(name string) time.Duration {
	switch name {
	case "ns":
		return time.Nanosecond
	case "us", "µs", "μs":
		return time.Microsecond
	case "ms":
		return time.Millisecond
	case "s":
		return time.Second
	}
	return 0
}

// unitName is the short name of a unit.
func unitName(u time.Duration) string {
	switch u {
	case time.Nanosecond:
		return "ns"
	case time.Microsecond:
		return "us"
	case time.Millisecond:
		return "ms"
	case time.Second:
		return "s"
	}
	return u.String()
}
