// A server that recovers, 80/s against 60/s and then 100/s: its backlog, its delays and
// what of its work is still of use. Theory treats it as a fluid.

package sim_test

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/engine"
	"openload/schedule"
	"openload/sim"
)

const recovering = "capacity=60/s until=120s then=100/s"

// underWay records how many operations are under way at each arrival, and all samples.
type underWay struct {
	samples
	out map[time.Duration]int
}

func (u *underWay) Arrive(_ uint64, intended, _ time.Duration, waiting, out int) {
	u.out[intended] = waiting + out
}

// recovery sends perSecond operations a second, the last of them at 360 s. The samples
// are in the order of the schedule.
func recovery(t *testing.T, perSecond int, behaviour string, lim engine.Limits) *underWay {
	rate, err := schedule.ParseRate(strconv.Itoa(perSecond))
	require.NoError(t, err)
	s := schedule.Spec{Shape: schedule.Constant(rate), N: uint64(360*perSecond + 1)}
	got := &underWay{out: map[time.Duration]int{}}
	lim.Drain = time.Hour
	engine.Run(context.Background(), context.Background(), s.Open(nil), sim.New(server(t, behaviour), anyStatus), got, nil, lim)
	slices.SortFunc(got.samples, func(a, b correct.Sample) int { return int(a.Seq) - int(b.Seq) })
	return got
}

func TestBacklogOfARecoveringServer(t *testing.T) {
	for _, tt := range []struct {
		name      string
		perSecond int
		want      map[time.Duration]int // by second
	}{
		{"Q1", 80, map[time.Duration]int{60: 1200, 120: 2400, 180: 1200, 240: 0, 360: 0}},
		{"Q2 40/s of retries on top", 120, map[time.Duration]int{60: 3600, 120: 7200, 240: 9600, 360: 12000}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := recovery(t, tt.perSecond, recovering, engine.Limits{})
			for second, want := range tt.want {
				out, arrived := got.out[second*time.Second]
				require.True(t, arrived)
				require.Equal(t, want, out, "at %d s", second)
			}
		})
	}
}

// The greatest delay is not that of who comes when the backlog is greatest.
func TestDelaysInARecoveringServer(t *testing.T) {
	for _, tt := range []struct {
		name      string
		perSecond int
		want      map[time.Duration]time.Duration // in seconds, by second of arrival
	}{
		{"Q3", 80, map[time.Duration]time.Duration{90: 30, 120: 24}},
		{"Q4 40/s of retries on top", 120, map[time.Duration]time.Duration{60: 60, 120: 72, 360: 120}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := recovery(t, tt.perSecond, recovering, engine.Limits{}).samples
			delays, longest := map[time.Duration]time.Duration{}, time.Duration(0)
			for k := 1; k < len(got); k++ {
				delay := max(0, got[k-1].Done-got[k].Sent) // a turn comes when the one before is done
				delays[got[k].Intended] = delay
				longest = max(longest, delay)
			}
			most := time.Duration(0)
			for second, want := range tt.want {
				require.Equal(t, want*time.Second, delays[second*time.Second], "arrival at %d s", second)
				most = max(most, want*time.Second)
			}
			require.Equal(t, most, longest)
		})
	}
}

// Useful is what is done 10 s after it was wanted. The server does as much either way.
func TestUsefulWorkOfTwoPolicies(t *testing.T) {
	const deadline, end = 10 * time.Second, 360 * time.Second
	for _, tt := range []struct {
		name                    string
		perSecond               int
		server                  string
		useful, dropped, inVain int // by 360 s
		tolerance               float64
	}{
		{"Q5 first come, first served", 80, recovering, 16_000, 0, 12_800, 8},
		{"Q5 40/s of retries on top", 120, recovering, 1200, 0, 30_000, 4},
		{"Q6a Q6b what cannot be done in time is not begun", 80, recovering + " max-age=10s", 27_200, 1600, 0, 2},
		{"Q6c Q6d 40/s of retries on top", 120, recovering + " max-age=10s", 31_200, 10_800, 0, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var useful, dropped, inVain int
			for _, x := range recovery(t, tt.perSecond, tt.server, engine.Limits{}).samples[:360*tt.perSecond] {
				switch {
				case x.Done > end+10*ms: // not begun by then
				case x.Status == 503:
					dropped++
				case x.Corrected() <= deadline:
					useful++
				default:
					inVain++
				}
			}
			require.InDelta(t, tt.useful, useful, tt.tolerance)
			require.InDelta(t, tt.dropped, dropped, tt.tolerance)
			require.InDelta(t, tt.inVain, inVain, tt.tolerance)
		})
	}
}
