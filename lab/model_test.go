// Laws that every model keeps, whatever its keys.

package lab

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func parsed(t require.TestingT, text string) Spec {
	s, err := Parse(text)
	require.NoError(t, err, text)
	return s
}

func chance() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// arrivals draws instants in order from 0 on: some equal, some crowded, some
// after a pause, all of them multiples of unit.
func arrivals(t *rapid.T, most int, unit time.Duration) []time.Duration {
	gap := rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 40), rapid.IntRange(0, 1000))
	out := make([]time.Duration, rapid.IntRange(1, most).Draw(t, "requests"))
	for i := 1; i < len(out); i++ {
		out[i] = out[i-1] + time.Duration(gap.Draw(t, "gap"))*unit
	}
	return out
}

// specs draws texts of specs that hold every key in some combination.
func specs() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var keys []string
		add := func(format string, args ...any) { keys = append(keys, fmt.Sprintf(format, args...)) }
		maybe := func(what string) bool { return rapid.Bool().Draw(t, what) }
		times := rapid.Custom(func(t *rapid.T) time.Duration {
			unit := rapid.SampledFrom([]time.Duration{1, 1500, time.Millisecond, time.Second, time.Minute, time.Hour}).Draw(t, "unit")
			return time.Duration(rapid.Int64Range(1, 200).Draw(t, "count")) * unit
		})
		if maybe("capacity") {
			rates := rapid.SampledFrom([]string{"60", "12.5/s", "300/m", "1/90s", "7/1.5s", "0/s", "0.1/h"})
			add("capacity=%s", rates.Draw(t, "rate"))
			until := time.Duration(0)
			for range rapid.IntRange(0, 3).Draw(t, "steps") {
				until += times.Draw(t, "until")
				add("until=%s then=%s", until, rates.Draw(t, "rate"))
			}
			if strings.HasSuffix(keys[len(keys)-1], "=0/s") {
				add("until=%s then=100/s", until+1)
			}
		} else {
			if maybe("service") {
				add("service=%s", times.Draw(t, "service"))
			}
			for _, k := range rapid.SliceOfNDistinct(rapid.IntRange(1, 40), 0, 3, rapid.ID).Draw(t, "stalls") {
				add("stall=%d:%s", k, times.Draw(t, "total"))
			}
			for range rapid.IntRange(0, 3).Draw(t, "freezes") {
				add("freeze=%s:%s", times.Draw(t, "start"), times.Draw(t, "length"))
			}
			if maybe("workers") {
				add("workers=%d", rapid.IntRange(0, 5).Draw(t, "workers"))
			}
		}
		if maybe("hang") {
			add("hang=%s", times.Draw(t, "hang"))
		}
		if maybe("errors") {
			add("errors=%v%%", rapid.Float64Range(0, 59).Draw(t, "share"))
		}
		if maybe("close") {
			add("close=%v%%", rapid.Float64Range(0, 40).Draw(t, "share"))
		}
		if maybe("hang after") {
			add("hang-after=%s", times.Draw(t, "hang after"))
		}
		if maybe("body") {
			add("body=%s trickle=%s", rapid.SampledFrom([]string{"1B", "1500B", "64KiB", "3MB"}).Draw(t, "size"), times.Draw(t, "trickle"))
		}
		return strings.Join(append(keys, gates(t, maybe, times, keys)...), " ")
	})
}

// gates draws keys that turn requests away, or have them sent again.
func gates(t *rapid.T, maybe func(string) bool, times *rapid.Generator[time.Duration], others []string) (keys []string) {
	add := func(format string, args ...any) { keys = append(keys, fmt.Sprintf(format, args...)) }
	if maybe("accept") {
		add("accept=%d/%s", rapid.IntRange(1, 5).Draw(t, "accepted"), times.Draw(t, "window"))
	}
	if maybe("limit") {
		add("limit=%d", rapid.IntRange(1, 20).Draw(t, "limit"))
	}
	if maybe("queue") && !slices.Contains(others, "workers=0") {
		add("queue=%d", rapid.IntRange(0, 10).Draw(t, "queue"))
	}
	if maybe("max age") {
		add("max-age=%s", times.Draw(t, "max age"))
	}
	if len(keys) > 0 && maybe("reject") {
		add("reject=%d retry-after=%ds", rapid.IntRange(400, 599).Draw(t, "status"), rapid.IntRange(1, 90).Draw(t, "seconds"))
	}
	for _, code := range rapid.SliceOfNDistinct(rapid.IntRange(200, 599), 0, 2, rapid.ID).Draw(t, "statuses") {
		add("status=%d:%v%%", code, rapid.Float64Range(0, 0.001).Draw(t, "share"))
	}
	if maybe("layers") {
		add("layers=%d attempts=%d", rapid.IntRange(1, 3).Draw(t, "layers"), rapid.IntRange(1, 4).Draw(t, "attempts"))
	}
	return keys
}

