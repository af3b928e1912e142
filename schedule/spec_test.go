package schedule

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const seconds = time.Second

func shape(t testing.TB, text string) Shape {
	t.Helper()
	s, err := ParseShape(text, 0)
	require.NoError(t, err)
	return s
}

func law(t testing.TB, text string) Law {
	t.Helper()
	l, err := ParseLaw(text)
	require.NoError(t, err)
	return l
}

func all(s Schedule) (as Recording) {
	for {
		a, ok := s.Next()
		if !ok {
			return as
		}
		as = append(as, a)
	}
}

func instants(s Schedule) (at []time.Duration) {
	for _, a := range all(s) {
		at = append(at, a.At)
	}
	return at
}

func seeded() *rand.Rand { return generator(7) }

// specGen draws specs that Check accepts and that have at most some thousand arrivals.
func specGen() *rapid.Generator[Spec] {
	return rapid.Custom(func(t *rapid.T) Spec {
		var s Spec
		s.Law = rapid.SampledFrom([]Law{{}, {Kind: Poisson}, {Kind: Uniform}, {Kind: Burst}, {Kind: Burst, Size: 1}, {Kind: Burst, Size: 7}}).Draw(t, "law")
		s.N = rapid.Uint64Range(1, 2000).Draw(t, "n")
		if s.Law.atOnce() {
			return s
		}
		s.Shape = shapeGen(time.Hour).Draw(t, "shape")
		if rapid.Bool().Draw(t, "with duration") {
			s.Duration = time.Duration(rapid.Int64Range(1, int64(2*time.Hour)).Draw(t, "duration"))
			if s.Shape.Count(s.end()) < 2000 && rapid.Bool().Draw(t, "without n") {
				s.N = 0
			}
		}
		return s
	}).Filter(func(s Spec) bool { return s.Check() == nil })
}

// The instant of every arrival put back into the integral gives its place: Seq for
// even arrivals, the law's own place for the others.
func TestAtPutBackIntoIntegralGivesPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := specGen().Filter(func(s Spec) bool { return !s.Law.atOnce() }).Draw(t, "spec")
		places := spec.Open(seeded()).(*spaced).line
		every := rapid.IntRange(1, 50).Draw(t, "every")
		for i, a := range all(spec.Open(seeded())) {
			x, ok := places.place(a.Seq)
			require.True(t, ok)
			if spec.Law.Kind == Even {
				require.Equal(t, float64(a.Seq), x)
			}
			if a.At == spec.end()-1 {
				continue // held back from the end, where rounding would put it
			}
			if i%every == 0 {
				nearest(t, spec.Shape, a.At, x)
			}
		}
	})
}

func TestTimesNeverDecreaseAndSeqCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := specGen().Draw(t, "spec")
		var last time.Duration
		arrivals := all(spec.Open(seeded()))
		for i, a := range arrivals {
			require.Equal(t, uint64(i), a.Seq)
			require.GreaterOrEqual(t, a.At, last)
			last = a.At
		}
		if !spec.Law.atOnce() && len(arrivals) > 0 {
			require.Less(t, last, spec.end())
		}
		require.LessOrEqual(t, last, spec.Length(seeded))
	})
}

// Planned is what Open yields; without chance it is floor(N(end)), or n if that is less.
func TestCountIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := specGen().Draw(t, "spec")
		require.Equal(t, spec.Planned(seeded), uint64(len(all(spec.Open(seeded())))))
	})
	rapid.Check(t, func(t *rapid.T) {
		r := rateGen().Draw(t, "rate")
		d := rapid.Int64Range(1, int64(48*time.Hour)).Draw(t, "duration")
		want := new(big.Int).Mul(new(big.Int).SetUint64(r.num), big.NewInt(d))
		want.Quo(want, new(big.Int).Mul(new(big.Int).SetUint64(r.den), big.NewInt(1e9)))
		for _, l := range []Law{{}, {Kind: Uniform}, {Kind: Burst, Size: 10}} {
			spec := Spec{Law: l, Shape: Constant(r), Duration: time.Duration(d)}
			require.Equal(t, want.Uint64(), spec.Planned(nil))
			require.Equal(t, want.Sign() > 0, spec.Check() == nil)
		}
	})
}

