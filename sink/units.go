package sink

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration is d for people: three digits and a unit that suits them, such as
// 50.1 ms, 1.94 s, 930 µs. Minutes begin at two, hours at two; nanoseconds are whole.
func Duration(d time.Duration) string { return style{}.duration(d) }

// PerSecond is a rate for people: at most three digits, such as 12.5/s.
func PerSecond(rate float64) string { return digits(rate, 3, false) + "/s" }

// style says how quantities are written.
type style struct {
	unit  string // force one unit: us, ms or s; "": what suits each
	ascii bool
}

var durationUnits = []struct {
	name string
	size time.Duration
	from float64 // least number, as rounded, for which the unit suits
}{
	{"h", time.Hour, 2},
	{"min", time.Minute, 2},
	{"s", time.Second, 1},
	{"ms", time.Millisecond, 1},
	{"µs", time.Microsecond, 1},
}

func (s style) duration(d time.Duration) string { return s.quantity(d, 3) }

// quantity is d to n digits.
func (s style) quantity(d time.Duration, n int) string {
	if d == 0 && s.unit == "" {
		return "0 ms"
	}
	for _, u := range durationUnits {
		ascii := u.name
		if ascii == "µs" {
			ascii = "us"
		}
		x := float64(d) / float64(u.size)
		if s.unit == ascii || s.unit == "" && math.Abs(rounded(x, n)) >= u.from {
			if s.ascii {
				return digits(x, n, true) + " " + ascii
			}
			return digits(x, n, true) + " " + u.name
		}
	}
	return strconv.FormatInt(int64(d), 10) + " ns"
}

// digits writes x with n significant digits, without an exponent; full keeps zeros
// at the end.
func digits(x float64, n int, full bool) string {
	x = rounded(x, n)
	if !full || x == 0 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	decimals := n - 1 - int(math.Floor(math.Log10(math.Abs(x))))
	return strconv.FormatFloat(x, 'f', max(0, decimals), 64)
}

func rounded(x float64, n int) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', n-1, 64), 64) // what FormatFloat wrote parses
	return r
}

// percent writes a share of 1, to three digits or as many as tell it from 100 %.
func percent(share float64) string {
	s := digits(100*share, 3, false)
	for decimals := 2; s == "100" && share < 1 && decimals < 12; decimals++ {
		s = strconv.FormatFloat(100*share, 'f', decimals, 64)
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s + " %"
}

// several is a count with its noun in the right number.
func several(n uint64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatUint(n, 10) + " " + one + "s"
}