// Lindley: D = max(A, D') + S. So the answers of one worker come in order.
func TestOneWorkerIsLindleysRecursion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		service := rapid.IntRange(0, 200).Draw(t, "service")
		stalled := rapid.IntRange(1, 200).Draw(t, "stalled")
		total := rapid.IntRange(0, 5000).Draw(t, "total")
		m := parsed(t, fmt.Sprintf("service=%dns stall=%d:%dns", service, stalled, total)).Model(nil)

		done := time.Duration(0)
		for i, at := range arrivals(t, 200, 1) {
			s := service
			if i+1 == stalled {
				s = total
			}
			done = max(at, done) + time.Duration(s)
			require.Equal(t, done, m.Serve(at).At)
		}
	})
}

// Counted out nanosecond by nanosecond: a worker that is not frozen takes one
// off its request, and takes the next when nothing is left of it.
func TestWorkersAndFreezes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		service := rapid.IntRange(0, 60).Draw(t, "service")
		workers := rapid.IntRange(1, 6).Draw(t, "workers")
		text := fmt.Sprintf("service=%dns workers=%d", service, workers)
		type span struct{ from, to int }
		var freezes []span
		for range rapid.IntRange(0, 4).Draw(t, "freezes") {
			from, length := rapid.IntRange(0, 500).Draw(t, "from"), rapid.IntRange(1, 100).Draw(t, "length")
			freezes = append(freezes, span{from, from + length})
			text += fmt.Sprintf(" freeze=%dns:%dns", from, length)
		}
		frozen := func(at int) bool {
			return slices.ContainsFunc(freezes, func(f span) bool { return f.from <= at && at < f.to })
		}

		m := parsed(t, text).Model(nil)
		free := make([]int, workers)
		for _, at := range arrivals(t, 60, 1) {
			slices.Sort(free)
			now := max(int(at), free[0])
			for left := service; left > 0 || service == 0 && frozen(now); now++ {
				if !frozen(now) {
					left--
				}
			}
			free[0] = now
			require.Equal(t, time.Duration(now), m.Serve(at).At, text)
		}
	})
}

// No worker is idle while a request waits.
func TestWorkConserving(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		service := time.Duration(rapid.IntRange(1, 100).Draw(t, "service"))
		workers := rapid.IntRange(1, 5).Draw(t, "workers")
		m := parsed(t, fmt.Sprintf("service=%s workers=%d", service, workers)).Model(nil)
		var starts []time.Duration
		for _, at := range arrivals(t, 100, 1) {
			start := m.Serve(at).At - service
			require.GreaterOrEqual(t, start, at)
			for _, when := range []time.Duration{at, start - 1} {
				if at <= when && when < start {
					busy := 0
					for _, s := range starts {
						if s <= when && when < s+service {
							busy++
						}
					}
					require.Equal(t, workers, busy, "at %d", when)
				}
			}
			starts = append(starts, start)
		}
	})
}

func TestWithoutALimitNobodyWaits(t *testing.T) {
	m := model(t, "service=50ms workers=0")
	for range 1000 {
		require.Equal(t, 50*ms, m.Serve(0).At)
	}
}

// In rationals: a request is the integral of the speed over its service, and
// nothing is rounded but the answer, up to a whole nanosecond.
func TestCapacityIsIntegratedExactly(t *testing.T) {
	for _, text := range []string{
		"capacity=60/s until=2s then=100/s",
		"capacity=7/s until=1ns then=0/s until=1234567891ns then=12345.6789/s until=3s then=1/3s",
		"capacity=0/s until=1s then=99999.9999/s until=1001ms then=1/7m",
		"capacity=1000000000/s until=1us then=3/s",
	} {
		t.Run(text, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := parsed(t, text)
				m := s.Model(nil)
				done := new(big.Rat)
				for _, at := range arrivals(t, 50, 123_456) {
					if now := big.NewRat(int64(at), 1); now.Cmp(done) > 0 {
						done = now
					}
					done = integrate(s.steps, done)
					require.Equal(t, ceil(done), int64(m.Serve(at).At))
				}
			})
		})
	}
}

// integrate returns when a request is served whose service begins at from.
func integrate(steps []step, from *big.Rat) *big.Rat {
	left := big.NewRat(1, 1)
	now := new(big.Rat).Set(from)
	for _, s := range steps {
		until := big.NewRat(int64(s.until), 1)
		if s.until > 0 && until.Cmp(now) <= 0 {
			continue
		}
		perNs := new(big.Rat).Mul(s.rate, big.NewRat(1, int64(time.Second)))
		if can := new(big.Rat).Mul(perNs, new(big.Rat).Sub(until, now)); s.until > 0 && can.Cmp(left) < 0 {
			left.Sub(left, can)
			now.Set(until)
			continue
		}
		return now.Add(now, left.Quo(left, perNs))
	}
	panic("the last step has no end")
}