func TestADayHasNotDrifted(t *testing.T) {
	const day = 24 * time.Hour
	arrivals := all(Spec{Shape: shape(t, "12.5"), Duration: day}.Open(nil))
	require.Len(t, arrivals, 1_080_000)
	for k, a := range arrivals {
		if a.At != time.Duration(k)*80*time.Millisecond {
			t.Fatal("drifted", a)
		}
	}

	// 66,667 in 100 s do not divide a nanosecond: 1e11/66667 each, rounded once.
	const in100s, inDay = 66_667, 57_600_288
	uneven := Spec{Shape: shape(t, "666.67"), Duration: day}
	require.Equal(t, uint64(inDay), uneven.Planned(nil))
	inverse := uneven.Shape.inverse()
	for k := uint64(1); k < inDay; k += 997 {
		if at, ok := inverse.when(float64(k)); !ok || at != time.Duration((k*1e11+in100s/2)/in100s) {
			t.Fatal("drifted", k, at)
		}
	}
}

func TestR1HalfPerSecondForTenSeconds(t *testing.T) {
	s := Spec{Shape: shape(t, "0.5"), Duration: 10 * seconds}
	require.NoError(t, s.Check())
	require.Equal(t, []time.Duration{0, 2 * seconds, 4 * seconds, 6 * seconds, 8 * seconds}, instants(s.Open(nil)))
}

func TestR3SpreadOverTheAskedTime(t *testing.T) {
	for _, tt := range []struct {
		rate string
		gap  time.Duration
	}{{"10/300s", 30 * seconds}, {"10/30s", 3 * seconds}} {
		t.Run(tt.rate, func(t *testing.T) {
			s := Spec{Shape: shape(t, tt.rate), N: 10}
			at := instants(s.Open(nil))
			require.Len(t, at, 10)
			for k := range at {
				require.Equal(t, time.Duration(k)*tt.gap, at[k])
			}
			require.Equal(t, 10*tt.gap, s.Length(nil))
		})
	}
}

func TestR4NoSnapping(t *testing.T) {
	for _, text := range []string{"666.67", "2000", "12.5"} {
		t.Run(text, func(t *testing.T) {
			at := instants(Spec{Shape: shape(t, text), N: 10_000}.Open(nil))
			got := float64(len(at)-1) / at[len(at)-1].Seconds()
			require.InEpsilon(t, rate(t, text).PerSecond(), got, 1e-9)
		})
	}
}

func TestR5ThirtyForThirtySeconds(t *testing.T) {
	for run := range uint64(10) {
		for _, text := range []string{"even", "uniform", "burst=7"} {
			s := Spec{Law: law(t, text), Shape: shape(t, "30"), Duration: 30 * seconds}
			require.Len(t, all(s.Open(generator(run))), 900, text)
		}
	}
}

