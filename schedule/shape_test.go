package schedule

import (
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// stagesGen draws bounded shapes that offer something.
func stagesGen(longest time.Duration) *rapid.Generator[Shape] {
	stage := rapid.Custom(func(t *rapid.T) Stage {
		zeroOr := rapid.OneOf(rateGen(), rapid.Just(Rate{}))
		g := Stage{From: zeroOr.Draw(t, "from")}
		g.To = rapid.OneOf(rapid.Just(g.From), zeroOr).Draw(t, "to")
		g.For = time.Duration(rapid.Int64Range(1, int64(longest/time.Microsecond)).Draw(t, "µs")) * time.Microsecond
		return g
	})
	return rapid.Map(rapid.SliceOfN(stage, 1, 6), func(s []Stage) Shape { return s }).
		Filter(func(s Shape) bool { return len(s.check()) == 0 })
}

func shapeGen(longest time.Duration) *rapid.Generator[Shape] {
	return rapid.OneOf(rapid.Map(rateGen(), Constant), stagesGen(longest))
}

// exactCount is N at an instant between nanoseconds, written from the definition.
func exactCount(s Shape, ns *big.Rat) *big.Rat {
	n, left := new(big.Rat), new(big.Rat).Quo(ns, big.NewRat(1e9, 1)) // s
	for _, g := range s {
		if left.Sign() <= 0 {
			break
		}
		from, to, within := g.From.rat(), g.To.rat(), new(big.Rat).Set(left)
		rise := new(big.Rat)
		if g.For > 0 {
			length := big.NewRat(int64(g.For), 1e9)
			rise.Quo(rise.Sub(to, from), length)
			if within.Cmp(length) > 0 {
				within.Set(length)
			}
			left.Sub(left, length)
		} else {
			left.SetInt64(0)
		}
		// from·t + rise·t²/2
		half := new(big.Rat).Mul(rise, within)
		half.Mul(half, big.NewRat(1, 2))
		n.Add(n, half.Add(half, from).Mul(half, within))
	}
	return n
}

// nearest fails unless at is the nanosecond nearest to N⁻¹(x): x lies between the
// counts half a nanosecond before and after. 0.05 ns and 1e-12 arrivals are left to
// the last digits of float64.
func nearest(t require.TestingT, s Shape, at time.Duration, x float64) {
	place := new(big.Rat).SetFloat64(x)
	edge := func(side, slack float64) *big.Rat {
		ns := new(big.Rat).SetInt64(int64(at))
		n := exactCount(s, ns.Add(ns, new(big.Rat).SetFloat64(side)))
		return n.Add(n, new(big.Rat).SetFloat64(slack))
	}
	before, after := edge(-0.55, -1e-12), edge(0.55, 1e-12)
	require.True(t, before.Cmp(place) <= 0 && place.Cmp(after) <= 0,
		"%s: arrival %v at %d ns, where N is %s to %s", s, x, at, before.FloatString(15), after.FloatString(15))
}

func TestWhenInvertsCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shapeGen(24*time.Hour).Draw(t, "shape")
		total := s.count(24 * time.Hour)
		if end, ok := s.End(); ok {
			total = s.count(end)
		}
		most := new(big.Int).Quo(total.Num(), total.Denom()).Int64()
		seqs := rapid.SliceOfN(rapid.Int64Range(0, max(0, most-1)), 1, 20).Draw(t, "seqs")
		slices.Sort(seqs)
		inOrder := s.inverse()
		for _, seq := range seqs {
			at, ok := s.When(float64(seq))
			require.True(t, ok)
			nearest(t, s, at, float64(seq))
			same, ok := inOrder.when(float64(seq))
			require.True(t, ok)
			require.Equal(t, at, same, "asked in order")
		}
	})
}

// An arrival at a constant rate is at k/rate, rounded once, halves up.
func TestConstantIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rateGen().Draw(t, "r")
		most := Constant(r).count(10 * 365 * 24 * time.Hour)
		k := rapid.Int64Range(0, min(1<<53, new(big.Int).Quo(most.Num(), most.Denom()).Int64())).Draw(t, "k")

		exact := new(big.Rat).SetInt64(k)
		exact.Quo(exact, r.rat()).Mul(exact, big.NewRat(1e9, 1)).Add(exact, big.NewRat(1, 2))
		want := new(big.Int).Quo(exact.Num(), exact.Denom()).Int64()

		got, ok := Constant(r).When(float64(k))
		require.True(t, ok)
		require.Equal(t, time.Duration(want), got)
	})
}

