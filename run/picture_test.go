package run_test

import (
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"openload/plan"
)

// The picture shows what the numbers say: as many left and ended, as many were slow, and
// the worst of them is the greatest.
func TestThePictureAgreesWithTheNumbers(t *testing.T) {
	for _, tt := range []struct {
		name string
		plan *plan.Plan
	}{
		{"a schedule", &plan.Plan{Schedule: even(t, "12.5", 200), Connections: 1, Drain: time.Minute, Warmup: 2 * time.Second}},
		{"a closed loop", &plan.Plan{Closed: &plan.Closed{N: 200}, Connections: 1, Drain: time.Minute}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := simulate(t, tt.plan, "service=50ms stall=150:2s errors=5%")
			closed := tt.plan.Closed != nil
			total := func(counts []uint64) (n uint64) {
				for _, c := range counts {
					n += c
				}
				return n
			}
			count := func(columns []string) (n uint64) {
				for _, c := range columns {
					if c == "" {
						continue
					}
					h, err := hdrhistogram.Decode([]byte(c))
					require.NoError(t, err)
					n += uint64(h.TotalCount())
				}
				return n
			}
			sent, ok, scheduled, greatest := r.Counts.AttemptsSent, r.Counts.OK, r.Counts.Scheduled, r.Latency.Raw
			if closed {
				require.Empty(t, r.Flow.Scheduled)
				require.Empty(t, r.Heat.Corrected)
				require.Nil(t, r.Worst[0].Intended)
			} else {
				sent, ok, scheduled = sent+r.Warmup.Counts.AttemptsSent, ok+r.Warmup.Counts.OK, scheduled+r.Warmup.Counts.Scheduled
				greatest = r.Latency.CorrectedOK
				require.Equal(t, scheduled, total(r.Flow.Scheduled))
				require.Equal(t, ok, count(r.Heat.Corrected))
			}
			require.Equal(t, sent, total(r.Flow.Sent))
			require.Equal(t, sent, total(r.Flow.Ended))
			require.Equal(t, ok, count(r.Heat.Raw))
			require.Equal(t, sent-ok, total(r.Heat.Failed))
			require.Len(t, r.Worst, 20)
			for i, o := range r.Worst {
				var sum time.Duration
				for _, took := range o.Phases {
					sum += took
				}
				require.Equal(t, o.Took, sum)
				if i > 0 {
					require.LessOrEqual(t, o.Took, r.Worst[i-1].Took)
				}
			}
			require.Equal(t, 2*time.Second, r.Worst[0].Took)
			require.LessOrEqual(t, *greatest.P50, r.Worst[0].Took)
		})
	}
}
