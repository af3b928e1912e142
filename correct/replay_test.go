package correct

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A catch-up tool's schedule, put back, is what an open run of the same requests
// would have measured.
func TestReplayOfACaughtUpStall(t *testing.T) {
	r := Replay{PerSlot: float64(80 * ms)}
	var free time.Duration
	for k := range 60 {
		service := 50 * ms
		if k == 10 {
			service = 2000 * ms
		}
		due := time.Duration(k) * 80 * ms
		start := max(due, free) // late, if the worker was stuck
		free = start + service
		require.Equal(t, free-due, r.Next(start, free), k)
	}
}

func TestReplayIsNeverFasterThanRecorded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Replay{PerSlot: rapid.Float64Range(1, 1e18).Draw(t, "interval")}
		for range rapid.IntRange(1, 50).Draw(t, "n") {
			start := time.Duration(rapid.Int64Range(math.MinInt64/4, math.MaxInt64/4).Draw(t, "start") >> rapid.IntRange(0, 60).Draw(t, "shift"))
			took := time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "took"))
			require.GreaterOrEqual(t, r.Next(start, start+took), took)
		}
	})
}

// A third of 250 ms does not drift.
func TestReplayAtAnOddInterval(t *testing.T) {
	r := Replay{PerSlot: 1e9 / 12}
	for k := range 1_200_000 {
		start := time.Duration(k/12)*time.Second + time.Duration(k%12)*time.Second/12
		require.InDelta(t, ms, r.Next(start, start+ms), 1)
	}
}

func TestReadingsAsASnapshot(t *testing.T) {
	raw, failures := NewDist(ms), NewDist(ms)
	for _, v := range []time.Duration{ms / 2, ms, 3 * ms} {
		raw.Record(v)
	}
	raw.Fail(1)
	failures.Record(30 * time.Second)
	counts := Counts{Scheduled: 4, Fired: 4, OK: 3}
	corrected := raw.Clone()
	require.EqualValues(t, 2, corrected.Fill([]time.Duration{3 * ms}, ms))

	t.Run("with a corrected reading", func(t *testing.T) {
		s := (&Readings{Counts: counts, Raw: raw, Corrected: &corrected, Failures: failures}).Snapshot()
		require.False(t, s.Closed())
		require.EqualValues(t, 4, s.Dist(Raw).N())
		for _, set := range []Set{Corrected, LessLag, LessWait} {
			requireSame(t, &corrected, s.Dist(set))
		}
		require.EqualValues(t, 5, s.Dist(CorrectedOK).N())
		require.Zero(t, s.Dist(CorrectedOK).Failed())
		most, ok := s.Dist(Settled).Max()
		require.True(t, ok)
		require.Equal(t, 30*time.Second, most)
		over, exact := s.Dist(Settled).Over(ms)
		require.True(t, exact)
		require.EqualValues(t, 5, over)
		require.Nil(t, s.Dist(ClosedLoop))
	})
	t.Run("without one", func(t *testing.T) {
		s := (&Readings{Counts: counts, Raw: raw, Failures: failures}).Snapshot()
		require.True(t, s.Closed())
		require.Nil(t, s.Dist(Corrected))
		require.EqualValues(t, 1, s.Dist(Raw).Failed())
	})
}

func TestSharesOfADist(t *testing.T) {
	d := NewDist()
	d.RecordN(10*ms, 90)
	d.RecordN(time.Second, 10)
	d.Fail(3)
	require.Equal(t, 10900*ms, d.Sum())
	n, sum := d.Above(100 * ms)
	require.EqualValues(t, 10, n)
	require.InEpsilon(t, 10*time.Second, sum, 0.001)
	require.EqualValues(t, 10, d.Between(980*ms, time.Second))
	require.Zero(t, d.Between(11*ms, 980*ms))
	most, ok := d.Greatest()
	require.True(t, ok)
	require.Equal(t, time.Second, most)
}
