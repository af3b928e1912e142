package sim_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/engine"
	"openload/lab"
	"openload/retry"
	"openload/schedule"
	"openload/seed"
	"openload/sim"
)

const ms = time.Millisecond

// samples records every attempt as it ends.
type samples []correct.Sample

func (s *samples) Arrive(uint64, time.Duration, time.Duration, int, int) {}
func (s *samples) Record(x correct.Sample)                               { *s = append(*s, x) }

func (s samples) each(f func(*correct.Sample) time.Duration) []time.Duration {
	out := make([]time.Duration, len(s))
	for i, x := range s {
		out[i] = f(&x)
	}
	return out
}

func (s samples) corrected() []time.Duration { return s.each((*correct.Sample).Corrected) }
func (s samples) raw() []time.Duration       { return s.each((*correct.Sample).Raw) }

func anyStatus(int) bool { return true }

func server(t require.TestingT, spec string) lab.Model {
	s, err := lab.Parse(spec)
	require.NoError(t, err)
	return s.Model(nil)
}

// chancy is a server that needs chance.
func chancy(t require.TestingT, spec string) lab.Model {
	s, err := lab.Parse(spec)
	require.NoError(t, err)
	return s.Model(seed.Seed(1).Stream("server"))
}

func even(t require.TestingT, n uint64, interval time.Duration) schedule.Schedule {
	rate, err := schedule.ParseRate(fmt.Sprintf("1/%v", interval))
	require.NoError(t, err)
	return schedule.Spec{Law: schedule.Law{Kind: schedule.Even}, Shape: schedule.Constant(rate), N: n}.Open(nil)
}

// openRun fires n requests, one every 80 ms, at the server described.
func openRun(t require.TestingT, spec string, n uint64, lim engine.Limits) samples {
	var got samples
	engine.Run(context.Background(), context.Background(), even(t, n, 80*ms), sim.New(server(t, spec), anyStatus), &got, nil, lim)
	return got
}

func closedRun(t require.TestingT, spec string, c engine.Closed) (samples, uint64) {
	var got samples
	skipped, _ := engine.RunClosed(context.Background(), context.Background(), c, sim.New(server(t, spec), anyStatus), &got, engine.Limits{Drain: time.Hour})
	return got, skipped
}

const labA, labB = "service=50ms stall=150:2s", "service=50ms stall=150:2050ms"

var lenient = engine.Limits{Drain: time.Hour}

// at gives exact nearest-rank percentiles.
func at(values []time.Duration, percentiles ...string) []time.Duration {
	sorted := slices.Sorted(slices.Values(values))
	out := make([]time.Duration, len(percentiles))
	for i, p := range percentiles {
		q := correct.Max
		if p != "max" {
			var err error
			if q, err = correct.ParseQuantile(p); err != nil {
				panic(err)
			}
		}
		out[i] = sorted[q.Rank(uint64(len(sorted)))-1]
	}
	return out
}

func inMS(v ...int) []time.Duration {
	out := make([]time.Duration, len(v))
	for i, x := range v {
		out[i] = time.Duration(x) * ms
	}
	return out
}

func mean(values []time.Duration) time.Duration {
	var sum time.Duration
	for _, v := range values {
		sum += v
	}
	return sum / time.Duration(len(values))
}

func over(values []time.Duration, limit time.Duration) (n int) {
	for _, v := range values {
		if v > limit {
			n++
		}
	}
	return n
}

