// Exact values from queueing theory: the lab of one stalled request (A: it
// takes 2 s in total, B: 2.05 s), the frozen server with several workers, and
// the server that recovers. The drivers are the two loops at their smallest.

package lab

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	ms       = time.Millisecond
	interval = 80 * ms
	labA     = "service=50ms stall=150:2s"
	labB     = "service=50ms stall=150:2050ms"
)

// model returns the server that text describes.
func model(t testing.TB, text string) Model {
	t.Helper()
	s, err := Parse(text)
	require.NoError(t, err)
	return s.Model(rand.New(rand.NewPCG(1, 2)))
}

// open sends n requests, one every interval whatever comes back, and returns
// their latencies.
func open(m Model, n int, every time.Duration) []time.Duration {
	latencies := make([]time.Duration, n)
	for i := range latencies {
		at := time.Duration(i) * every
		latencies[i] = m.Serve(at).At - at
	}
	return latencies
}

// closed lets each of c clients send the next of n requests as soon as its last
// one is answered, and returns the latencies.
func closed(m Model, n, c int) []time.Duration {
	clients := make(instants, c)
	latencies := make([]time.Duration, n)
	for i := range latencies {
		at := clients[0]
		clients[0] = m.Serve(at).At
		latencies[i] = clients[0] - at
		heap.Fix(&clients, 0)
	}
	return latencies
}

// instants is a heap of when clients are free.
type instants []time.Duration

func (h instants) Len() int           { return len(h) }
func (h instants) Less(i, j int) bool { return h[i] < h[j] }
func (h instants) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *instants) Push(any)          { panic("the number of clients is fixed") }
func (h *instants) Pop() any          { panic("the number of clients is fixed") }

// per is the nearest-rank quantile at k of 1000.
func per(latencies []time.Duration, k int) time.Duration {
	sorted := slices.Sorted(slices.Values(latencies))
	return sorted[max(1, (k*len(sorted)+999)/1000)-1]
}

func mean(latencies []time.Duration) time.Duration {
	var sum time.Duration
	for _, l := range latencies {
		sum += l
	}
	return sum / time.Duration(len(latencies))
}

func above(latencies []time.Duration, limit time.Duration) (n int) {
	for _, l := range latencies {
		if l > limit {
			n++
		}
	}
	return n
}

func TestLatencies(t *testing.T) {
	for _, tt := range []struct {
		name      string
		latencies []time.Duration
		want      map[int]time.Duration // by quantile in thousandths
		mean      time.Duration         // 0: not asked
	}{
		{"L1, L2: a closed loop sees the stall once", closed(model(t, labA), 200, 1),
			map[int]time.Duration{500: 50 * ms, 990: 50 * ms, 995: 50 * ms, 999: 2000 * ms, 1000: 2000 * ms}, 59750 * time.Microsecond},
		{"L9: an open loop sees everyone who waited", open(model(t, labA), 200, interval),
			map[int]time.Duration{500: 50 * ms, 750: 500 * ms, 900: 1400 * ms, 950: 1700 * ms, 990: 1940 * ms, 1000: 2000 * ms}, 356 * ms},
		{"L12: until the queue is empty again", open(model(t, labA), 300, interval),
			map[int]time.Duration{990: 1910 * ms}, 264500 * time.Microsecond},
		{"L13: closed, 2 s on top of 50 ms", closed(model(t, labB), 200, 1),
			map[int]time.Duration{990: 50 * ms, 1000: 2050 * ms}, 60 * ms},
		{"L13: open, 2 s on top of 50 ms", open(model(t, labB), 200, interval),
			map[int]time.Duration{990: 1990 * ms, 1000: 2050 * ms}, 368750 * time.Microsecond},
		{"L23: a second worker takes the others past the stall", open(model(t, labA+" workers=2"), 200, interval),
			map[int]time.Duration{990: 50 * ms, 1000: 2000 * ms}, 59750 * time.Microsecond},

		{"L24: frozen, 1 worker", open(model(t, "service=50ms freeze=11920ms:2s"), 200, interval),
			map[int]time.Duration{500: 50 * ms, 990: 1990 * ms, 1000: 2050 * ms}, 0},
		{"L24: frozen, 2 workers", open(model(t, "service=50ms freeze=11920ms:2s workers=2"), 200, interval),
			map[int]time.Duration{500: 50 * ms, 990: 1940 * ms, 1000: 2050 * ms}, 0},
		{"L24: frozen, 4 workers", open(model(t, "service=50ms freeze=11920ms:2s workers=4"), 200, interval),
			map[int]time.Duration{500: 50 * ms, 990: 1890 * ms, 1000: 2050 * ms}, 0},

		{"L25: frozen, 1 client", closed(model(t, "service=50ms freeze=500ms:2s workers=1"), 200, 1),
			map[int]time.Duration{990: 50 * ms, 1000: 2050 * ms}, 0},
		{"L25: frozen, 2 clients", closed(model(t, "service=50ms freeze=500ms:2s workers=2"), 200, 2),
			map[int]time.Duration{990: 50 * ms, 1000: 2050 * ms}, 0},
		{"L25: frozen, 3 clients", closed(model(t, "service=50ms freeze=500ms:2s workers=3"), 200, 3),
			map[int]time.Duration{990: 2050 * ms}, 0},
		{"L25: frozen, 10 clients", closed(model(t, "service=50ms freeze=500ms:2s workers=10"), 200, 10),
			map[int]time.Duration{990: 2050 * ms}, 0},

		{"L27: 1 client", closed(model(t, labA), 200, 1), map[int]time.Duration{500: 50 * ms, 990: 50 * ms}, 0},
		{"L27: 2 clients", closed(model(t, labA), 200, 2), map[int]time.Duration{500: 100 * ms, 990: 100 * ms}, 0},
		{"L27: 3 clients", closed(model(t, labA), 200, 3), map[int]time.Duration{500: 150 * ms, 990: 2100 * ms}, 0},
		{"L27: 10 clients", closed(model(t, labA), 200, 10), map[int]time.Duration{500: 500 * ms, 990: 2450 * ms}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for k, want := range tt.want {
				require.Equal(t, want, per(tt.latencies, k), "at %d of 1000", k)
			}
			if tt.mean > 0 {
				require.Equal(t, tt.mean, mean(tt.latencies))
			}
		})
	}
}

