// What is turned away, counted out the slow way.

package lab

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAQuotaInEveryWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 5).Draw(t, "most")
		window := time.Duration(rapid.IntRange(1, 100).Draw(t, "window"))
		m := parsed(t, fmt.Sprintf("service=5s workers=0 accept=%d/%s", most, window)).Model(nil)
		came, taken := map[time.Duration]int{}, map[time.Duration]int{}
		late := time.Hour // windows count from the first arrival
		for _, at := range arrivals(t, 100, 1) {
			came[at/window]++
			switch a := m.Serve(late + at); a.Fate {
			case Served:
				taken[at/window]++
				require.Equal(t, Answer{At: late + at + 5*time.Second, Status: 200, Effect: true, EffectAt: late + at + 5*time.Second, Held: a.Held}, a)
			default:
				require.Equal(t, Answer{At: late + at, Status: 503, Fate: Rejected, Held: a.Held}, a)
				require.Equal(t, most, taken[at/window], "room was left")
			}
		}
		for w, n := range came {
			require.Equal(t, min(n, most), taken[w])
		}
	})
}

func TestALimitOfThoseInTheServer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 10).Draw(t, "limit")
		m := parsed(t, fmt.Sprintf("service=20ns stall=3:300ns workers=%d hang=5ns hang-after=30ns limit=%d",
			rapid.IntRange(0, 3).Draw(t, "workers"), limit)).Model(nil)
		var leave []time.Duration
		for _, at := range arrivals(t, 100, 1) {
			leave = slices.DeleteFunc(leave, func(t time.Duration) bool { return t <= at })
			a := m.Serve(at)
			require.Equal(t, len(leave) == limit, a.Fate == Rejected)
			if a.Fate == Served {
				leave = append(leave, a.At)
			} else {
				require.Equal(t, at, a.At)
			}
			require.Equal(t, len(leave), a.Held)
		}
	})
}

func TestALimitOfThoseWhoWait(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const service, hang = 20, 7
		most := rapid.IntRange(0, 5).Draw(t, "most")
		workers := rapid.IntRange(1, 3).Draw(t, "workers")
		m := parsed(t, fmt.Sprintf("service=%dns workers=%d hang=%dns queue=%d", service, workers, hang, most)).Model(nil)
		var starts []time.Duration
		for _, at := range arrivals(t, 100, 1) {
			enters := at + hang
			waiting, busy := 0, 0
			for _, s := range starts {
				if s > enters {
					waiting++
				} else if s+service > enters {
					busy++
				}
			}
			a := m.Serve(at)
			full := busy == workers && waiting == most
			require.Equal(t, full, a.Fate == Rejected)
			if full {
				require.Equal(t, enters, a.At)
			} else {
				starts = append(starts, a.At-service)
			}
		}
	})
}

// One worker: whoever would not be done in time costs it nothing, and is told so when
// the turn has come.
func TestWhatIsTooOldIsNotBegun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		service := time.Duration(rapid.IntRange(1, 60).Draw(t, "service"))
		hang := time.Duration(rapid.IntRange(0, 20).Draw(t, "hang"))
		oldest := time.Duration(rapid.IntRange(1, 300).Draw(t, "oldest"))
		m := parsed(t, fmt.Sprintf("service=%s hang=%s max-age=%s reject=429 retry-after=7s", service, hang, oldest)).Model(nil)
		free := time.Duration(0)
		for _, at := range arrivals(t, 100, 1) {
			start := max(free, at+hang)
			a := m.Serve(at)
			if start+service-at > oldest {
				require.Equal(t, Answer{At: start, Status: 429, Fate: Expired, RetryAfter: 7 * time.Second, Held: a.Held}, a)
				continue
			}
			free = start + service
			require.Equal(t, Answer{At: free, Status: 200, Effect: true, EffectAt: free, Held: a.Held}, a)
		}
	})
}

func TestAFrozenServerTellsNobodyThatItIsTooLate(t *testing.T) {
	m := model(t, "service=50ms freeze=100ms:10s max-age=1s limit=2")
	require.Equal(t, Served, m.Serve(0).Fate)
	a := m.Serve(200 * ms)
	require.Equal(t, Expired, a.Fate)
	require.Equal(t, 10_100*ms, a.At, "in its turn, which comes when the server thaws")
	require.Equal(t, Expired, m.Serve(300*ms).Fate)
	a = m.Serve(400 * ms)
	require.Equal(t, Rejected, a.Fate)
	require.Equal(t, 400*ms, a.At, "the gate stands before it and is not frozen")
}

func TestTheGateTakesNothingFromThoseBehindIt(t *testing.T) {
	t.Run("what the limit turns away leaves the quota alone", func(t *testing.T) {
		m := model(t, "service=10ms workers=0 limit=1 accept=2/1s")
		var fates []Fate
		for _, at := range []time.Duration{0, 1 * ms, 2 * ms, 20 * ms, 40 * ms} {
			fates = append(fates, m.Serve(at).Fate)
		}
		require.Equal(t, []Fate{Served, Rejected, Rejected, Served, Rejected}, fates)
	})
	t.Run("requests are numbered as they arrive, rejected or not", func(t *testing.T) {
		m := model(t, "service=10ms stall=3:2s limit=1")
		m.Serve(0)
		m.Serve(1 * ms) // rejected
		require.Equal(t, 2020*ms, m.Serve(20*ms).At)
	})
}

func TestHowAnswersLook(t *testing.T) {
	for _, tt := range []struct {
		name, spec string
		want       Answer
	}{
		{"held after the effect", "service=1s hang=2s hang-after=8s", Answer{At: 11 * time.Second, Status: 200, Effect: true, EffectAt: 3 * time.Second}},
		{"a body takes its time", "service=1s body=2MB trickle=5s", Answer{At: 6 * time.Second, Status: 200, Body: 2_000_000, Trickle: 5 * time.Second, Effect: true, EffectAt: time.Second}},
		{"an error has no effect and no body", "service=1s errors=100% body=2MB trickle=5s", Answer{At: time.Second, Status: 500}},
		{"who is hung up on has the effect", "service=1s close=100% body=2MB trickle=5s", Answer{At: time.Second, Effect: true, EffectAt: time.Second}},
		{"429 says when to come again", "service=1s status=429:100% retry-after=3s", Answer{At: time.Second, Status: 429, RetryAfter: 3 * time.Second}},
		{"so does 503", "service=1s status=503:100% retry-after=3s", Answer{At: time.Second, Status: 503, RetryAfter: 3 * time.Second}},
		{"and no other", "service=1s status=500:100% limit=1 retry-after=3s", Answer{At: time.Second, Status: 500}},
		{"another success", "status=202:100%", Answer{Status: 202, Effect: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Held = 1
			require.Equal(t, tt.want, model(t, tt.spec).Serve(0))
		})
	}
}

func TestSharesOfStatuses(t *testing.T) {
	const n = 20_000
	m := model(t, "errors=5% close=5% status=429:10% status=202:30%")
	got := map[int]int{}
	for range n {
		got[m.Serve(0).Status]++
	}
	for status, share := range map[int]float64{500: .05, 0: .05, 429: .1, 202: .3, 200: .5} {
		require.InDelta(t, share*n, got[status], 0.018*n, status) // five standard deviations of a half
	}
}