func TestClosedLoopOfTheLab(t *testing.T) {
	got, skipped := closedRun(t, labA, engine.Closed{Workers: 1, N: 200})
	require.Zero(t, skipped)
	t.Run("L1 L2", func(t *testing.T) {
		require.Equal(t, inMS(50, 50, 50, 2000, 2000), at(got.raw(), "50", "99", "99.5", "99.9", "max"))
		require.Equal(t, 239*ms/4, mean(got.raw()))
	})
	t.Run("L22 the stall's share of the wall time", func(t *testing.T) {
		require.Equal(t, 11_950*ms, got[199].Done)
		require.Equal(t, 2000*ms, got[149].Raw())
	})
	t.Run("L16 the greatest percentile is not blind", func(t *testing.T) {
		require.Greater(t, at(got.raw(), "99.9")[0], 500*ms)
	})
	t.Run("L13 raw", func(t *testing.T) {
		got, _ := closedRun(t, labB, engine.Closed{Workers: 1, N: 200})
		require.Equal(t, inMS(50, 2050), at(got.raw(), "99", "max"))
	})
	t.Run("L25 a freeze with as many clients as workers", func(t *testing.T) {
		for c, want := range map[int]time.Duration{1: 50 * ms, 2: 50 * ms, 3: 2050 * ms, 10: 2050 * ms} {
			got, _ := closedRun(t, fmt.Sprintf("service=50ms workers=%d freeze=500ms:2s", c), engine.Closed{Workers: c, N: 200})
			require.Equal(t, want, at(got.raw(), "99")[0], c)
		}
	})
	t.Run("L27 more clients than workers", func(t *testing.T) {
		for c, want := range map[int][]time.Duration{1: inMS(50, 50), 2: inMS(100, 100), 3: inMS(150, 2100), 10: inMS(500, 2450)} {
			got, _ := closedRun(t, labA, engine.Closed{Workers: c, N: 200})
			require.Equal(t, want, at(got.raw(), "50", "99"), c)
		}
	})
	t.Run("L21 paced, it skips what it missed", func(t *testing.T) {
		slot := func(k uint64) time.Duration { return time.Duration(k) * 80 * ms }
		got, skipped := closedRun(t, labA, engine.Closed{Workers: 1, N: 200, Slot: slot})
		require.EqualValues(t, 24, skipped)
		require.Equal(t, 223*80*ms, got[199].Sent, "the last of 224 ticks")
	})
	t.Run("N3 L3 its backfill adds what was skipped, and no more than the greatest", func(t *testing.T) {
		slot := func(k uint64) time.Duration { return time.Duration(k) * 80 * ms }
		got, skipped := closedRun(t, labA, engine.Closed{Workers: 1, N: 200, Slot: slot})
		d := correct.NewDist()
		var synthetic uint64
		for _, x := range got {
			synthetic += d.Backfill(x.Raw(), 80*ms)
		}
		require.Equal(t, skipped, synthetic)
		greatest, _ := d.Max()
		require.Equal(t, at(got.raw(), "max")[0], greatest)
	})
}

