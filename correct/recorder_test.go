package correct

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func drawSample(t *rapid.T, seq uint64) Sample {
	d := func(name string) time.Duration { return time.Duration(rapid.Int64Range(0, 3e9).Draw(t, name)) }
	x := Sample{Seq: seq, Attempt: 1, Intended: time.Duration(seq) * 80 * ms, Fired: true, Final: true, Written: true}
	x.Due = x.Intended
	x.Dispatched = x.Due + d("lag")
	x.Sent = x.Dispatched + d("wait")
	x.Done = x.Sent + d("raw")
	x.Behind = x.Lag()
	x.Class = rapid.SampledFrom([]Class{OK, OK, OK, OK, BadStatus, Timeout, Refused, Unfinished, Dropped}).Draw(t, "class")
	switch x.Class {
	case OK:
		x.Status = 200
	case BadStatus:
		x.Status = 500
	case Refused, Dropped:
		x.Written, x.Fired, x.Sent = false, x.Class == Refused, x.Done
	}
	return x
}

func drawSamples(t *rapid.T) []Sample {
	all := make([]Sample, rapid.IntRange(1, 60).Draw(t, "n"))
	for i := range all {
		all[i] = drawSample(t, uint64(i))
	}
	slices.SortStableFunc(all, func(a, b Sample) int { return int(a.Done - b.Done) })
	return all
}

func recordAll(samples []Sample, limits ...time.Duration) *Snapshot {
	r := NewRecorder(Options{Limits: limits})
	arrivals := slices.SortedFunc(slices.Values(samples), func(a, b Sample) int { return int(a.Seq) - int(b.Seq) })
	for _, x := range arrivals {
		r.Arrive(x.Seq, x.Intended, x.Dispatched, 0, 0)
	}
	for _, x := range samples {
		r.Record(x)
	}
	return r.Snapshot()
}

func TestLagWaitAndRawAreCorrected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawSample(t, rapid.Uint64Range(0, 1000).Draw(t, "seq"))
		require.Equal(t, x.Corrected(), x.Lag()+x.Wait()+x.Raw())
		require.LessOrEqual(t, x.LessLag(), x.Corrected())
	})
}

func TestTheBalanceAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := recordAll(drawSamples(t))
		c := &s.Counts
		require.Equal(t, c.Scheduled, c.Fired+c.Dropped)
		require.Equal(t, c.Fired, c.OK+c.Of(BadStatus)+c.Errors()+c.TimedOut()+c.Of(Unfinished))
		require.LessOrEqual(t, c.Sent, c.Fired)
		require.Equal(t, c.Scheduled, s.Dist(Corrected).N())
		require.Equal(t, c.OK, s.Dist(CorrectedOK).N())
		require.Equal(t, c.Failed(), s.Dist(Corrected).Failed())
	})
}

func TestShardsMergeToTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := drawSamples(t)
		n := rapid.Uint64Range(2, 5).Draw(t, "shards")
		whole := recordAll(samples, 500*ms)
		parts := make([]*Snapshot, n)
		for i := range parts {
			own := slices.DeleteFunc(slices.Clone(samples), func(x Sample) bool { return x.Seq%n != uint64(i) })
			parts[i] = recordAll(own, 500*ms)
		}
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		for _, p := range parts[1:] {
			parts[0].Merge(p)
		}
		require.Equal(t, whole.Counts, parts[0].Counts)
		for set := range ClosedLoop {
			requireSame(t, whole.Dist(set), parts[0].Dist(set))
		}
		require.Equal(t, whole.Series(), parts[0].Series())
		require.Equal(t, whole.LastDispatched, parts[0].LastDispatched)
		require.Nil(t, parts[0].Dist(ClosedLoop), "answers of shards have no order")
	})
}

func TestEpisodesAreCountedInOrderOfTheSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := drawSamples(t)
		limits := []time.Duration{200 * ms, 2 * time.Second}
		s := recordAll(samples, limits...)
		slices.SortFunc(samples, func(a, b Sample) int { return int(a.Seq) - int(b.Seq) })
		for _, limit := range limits {
			var want uint64
			inside := false
			for _, x := range samples {
				over := x.Class != OK || x.Corrected() >= limit
				if over && !inside {
					want++
				}
				inside = over
			}
			got, ok := s.EpisodesOver(limit)
			require.True(t, ok)
			require.Equal(t, want, got)
		}
	})
}

// Gaps in Seq, as in a recorded schedule's part, cost nothing and change nothing.
// A closed loop has no order to count them in, and keeps nothing for it.
func TestAClosedLoopHasNoEpisodes(t *testing.T) {
	r := NewRecorder(Options{Closed: true, Limits: []time.Duration{500 * ms}})
	for seq := range uint64(1000) {
		r.Arrive(seq, 0, 0, 0, 0)
		r.Record(Sample{Seq: seq, Attempt: 1, Done: time.Duration(seq), Fired: true, Written: true, Final: true, Status: 200})
	}
	require.Zero(t, r.episodes.n)
	require.Nil(t, r.Snapshot().Episodes)
}

func TestEpisodesWithGaps(t *testing.T) {
	var all []Sample
	for i, seq := range []uint64{0, 7, 1 << 40, 1<<40 + 1} {
		sent := time.Duration(i) * 80 * ms
		all = append(all, Sample{Seq: seq, Attempt: 1, Intended: sent, Due: sent, Dispatched: sent, Sent: sent, Done: sent + time.Duration(i%2)*time.Second, Fired: true, Final: true, Written: true})
	}
	got, ok := recordAll(all, 500*ms).EpisodesOver(500 * ms)
	require.True(t, ok)
	require.EqualValues(t, 2, got)
}

