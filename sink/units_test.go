package sink

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestDuration(t *testing.T) {
	for _, tt := range []struct {
		d    time.Duration
		want string
	}{
		{0, "0 ms"},
		{1, "1 ns"},
		{999, "999 ns"},
		{time.Microsecond, "1.00 µs"},
		{930 * time.Microsecond, "930 µs"},
		{999_499, "999 µs"},
		{999_500, "1.00 ms"},
		{50_100 * time.Microsecond, "50.1 ms"},
		{999_500 * time.Microsecond, "1.00 s"},
		{1940 * time.Millisecond, "1.94 s"},
		{59_990 * time.Millisecond, "60.0 s"},
		{119 * time.Second, "119 s"},
		{2 * time.Minute, "2.00 min"},
		{119 * time.Minute, "119 min"},
		{2 * time.Hour, "2.00 h"},
		{123456 * time.Hour, "123000 h"},
		{math.MaxInt64, "2560000 h"},
		{-1500 * time.Millisecond, "-1.50 s"},
	} {
		require.Equal(t, tt.want, Duration(tt.d))
	}
}

func TestForcedUnit(t *testing.T) {
	for _, tt := range []struct {
		unit string
		d    time.Duration
		want string
	}{
		{"ms", 1943 * time.Millisecond, "1940 ms"},
		{"ms", 1, "0.00000100 ms"},
		{"ms", 0, "0 ms"},
		{"us", 0, "0 us"},
		{"us", 50_100 * time.Microsecond, "50100 us"},
		{"s", 50_100 * time.Microsecond, "0.0501 s"},
	} {
		require.Equal(t, tt.want, style{unit: tt.unit, ascii: true}.duration(tt.d))
	}
}

// A duration read back is the one written, to half of its third digit.
func TestDurationKeepsThreeDigits(t *testing.T) {
	sizes := map[string]float64{"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9}
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(1, math.MaxInt64).Draw(t, "d") >> rapid.IntRange(0, 62).Draw(t, "shift"))
		text := style{ascii: true, unit: rapid.SampledFrom([]string{"", "us", "ms", "s"}).Draw(t, "unit")}.duration(d)
		number, unit, _ := strings.Cut(text, " ")
		x, err := strconv.ParseFloat(number, 64)
		require.NoError(t, err)
		require.InEpsilon(t, math.Max(float64(d), 1e-9), math.Max(x*sizes[unit], 1e-9), 0.00501, text)
	})
}

func TestPerSecond(t *testing.T) {
	require.Equal(t, "12.5/s", PerSecond(12.5))
	require.Equal(t, "10000/s", PerSecond(9999.6))
	require.Equal(t, "0.0111/s", PerSecond(1/90.0))
}

// 100 % is all, and nothing else is.
func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{0: "0 %", 1: "100 %", 0.9: "90 %", 0.0005: "0.05 %", 0.9994: "99.9 %", 0.9999: "99.99 %", 0.9999996: "99.99996 %", 1.25: "125 %"} {
		require.Equal(t, want, percent(share))
	}
}