func TestWhen(t *testing.T) {
	for _, tt := range []struct {
		name  string
		shape string
		n     float64
		want  time.Duration
	}{
		{"constant", "12.5", 200, 16 * time.Second},
		{"between arrivals", "12.5", 0.5, 40 * time.Millisecond},
		{"one in 90 s", "1/90s", 3, 270 * time.Second},
		{"rounded once", "3", 2, 666666667},
		{"flat ramp is constant", "100..100@1m", 50, 500 * time.Millisecond},
		{"up from zero starts at once", "0..10@10s", 0, 0},
		{"up from zero, a quarter at half time", "0..10@10s", 12.5, 5 * time.Second},
		{"down to zero, a quarter left at half time", "10..0@10s", 37.5, 5 * time.Second},
		{"down to zero offers half", "100..0@10s", 500, 10 * time.Second},
		{"the last of a ramp to zero keeps its digits", "1000..0@1000s", 499999.9999, 999_985_857_864},
		{"next stage", "10@30s,20@30s", 301, 30*time.Second + 50*time.Millisecond},
		{"at the joint", "10@30s,20@30s", 300, 30 * time.Second},
		{"a pause first", "0@10s,10@1s", 0, 10 * time.Second},
		{"at a pause waits for its end", "10@30s,0@10s,10@30s", 300, 40 * time.Second},
		{"before a pause", "10@30s,0@10s,10@30s", 299, 29*time.Second + 900*time.Millisecond},
		{"thirds add up to a whole before a pause", "1/3s@10s,2/3s@10s,0@10s,1@5s", 10, 30 * time.Second},
		{"thirds go on across a joint", "1/3s@10s,5@10s", 4, 10*time.Second + 133333333},
		{"all of it is the end", "10@30s,0@10s", 300, 40 * time.Second},
		{"beyond 292 years", "1e-9", 1e9, maxDuration},
		{"far beyond", "1e-9", 1e300, maxDuration},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := shape(t, tt.shape).When(tt.n)
			require.True(t, ok)
			require.Equal(t, tt.want, got)
		})
	}
	for _, tt := range []struct {
		name  string
		shape string
		n     float64
	}{
		{"after the end", "10@30s", 300.001},
		{"after a ramp to zero", "100..0@10s", 501},
		{"negative", "10", -1},
		{"not a number", "10", nan},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := shape(t, tt.shape).When(tt.n)
			require.False(t, ok)
			require.Zero(t, got)
		})
	}
}

func TestRateAndCount(t *testing.T) {
	s := shape(t, "10@30s,10..200@1m,0@10s,300/m@1m")
	for _, tt := range []struct {
		at          time.Duration
		rate, count float64
	}{
		{-time.Second, 0, 0},
		{0, 10, 0},
		{30*time.Second - 1, 10, 300 - 1e-8},
		{30 * time.Second, 10, 300},
		{time.Minute, 105, 300 + 30*(10+105)/2.},
		{90 * time.Second, 0, 6600},
		{95 * time.Second, 0, 6600},
		{100 * time.Second, 5, 6600},
		{110 * time.Second, 5, 6650},
		{160 * time.Second, 0, 6900},
		{time.Hour, 0, 6900},
	} {
		t.Run(tt.at.String(), func(t *testing.T) {
			require.Equal(t, tt.rate, s.Rate(tt.at))
			require.Equal(t, tt.count, s.Count(tt.at))
		})
	}
}

// Case R7: duration × (from + to) / 2 per stage, known before the start.
func TestR7TotalOfStages(t *testing.T) {
	for _, tt := range []struct {
		shape string
		want  *big.Rat
	}{
		{"10@30s", big.NewRat(300, 1)},
		{"10..200@1m", big.NewRat(60*(10+200)/2, 1)},
		{"10@30s,10..200@1m,0@10s,300/m@1m", big.NewRat(300+6300+0+300, 1)},
		{"1/3s@10s", big.NewRat(10, 3)},
		{"0..1@1ms", big.NewRat(1, 2000)},
	} {
		t.Run(tt.shape, func(t *testing.T) {
			got, ok := shape(t, tt.shape).Total()
			require.True(t, ok)
			require.Equal(t, tt.want.String(), got.String())
		})
	}
	_, ok := shape(t, "10").Total()
	require.False(t, ok, "a constant without end has no total")

	rapid.Check(t, func(t *rapid.T) {
		s, want := stagesGen(time.Hour).Draw(t, "shape"), new(big.Rat)
		for _, g := range s {
			stage := new(big.Rat).Add(g.From.rat(), g.To.rat())
			want.Add(want, stage.Mul(stage, big.NewRat(int64(g.For), 2e9)))
		}
		got, ok := s.Total()
		require.True(t, ok)
		require.Equal(t, want.String(), got.String())
	})
}

func TestShapePrintsWhatItReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shapeGen(time.Hour).Draw(t, "s")
		back, err := ParseShape(s.String(), 0)
		require.NoError(t, err)
		require.Equal(t, s, back)
	})
}

func TestParseShape(t *testing.T) {
	for _, tt := range []struct {
		text  string
		over  time.Duration
		print string
	}{
		{"12.5", 0, "12.5/s"},
		{"300/m", time.Minute, "5/s"},
		{"10..200", time.Minute, "10..200@1m"},
		{"0..200", 90 * time.Second, "0..200@1m30s"},
		{"0.5..1.5", time.Hour, "0.5..1.5@1h"},
		{"300/m..1/2s", time.Minute, "5..0.5@1m"},
		{"10@30s", time.Minute, "10@30s"},
		{"10..200@2m", time.Minute, "10..200@2m"},
		{"10@30s,10..200@1m, 0@10s,300/m@1m", 0, "10@30s,10..200@1m,0@10s,5@1m"},
		{"5..5@1m", 0, "5@1m"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			s, err := ParseShape(tt.text, tt.over)
			require.NoError(t, err)
			require.Equal(t, tt.print, s.String())
		})
	}
	for _, tt := range []struct{ text, want string }{
		{"", `rate "": not a number; ` + rateForms},
		{"0", `rate "0": must be above 0; ` + rateForms},
		{"10..200", `rate "10..200": a ramp needs the time that it takes; give the run a duration, or write 10..200@1m`},
		{"10..", `rate "": not a number; ` + rateForms},
		{"0..0@1m", `rate "0..0@1m": a ramp from 0 to 0 is a pause; write it as 0@10s`},
		{"0@1m", `rate: offers no arrival, every stage is a pause; give one a rate above 0`},
		{"10@", `rate "10@": "" is no length for a stage; write a duration above 0 such as 30s`},
		{"10@0s", `rate "10@0s": "0s" is no length for a stage; write a duration above 0 such as 30s`},
		{"10@30s@1m", `rate "10@30s@1m": "30s@1m" is no length for a stage; write a duration above 0 such as 30s`},
		{"10@30s,", `stage 2: rate "": not a number; ` + rateForms},
		{"10@30s,2e9@1s", `stage 2: rate "2e9": above 1e9 per second, one arrival per nanosecond; write a lower rate`},
		{"10@30s,20", `rate stage 2 "20": each of several stages needs a length; write for example 10@30s`},
		{"10..20,20@1m", `rate stage 1 "10..20": a ramp needs the time that it takes; write 10..200@1m or give the run a duration`},
		{"1@2000000h,1@2000000h", `rate stage 2 "1@2000000h": ends after 292 years; give shorter stages`},
		{strings.Repeat("1@1s,", 1000) + "1@1s", `rate: more than 1000 stages; write fewer`},
	} {
		t.Run("refuses "+tt.text[:min(20, len(tt.text))], func(t *testing.T) {
			_, err := ParseShape(tt.text, 0)
			require.EqualError(t, err, tt.want)
		})
	}
}

func FuzzParseShape(f *testing.F) {
	for _, text := range []string{"12.5", "10..200", "10@30s,10..200@1m,0@10s,300/m@1m", "0@1s", "1..2..3@4s", "1@9223372036s,1@9223372036s", ",", "1@1s@1s"} {
		f.Add(text, int64(0))
		f.Add(text, int64(time.Minute))
	}
	f.Fuzz(func(t *testing.T, text string, over int64) {
		s, err := ParseShape(text, time.Duration(over))
		if err != nil {
			return
		}
		back, err := ParseShape(s.String(), 0)
		require.NoError(t, err)
		require.Equal(t, s, back)
		if len(s) <= 4 {
			at, ok := s.When(0)
			require.True(t, ok)
			require.GreaterOrEqual(t, at, time.Duration(0))
		}
	})
}