func TestOpenRunOfTheLab(t *testing.T) {
	got := openRun(t, labA, 200, lenient)
	t.Run("L9 L10", func(t *testing.T) {
		require.Equal(t, inMS(50, 500, 1400, 1700, 1940, 2000), at(got.corrected(), "50", "75", "90", "95", "99", "max"))
		require.Equal(t, 356*ms, mean(got.corrected()))
		require.Equal(t, []int{51, 50, 34}, []int{over(got.corrected(), 50*ms), over(got.corrected(), 500*ms), over(got.corrected(), 1000*ms)})
	})
	t.Run("L11 each request after the stall", func(t *testing.T) {
		for k := range 51 {
			require.Equal(t, max(50*ms, time.Duration(2000-30*k)*ms), got[149+k].Corrected())
		}
	})
	t.Run("L12 until the queue has drained", func(t *testing.T) {
		got := openRun(t, labA, 300, lenient)
		require.Equal(t, 65, over(got.corrected(), 50*ms))
		require.Equal(t, inMS(1910), at(got.corrected(), "99"))
	})
	t.Run("L13 open", func(t *testing.T) {
		require.Equal(t, inMS(1990), at(openRun(t, labB, 200, lenient).corrected(), "99"))
	})
	t.Run("L14 L15 L17 which limits flip", func(t *testing.T) {
		closed, _ := closedRun(t, labA, engine.Closed{Workers: 1, N: 200})
		for _, tt := range []struct {
			percentile string
			limit      time.Duration
			raw, open  bool
		}{
			{"99", 500 * ms, true, false}, {"99", 1840 * ms, true, false}, {"99", 1900 * ms, true, false}, {"99", 1940 * ms, true, true},
			{"90", 300 * ms, true, false}, {"50", 500 * ms, true, true}, {"75", 500 * ms, true, true}, {"99.9", 500 * ms, false, false},
		} {
			require.Equal(t, tt.raw, at(closed.raw(), tt.percentile)[0] <= tt.limit, tt)
			require.Equal(t, tt.open, at(got.corrected(), tt.percentile)[0] <= tt.limit, tt)
		}
	})
	t.Run("L18 the closed loop's service times replayed are the open run", func(t *testing.T) {
		closed, _ := closedRun(t, labA, engine.Closed{Workers: 1, N: 200})
		q := correct.Queue{Interval: 80 * ms}
		for i, s := range closed.raw() {
			require.Equal(t, got[i].Corrected(), q.Next(s))
		}
	})
	t.Run("L23 with two workers one slow request is one slow request", func(t *testing.T) {
		got := openRun(t, labA+" workers=2", 200, lenient)
		require.Equal(t, inMS(50, 2000), at(got.corrected(), "99", "max"))
		require.Equal(t, 239*ms/4, mean(got.corrected()))
	})
	t.Run("L24 the whole server frozen", func(t *testing.T) {
		for workers, want := range map[int]time.Duration{1: 1990 * ms, 2: 1940 * ms, 4: 1890 * ms} {
			got := openRun(t, fmt.Sprintf("service=50ms workers=%d freeze=11920ms:2s", workers), 200, lenient)
			require.Equal(t, want, at(got.corrected(), "99")[0], workers)
		}
	})
	t.Run("L28 L29 connections", func(t *testing.T) {
		for connections, want := range map[int][]time.Duration{1: inMS(1940, 50, 1920), 25: inMS(1940, 1940, 0)} {
			got := openRun(t, labA, 200, engine.Limits{InFlight: connections, Drain: time.Hour})
			wait := got.each((*correct.Sample).Wait)
			require.Equal(t, want, append(at(got.corrected(), "99"), append(at(got.raw(), "99"), at(wait, "max")...)...), connections)
		}
		for connections, want := range map[int]int{1: 50, 2: 49, 5: 46, 10: 40, 25: 0} {
			got := openRun(t, labA, 200, engine.Limits{InFlight: connections, Drain: time.Hour})
			require.Equal(t, want, over(got.each((*correct.Sample).Wait), 0), connections)
		}
	})
	t.Run("for a queue the corrected result is the same under every cap", func(t *testing.T) {
		for _, connections := range []int{1, 2, 5, 10, 25} {
			capped := openRun(t, labA, 200, engine.Limits{InFlight: connections, Drain: time.Hour})
			require.Equal(t, got.corrected(), capped.corrected())
		}
	})
	t.Run("L30 a client that gives up after 1 s", func(t *testing.T) {
		got := openRun(t, labA, 200, engine.Limits{Timeout: time.Second, Drain: time.Hour})
		var ok, all []time.Duration
		for _, x := range got {
			if x.Class == correct.OK {
				ok = append(ok, x.Corrected())
			} else {
				require.Equal(t, correct.Timeout, x.Class)
			}
			all = append(all, x.Corrected())
		}
		require.Len(t, ok, 200-34)
		require.Equal(t, inMS(950), at(ok, "99"))
		require.Equal(t, inMS(1000), at(all, "99"), "a time-out stored as a latency")
	})
	t.Run("L31 stopped at 16 s", func(t *testing.T) {
		got := openRun(t, labA, 200, engine.Limits{Drain: 16*time.Second - 199*80*ms})
		var finished []time.Duration
		unfinished := 0
		for _, x := range got {
			if x.Class == correct.Unfinished {
				unfinished++
			} else {
				finished = append(finished, x.Corrected())
			}
		}
		require.Len(t, got, 200)
		require.Equal(t, 9, unfinished)
		require.Equal(t, inMS(1970), at(finished, "99"))
	})
	t.Run("S13 in flight", func(t *testing.T) {
		var area, most time.Duration
		for _, x := range got {
			area += x.Corrected()
		}
		require.EqualValues(t, 71_200*ms, area)
		require.EqualValues(t, 16_420*ms, got[199].Done)
		for _, x := range got {
			var out time.Duration
			for _, y := range got {
				if y.Sent <= x.Sent && x.Sent < y.Done {
					out++
				}
			}
			most = max(most, out)
		}
		require.EqualValues(t, 25, most)
	})
	t.Run("the closed-loop row gives back the closed loop's sample", func(t *testing.T) {
		closed, _ := closedRun(t, labA, engine.Closed{Workers: 1, N: 200})
		for _, connections := range []int{0, 1, 7} {
			r := correct.NewRecorder(correct.Options{})
			engine.Run(context.Background(), context.Background(), even(t, 200, 80*ms), sim.New(server(t, labA), anyStatus), r, nil, engine.Limits{InFlight: connections, Drain: time.Hour})
			row := r.Snapshot().Dist(correct.ClosedLoop)
			require.NotNil(t, row)
			want := correct.NewDist()
			for _, v := range closed.raw() {
				want.Record(v)
			}
			require.Equal(t, want.Histogram().Export(), row.Histogram().Export())
			wantMean, _ := want.Mean()
			gotMean, _ := row.Mean()
			require.Equal(t, wantMean, gotMean)
		}
	})
	t.Run("intended times give what backfill would, and are not filled again", func(t *testing.T) {
		// N2: one stall of 10 ms at 1 ms, in a server that works through its queue at once.
		var got samples
		engine.Run(context.Background(), context.Background(), even(t, 10, ms), sim.New(server(t, "service=0s freeze=0ms:10ms workers=0"), anyStatus), &got, nil, lenient)
		require.Equal(t, inMS(10, 9, 8, 7, 6, 5, 4, 3, 2, 1), got.corrected())
		one, again := correct.NewDist(), correct.NewDist()
		one.Backfill(10*ms, ms)
		require.EqualValues(t, 10, one.N())
		for _, v := range got.corrected() {
			again.Backfill(v, ms)
		}
		require.EqualValues(t, 55, again.N(), "which is why a corrected file is refused")
	})
}

