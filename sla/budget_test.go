package sla

import (
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
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := Follow([]Rule{rule(t, tt.rule)}, 0, false)[0]
			require.Equal(t, tt.want, b.Lost(tt.n, tt.confidence))
		})
	}
}

// Rules that nobody can count, or whose operations are not known, are not followed.
func TestWhatIsFollowed(t *testing.T) {
	all := []Rule{rule(t, "mean<1s"), rule(t, "rate>=99%"), rule(t, "attempts<2"), rule(t, "checkout: p99<1s"), rule(t, "raw.p99<1s"), rule(t, "first_try>90%")}
	var names []string
	for _, b := range Follow(all, 0, false) {
		names = append(names, b.Rule.String()+" "+b.Offence())
	}
	require.Equal(t, []string{"raw.p99<1s over the limit", "first_try>90% not at the first attempt"}, names)
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
			b := Follow([]Rule{rule(t, tt.breaking)}, 500*ms, tt.autoCap)[0]
			b.Record(tt.x)
			require.Equal(t, []uint64{1, tt.surely}, []uint64{b.Over, b.Surely})
		})
	}
}
