package source

import (
	"fmt"
	"math/big"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var units = []time.Duration{time.Nanosecond, time.Microsecond, time.Millisecond, time.Second}

// A decimal times its unit is rounded once, to the nearest nanosecond, half up.
func TestDurationIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom(units).Draw(t, "unit")
		text := rapid.StringMatching(`[0-9]{1,7}(\.[0-9]{0,9})?`).Draw(t, "text")
		exact, ok := new(big.Rat).SetString(text)
		require.True(t, ok)
		exact.Mul(exact, big.NewRat(int64(unit), 1)).Add(exact, big.NewRat(1, 2))
		want := new(big.Int).Div(exact.Num(), exact.Denom()).Int64()
		got, p := duration([]byte(text), unit)
		if want > longest {
			require.Equal(t, tooLong, p)
			return
		}
		require.Empty(t, p)
		require.Equal(t, time.Duration(want), got)
	})
}

func TestIntegerIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64().Draw(t, "v")
		got, p := integer(strconv.AppendInt(nil, v, 10))
		if v == -1<<63 {
			require.NotEmpty(t, p)
			return
		}
		require.Empty(t, p)
		require.Equal(t, v, got)
	})
	for text, want := range map[string]problem{
		"": isEmpty, "x": noNumber, "1.5": "not a whole number", "1.79E+18": lostDigits, "9223372036854775808": tooLarge, "1,5": hasComma, "99999999999999999999": tooLarge,
	} {
		_, p := integer([]byte(text))
		require.Equal(t, want, p, text)
	}
	v, p := integer([]byte("1796004747448.0"))
	require.Equal(t, []any{int64(1796004747448), problem("")}, []any{v, p})
}

// Times are read as the standard library reads them.
func TestTimesAgreeWithTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := time.FixedZone("", 60*rapid.IntRange(-14*60, 14*60).Draw(t, "zone"))
		at := time.Unix(rapid.Int64Range(2*86400, 8_900_000_000).Draw(t, "sec"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).In(zone)
		digits := rapid.IntRange(0, 9).Draw(t, "digits")
		step := time.Second
		layout := "2006-01-02T15:04:05"
		for i := range digits {
			layout += map[bool]string{true: ".0", false: "0"}[i == 0]
			step /= 10
		}
		want := at.Truncate(step).UnixNano()

		ns, gotStep, zoned, ok := rfc3339([]byte(at.Format(layout + "Z07:00")))
		require.True(t, ok && zoned)
		require.Equal(t, []any{want, step}, []any{ns, gotStep})

		ns, gotStep, p := logTime([]byte(at.Format("[02/Jan/2006:15:04:05 -0700]")), nil)
		require.Empty(t, p)
		require.Equal(t, []any{at.Truncate(time.Second).UnixNano(), time.Second}, []any{ns, gotStep})

		sec := at.UTC().Unix()
		if sec > 1e9 && digits > 0 {
			text := fmt.Sprintf("%d.%09d", sec, at.Nanosecond())[:len(strconv.FormatInt(sec, 10))+1+digits]
			ns, gotStep, p = logTime([]byte(text), nil)
			require.Empty(t, p)
			require.Equal(t, []any{want, step}, []any{ns, gotStep})
		}
	})
}
