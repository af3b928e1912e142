package plan

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/retry"
	"openload/schedule"
	"openload/sla"
)

func rate(t *testing.T, text string) schedule.Rate {
	r, err := schedule.ParseRate(text)
	require.NoError(t, err)
	return r
}

func rule(t *testing.T, text string) sla.Rule {
	r, err := sla.Parse(text)
	require.NoError(t, err)
	return r
}

func TestCheckNamesEverythingAtOnce(t *testing.T) {
	p := Plan{
		Timeout: -1, Connections: -2, Confidence: 20,
		Rules: []sla.Rule{rule(t, "checkout: p99<500ms")},
	}
	err := p.Check()
	require.Error(t, err)
	for _, want := range []string{"--timeout", "--connections", "no rate", "--confidence", `target named "checkout"`} {
		require.ErrorContains(t, err, want)
	}
}

func TestCheck(t *testing.T) {
	open := schedule.Spec{Shape: schedule.Constant(rate(t, "12.5")), N: 200}
	asks, err := retry.Parse("attempts=2 unknown=query:/pay")
	require.NoError(t, err)
	poisson := open
	poisson.Law.Kind, poisson.N, poisson.Duration = schedule.Poisson, 0, time.Microsecond
	for _, tt := range []struct {
		name string
		plan Plan
		want string // "": no problem
	}{
		{"open", Plan{Schedule: open}, ""},
		{"a schedule that chance left empty", Plan{Schedule: poisson, Seed: 1}, "by chance"},
		{"asks without a key", Plan{Schedule: open, Retry: asks}, "add --idempotency-key"},
		{"asks with one", Plan{Schedule: open, Retry: asks, HasKey: true}, ""},
		{"closed", Plan{Closed: &Closed{N: 5}, Connections: 1}, ""},
		{"closed without an end", Plan{Closed: &Closed{}, Connections: 1}, "needs an end"},
		{"closed without workers", Plan{Closed: &Closed{N: 5}}, "-c 1"},
		{"closed with a corrected rule", Plan{Closed: &Closed{N: 5}, Connections: 1, Rules: []sla.Rule{rule(t, "p99<1s")}}, "raw."},
		{"closed with a raw rule", Plan{Closed: &Closed{N: 5}, Connections: 1, Rules: []sla.Rule{rule(t, "raw.p99<1s")}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.plan.Check()
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestThePlanKnowsItsArrivals(t *testing.T) {
	p := Plan{Schedule: schedule.Spec{Shape: schedule.Constant(rate(t, "12.5")), Duration: 16 * time.Second}}
	require.EqualValues(t, 200, p.Planned())
	require.Equal(t, 16*time.Second, p.Length())
	var n uint64
	for s := p.Arrivals(); ; n++ {
		if _, ok := s.Next(); !ok {
			break
		}
	}
	require.Equal(t, p.Planned(), n)
}

func TestStatuses(t *testing.T) {
	for _, tt := range []struct {
		text    string
		in, out []int
	}{
		{"200-399", []int{200, 302, 399}, []int{199, 400, 500}},
		{"200,204", []int{200, 204}, []int{201, 203}},
		{"any", []int{100, 503, 999}, nil},
		{"200, 301-303", []int{200, 302}, []int{300, 304}},
	} {
		s, err := ParseStatuses(tt.text)
		require.NoError(t, err)
		require.Equal(t, tt.text, s.String())
		for _, code := range tt.in {
			require.True(t, s.Has(code), "%s %d", tt.text, code)
		}
		for _, code := range tt.out {
			require.False(t, s.Has(code), "%s %d", tt.text, code)
		}
	}
	require.True(t, Statuses{}.Has(302))
	require.False(t, Statuses{}.Has(404))
	for _, text := range []string{"", "2xx", "99", "1000", "300-200", "200-", "-1"} {
		_, err := ParseStatuses(text)
		require.Error(t, err, text)
	}
}
