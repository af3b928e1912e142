package watch_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
	"openload/engine"
	"openload/sla"
	"openload/watch"
)

// Whatever happens, a look is what a plain list of everything says.
func TestALookIsTheWholeTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := rules(t, "p90<100ms", "raw.p90<100ms", "errors<10%", "odd: p90<100ms", "odd: raw.p90<100ms", "odd: attempts<2", "mean<1s", "odd: raw.mean<1s")
		w := watch.New(sla.Follow(rules, sla.Course{Target: func(seq uint64) string { return []string{"even", "odd"}[seq%2] }}))
		type operation struct {
			seq              uint64
			intended, handed time.Duration
			fired            bool
		}
		var ended []correct.Sample
		var now time.Duration
		var open []operation
		var corrected, raw []time.Duration
		var failed, over, rawOver, due uint64
		longest := rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, time.Minute}).Draw(t, "step")
		for range rapid.IntRange(0, 300).Draw(t, "events") {
			now += time.Duration(rapid.Int64Range(0, int64(longest)).Draw(t, "gap"))
			switch waiting := slices.IndexFunc(open, func(o operation) bool { return !o.fired }); rapid.IntRange(0, 2).Draw(t, "event") {
			case 0:
				w.Arrive(due, now, now, 0, 0)
				due++
				open = append(open, operation{seq: due - 1, intended: now})
			case 1:
				if waiting >= 0 {
					open[waiting].fired, open[waiting].handed = true, now
					w.Fire(engine.Shot{Seq: open[waiting].seq, Attempt: 1, Handed: now})
				}
			case 2:
				if waiting < 0 {
					waiting = len(open)
				}
				if waiting == 0 {
					continue
				}
				i := rapid.IntRange(0, waiting-1).Draw(t, "which")
				o := open[i]
				open = slices.Delete(open, i, i+1)
				x := correct.Sample{
					Seq: o.seq, Attempt: 1, Intended: o.intended, Due: o.intended, Dispatched: o.intended, Handed: o.handed, Sent: o.handed, Done: now,
					Fired: true, Written: true, Final: true,
				}
				if rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
					x.Class = correct.Reset
					failed++
				} else {
					corrected, raw = append(corrected, x.Corrected()), append(raw, x.Raw())
				}
				w.Record(x)
				ended = append(ended, x)
				if x.Class != correct.OK || x.Corrected() >= 100*ms {
					over++
				}
				if x.Class != correct.OK || x.Raw() >= 100*ms {
					rawOver++
				}
			}
		}
		w.Ask()
		w.Turn(now)
		s, ok := w.Look(now)
		require.True(t, ok)
		require.Equal(t, []uint64{due, uint64(len(corrected)) + failed, uint64(len(open)), failed}, []uint64{s.Due, s.Done, s.Waiting, s.Fail})

		all, allRaw := slices.Clone(corrected), slices.Clone(raw)
		for _, o := range open {
			all = append(all, now-o.intended)
			if now-o.intended >= 100*ms {
				over++
			}
			if o.fired {
				allRaw = append(allRaw, now-o.handed)
				if now-o.handed >= 100*ms {
					rawOver++
				}
			}
		}
		// Instants of what waits are joined once the oldest is older than their reach.
		coarse := longest > time.Millisecond
		check(t, "corrected", s.Corrected, all, failed, coarse)
		check(t, "raw", s.Raw, allRaw, failed, coarse)
		for i, want := range []uint64{over, rawOver} {
			if coarse {
				require.LessOrEqual(t, s.Budgets[i].Over, want, "never more than there are")
			} else {
				require.Equal(t, want, s.Budgets[i].Over)
			}
		}
		require.Equal(t, failed, s.Budgets[2].Over)
		require.Equal(t, []uint64{due, due / 2}, []uint64{s.Budgets[0].Due, s.Budgets[3].Due})

		var odd struct{ over, rawOver, attempts uint64 }
		var mean, oddMean time.Duration
		anyOdd := false
		for _, x := range ended {
			mean += x.Corrected()
			if x.Seq%2 == 0 {
				continue
			}
			anyOdd = anyOdd || x.Class != correct.OK
			odd.attempts++
			odd.over += one(x.Class != correct.OK || x.Corrected() >= 100*ms)
			odd.rawOver += one(x.Class != correct.OK || x.Raw() >= 100*ms)
			oddMean += x.Raw()
		}
		for _, o := range open {
			mean += now - o.intended
			if o.seq%2 == 0 {
				continue
			}
			odd.over += one(now-o.intended >= 100*ms)
			if o.fired {
				odd.attempts++
				odd.rawOver += one(now-o.handed >= 100*ms)
				oddMean += now - o.handed
			}
		}
		if !coarse {
			require.Equal(t, odd.over, s.Budgets[3].Over)
			require.Equal(t, odd.rawOver, s.Budgets[4].Over)
		}
		require.LessOrEqual(t, s.Budgets[3].Over, odd.over)
		require.LessOrEqual(t, s.Budgets[4].Over, odd.rawOver)
		require.Equal(t, odd.attempts, s.Budgets[5].Over)
		require.Equal(t, failed > 0, s.Budgets[6].Failed())
		require.Equal(t, anyOdd, s.Budgets[7].Failed())
		if failed == 0 {
			require.InDelta(t, mean, s.Budgets[6].Over, float64(len(open)), "a ns for each that waits is lost in the middle of a window")
			require.InDelta(t, oddMean, s.Budgets[7].Over, float64(len(open)))
		}
	})
}

