package peak

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func streamed(at []time.Duration) *Stream {
	s := new(Stream)
	for _, x := range at {
		s.Add(x)
	}
	return s
}

func cutDown(at []time.Duration) (cut []time.Duration) {
	for _, x := range at {
		cut = append(cut, x/Quantum*Quantum)
	}
	return cut
}

// A stream gives the exact curve of the instants cut down to its quantum, and so a
// peak between those of the instants themselves in h and in a quantum less.
func TestStreamIsExactToItsQuantum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := instants().Draw(t, "at")
		got := streamed(at).Curve()
		require.Equal(t, Of(cutDown(at)), got)
		for _, p := range got.Points {
			require.LessOrEqual(t, p.Sliding, Sliding(at, p.Width).Sliding)
			require.GreaterOrEqual(t, p.Sliding, Sliding(at, p.Width-Quantum).Sliding)
		}
	})
}

// The order in which arrivals are told does not matter within Reach, nor does looking.
func TestStreamTakesAnyOrderWithinReach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := instants().Filter(func(at []time.Duration) bool {
			return len(at) > 0 && at[len(at)-1] < 1000*s
		}).Draw(t, "at")
		late := make([]time.Duration, len(at)) // when each is told
		for i := range at {
			late[i] = at[i] + durations(90*s).Draw(t, "late")
		}
		order := make([]int, len(at))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return int(late[i] - late[j]) })
		var s Stream
		for _, i := range order {
			s.Add(at[i])
			if i%7 == 0 {
				s.Curve()
			}
		}
		require.Equal(t, Of(cutDown(at)), s.Curve())
	})
}

func TestWhatIsToldTooLateIsCounted(t *testing.T) {
	x := streamed([]time.Duration{0, 1, 0, 200 * s, 50 * s, 96 * s, -5})
	require.Equal(t, uint64(2), x.Curve().Late, "50 s and the one before the launch")
	require.Equal(t, uint64(5), x.Curve().N)
	p, _ := x.Curve().At(ms)
	require.Equal(t, Point{Width: ms, Sliding: 3, Aligned: 3}, p)
}

func TestMergeOfShortStreamsIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		within := instants().Filter(func(at []time.Duration) bool { return len(at) == 0 || at[len(at)-1] < Reach })
		var whole []time.Duration
		sum := new(Stream)
		for _, at := range rapid.SliceOfN(within, 1, 4).Draw(t, "parts") {
			whole = append(whole, at...)
			sum.Merge(streamed(at))
		}
		require.Equal(t, Of(cutDown(whole)), sum.Curve())
	})
}

// Longer ones are added up: never lower than the truth, and said to be so.
func TestMergeOfLongStreamsIsAtMost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var whole []time.Duration
		var counted uint64
		sum := new(Stream)
		for _, at := range rapid.SliceOfN(instants(), 2, 4).Draw(t, "parts") {
			at = append(at, 3*Reach)
			slices.Sort(at)
			whole = append(whole, at...)
			before := streamed(at)
			sum.Merge(before)
			counted += before.Curve().N
		}
		got, exact := sum.Curve(), Of(cutDown(whole))
		require.True(t, got.AtMost)
		require.Equal(t, counted, got.N)
		for i, p := range got.Points {
			require.GreaterOrEqual(t, p.Sliding, exact.Points[i].Sliding)
			require.GreaterOrEqual(t, p.Aligned, exact.Points[i].Aligned)
		}
	})
}

func TestMergeKeepsWhatItMerges(t *testing.T) {
	a, b := streamed([]time.Duration{0, s}), streamed([]time.Duration{0})
	a.Merge(b)
	b.Add(0)
	c := a.Clone()
	c.Add(0)
	require.Equal(t, Of([]time.Duration{0, 0, s}), a.Curve())
	require.Equal(t, Of([]time.Duration{0, 0}), b.Curve())
	require.Equal(t, Of([]time.Duration{0, 0, 0, s}), c.Curve())
	long := streamed([]time.Duration{0, 2 * Reach})
	a.Merge(long)
	long.Merge(new(Stream))
	require.True(t, a.Curve().AtMost)
	require.False(t, long.Curve().AtMost, "nothing was added")
}

// Hours of arrivals need no more memory than minutes of them.
func TestStreamIsBounded(t *testing.T) {
	var x Stream
	var at time.Duration
	minutes := func() {
		for end := at + 10*time.Minute; at < end; at += 2 * ms {
			x.Add(at)
		}
	}
	minutes()
	require.Less(t, testing.AllocsPerRun(2, minutes), 10.)
	require.LessOrEqual(t, len(x.idle), chunksAhead)
	require.Less(t, len(x.passed), 20_000)
	p, _ := x.Curve().At(10 * s)
	require.Equal(t, uint64(5000), p.Sliding)
	require.Equal(t, uint64(5000), p.Aligned)
}

func BenchmarkAdd(b *testing.B) {
	for name, gap := range map[string]time.Duration{"1M per s": time.Microsecond, "100k per s": 10 * time.Microsecond, "10k per s": 100 * time.Microsecond, "100 per s": 10 * ms} {
		b.Run(name, func(b *testing.B) {
			var x Stream
			b.ReportAllocs()
			for i := range b.N {
				x.Add(time.Duration(i) * gap)
			}
		})
	}
}