func TestPlannedAndLength(t *testing.T) {
	poisson := Spec{Law: Law{Kind: Poisson}, Shape: shape(t, "100"), N: 500}
	lastOfPoisson := all(poisson.Open(seeded()))[499].At
	recording := Recording{{3, 1 * seconds}, {5, 2 * seconds}, {8, 2 * seconds}}
	for _, tt := range []struct {
		name   string
		spec   Spec
		n      uint64
		length time.Duration
	}{
		{"n", Spec{Shape: shape(t, "12.5"), N: 200}, 200, 16 * seconds},
		{"duration", Spec{Shape: shape(t, "12.5"), Duration: 16 * seconds}, 200, 16 * seconds},
		{"n first", Spec{Shape: shape(t, "12.5"), N: 100, Duration: 16 * seconds}, 100, 8 * seconds},
		{"duration first", Spec{Shape: shape(t, "12.5"), N: 300, Duration: 16 * seconds}, 200, 16 * seconds},
		{"part of an interval counts not", Spec{Shape: shape(t, "0.5"), Duration: 11 * seconds}, 5, 11 * seconds},
		{"stages end by themselves", Spec{Shape: shape(t, "10@30s,0@10s,10..20@10s")}, 450, 50 * seconds},
		{"n in a pause", Spec{Shape: shape(t, "10@30s,0@10s,10@30s"), N: 300, Duration: 35 * seconds}, 300, 35 * seconds},
		{"shape before n", Spec{Shape: shape(t, "10@30s"), N: 1000}, 300, 30 * seconds},
		{"shape before duration", Spec{Shape: shape(t, "10@30s"), Duration: time.Minute}, 300, 30 * seconds},
		{"all at once", Spec{Law: Law{Kind: Burst}, N: 50}, 50, 0},
		{"ten at a time", Spec{Law: Law{Kind: Burst, Size: 10}, Shape: shape(t, "10"), N: 25}, 25, 2500 * time.Millisecond},
		{"uniform", Spec{Law: Law{Kind: Uniform}, Shape: shape(t, "10"), Duration: 12345 * time.Millisecond}, 123, 12345 * time.Millisecond},
		{"uniform n", Spec{Law: Law{Kind: Uniform}, Shape: shape(t, "10"), N: 50, Duration: time.Minute}, 50, 5 * seconds},
		{"poisson n", poisson, 500, lastOfPoisson},
		{"poisson, duration first", Spec{Law: Law{Kind: Poisson}, Shape: shape(t, "100"), N: 500, Duration: seconds}, uint64(len(all(poisson.Open(seeded())).before(seconds))), seconds},
		{"replay", Spec{Replay: recording}, 3, 2 * seconds},
		{"replay of the first two", Spec{Replay: recording, N: 2}, 2, 2 * seconds},
		{"replay of two seconds", Spec{Replay: recording, Duration: 2 * seconds}, 1, seconds},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.NoError(t, tt.spec.Check())
			require.Equal(t, tt.n, tt.spec.Planned(seeded))
			require.Len(t, all(tt.spec.Open(seeded())), int(tt.n))
			require.Equal(t, tt.length, tt.spec.Length(seeded))
		})
	}
}

func TestBursts(t *testing.T) {
	tenAtATime := Spec{Law: Law{Kind: Burst, Size: 10}, Shape: shape(t, "5"), N: 25}
	for k, at := range instants(tenAtATime.Open(nil)) {
		require.Equal(t, time.Duration(k/10)*2*seconds, at)
	}
	for _, at := range instants(Spec{Law: Law{Kind: Burst}, N: 25}.Open(nil)) {
		require.Zero(t, at)
	}
}

// With n and a seed the Poisson arrivals are the same with and without a duration,
// which only cuts them.
func TestPoissonDurationCuts(t *testing.T) {
	s := Spec{Law: Law{Kind: Poisson}, Shape: shape(t, "0..200@10s,50@10s"), N: 1200}
	whole := all(s.Open(seeded()))
	require.Len(t, whole, 1200)
	s.Duration = 8 * seconds
	require.Equal(t, whole.before(8*seconds), all(s.Open(seeded())))
}

