package schedule

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func populationGen() *rapid.Generator[Law] {
	return rapid.Custom(func(t *rapid.T) Law {
		l := Law{Kind: Population, Size: rapid.Uint64Range(1, 40).Draw(t, "clients")}
		l.Period = time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "period"))
		if rapid.Bool().Draw(t, "with jitter") {
			l.Aligned = rapid.Bool().Draw(t, "aligned")
			l.Jitter = time.Duration(rapid.Int64Range(1, int64(l.Period)).Draw(t, "jitter"))
		}
		return l
	})
}

// populationSpecs have at most some hundred arrivals.
func populationSpecs() *rapid.Generator[Spec] {
	return rapid.Custom(func(t *rapid.T) Spec {
		s := Spec{Law: populationGen().Draw(t, "law")}
		if rapid.Bool().Draw(t, "with n") {
			s.N = rapid.Uint64Range(1, 300).Draw(t, "n")
		}
		if s.N == 0 || rapid.Bool().Draw(t, "with duration") {
			s.Duration = time.Duration(rapid.Int64Range(1, 10*int64(s.Law.Period)).Draw(t, "duration"))
		}
		return s
	})
}

func TestPopulationReadsBackWhatItWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := populationGen().Draw(t, "law")
		again, err := ParseLaw(l.String())
		require.NoError(t, err)
		require.Equal(t, l, again)
		require.NoError(t, Spec{Law: l, N: 1}.Check())
	})
	for text, want := range map[string]string{
		"population=3000 period=300s":                      "population=3000 period=5m",
		"population=3000 period=300s jitter=30s":           "population=3000 period=5m jitter=30s",
		"population=3000  jitter=30s aligned  period=300s": "population=3000 period=5m jitter=30s aligned",
		"population=1 period=1ns aligned":                  "population=1 period=1ns", // it is, without saying so
	} {
		require.Equal(t, want, law(t, text).String(), text)
	}
}

func TestPopulationRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"population":                               `"" is no number of clients;`,
		"population= period=1s":                    `"" is no number of clients;`,
		"population=0 period=1s":                   "from 1 to 10000000 clients, not 0;",
		"population=20000000 period=1s":            "not 20000000;",
		"population=-1 period=1s":                  `"-1" is no number of clients;`,
		"population=3 period=300":                  `period "300" is no duration with a unit;`,
		"population=3 period=0s":                   "its period is above 0;",
		"population=3":                             "its period is above 0;",
		"population=3 period=1s jitter=-1s":        "jitter -1s is negative;",
		"population=3 period=1s jitter":            `jitter "" is no duration with a unit;`,
		"population=3 period=1s period=2s":         "period stands twice;",
		"population=3 period=1s rate=4":            `"rate=4" is no part of it;`,
		"population=3 period=1s aligned=yes":       `"aligned=yes" is no part of it;`,
		"population=3 period=1s jitter=2s aligned": "a jitter of 2s on a common clock is longer than its period of 1s;",
	} {
		_, err := ParseLaw(text)
		require.ErrorContains(t, err, want, text)
		require.ErrorContains(t, err, "write for example population=3000 period=300s", text)
	}
	for _, tt := range []struct {
		spec Spec
		want string
	}{
		{Spec{Law: law(t, "population=3 period=1m")}, "the schedule would not end; give a number above 0 (--n 3) or a duration (--duration 1m)"},
		{Spec{Law: law(t, "population=3 period=1s"), Shape: shape(t, "10"), N: 1}, "a rate (10/s) beside population=3 period=1s, whose size and period are its rate; give one of them"},
		{Spec{Law: Law{Kind: Population, Size: 3}, N: 1}, "arrival law population=3 period=0s: its period is above 0"},
		{Spec{Law: Law{Period: 1}, Shape: shape(t, "10"), N: 1}, "arrival law even has a period; only a population takes one"},
		{Spec{Law: law(t, "population=3 period=1s"), Replay: Recording{{}}}, "arrival law population=3 period=1s beside a recorded schedule, which has its own instants; give one of them"},
	} {
		require.EqualError(t, tt.spec.Check(), tt.want)
	}
}

// In order, numbered, within the limits, as many as planned, and the same for the same
// chance; no client is missing from the first round.
func TestPopulationIsASchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := populationSpecs().Draw(t, "spec")
		require.NoError(t, s.Check())
		got := all(s.Open(seeded()))
		require.Equal(t, got, all(s.Open(seeded())))
		require.Equal(t, s.Planned(seeded), uint64(len(got)))
		var last time.Duration
		for i, a := range got {
			require.Equal(t, uint64(i), a.Seq)
			require.GreaterOrEqual(t, a.At, last)
			last = a.At
		}
		require.LessOrEqual(t, last, s.Length(seeded))
		if s.N > 0 {
			require.LessOrEqual(t, uint64(len(got)), s.N)
		}
		if s.Duration > 0 {
			require.Less(t, last, s.Duration)
		} else {
			require.Len(t, got, int(s.N))
		}
	})
}

