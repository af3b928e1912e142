package sla

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func rule(t require.TestingT, text string) Rule {
	r, err := Parse(text)
	require.NoError(t, err)
	return r
}

func TestLimit(t *testing.T) {
	for _, tt := range []struct {
		text string
		want time.Duration
		ok   bool
	}{
		{"p99<500ms", 500 * time.Millisecond, true},
		{"p99<=500ms", 500*time.Millisecond + 1, true},
		{"raw.max<2s", 2 * time.Second, true},
		{"mean<50ms", 50 * time.Millisecond, false},
		{"errors<1%", 0, false},
	} {
		t.Run(tt.text, func(t *testing.T) {
			limit, ok := rule(t, tt.text).Limit()
			require.Equal(t, tt.ok, ok)
			if ok {
				require.Equal(t, tt.want, limit)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		text   string
		closed bool
		want   string
	}{
		{"p99<500ms", false, ""},
		{"rate>=99%", false, ""},
		{"raw.p99<500ms", true, ""},
		{"errors<1%", true, ""},
		{"attempts<1.2", true, ""},
		{"useful>99%", true, ""},
		{"p99<500ms", true, `rule "p99<500ms": a closed loop has no schedule to measure from, only raw latencies; write raw.p99<500ms, or leave out --closed`},
		{"cart: ok.mean<=1s", true, `rule "cart: ok.mean<=1s": a closed loop has no schedule to measure from, only raw latencies; write cart: raw.mean<=1s, or leave out --closed`},
		{"rate>=99%", true, `rule "rate>=99%": a closed loop plans no rate; leave out the rule, or --closed`},
	} {
		t.Run(tt.text, func(t *testing.T) {
			err := rule(t, tt.text).Check(tt.closed)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tt.want)
		})
	}
	require.EqualError(t, Rule{}.Check(false), "a rule that says nothing; make rules with sla.Parse")
}

// How many may be over is the greatest number that the words of the rule allow.
func TestAllowedIsTheGreatestThatHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rules.Filter(func(r Rule) bool { return r.Metric == Errors || r.Metric == Useful }).Draw(t, "rule")
		n := rapid.Uint64Range(1, 1_000_000).Draw(t, "n")
		holds := func(over uint64) bool {
			if r.Metric == Useful {
				over = n - over
			}
			share := new(big.Rat).SetFrac(new(big.Int).SetUint64(over), new(big.Int).SetUint64(n))
			cmp := share.Cmp(new(big.Rat).SetFrac(new(big.Int).SetUint64(r.Billionths), big.NewInt(billion)))
			if r.Metric == Useful {
				cmp = -cmp
			}
			return cmp < 0 || cmp == 0 && r.Equal
		}
		most := r.allowed(n)
		require.True(t, holds(most))
		require.False(t, most < n && holds(most+1))
	})
}

func TestAllowed(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    uint64
		want uint64
	}{
		{"errors<1%", 3822, 38},
		{"errors<1%", 200, 1},
		{"errors<=1%", 200, 2},
		{"errors<=0", 200, 0},
		{"useful>99%", 200, 1},
		{"useful>=100%", 200, 0},
		{"p99<1s", 200, 2},
		{"max<1s", 200, 0},
	} {
		require.Equal(t, tt.want, rule(t, tt.text).allowed(tt.n), "%s of %d", tt.text, tt.n)
	}
}

func TestHoldsIsExact(t *testing.T) {
	for _, tt := range []struct {
		text string
		a, b uint64
		want bool
	}{
		{"attempts<1.2", 119, 100, true},
		{"attempts<1.2", 120, 100, false},
		{"attempts<=1.2", 120, 100, true},
		{"attempts<=1.2", 12_000_000_000_000_001, 10_000_000_000_000_000, false},
		{"rate>=99%", 99, 100, true},
		{"rate>99%", 99, 100, false},
		{"rate>99%", 100, 99, true},
		{"rate>=99%", 98, 100, false},
	} {
		require.Equal(t, tt.want, rule(t, tt.text).holds(tt.a, tt.b), "%s: %d/%d", tt.text, tt.a, tt.b)
	}
}

func TestDigits3(t *testing.T) {
	for _, tt := range []struct {
		d    time.Duration
		want string
	}{
		{0, "0 ns"},
		{999, "999 ns"},
		{1500, "1.50 µs"},
		{50100 * time.Microsecond, "50.1 ms"},
		{356 * time.Millisecond, "356 ms"},
		{1940 * time.Millisecond, "1.94 s"},
		{3600 * time.Second, "3600 s"},
	} {
		require.Equal(t, tt.want, digits3(tt.d))
	}
}
