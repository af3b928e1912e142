package plan_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/plan"
	"openload/request"
	"openload/schedule"
	"openload/seed"
	"openload/sla"
)

// How many operations a target has is what counting them one by one says.
func TestPlannedOperationsOfATarget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := seed.Seed(rapid.Uint64Range(1, 100).Draw(t, "seed"))
		var items []request.Item
		for i := range rapid.IntRange(1, 5).Draw(t, "items") {
			items = append(items, request.Item{
				Name: string(rune('a' + i%3)), Weight: rapid.IntRange(1, 7).Draw(t, "weight"), Request: request.Request{URL: "http://h/"},
			})
		}
		mix, err := request.NewMix(items, rapid.SampledFrom([]request.Order{request.Cycle, request.Random}).Draw(t, "order"), from.Numbers("targets"))
		require.NoError(t, err)
		rate, err := schedule.ParseRate("50")
		require.NoError(t, err)
		p := plan.Plan{
			Seed: from, Mix: mix, Schedule: schedule.Spec{Shape: schedule.Constant(rate), N: rapid.Uint64Range(1, 500).Draw(t, "n")},
			Warmup: time.Duration(rapid.Int64Range(0, int64(3*time.Second)).Draw(t, "warmup")),
		}
		for _, text := range []string{"a: errors<1%", "errors<1%", "a: rate>=99%"} {
			rule, err := sla.Parse(text)
			require.NoError(t, err)
			p.Rules = append(p.Rules, rule)
		}
		var all, a uint64
		open := p.Arrivals()
		for x, ok := open.Next(); ok; x, ok = open.Next() {
			if p.Warm(x.At) {
				continue
			}
			all++
			if mix.Items()[mix.Pick(x.Seq)].Name == "a" {
				a++
			}
		}
		budgets := p.Budgets(p.Planned(), p.PlannedWarm())
		require.Len(t, budgets, 2)
		require.Equal(t, []uint64{a, all}, []uint64{budgets[0].Planned, budgets[1].Planned})
	})
}
