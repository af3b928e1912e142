package plan

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/retry"
	"openload/schedule"
	"openload/sla"
)

// sound is a plan that keeps every rule, and what it says.
func sound(t *testing.T) (Plan, map[string]bool) {
	expect, err := ParseStatuses("200")
	require.NoError(t, err)
	return Plan{
		Schedule: schedule.Spec{Shape: schedule.Constant(rate(t, "50")), N: 349}, Warmup: time.Second, Seed: 1,
		Timeout: 2 * time.Second, Expect: expect, Rules: []sla.Rule{rule(t, "p99<500ms"), rule(t, "errors<1%")},
	}, map[string]bool{"timeout": true, "expect-status": true, "warmup": true}
}

// A sound plan keeps all rules; each way of spoiling it breaks its rule and no other.
func TestLint(t *testing.T) {
	for _, tt := range []struct {
		name   string
		spoil  func(p *Plan, said map[string]bool)
		reason string
		broken []string
	}{
		{"sound", func(*Plan, map[string]bool) {}, "", nil},
		{"a closed loop", func(p *Plan, _ map[string]bool) {
			p.Closed, p.Connections, p.Rules[0] = &Closed{N: 400}, 1, rule(t, "raw.p99<500ms")
		}, "", []string{"open_model"}},
		{"a closed loop for a reason", func(p *Plan, _ map[string]bool) {
			p.Closed, p.Connections, p.Rules[0] = &Closed{N: 400}, 1, rule(t, "raw.p99<500ms")
		}, "a batch job", nil},
		{"no rules", func(p *Plan, _ map[string]bool) { p.Rules = nil }, "", []string{"sla", "which_latency", "failures"}},
		{"no latency", func(p *Plan, _ map[string]bool) { p.Rules = p.Rules[1:] }, "", []string{"which_latency"}},
		{"a raw rule", func(p *Plan, _ map[string]bool) { p.Rules[0] = rule(t, "raw.p99<500ms") }, "", []string{"which_latency"}},
		{"no limit for failures", func(p *Plan, _ map[string]bool) { p.Rules = p.Rules[:1] }, "", []string{"failures"}},
		{"one too few", func(p *Plan, _ map[string]bool) { p.Schedule.N-- }, "", []string{"enough"}},
		{"a finer percentile", func(p *Plan, _ map[string]bool) { p.Rules[0] = rule(t, "p99.9<500ms") }, "", []string{"enough"}},
		{"the greatest", func(p *Plan, _ map[string]bool) { p.Rules[0] = rule(t, "max<500ms") }, "", nil},
		{"a higher confidence", func(p *Plan, _ map[string]bool) { p.Confidence = 99 }, "", []string{"enough"}},
		{"the usual timeout", func(_ *Plan, said map[string]bool) { said["timeout"] = false }, "", []string{"timeout"}},
		{"no timeout", func(p *Plan, _ map[string]bool) { p.Timeout = 0 }, "", []string{"timeout"}},
		{"a timeout below the limit", func(p *Plan, _ map[string]bool) { p.Timeout = 499 * time.Millisecond }, "", []string{"timeout"}},
		{"retries without a deadline", func(p *Plan, _ map[string]bool) { p.Retry, _ = retry.Parse("attempts=3") }, "", []string{"deadline"}},
		{"retries with one", func(p *Plan, said map[string]bool) {
			p.Retry, _ = retry.Parse("attempts=3")
			p.Deadline, said["deadline"] = time.Second, true
		}, "", nil},
		{"any status", func(p *Plan, _ map[string]bool) { p.Expect, _ = ParseStatuses("any") }, "", []string{"expect_status"}},
		{"the usual statuses", func(_ *Plan, said map[string]bool) { said["expect-status"] = false }, "", []string{"expect_status"}},
		{"no warm-up", func(p *Plan, said map[string]bool) { p.Warmup, said["warmup"] = 0, false }, "", []string{"warmup"}},
		{"no warm-up on purpose", func(p *Plan, _ map[string]bool) { p.Warmup = 0 }, "", nil},
		{"a burst has none", func(p *Plan, said map[string]bool) {
			p.Schedule = schedule.Spec{Law: schedule.Law{Kind: schedule.Burst}, N: 300}
			p.Warmup, said["warmup"] = 0, false
		}, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, said := sound(t)
			tt.spoil(&p, said)
			require.NoError(t, p.Check())
			var broken []string
			for _, f := range Lint(&p, func(flag string) bool { return said[flag] }, tt.reason) {
				require.NotEmpty(t, f.Text, f.Code)
				if f.Broken {
					broken = append(broken, f.Code)
				}
			}
			require.Equal(t, tt.broken, broken)
		})
	}
}
