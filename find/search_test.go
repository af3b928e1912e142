package find_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/find"
)

// search runs s against a server that holds all rates up to knee, and a generator that
// can be trusted up to able.
func search(s *find.Search, knee, able float64) (tried []float64) {
	for {
		rate, ok := s.Next()
		if !ok {
			return tried
		}
		tried = append(tried, rate)
		switch {
		case rate > able:
			s.Tell(find.Unknown)
		case rate > knee:
			s.Tell(find.Breaks)
		default:
			s.Tell(find.Holds)
		}
	}
}

// Wherever the knee is, it lies in the bracket, which is as narrow as was asked for; no
// search takes more steps than it said; and what was not measured never is the server's
// limit.
func TestTheBracketHoldsTheKnee(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := find.Search{
			From:      rapid.Float64Range(0.01, 1000).Draw(t, "from"),
			Precision: rapid.Float64Range(0.005, 1).Draw(t, "precision"),
		}
		s.To = s.From * rapid.Float64Range(1.1, 10_000).Draw(t, "to")
		require.NoError(t, s.Check())
		knee := s.From * rapid.Float64Range(0.5, 12_000).Draw(t, "knee")
		able := s.From * rapid.Float64Range(0.5, 12_000).Draw(t, "able")
		most := s.Steps()
		tried := search(&s, knee, able)
		distinct := map[float64]bool{}
		for _, rate := range tried {
			distinct[rate] = true
			require.GreaterOrEqual(t, rate, s.From)
			require.LessOrEqual(t, rate, s.To)
		}
		require.LessOrEqual(t, len(distinct), most)
		require.LessOrEqual(t, len(tried), 2*most)
		holds, above, by := s.Bracket()
		limit := min(knee, able)
		require.LessOrEqual(t, holds, limit)
		if above == 0 {
			require.Equal(t, s.To, holds)
			return
		}
		require.Greater(t, above, limit)
		require.Equal(t, above > able, by == find.Unknown)
		if holds > 0 {
			require.LessOrEqual(t, above/holds, max(1+s.Precision, 1.011)*1.000001, "three digits of a rate are as narrow as it gets")
		} else {
			require.Equal(t, s.From, above)
		}
	})
}

// A measurement that fails once is nothing but noise.
func TestOneBadMeasurementIsRepeated(t *testing.T) {
	s := find.Search{From: 10, To: 40, Precision: 1}
	for _, o := range []find.Outcome{find.Holds, find.Unknown, find.Holds, find.Unknown, find.Holds} {
		s.Next()
		s.Tell(o)
	}
	_, more := s.Next()
	require.False(t, more)
	holds, above, _ := s.Bracket()
	require.Equal(t, []float64{40, 0}, []float64{holds, above})
}

// What failed altogether is no accident: nobody tries it twice. It is the limit above a
// rate that held, and says nothing of a limit at the lowest.
func TestAServerThatFailsAllIsNotAskedTwice(t *testing.T) {
	s := find.Search{From: 10, To: 40, Precision: 1}
	for _, o := range []find.Outcome{find.Holds, find.Failed} {
		s.Next()
		s.Tell(o)
	}
	_, more := s.Next()
	require.False(t, more)
	holds, above, by := s.Bracket()
	require.Equal(t, []float64{10, 20}, []float64{holds, above})
	require.Equal(t, find.Breaks, by)

	s = find.Search{From: 10, To: 40, Precision: 1}
	s.Next()
	s.Tell(find.Failed)
	_, more = s.Next()
	require.False(t, more)
	holds, above, by = s.Bracket()
	require.Equal(t, []float64{0, 10}, []float64{holds, above})
	require.Equal(t, find.Failed, by)
}

func TestCheck(t *testing.T) {
	for _, s := range []find.Search{{From: 0, To: 10, Precision: 0.1}, {From: 10, To: 10, Precision: 0.1}, {From: 1, To: 2, Precision: 0.001}, {From: 1, To: 1e10, Precision: 0.1}} {
		require.Error(t, s.Check())
	}
}