func TestCheckSaysWhatToDo(t *testing.T) {
	recording := Recording{{0, seconds}}
	for _, tt := range []struct {
		name string
		spec Spec
		want string
	}{
		{"nothing", Spec{}, "no rate and no schedule; give a rate such as 12.5, or a schedule file"},
		{"no rate, but n and duration", Spec{N: 10, Duration: 5 * time.Minute}, "no rate and no schedule; give a rate, such as 10/5m for 10 in 5m, or a schedule file"},
		{"rate beside all at once", Spec{Law: Law{Kind: Burst}, Shape: shape(t, "10"), N: 5}, "a rate (10/s) beside a burst of all arrivals at once; drop the rate, or give burst=K for K at a time"},
		{"all at once without n", Spec{Law: Law{Kind: Burst}, Duration: seconds}, "a burst of all arrivals at once needs their number; give n"},
		{"no end", Spec{Shape: shape(t, "10")}, "the schedule would not end; give a number above 0 (--n 200) or a duration (--duration 20s)"},
		{"no end, poisson", Spec{Law: Law{Kind: Poisson}, Shape: shape(t, "10")}, "the schedule would not end; give a number above 0 (--n 200) or a duration (--duration 20s)"},
		{"no end, uniform", Spec{Law: Law{Kind: Uniform}, Shape: shape(t, "10")}, "uniform arrivals need an end to be spread over; give n or a duration"},
		{"too short", Spec{Shape: shape(t, "0.1"), Duration: 5 * seconds}, "0.1/s for 5s schedules no arrival: one takes 10s; give a longer duration or a higher rate"},
		{"too short, with n", Spec{Shape: shape(t, "0.1"), Duration: 5 * seconds, N: 3}, "0.1/s for 5s schedules no arrival: one takes 10s; give a longer duration or a higher rate"},
		{"too short a shape", Spec{Shape: shape(t, "0.1@5s")}, "0.1@5s schedules no arrival; give longer stages or a higher rate"},
		{"too long", Spec{Shape: shape(t, "1e-9"), N: 1000}, "1000 arrivals at 0.000000001/s take more than 292 years; give a higher rate or fewer"},
		{"bad stages", Spec{Shape: Ramp(rate(t, "1"), rate(t, "2"), 0)}, `rate stage 1 "1..2": a ramp needs the time that it takes; write 10..200@1m or give the run a duration`},
		{"a negative stage", Spec{Shape: Shape{{For: -1}}}, `rate stage 1 "0@-1ns": its length is negative; give one above 0`},
		{"too many stages", Spec{Shape: make(Shape, 1001)}, "rate: 1001 stages; write at most 1000"},
		{"rate beside a recording", Spec{Replay: recording, Shape: shape(t, "10")}, "a rate (10/s) beside a recorded schedule; give one of them"},
		{"law beside a recording", Spec{Replay: recording, Law: Law{Kind: Poisson}}, "arrival law poisson beside a recorded schedule, which has its own instants; give one of them"},
		{"recording out of order", Spec{Replay: Recording{{0, 2}, {1, 1}}}, "recorded schedule: arrival 1: out of order: intended_ns 1 after 2"},
		{"recording before the run", Spec{Replay: Recording{{0, -1}}}, "recorded schedule: arrival 0: intended_ns -1 is negative; instants count from the start of the run"},
		{"recording later than the duration", Spec{Replay: recording, Duration: seconds}, "the recorded schedule has no arrival before 1s, its first is at 1s; give a longer duration"},
		{"everything at once", Spec{Law: Law{Kind: Poisson, Size: 3}, Duration: -1}, "duration -1ns is negative; give one above 0\n" +
			"arrival law poisson has a burst size; only burst takes one\n" +
			"no rate and no schedule; give a rate such as 12.5, or a schedule file"},
		{"an unknown law", Spec{Law: Law{Kind: 9}, Shape: shape(t, "10"), N: 1}, "arrival law Kind(9) is unknown; give even, poisson, uniform, burst, burst=K or 'population=N period=TIME'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.EqualError(t, tt.spec.Check(), tt.want)
			require.Panics(t, func() { tt.spec.Open(seeded()) })
		})
	}
}