func TestLatenciesAboveLimits(t *testing.T) {
	for _, tt := range []struct {
		name      string
		latencies []time.Duration
		want      map[time.Duration]int
	}{
		{"L10: open", open(model(t, labA), 200, interval), map[time.Duration]int{50 * ms: 51, 500 * ms: 50, 1000 * ms: 34}},
		{"L12: open, until the queue is empty", open(model(t, labA), 300, interval), map[time.Duration]int{50 * ms: 65, 500 * ms: 50, 1000 * ms: 34}},
		{"open, 2 s on top of 50 ms", open(model(t, labB), 200, interval), map[time.Duration]int{50 * ms: 51, 500 * ms: 51, 1000 * ms: 35}},
		{"L24: frozen, 1 worker", open(model(t, "service=50ms freeze=11920ms:2s"), 200, interval), map[time.Duration]int{500 * ms: 51}},
		{"L24: frozen, 2 workers", open(model(t, "service=50ms freeze=11920ms:2s workers=2"), 200, interval), map[time.Duration]int{500 * ms: 29}},
		{"L24: frozen, 4 workers", open(model(t, "service=50ms freeze=11920ms:2s workers=4"), 200, interval), map[time.Duration]int{500 * ms: 23}},
		{"L25: as many are slow as there are clients", closed(model(t, "service=50ms freeze=500ms:2s workers=4"), 200, 4), map[time.Duration]int{50 * ms: 4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for limit, want := range tt.want {
				require.Equal(t, want, above(tt.latencies, limit), "above %s", limit)
			}
		})
	}
}

// L11: request 150+k waits for what is left of 2 s, 30 ms less each.
func TestTheQueueAfterTheStallDrainsBy30msARequest(t *testing.T) {
	latencies := open(model(t, labA), 300, interval)
	for i, got := range latencies {
		want := 50 * ms
		if k := i - 149; k >= 0 {
			want = max(want, 2000*ms-time.Duration(k)*30*ms)
		}
		require.Equal(t, want, got, "request %d", i+1)
	}
}

// recovering puts perSecond requests a second to a server that recovers, from 0
// to 360 s. Theory treats it as a fluid and the server serves units, and yet the
// values are equal: while there is a backlog, a unit's service begins exactly
// when the fluid ahead of it is gone.
func recovering(t *testing.T, perSecond int) (arrivals, done []time.Duration) {
	m := model(t, "capacity=60/s until=120s then=100/s")
	for k := range 360*perSecond + 1 {
		at := time.Duration(k) * time.Second / time.Duration(perSecond)
		arrivals = append(arrivals, at)
		done = append(done, m.Serve(at).At)
	}
	return arrivals, done
}

// The backlog at t is what arrived before t and is not done by t.
func TestBacklogOfARecoveringServer(t *testing.T) {
	for _, tt := range []struct {
		name      string
		perSecond int
		want      map[time.Duration]int // by second
	}{
		{"Q1: 80/s", 80, map[time.Duration]int{60: 1200, 120: 2400, 180: 1200, 240: 0, 360: 0}},
		{"Q2: 40/s of retries on top", 120, map[time.Duration]int{60: 3600, 120: 7200, 240: 9600, 360: 12000}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			arrivals, done := recovering(t, tt.perSecond)
			for second, want := range tt.want {
				at := second * time.Second
				arrived, _ := slices.BinarySearch(arrivals, at)
				completed, _ := slices.BinarySearch(done, at+1)
				require.Equal(t, want, arrived-completed, "at %s", at)
			}
		})
	}
}

// A unit's delay ends when the unit ahead of it is done.
func TestDelayInARecoveringServer(t *testing.T) {
	for _, tt := range []struct {
		name      string
		perSecond int
		want      map[time.Duration]time.Duration // in seconds, by second of arrival
	}{
		{"Q3: longest at 90 s, before the backlog is", 80, map[time.Duration]time.Duration{90: 30, 120: 24}},
		{"Q4: 40/s of retries on top", 120, map[time.Duration]time.Duration{60: 60, 120: 72, 360: 120}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			arrivals, done := recovering(t, tt.perSecond)
			delays := make([]time.Duration, len(arrivals))
			for k := 1; k < len(delays); k++ {
				delays[k] = max(0, done[k-1]-arrivals[k])
			}
			longest := time.Duration(0)
			for second, want := range tt.want {
				k, found := slices.BinarySearch(arrivals, second*time.Second)
				require.True(t, found)
				require.Equal(t, want*time.Second, delays[k], "arrival at %d s", second)
				longest = max(longest, want*time.Second)
			}
			require.Equal(t, longest, slices.Max(delays))
		})
	}
}
