package correct

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// inPhases draws where a sample's time went.
func inPhases(t *rapid.T, x Sample) Sample {
	d := func(name string, most time.Duration) time.Duration {
		return time.Duration(rapid.Int64Range(0, int64(max(most, 0))).Draw(t, name))
	}
	x.Due += d("earlier attempts", time.Second)
	shift := x.Due - x.Intended
	x.Dispatched, x.Sent, x.Done = x.Dispatched+shift, x.Sent+shift, x.Done+shift
	if rapid.Bool().Draw(t, "in pieces") {
		x.First = d("first byte", x.Raw())
	}
	if rapid.Bool().Draw(t, "written slowly") {
		x.Wrote = d("written", 2*x.Raw()) // an answer may come before all is written
	}
	if rapid.Bool().Draw(t, "dialled") {
		o := Opening{Began: d("began", x.Done)}
		o.Resolved = o.Began + d("dns", time.Second)
		o.Connected = o.Resolved + d("connect", time.Second)
		o.Ready = o.Connected + d("tls", time.Second)
		x.Opening = &o
	}
	return x
}

func total(in [Phases]time.Duration) (sum time.Duration) {
	for _, d := range in {
		sum += d
	}
	return sum
}

func TestPhasesAreCorrected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := inPhases(t, drawSample(t, 7))
		in := x.Phases()
		require.Equal(t, x.Corrected(), total(in))
		for i, d := range in {
			require.GreaterOrEqual(t, d, time.Duration(0), Phase(i))
		}
	})
}

func TestPhases(t *testing.T) {
	x := Sample{Intended: 0, Due: 100 * ms, Dispatched: 101 * ms, Sent: 201 * ms, Done: 301 * ms, Wrote: 10 * ms, First: 60 * ms}
	want := [Phases]time.Duration{Before: 100 * ms, Lagging: 1 * ms, Waiting: 100 * ms, Writing: 10 * ms, Thinking: 50 * ms, Reading: 40 * ms}
	require.Equal(t, want, x.Phases(), "a connection that was there")

	x.Opening = &Opening{Began: 111 * ms, Resolved: 121 * ms, Connected: 141 * ms, Ready: 181 * ms}
	want[Resolving], want[Connecting], want[Securing], want[Waiting] = 10*ms, 20*ms, 40*ms, 30*ms
	require.Equal(t, want, x.Phases(), "one that was dialled for it")

	x.Opening = &Opening{Began: 51 * ms, Resolved: 91 * ms, Connected: 141 * ms, Ready: 181 * ms}
	want[Resolving], want[Connecting], want[Waiting] = 0, 40*ms, 20*ms
	require.Equal(t, want, x.Phases(), "one whose dial had begun before")
}

// Law: the phases of all successes add up to corrected's sum, whoever recorded them.
func TestPhasesAddUpToCorrected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := drawSamples(t)
		for i := range samples {
			if rapid.Bool().Draw(t, "seen") {
				samples[i] = inPhases(t, samples[i])
			}
		}
		whole := recordAll(samples)
		cut := rapid.IntRange(0, len(samples)).Draw(t, "cut")
		merged := recordAll(samples[:cut])
		merged.Merge(recordAll(samples[cut:]))

		ok := whole.Dist(CorrectedOK)
		all := whole.Phases()
		require.Equal(t, ok.N() == 0, all == nil)
		sum := new(big.Int)
		for i, p := range all {
			sum.Add(sum, p.Sum)
			again := merged.Phases()[i]
			require.Equal(t, p.Sum, again.Sum)
			if p.Phase == Lagging {
				require.Nil(t, p.Dist)
				continue
			}
			require.Equal(t, ok.N(), p.Dist.N())
			require.Equal(t, p.Sum, p.Dist.sum.big(), p.Phase)
			for _, q := range []Quantile{P50, P99, Max} {
				a, _ := p.Dist.Quantile(q)
				b, _ := again.Dist.Quantile(q)
				require.Equal(t, a, b, p.Phase)
			}
		}
		require.Equal(t, ok.sum.big(), sum)
	})
}

func TestNoPhases(t *testing.T) {
	x := Sample{Attempt: 1, Fired: true, Final: true, Done: ms}
	for _, opt := range []Options{{Closed: true}, {Again: true}} {
		r := NewRecorder(opt)
		r.Record(x)
		require.Nil(t, r.Snapshot().Phases())
	}
}
