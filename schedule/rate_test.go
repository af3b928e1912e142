package schedule

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// rateGen draws from all rates there are, the odd and the extreme included.
func rateGen() *rapid.Generator[Rate] {
	text := rapid.OneOf(
		rapid.SampledFrom([]string{"12.5", "0.4", "30", "666.67", "2000", "1e6", "1e9", "1e-9", "300/m", "1/3s", "7/h", "1/90s", "33.333333333333336", "0.30000000000000004"}),
		rapid.Custom(func(t *rapid.T) string {
			per := time.Duration(rapid.Int64Range(1, int64(24*time.Hour)).Draw(t, "per"))
			return fmt.Sprintf("%d/%s", rapid.Int64Range(1, 1e6).Draw(t, "count"), per)
		}),
		rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf("%de-%d", rapid.Int64Range(1, 1e17).Draw(t, "digits"), rapid.IntRange(0, 18).Draw(t, "exponent"))
		}),
	)
	return rapid.Custom(func(t *rapid.T) Rate {
		return rapid.Map(text.Filter(func(s string) bool { _, err := ParseRate(s); return err == nil }),
			func(s string) Rate { r, _ := ParseRate(s); return r }).Draw(t, "rate")
	})
}

func rate(t testing.TB, text string) Rate {
	t.Helper()
	r, err := ParseRate(text)
	require.NoError(t, err)
	return r
}

func TestRatePrintsWhatItReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rateGen().Draw(t, "r")
		back, err := ParseRate(r.String())
		require.NoError(t, err)
		require.Equal(t, r, back)
	})
}

func TestParseRate(t *testing.T) {
	for _, tt := range []struct {
		text   string
		perSec *big.Rat
		print  string
	}{
		{"12.5", big.NewRat(25, 2), "12.5/s"},
		{"0.4", big.NewRat(2, 5), "0.4/s"},
		{" 30 ", big.NewRat(30, 1), "30/s"},
		{".5", big.NewRat(1, 2), "0.5/s"},
		{"1e3", big.NewRat(1000, 1), "1000/s"},
		{"10/s", big.NewRat(10, 1), "10/s"},
		{"300/m", big.NewRat(5, 1), "5/s"},
		{"1/m", big.NewRat(1, 60), "1/m"},
		{"5/h", big.NewRat(1, 720), "1/12m"},
		{"7/h", big.NewRat(7, 3600), "7/h"},
		{"1/ms", big.NewRat(1000, 1), "1000/s"},
		{"1/90s", big.NewRat(1, 90), "1/1m30s"},
		{"50/2s", big.NewRat(25, 1), "25/s"},
		{"100/1m30s", big.NewRat(10, 9), "10/9s"},
		{"1.5/1h", big.NewRat(1, 2400), "1/40m"},
		{"1/3.5h", big.NewRat(1, 12600), "1/3h30m"},
		{"1e-9", big.NewRat(1, 1e9), "0.000000001/s"},
		{"1e9", big.NewRat(1e9, 1), "1000000000/s"},
		{"33.333333333333336", big.NewRat(4166666666666667, 125e12), "33.333333333333336/s"},
		{"33.333333333333337/m", big.NewRat(33333333333333337, 6e16), "0.00000000166666666666666685/3ns"},
		{"10/9223372036.854775807s", big.NewRat(1e10, 1<<63-1), "10/9223372036854775807ns"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			got, err := ParseRate(tt.text)
			require.NoError(t, err)
			require.Equal(t, tt.perSec.String(), got.rat().String())
			require.Equal(t, tt.print, got.String())
			perSec, _ := tt.perSec.Float64()
			require.Equal(t, perSec, got.PerSecond())
		})
	}
}

