package retry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/engine"
	"openload/schedule"
)

func TestT13ThroughTheEngine(t *testing.T) {
	for budget, want := range map[string]int{"grpc:10/0.1": 4, "grpc:100/0.1": 49, "20%+10/s": 130} {
		got := stampede(t, policy(t, exponential+" jitter=full budget="+budget), 1)
		require.Len(t, got.sent(), want, budget)
	}
}

func TestABreakerThroughTheEngine(t *testing.T) {
	rate, err := schedule.ParseRate("10")
	require.NoError(t, err)
	from := schedule.Spec{Shape: schedule.Constant(rate), N: 600}
	got := run(from.Open(nil), server(t, "service=10ms freeze=0s:30s workers=0", nil), policy(t, "attempts=2 base=100ms breaker=50%/10s calls=20 open=5s probes=2"), 1, engine.Limits{Timeout: time.Second})
	by := map[correct.Class]int{}
	fired := 0
	for _, x := range got {
		if x.Fired {
			fired++
		}
		if x.Final {
			by[x.Class]++
		}
	}
	require.Equal(t, 600, by[correct.OK]+by[correct.Timeout]+by[correct.Blocked])
	require.Less(t, fired, 350, "what was blocked never left")
	require.Greater(t, by[correct.Blocked], 200)
	require.Greater(t, by[correct.OK], 250)
}