func one(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

func check(t require.TestingT, name string, r watch.Reading, values []time.Duration, failed uint64, coarse bool) {
	slices.Sort(values)
	n := uint64(len(values)) + failed
	for i, q := range []correct.Quantile{correct.P50, correct.P90, correct.P99, correct.Max} {
		v := []watch.Value{r.P50, r.P90, r.P99, r.Max}[i]
		rank := q.Rank(n)
		switch {
		case n == 0:
			require.True(t, v.None, "%s %v", name, q)
		case rank > uint64(len(values)):
			require.True(t, v.Failed, "%s %v", name, q)
		default:
			want := values[rank-1]
			exact := float64(want)/500 + 2e6 // windows of 1 ms, at both ends
			if coarse {
				exact = float64(values[len(values)-1])/100 + 2e6
			}
			require.InDelta(t, float64(want), float64(v.D), exact, "%s %v of %v", name, q, values)
		}
	}
}

// A copy is only made when somebody asks, and only then is there something to see.
func TestNobodyAsked(t *testing.T) {
	w := watch.New(nil)
	_, ok := w.Look(0)
	require.False(t, ok, "nothing was asked for")
	w.Ask()
	_, ok = w.Look(0)
	require.False(t, ok, "the run has not come round")
	w.Turn(time.Second)
	s, ok := w.Look(0)
	require.True(t, ok)
	require.Equal(t, time.Second, s.At, "never before what the run has seen")
	w.Arrive(0, 0, 0, 0, 0)
	w.Turn(2 * time.Second)
	s, _ = w.Look(0)
	require.Zero(t, s.Due, "nobody asked again")
}

func BenchmarkWatch(b *testing.B) {
	w := watch.New(nil)
	x := correct.Sample{Attempt: 1, Fired: true, Written: true, Final: true}
	for i := range b.N {
		at := time.Duration(i) * 10 * time.Microsecond
		w.Arrive(uint64(i), at, at, 0, 0)
		w.Fire(engine.Shot{Attempt: 1, Handed: at})
		x.Seq, x.Intended, x.Due, x.Dispatched, x.Handed, x.Sent, x.Done = uint64(i), at, at, at, at, at, at+time.Duration(i%1000)*time.Microsecond
		w.Record(x)
		w.Turn(at)
	}
}

// The warm-up is counted among what is due and done, and in nothing that is judged.
func TestTheWarmUpIsNotJudged(t *testing.T) {
	w := watch.New(follow(rules(t, "p50<1ms", "errors<1%"), 1))
	w.Warm = func(intended time.Duration) bool { return intended < time.Second }
	look := func(now time.Duration) watch.Sight {
		w.Ask()
		w.Turn(now)
		s, ok := w.Look(now)
		require.True(t, ok)
		return s
	}
	for seq, at := range []time.Duration{0, 100 * ms, 1000 * ms} {
		w.Arrive(uint64(seq), at, at, 0, 0)
		w.Fire(engine.Shot{Seq: uint64(seq), Attempt: 1, Intended: at, Handed: at})
	}
	x := correct.Sample{Attempt: 1, Done: 500 * ms, Class: correct.Reset, Fired: true, Final: true}
	w.Record(x)
	s := look(1200 * ms)
	require.Equal(t, []uint64{3, 3, 1, 2, 1}, []uint64{s.Due, s.Sent, s.Done, s.Waiting, s.Fail})
	require.Equal(t, watch.Value{D: 200 * ms, Grows: true}, s.Corrected.P50, "the only one that is judged")
	require.Equal(t, s.Corrected, s.Raw)
	require.Equal(t, []uint64{1, 0}, []uint64{s.Budgets[0].Over, s.Budgets[1].Over})

	h := watch.Head{Planned: 3, Warm: 2, WarmEnd: time.Second, Length: 2 * time.Second}
	require.Contains(t, h.Line(s, watch.Style{}), "corrected p99 >200 ms")
	frame := h.Frame(s, watch.Style{Width: 80})
	require.Contains(t, frame[len(frame)-1], "0 failed, 0 allowed of 1 ")
	s.At = 900 * ms
	require.Contains(t, h.Frame(s, watch.Style{Width: 80})[3], "0.9 s, warming up")
}
