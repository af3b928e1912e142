package run_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/plan"
	"openload/report"
	"openload/request"
	"openload/retry"
	"openload/seed"
)

// mixed is a plan of three targets, checkout among them with a tenth of the load.
func mixed(t *testing.T, order request.Order, rulesOf ...string) *plan.Plan {
	mix, err := request.NewMix([]request.Item{
		{Name: "search", Weight: 6, Request: request.Request{URL: "http://h/search"}},
		{Weight: 3, Request: request.Request{URL: "http://h/items"}},
		{Name: "checkout", Request: request.Request{Method: "POST", URL: "http://h/pay"}},
	}, order, seed.Seed(1).Numbers("targets"))
	require.NoError(t, err)
	return &plan.Plan{Schedule: even(t, "100", 1000), Drain: time.Minute, Mix: mix, Rules: rules(t, rulesOf...)}
}

func TestTargetsAreTheWhole(t *testing.T) {
	r := simulate(t, mixed(t, request.Cycle), "service=5ms workers=2")
	require.Len(t, r.Targets, 3)
	var sum report.Target
	for _, x := range r.Targets {
		require.Nil(t, x.Counts.MaxBacklog, "who waited is counted for the whole alone")
		sum.Counts.Scheduled += x.Counts.Scheduled
		sum.Counts.Sent += x.Counts.Sent
		sum.Counts.Attempts += x.Counts.Attempts
		sum.Latency.Raw = x.Latency.Raw
		require.InDelta(t, *x.PlannedShare, *x.SentShare, 1e-9, "a cycle keeps the weights")
		require.Nil(t, x.Latency.ClosedLoop)
	}
	require.Equal(t, r.Counts.Scheduled, sum.Counts.Scheduled)
	require.Equal(t, r.Counts.Sent, sum.Counts.Sent)
	require.Equal(t, r.Counts.Attempts, sum.Counts.Attempts)
	require.Equal(t, []string{"search", "GET /items", "checkout"}, []string{r.Targets[0].Name, r.Targets[1].Name, r.Targets[2].Name})
}

// A rule for a target is judged on its operations alone: 3 of checkout's 100 are slow,
// which its p99 does not allow, and that of all 1,000 does.
func TestARuleForATarget(t *testing.T) {
	server := "service=5ms workers=0"
	p := mixed(t, request.Cycle)
	for seq, slow := uint64(0), 0; slow < 3; seq++ {
		if p.Mix.Items()[p.Mix.Pick(seq)].Name == "checkout" {
			server += fmt.Sprintf(" stall=%d:2s", seq+1)
			slow++
		}
	}
	for _, tt := range []struct{ rule, want string }{
		{"p99<1s", "pass"},
		{"checkout: p99<1s", "fail"},
		{"checkout: p95<1s", "pass"},
		{"search: p99<1s", "pass"},
		{"GET /items: max<1s", "pass"},
		{"checkout: attempts<=1", "pass"},
		{"checkout: rate>=99%", "pass"},
	} {
		r := simulate(t, mixed(t, request.Cycle, tt.rule), server)
		require.Equal(t, tt.want, r.Verdict, tt.rule)
		require.Equal(t, tt.rule, r.SLA[0].Rule)
	}
	require.EqualValues(t, 100, simulate(t, mixed(t, request.Cycle, "checkout: p99<1s"), server).SLA[0].Of)
}

func TestARuleForNoTarget(t *testing.T) {
	for _, tt := range []struct{ rule, want string }{
		{"chekout: p99<1s", `for a target named "chekout", and there is none; did you mean "checkout"?`},
		{"get /item: p99<1s", `did you mean "GET /items"?`},
		{"payments: p99<1s", `the targets are "search", "GET /items", "checkout"`},
	} {
		require.ErrorContains(t, mixed(t, request.Cycle, tt.rule).Check(), tt.want)
	}
	p := mixed(t, request.Cycle, "checkout: p99<1s")
	p.Mix = nil
	require.ErrorContains(t, p.Check(), `the plan has one target without a name; leave out "checkout:"`)
}

// What a target retries is its own: an unsafe method is not sent again.
func TestRetriesOfATarget(t *testing.T) {
	p := mixed(t, request.Random, "search: attempts<1.4", "checkout: attempts<=1")
	var err error
	p.Retry, err = retry.Parse("attempts=2 base=10ms")
	require.NoError(t, err)
	p.Seed = 1
	r := simulate(t, p, "service=1ms errors=30% workers=0")
	require.Greater(t, *r.Targets[0].AttemptsPerOperation, 1.2)
	require.EqualValues(t, 1, *r.Targets[2].AttemptsPerOperation)
	require.EqualValues(t, r.Targets[2].Failed, r.Retries.Unsafe)
	require.Equal(t, "pass", r.Verdict, r.Reasons)
	require.InDelta(t, 0.1, *r.Targets[2].SentShare, 0.03, "chance keeps the weights nearly")
	require.InDelta(t, 0.1, *r.Targets[2].PlannedShare, 1e-9)
}

// Of very many targets those that rules name and those that come most often have rows.
func TestVeryManyTargets(t *testing.T) {
	var items []request.Item
	for i := range 200 {
		items = append(items, request.Item{Name: strings.Repeat("x", i+1), Weight: 1 + i%7, Request: request.Request{URL: "http://h/"}})
	}
	mix, err := request.NewMix(items, request.Cycle, nil)
	require.NoError(t, err)
	p := &plan.Plan{Schedule: even(t, "1000", mix.Round()), Drain: time.Minute, Mix: mix, Rules: rules(t, "x: p99<1s")}
	r := simulate(t, p, "service=1ms workers=0")
	require.Equal(t, "pass", r.Verdict)
	require.Len(t, r.Targets, 50)
	require.Equal(t, "x", r.Targets[0].Name)
	require.Equal(t, plan.OtherTargets, r.Targets[49].Name)
	var sum uint64
	for _, x := range r.Targets {
		sum += x.Counts.OK
		require.InDelta(t, *x.PlannedShare, *x.SentShare, 1e-9)
	}
	require.Equal(t, r.Counts.OK, sum)
}