// Without jitter everybody comes at every multiple of the period. On a common clock
// everybody comes within the jitter of it. Otherwise each pause is between the period
// and that with the jitter, which bounds how many there can be by any instant.
func TestPopulationComesBackInTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := populationGen().Draw(t, "law")
		const rounds = 5
		at := instants(Spec{Law: l, N: rounds * l.Size}.Open(seeded()))
		size := time.Duration(l.Size)
		for i, x := range at {
			k := time.Duration(i) / size
			switch {
			case l.Jitter == 0:
				require.Equal(t, k*l.Period, x)
			case l.Aligned:
				require.GreaterOrEqual(t, x, k*l.Period)
				require.LessOrEqual(t, x, k*l.Period+l.Jitter)
			default: // the earliest of round k is no earlier than that
				require.GreaterOrEqual(t, x, k*l.Period)
				require.LessOrEqual(t, x, k*l.Period+(k+1)*l.Jitter)
			}
		}
	})
}

// J7: entries that live 300 s and up to 30 s more are refreshed every 315 s on average
// and 330 s at most; 3,000 of them that were filled together come at 100 per second
// in 30 s, against 3,000 at once.
func TestJ7CacheEntriesWithJitter(t *testing.T) {
	one := instants(Spec{Law: law(t, "population=1 period=300s jitter=30s"), N: 20_001}.Open(seeded()))
	var most time.Duration
	least := time.Hour
	for i, x := range one[1:] {
		most, least = max(most, x-one[i]), min(least, x-one[i])
	}
	mean := (one[20_000] - one[0]).Seconds() / 20_000
	require.InDelta(t, 315, mean, .25) // four standard deviations
	require.LessOrEqual(t, most, 330*seconds)
	require.InDelta(t, 330, most.Seconds(), .01)
	require.InDelta(t, 300, least.Seconds(), .01)

	perSecond := func(text string) (most int) {
		spec := Spec{Law: law(t, text), Duration: 31 * seconds}
		n := map[time.Duration]int{}
		for _, x := range instants(spec.Open(seeded())) {
			n[x/seconds]++
			most = max(most, n[x/seconds])
		}
		return most
	}
	require.Equal(t, uint64(3000), Spec{Law: law(t, "population=3000 period=300s jitter=30s"), Duration: 31 * seconds}.Planned(seeded))
	require.InDelta(t, 121, perSecond("population=3000 period=300s jitter=30s"), 20) // 100 and the chance of 30 draws
	require.Equal(t, 3000, perSecond("population=3000 period=300s"))
}

// Pauses with jitter drift apart, delays on a common clock do not: after nine periods
// the first are spread 8.66·√10 s around their mean, the others 8.66 s.
func TestJitterAddsUpUnlessTheClockIsCommon(t *testing.T) {
	const n, round = 4000, 10
	for text, want := range map[string]float64{"": 27.4, " aligned": 8.66} {
		spec := Spec{Law: law(t, "population=4000 period=1h jitter=30s"+text), N: n * round}
		at := instants(spec.Open(seeded()))[n*(round-1):]
		var sum, squares float64
		for _, x := range at {
			d := (x - at[0]).Seconds()
			sum, squares = sum+d, squares+d*d
		}
		require.InEpsilon(t, want*want, squares/n-sum*sum/n/n, .1, text)
	}
}

func TestTogether(t *testing.T) {
	for text, want := range map[string]bool{
		"even": false, "poisson": false, "burst": true, "burst=3": true,
		"population=3 period=1s": true, "population=3 period=1s jitter=1ms": false,
	} {
		require.Equal(t, want, law(t, text).Together(), text)
	}
}

func TestPopulationEndsAtTheEndOfTime(t *testing.T) {
	l := Law{Kind: Population, Size: 2, Period: maxDuration - 1, Jitter: maxDuration}
	require.ErrorContains(t, Spec{Law: l, N: 5}.Check(), "take more than 292 years")
	s := Spec{Law: l, Duration: maxDuration}
	require.NoError(t, s.Check())
	require.Len(t, all(s.Open(seeded())), 2)
}

func BenchmarkPopulation(b *testing.B) {
	s := Spec{Law: Law{Kind: Population, Size: 3000, Period: 300 * seconds, Jitter: 30 * seconds}, Duration: maxDuration}.Open(seeded())
	for range b.N {
		s.Next()
	}
}
