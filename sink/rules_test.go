package sink

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/report"
	"openload/sla"
)

// Each kind of rule has a sentence for what was measured.
func TestOutcome(t *testing.T) {
	late, share, none := 1940*time.Millisecond, 0.055, 0.0
	p := &page{Report: &report.Report{Latency: report.Latency{Corrected: &report.Dist{N: 200, Failed: 11}}}}
	for _, tt := range []struct {
		rule report.Rule
		want string
	}{
		{report.Rule{Rule: "p99<500ms", ValueNS: &late, Of: 200}, "corrected p99 is 1.94 s"},
		{report.Rule{Rule: "raw.p99.9<=1s", ValueNS: &late, Of: 200}, "raw p99.9 is 1.94 s"},
		{report.Rule{Rule: "ok.max<1s", ValueNS: &late, Of: 200}, "max of successes is 1.94 s"},
		{report.Rule{Rule: "settled.mean<1s", ValueNS: &late, Of: 200}, "settled mean is 1.94 s"},
		{report.Rule{Rule: "checkout: p99<300ms", ValueNS: &late, Of: 20}, "corrected p99 of checkout is 1.94 s"},
		{report.Rule{Rule: "p99<500ms", Of: 200}, "corrected p99 falls among the 11 of 200 that failed"},
		{report.Rule{Rule: "raw.p99<500ms", Of: 200}, "raw p99 falls among those that failed"},
		{report.Rule{Rule: "mean<500ms", Of: 200}, "corrected mean does not exist, for some failed"},
		{report.Rule{Rule: "p99<500ms"}, "there is nothing to judge"},
		{report.Rule{Rule: "rate>=99%"}, "there is nothing to judge"},
		{report.Rule{Rule: "errors<1%", Value: &share, Of: 200}, "5.5 % failed"},
		{report.Rule{Rule: "errors<1%", Value: &none, Of: 200}, "0 % failed"},
		{report.Rule{Rule: "useful>99%", Value: &share, Of: 200}, "5.5 % were of use"},
		{report.Rule{Rule: "rate>=99%", Value: &share, Of: 200}, "5.5 % of the planned rate left"},
		{report.Rule{Rule: "attempts<1.2", Value: &share, Of: 200}, "0.055 attempts an operation"},
		{report.Rule{Rule: "from a later version", ValueNS: &late, Of: 200}, "the value is 1.94 s"},
	} {
		t.Run(tt.rule.Rule, func(t *testing.T) { require.Equal(t, tt.want, p.outcome(tt.rule)) })
	}
}

func TestBeyond(t *testing.T) {
	for rule, want := range map[string]string{
		"p99<500ms": "took 500 ms or more", "max<=2s": "took more than 2 s", "max<1.5ms": "took 1.5 ms or more", "max<150s": "took 2m30s or more",
	} {
		require.Equal(t, want, beyond(parse(t, rule)))
	}
}

func parse(t *testing.T, rule string) sla.Rule {
	t.Helper()
	r, err := sla.Parse(rule)
	require.NoError(t, err)
	return r
}
