package run_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/plan"
)

// What data and rounds with an end came to is told: what was taken again, what had no
// turn, and what ended the run.
func TestNotesAboutSupply(t *testing.T) {
	for _, tt := range []struct {
		name       string
		n          uint64
		rows, once uint64
		duration   time.Duration
		warmup     time.Duration
		want       string
	}{
		{"no data", 10, 0, 0, 0, 0, ""},
		{"more rows than operations", 10, 20, 0, 0, 0, ""},
		{"a row each", 10, 10, 10, 0, 0, ""},
		{"rows come again", 10, 4, 0, 0, 0, "10 operations took their data from 4 rows: each row was taken 2 or 3 times"},
		{"and as often each", 10, 5, 0, 0, 50 * time.Millisecond, "10 operations took their data from 5 rows: each row was taken 2 times"},
		{"some have no turn", 10, 30, 30, 0, 0, "--order once: 20 of the 30 rows of the data had no turn"},
		{"a round is not ended", 10, 0, 12, 0, 0, "--order once: 2 of the 12 requests of the round had no turn"},
		{"they end the run", 10, 10, 10, time.Second, 0, "--order once: the 10 rows of the data were all there was to send, and the schedule had time for 100 operations"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &plan.Plan{Schedule: even(t, "100", tt.n), Rows: tt.rows, Once: tt.once, Warmup: tt.warmup, Drain: time.Hour, Target: plan.Target{Method: "GET"}}
			p.Schedule.Duration = tt.duration
			got := ""
			for _, n := range simulate(t, p, "service=1ms").Notes {
				switch n.Code {
				case "data_repeated", "once_unsent", "once_ended":
					got += n.Text
				}
			}
			require.Equal(t, tt.want, got)
		})
	}
}