func TestStringAndHash(t *testing.T) {
	seen := map[string]string{}
	for _, tt := range []struct {
		spec Spec
		want string
	}{
		{Spec{Shape: shape(t, "12.5"), N: 200}, "even 12.5/s n=200"},
		{Spec{Shape: shape(t, "300/m"), Duration: time.Minute}, "even 5/s duration=1m"},
		{Spec{Law: Law{Kind: Poisson}, Shape: shape(t, "10@30s,10..200@1m")}, "poisson 10@30s,10..200@1m"},
		{Spec{Law: Law{Kind: Burst, Size: 10}, Shape: shape(t, "100"), N: 50, Duration: time.Hour}, "burst=10 100/s n=50 duration=1h"},
		{Spec{Law: Law{Kind: Burst}, N: 50}, "burst n=50"},
		{Spec{Replay: Recording{{0, 1}, {1, 2}}}, "replay of 2"},
		{Spec{Replay: Recording{{0, 1}, {1, 3}}}, "replay of 2"},
		{Spec{Replay: Recording{{0, 1}, {1, 3}}, N: 1}, "replay of 2 n=1"},
	} {
		require.Equal(t, tt.want, tt.spec.String())
		hash := tt.spec.SHA256()
		require.Len(t, hash, 64)
		require.Equal(t, hash, tt.spec.SHA256())
		require.Empty(t, seen[hash], "%s has the hash of another", tt.want)
		seen[hash] = tt.want
	}
	require.Equal(t, Spec{Shape: shape(t, "300/m"), N: 1}.SHA256(), Spec{Shape: shape(t, "5"), N: 1}.SHA256())
}

func TestShardsTogetherAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := specGen().Draw(t, "spec")
		n := rapid.Uint64Range(1, 9).Draw(t, "shards")
		whole := all(spec.Open(seeded()))
		shards := make([]Schedule, n)
		for i := range n {
			shards[i] = Stride(spec.Open(seeded()), i, n)
		}
		for _, want := range whole {
			got, ok := shards[want.Seq%n].Next()
			require.True(t, ok)
			require.Equal(t, want, got)
		}
		for i, shard := range shards {
			_, more := shard.Next()
			require.False(t, more, "shard %d has more than its part", i)
		}
	})
	require.Panics(t, func() { Stride(nil, 3, 3) })
	require.Panics(t, func() { Stride(nil, 0, 0) })
}

type places []float64

func (p places) place(seq uint64) (float64, bool) { return p[seq], true }

func TestRoundingNeitherTurnsBackNorReachesTheEnd(t *testing.T) {
	s := spaced{line: places{1, 0.4, 9.7}, inverse: shape(t, "1e9").inverse(), n: 3, end: 10}
	require.Equal(t, []time.Duration{1, 1, 9}, instants(&s))

	for seed := range uint64(20) {
		s := Spec{Law: Law{Kind: Uniform}, Shape: shape(t, "1e9"), Duration: 100}
		at := instants(s.Open(generator(seed)))
		require.Len(t, at, 100)
		require.Less(t, at[99], s.Duration)
	}
}

func TestExhaustedScheduleStaysSo(t *testing.T) {
	for _, s := range []Spec{
		{Shape: shape(t, "10"), N: 2},
		{Law: Law{Kind: Poisson}, Shape: shape(t, "10"), Duration: seconds},
		{Law: Law{Kind: Burst}, N: 2},
		{Replay: Recording{{0, 0}}},
	} {
		open := s.Open(seeded())
		all(open)
		for range 3 {
			_, ok := open.Next()
			require.False(t, ok, s)
		}
	}
}

func BenchmarkNext(b *testing.B) {
	for _, spec := range []Spec{
		{Shape: shape(b, "10000"), N: 1 << 62},
		{Shape: shape(b, "666.67"), N: 1 << 62},
		{Law: Law{Kind: Poisson}, Shape: shape(b, "10000"), N: 1 << 62},
		{Law: Law{Kind: Uniform}, Shape: shape(b, "100000@100h")},
		{Shape: shape(b, "100000..1000000@100h")},
		{Shape: shape(b, "1000000..0@100h")},
	} {
		b.Run(fmt.Sprint(spec.Law, " ", spec.Shape), func(b *testing.B) {
			// Check would find that 2^62 arrivals take more than 292 years.
			spec.N = min(spec.N, spec.most())
			s := spec.Open(seeded())
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := s.Next(); !ok {
					s = spec.Open(seeded())
				}
			}
		})
	}
}