func ceil(x *big.Rat) int64 {
	q, r := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	if r.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q.Int64()
}

// A request of 16,666,666 2/3 ns, rounded up each time, would be 72 µs off.
func TestAnHourOfThirdsOfANanosecondHasNotDrifted(t *testing.T) {
	m := model(t, "capacity=60/s")
	var last time.Duration
	for range 60 * 3600 {
		last = m.Serve(0).At
	}
	require.Equal(t, time.Hour, last)
}

func TestTimesCountFromTheFirstArrival(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := parsed(t, specs().Draw(t, "spec"))
		shift := time.Duration(rapid.Int64Range(0, int64(maxTime)).Draw(t, "shift"))
		one, other := s.Model(chance()), s.Model(chance())
		for _, at := range arrivals(t, 50, 10*ms) {
			a, b := one.Serve(at), other.Serve(shift+at)
			a.At += shift
			if a.Effect {
				a.EffectAt += shift
			}
			require.Equal(t, a, b)
		}
	})
}

func TestHowARequestEndsMovesNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := parsed(t, specs().Draw(t, "spec"))
		s.trickle, s.limit = 0, 0 // only the body of a success trickles, and who waits for it is in the server
		plain := s
		plain.errors, plain.closes, plain.statuses = 0, 0, nil
		a, b := s.Model(chance()), plain.Model(nil)
		for _, at := range arrivals(t, 50, 10*ms) {
			require.Equal(t, b.Serve(at).At, a.Serve(at).At)
		}
	})
}

func TestHeldRequestsOccupyNobody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workers := rapid.IntRange(0, 3).Draw(t, "workers")
		text := fmt.Sprintf("service=50ms stall=7:2s workers=%d", workers)
		held, free := parsed(t, text+" hang=8s").Model(nil), parsed(t, text).Model(nil)
		for _, at := range arrivals(t, 50, ms) {
			require.Equal(t, free.Serve(at).At+8*time.Second, held.Serve(at).At)
		}
	})
}

func TestSharesOfOutcomes(t *testing.T) {
	const n = 20_000
	count := func(spec string) map[int]int {
		got := map[int]int{}
		m := model(t, spec)
		for range n {
			got[m.Serve(0).Status]++
		}
		return got
	}
	require.Equal(t, map[int]int{200: n}, count("service=1ms"))
	require.Equal(t, map[int]int{500: n}, count("errors=100%"))
	require.Equal(t, map[int]int{0: n}, count("close=100%"))
	require.Equal(t, count("errors=10% close=30%"), count("errors=10% close=30%"), "the same chance")

	got := count("errors=10% close=30%") // five standard deviations are 1.1 % and 1.6 % of n
	require.InDelta(t, 0.1*n, got[500], 0.011*n)
	require.InDelta(t, 0.3*n, got[0], 0.016*n)
	require.Equal(t, n, got[200]+got[500]+got[0])
}

func TestAnAnswerBeyondTheEndOfTimeIsNever(t *testing.T) {
	for _, spec := range []string{"service=10000h", "capacity=1000000000/s until=1ns then=0.000000001/s"} {
		m := model(t, spec)
		var last time.Duration
		for range 200 {
			at := m.Serve(time.Hour).At
			require.GreaterOrEqual(t, at, last)
			last = at
		}
		require.Equal(t, never, last, spec)
	}
}

func TestMisuseOfAModelPanics(t *testing.T) {
	m := model(t, "service=1ms")
	m.Serve(time.Second)
	require.Panics(t, func() { m.Serve(time.Second - 1) }, "out of order")
	require.Panics(t, func() { parsed(t, "errors=1%").Model(nil) }, "no source of chance")
}

func TestTheZeroSpecAnswersAtOnce(t *testing.T) {
	require.Equal(t, time.Second, Spec{}.Model(nil).Serve(time.Second).At)
	require.Equal(t, Spec{}, parsed(t, Spec{}.String()))
}

func BenchmarkServe(b *testing.B) {
	for _, spec := range []string{
		"service=50ms stall=150:2s", "service=50ms workers=1000", "capacity=60/s until=120s then=100/s",
	} {
		b.Run(spec, func(b *testing.B) {
			m := model(b, spec)
			b.ReportAllocs()
			at := time.Duration(0)
			for b.Loop() {
				m.Serve(at)
				at += 40 * time.Microsecond
			}
		})
	}
}
