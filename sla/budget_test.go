package sla

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"openload/correct"
)

// With how many against it a rule is lost: one more than it allows, or as many as
// disprove it (checks S7).
func TestWhenARuleIsLost(t *testing.T) {
	for _, tt := range []struct {
		name, rule string
		n          uint64
		confidence float64
		want       uint64
	}{
		{"p99 of 200 allows 2", "p99<500ms", 200, 0, 3},
		{"a maximum allows none", "max<2s", 200, 0, 1},
		{"and is no matter of chance", "max<2s", 200, 95, 1},
		{"less than 1 % of 200 is one", "errors<1%", 200, 0, 2},
		{"S7: 6 of 200 disprove it", "p99<500ms", 200, 95, 6},
		{"S7: 16 of 1,000 disprove it", "p99<500ms", 1000, 95, 16},
		{"two are never enough", "p50<1s", 2, 95, 3},
		{"raw latency is that of attempts", "raw.p99<500ms", 100, 0, 4},
		{"a mean is a sum", "mean<80ms", 200, 0, 16e9},
		{"and one ns more where it may be reached", "mean<=80ms", 200, 0, 16_000_000_200},
		{"a sum that is not to be had is never lost but by a failure", "mean<=1000h", 1e10, 0, math.MaxUint64},
		{"attempts<1.2 of 200 are 239", "attempts<1.2", 200, 0, 240},
		{"attempts<=1.2 are 240", "attempts<=1.2", 200, 0, 241},
		{"and of 7, 8.4 are 8", "attempts<1.2", 7, 95, 9},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := Follow([]Rule{rule(t, tt.rule)}, Course{Attempts: 3, Planned: func(string) uint64 { return tt.n }})[0]
			require.Equal(t, tt.want, b.Lost(tt.confidence))
		})
	}
}

// A rule on the rate is never broken: the run is invalid, or it holds.
func TestWhatIsFollowed(t *testing.T) {
	all := []Rule{rule(t, "mean<1s"), rule(t, "rate>=99%"), rule(t, "attempts<2"), rule(t, "checkout: p99<1s"), rule(t, "raw.p99<1s"), rule(t, "first_try>90%")}
	var names []string
	for _, b := range Follow(all, Course{}) {
		names = append(names, b.Rule.String()+" "+b.Offence())
	}
	require.Equal(t, []string{"mean<1s in all", "attempts<2 attempts", "checkout: p99<1s over the limit", "raw.p99<1s over the limit", "first_try>90% not at the first attempt"}, names)
}

// A rule of one target counts its operations and no others.
func TestTheBudgetOfATarget(t *testing.T) {
	b := Follow([]Rule{rule(t, "odd: errors<1%")}, Course{
		Planned: func(target string) uint64 { return map[string]uint64{"odd": 5, "": 10}[target] },
		Target:  func(seq uint64) string { return []string{"even", "odd"}[seq%2] },
	})[0]
	for seq := range uint64(4) {
		b.Arrive(seq)
		b.Record(correct.Sample{Seq: seq, Attempt: 1, Fired: true, Final: true, Class: correct.Reset})
	}
	require.Equal(t, []uint64{5, 2, 2, 2}, []uint64{b.Planned, b.Due, b.Over, b.Surely})
}

// A mean is what all took together, and a failure is more than there is.
func TestTheBudgetOfAMean(t *testing.T) {
	x := correct.Sample{Attempt: 1, Fired: true, Final: true, Dispatched: 100 * ms, Sent: 200 * ms, Done: 600 * ms, Behind: 100 * ms}
	failed, dropped := x, x
	failed.Class, dropped.Class, dropped.Fired = correct.Reset, correct.Dropped, false
	const all = math.MaxUint64
	for _, tt := range []struct {
		name         string
		rule         string
		x            correct.Sample
		autoCap      bool
		over, surely uint64
	}{
		{"an operation without our lag", "mean<1s", x, false, 600e6, 500e6},
		{"and without the wait for a cap that we chose", "mean<1s", x, true, 600e6, 400e6},
		{"an attempt", "raw.mean<1s", x, false, 400e6, 400e6},
		{"a failure", "mean<1s", failed, false, all, all},
		{"a failed attempt", "raw.mean<1s", failed, false, all, all},
		{"a failure where only successes count", "ok.mean<1s", failed, false, 0, 0},
		{"a failure where all count that came to an end", "settled.mean<1s", failed, false, 600e6, 500e6},
		{"one that is our own", "mean<1s", dropped, false, all, 0},
		{"and never was an attempt", "raw.mean<1s", dropped, false, 0, 0},
		{"nor came to an end", "settled.mean<1s", dropped, false, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := Follow([]Rule{rule(t, tt.rule)}, Course{AutoCap: tt.autoCap})[0]
			b.Record(tt.x)
			require.Equal(t, []uint64{tt.over, tt.surely}, []uint64{b.Over, b.Surely})
			require.Equal(t, tt.over == all, b.Failed())
			b.Record(x)
			require.Equal(t, tt.over == all, b.Failed(), "what failed once has no mean any more")
		})
	}
}

// What is late by our own doing is against the rule, and not surely so.
func TestOurLatenessIsNotSurelyAgainstARule(t *testing.T) {
	slow := correct.Sample{Attempt: 1, Fired: true, Final: true, Dispatched: 400 * ms, Sent: 400 * ms, Done: 600 * ms, Behind: 400 * ms}
	waited := correct.Sample{Attempt: 1, Fired: true, Final: true, Sent: 400 * ms, Done: 600 * ms}
	for _, tt := range []struct {
		name     string
		x        correct.Sample
		autoCap  bool
		surely   uint64
		breaking string
	}{
		{"our lag", slow, false, 0, "p99<500ms"},
		{"the wait for a connection that the user was sparing with", waited, false, 1, "p99<500ms"},
		{"the wait for one that we were sparing with", waited, true, 0, "p99<500ms"},
		{"a successful operation's latency", waited, false, 1, "ok.p99<500ms"},
		{"the deadline of one that is useful", waited, false, 1, "useful>99%"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := Follow([]Rule{rule(t, tt.breaking)}, Course{Deadline: 500 * ms, AutoCap: tt.autoCap})[0]
			b.Record(tt.x)
			require.Equal(t, []uint64{1, tt.surely}, []uint64{b.Over, b.Surely})
		})
	}
}