// L26 needs no server: the least number of slow samples that the 99th percentile sees.
func TestHowManyClientsAFreezeMustCatch(t *testing.T) {
	for n, want := range map[uint64]uint64{200: 3, 1000: 11, 12_000: 121} {
		require.Equal(t, want, correct.P99.Allowed(n)+1)
	}
}

// A million operations a second of real time, and no memory that grows with them.
func BenchmarkOpenRun(b *testing.B) {
	for _, bm := range []struct {
		name, server, retry string
		lim                 engine.Limits
	}{
		{"idle", "service=5us", "none", lenient},
		{"thousands under way", "service=9us hang=24ms", "none", lenient},
		{"timed out", "hang=8ms workers=0 hang-after=1ms", "none", engine.Limits{Timeout: 3 * ms, Drain: time.Hour}},
		{"gated", "service=11us limit=100 queue=50 max-age=1s accept=90/1ms", "none", lenient},
		{"rejected ones retried", "service=5us accept=3/40us", "attempts=2 backoff=fixed base=1ms jitter=full", lenient},
	} {
		b.Run(bm.name, func(b *testing.B) {
			rec := correct.NewRecorder(correct.Options{})
			rate, _ := schedule.ParseRate("100000")
			s := schedule.Spec{Law: schedule.Law{Kind: schedule.Even}, Shape: schedule.Constant(rate), N: uint64(b.N)}
			policy, err := retry.Parse(bm.retry)
			require.NoError(b, err)
			again := retry.New(policy, retry.Options{Method: "GET", Chance: func(seq uint64) *rand.Rand { return seed.Seed(1).At("retry", seq) }})
			b.ReportAllocs()
			engine.Run(context.Background(), context.Background(), s.Open(nil), sim.New(server(b, bm.server), func(status int) bool { return status < 400 }), rec, again, bm.lim)
		})
	}
}