// Case R9, and what else people type: one clear line that says what to write.
func TestR9BadRateIsOneClearLine(t *testing.T) {
	const forms = "; write arrivals per second, such as 12.5, or a count per time, such as 300/m or 1/90s"
	for _, tt := range []struct{ text, want string }{
		{"2e9", `rate "2e9": above 1e9 per second, one arrival per nanosecond; write a lower rate`},
		{"1000000001", `rate "1000000001": above 1e9 per second, one arrival per nanosecond; write a lower rate`},
		{"1e999999999999", `rate "1e999999999999": above 1e9 per second, one arrival per nanosecond; write a lower rate`},
		{"2/ns", `rate "2/ns": above 1e9 per second, one arrival per nanosecond; write a lower rate`},
		{"0", `rate "0": must be above 0` + forms},
		{"0.00", `rate "0.00": must be above 0` + forms},
		{"0e999999999", `rate "0e999999999": must be above 0` + forms},
		{"0/m", `rate "0/m": must be above 0` + forms},
		{"-1", `rate "-1": must be above 0` + forms},
		{"abc", `rate "abc": not a number` + forms},
		{"", `rate "": not a number` + forms},
		{"/s", `rate "/s": not a number` + forms},
		{"NaN", `rate "NaN": not a number` + forms},
		{"Inf", `rate "Inf": not a number` + forms},
		{"0x10", `rate "0x10": not a number` + forms},
		{"1_000", `rate "1_000": not a number` + forms},
		{"1e", `rate "1e": not a number` + forms},
		{"12,5", `rate "12,5": not a number` + forms},
		{"10rps", `rate "10rps": not a number` + forms},
		{"9e-10", `rate "9e-10": below 1e-9 per second, one arrival in 31 years; write a higher rate`},
		{"1e-999999999999", `rate "1e-999999999999": below 1e-9 per second, one arrival in 31 years; write a higher rate`},
		{"50/0s", `rate "50/0s": the time after the slash must be above 0; write for example 50/2s`},
		{"50/-2s", `rate "50/-2s": the time after the slash must be above 0; write for example 50/2s`},
		{"1/90", `rate "1/90": "90" is no time; write s, m or h after the slash, or a duration with its unit such as 90s`},
		{"1/", `rate "1/": "" is no time; write s, m or h after the slash, or a duration with its unit such as 90s`},
		{"10/fortnight", `rate "10/fortnight": "fortnight" is no time; write s, m or h after the slash, or a duration with its unit such as 90s`},
		{"1.000000000000000000000000001", `rate "1.000000000000000000000000001": more digits than can be kept exactly; write at most 18`},
		{strings.Repeat("9", 201), `rate "` + strings.Repeat("9", 40) + `…": too long` + forms},
	} {
		t.Run(tt.text, func(t *testing.T) {
			_, err := ParseRate(tt.text)
			require.EqualError(t, err, tt.want)
		})
	}
	for _, text := range []string{"1e7", "1e6", "1e-9"} {
		t.Run(text+" is a rate", func(t *testing.T) {
			_, err := ParseRate(text)
			require.NoError(t, err)
		})
	}
}

func TestRateInterval(t *testing.T) {
	require.Equal(t, 80*time.Millisecond, rate(t, "12.5").Interval())
	require.Equal(t, 90*time.Second, rate(t, "1/90s").Interval())
	require.Equal(t, 333333333*time.Nanosecond, rate(t, "3").Interval(), "rounded down")
	require.Equal(t, 166666667*time.Nanosecond, rate(t, "6").Interval(), "rounded up")
	require.Zero(t, Rate{}.Interval())
}

func TestTextInJSON(t *testing.T) {
	type plan struct {
		Rate  Rate
		Shape Shape
		Law   Law
	}
	want := plan{rate(t, "1/90s"), Ramp(rate(t, "10"), rate(t, "200"), time.Minute), Law{Kind: Burst, Size: 5}}
	text, err := json.Marshal(want)
	require.NoError(t, err)
	require.JSONEq(t, `{"Rate":"1/1m30s","Shape":"10..200@1m","Law":"burst=5"}`, string(text))

	var got plan
	require.NoError(t, json.Unmarshal(text, &got))
	require.Equal(t, want, got)
	require.ErrorContains(t, json.Unmarshal([]byte(`{"Rate":"abc"}`), &got), "not a number")
	require.ErrorContains(t, json.Unmarshal([]byte(`{"Shape":"1..2"}`), &got), "a ramp needs the time")
	require.ErrorContains(t, json.Unmarshal([]byte(`{"Law":"odd"}`), &got), "write even")
}

func FuzzParseRate(f *testing.F) {
	for _, text := range []string{"12.5", "0.4", "300/m", "1/90s", "100/1m30s", "50/0s", "1e999999999", "-1", "0x1p-2", "1/9223372036.854775807s", "1..2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRate(text)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		require.False(t, r.IsZero())
		back, err := ParseRate(r.String())
		require.NoError(t, err)
		require.Equal(t, r, back)
	})
}
