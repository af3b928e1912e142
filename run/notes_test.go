package run_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/plan"
	"openload/retry"
	"openload/schedule"
)

// Each note about attempts is provoked, and is not there where it has no reason.
func TestNotesAboutAttempts(t *testing.T) {
	for _, tt := range []struct {
		name, server, retry string
		timeout             time.Duration
		poisson             bool
		want                map[string]string // what it says, by code
	}{
		{name: "all is well", server: "service=5ms workers=0", retry: "attempts=3 backoff=fixed base=10ms"},
		{name: "a few in a thousand hide nothing", server: "service=5ms workers=0 errors=0.3%", retry: "attempts=3 backoff=fixed base=10ms"},
		{name: "nothing is retried", server: "service=5ms workers=0 errors=20%", retry: "none"},
		{
			name: "one in five is made good", server: "service=5ms workers=0 errors=20%", retry: "attempts=3 backoff=fixed base=10ms",
			want: map[string]string{"retries_hid_failures": "retries hid failures: 9"},
		},
		{
			name: "nobody is ever answered", server: "hang=1h workers=0", retry: "attempts=3 backoff=fixed base=10ms", timeout: time.Second,
			want: map[string]string{"retries_in_vain": "retries bought next to nothing: 6000 attempts after the first made 0 operations good; the server got 3.00 times the load"},
		},
		{
			name: "who fails once fails again", server: "service=9.9ms max-age=300ms", retry: "attempts=2 backoff=fixed base=10ms", poisson: true,
			want: map[string]string{"retries_hid_failures": "", "attempts_not_independent": "the attempts at one operation did not fail independently of each other: "},
		},
		{
			name: "answers come until the timeout cuts them off", server: "service=9.9ms", retry: "none", timeout: 200 * time.Millisecond, poisson: true,
			want: map[string]string{"timeout_too_short": "--timeout 200ms is too short for this server: it cut off "},
		},
		{name: "most are blocked, few are tried at all", server: "service=5ms workers=0 errors=50%", retry: "attempts=3 backoff=fixed base=10ms breaker=40%/2s"},
		{
			name: "some failures are not tried again", server: "service=5ms workers=0 status=404:30% errors=40%", retry: "attempts=3 backoff=fixed base=10ms",
			want: map[string]string{"retries_hid_failures": ""},
		},
		{
			name: "a budget ends most", server: "hang=1h workers=0", retry: "attempts=3 backoff=fixed base=10ms budget=20%", timeout: time.Second,
			want: map[string]string{"retries_in_vain": "retries bought next to nothing: 597 attempts after the first made 0 operations good"},
		},
		{name: "a hang is not a short timeout", server: "service=5ms stall=100:1m stall=200:1m workers=0", retry: "none", timeout: time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &plan.Plan{Schedule: even(t, "100", 3000), Seed: 3, Timeout: tt.timeout, Drain: time.Hour, Target: plan.Target{Method: "GET"}}
			if tt.poisson {
				p.Schedule.Law = schedule.Law{Kind: schedule.Poisson}
			}
			var err error
			p.Retry, err = retry.Parse(tt.retry)
			require.NoError(t, err)
			got := map[string]string{}
			for _, n := range simulate(t, p, tt.server).Notes {
				switch n.Code {
				case "retries_hid_failures", "retries_in_vain", "attempts_not_independent", "timeout_too_short":
					got[n.Code] = n.Text
				}
			}
			require.Len(t, got, len(tt.want), "%v", got)
			for code, text := range tt.want {
				require.Contains(t, got, code)
				require.Contains(t, got[code], text)
			}
		})
	}
}