func TestClosedLoopRow(t *testing.T) {
	at := func(seq uint64, sent, done time.Duration) Sample {
		i := time.Duration(seq) * 80 * ms
		return Sample{Seq: seq, Attempt: 1, Intended: i, Due: i, Dispatched: i, Sent: sent, Done: done, Fired: true, Final: true, Written: true, Status: 200}
	}
	t.Run("a queue's service times", func(t *testing.T) {
		d := recordAll([]Sample{at(0, 0, 200*ms), at(1, 80*ms, 250*ms), at(2, 400*ms, 450*ms)}).Dist(ClosedLoop)
		require.NotNil(t, d)
		near(t, 50*ms, d, P50)
		near(t, 200*ms, d, Max)
	})
	t.Run("withdrawn where nothing queued: a long wire answers in order too", func(t *testing.T) {
		var all []Sample
		for i := range uint64(20) {
			sent := time.Duration(i) * 80 * ms
			all = append(all, at(i, sent, sent+time.Second))
		}
		require.Nil(t, recordAll(all).Dist(ClosedLoop))
	})
	t.Run("withdrawn once an answer overtakes another", func(t *testing.T) {
		require.Nil(t, recordAll([]Sample{at(1, 80*ms, 90*ms), at(0, 0, 200*ms)}).Dist(ClosedLoop))
	})
	t.Run("withdrawn on a failure, whose service time nobody knows", func(t *testing.T) {
		x := at(1, 80*ms, 90*ms)
		x.Class = Reset
		require.Nil(t, recordAll([]Sample{at(0, 0, 50*ms), x}).Dist(ClosedLoop))
	})
}

func TestOurOwnFailuresAndLatenessAreTakenOut(t *testing.T) {
	x := Sample{Attempt: 1, Intended: 0, Due: 0, Dispatched: 0, Sent: 0, Done: time.Second, Fired: true, Final: true}
	for _, tt := range []struct {
		name   string
		class  Class
		behind time.Duration
		failed uint64
	}{
		{"refused is the target's", Refused, 0, 1},
		{"a timeout is the target's", Timeout, 0, 1},
		{"a timeout that lost a tenth to us may be ours", Timeout, 100 * ms, 0},
		{"a timeout that lost less is the target's", Timeout, 99 * ms, 1},
		{"out of descriptors is ours", Descriptors, 0, 0},
		{"dropped is ours", Dropped, 0, 0},
		{"unfinished is nobody's excuse", Unfinished, 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := x
			x.Class, x.Behind = tt.class, tt.behind
			s := recordAll([]Sample{x})
			require.EqualValues(t, 1, s.Dist(Corrected).Failed())
			require.Equal(t, tt.failed, s.Dist(LessLag).Failed())
			require.Equal(t, tt.failed, s.Dist(LessWait).Failed())
		})
	}
}

func TestSeriesStaysSmall(t *testing.T) {
	r := NewRecorder(Options{})
	const n = 100_000
	for i := range uint64(n) {
		at := time.Duration(i) * time.Second
		r.Arrive(i, at, at, int(i%7), int(i%11))
		r.Record(Sample{Seq: i, Attempt: 1, Intended: at, Due: at, Dispatched: at, Sent: at, Done: at + 50*ms, Fired: true, Final: true, Written: true, Status: 200})
	}
	all := r.Snapshot().Series()
	require.LessOrEqual(t, len(all), mostWindows)
	require.Greater(t, len(all), mostWindows/4)
	var scheduled, ok uint64
	for i, w := range all {
		scheduled += w.Scheduled
		ok += w.OK
		require.Equal(t, 6, w.Backlog)
		require.Equal(t, 10, w.Out)
		require.InDelta(t, float64(50*ms), float64(w.CorrectedP99), float64(50*ms)/100)
		if i > 0 {
			require.Equal(t, all[i-1].At+all[i-1].Width, w.At)
		}
	}
	require.EqualValues(t, n, scheduled)
	require.EqualValues(t, n, ok)
}

func TestGrowing(t *testing.T) {
	for _, tt := range []struct {
		name string
		out  func(i int) int
		want bool
	}{
		{"overload", func(i int) int { return i / 5 }, true},
		{"steady", func(int) int { return 12 }, false},
		{"a queue that drains", func(i int) int { return max(0, 25-max(0, i-10000)*3/8) }, false},
		{"a late stall that has only begun to drain", func(i int) int { return min(25, max(0, i-150)) }, false},
		{"a slow drift under a twentieth", func(i int) int { return i / 50 }, false},
	} {
		for _, n := range []int{200, 1024, 1025, 20_000} {
			r := NewRecorder(Options{})
			for i := range n {
				at := time.Duration(i) * ms
				r.Arrive(uint64(i), at, at, tt.out(i), 0)
			}
			require.Equal(t, tt.want, r.Snapshot().Growing(), "%s, n=%d", tt.name, n)
		}
	}
}

func BenchmarkRecord(b *testing.B) {
	r := NewRecorder(Options{Limits: []time.Duration{500 * ms}})
	at := time.Duration(0)
	i := uint64(0)
	for b.Loop() {
		at += 33 * time.Microsecond
		r.Arrive(i, at, at, 0, 1)
		r.Record(Sample{Seq: i, Attempt: 1, Intended: at, Due: at, Dispatched: at + 900, Sent: at + 2000, Done: at + 100_000 + time.Duration(i%1000)*100, Fired: true, Final: true, Written: true, Status: 200})
		i++
	}
}
