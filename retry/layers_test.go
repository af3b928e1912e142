package retry

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/seed"
)

// layers is a chain of callers that each retry by themselves; below the last of them is
// a server that fails at random.
type layers struct {
	callers []*Retrier
	calls   []int // by layer, the top first
	failure float64
	r       *rand.Rand
}

func chain(t *testing.T, depth int, policy string, failure float64) *layers {
	l := &layers{calls: make([]int, depth), failure: failure, r: seed.Seed(4).Stream("server")}
	for range depth {
		l.callers = append(l.callers, retrier(t, policy+" backoff=fixed base=0s"))
	}
	return l
}

// call is one operation of the callers at a layer.
func (l *layers) call(layer int, now time.Duration) (ok bool) {
	if layer == len(l.callers) {
		return l.r.Float64() >= l.failure
	}
	r := l.callers[layer]
	for attempt := 1; r.Start(attempt, now); attempt++ {
		l.calls[layer]++
		x := correct.Sample{Attempt: attempt, Dispatched: now, Done: now, Fired: true, Written: true, Class: correct.BadStatus, Status: 500}
		if ok = l.call(layer+1, now); ok {
			x.Class, x.Status = correct.OK, 200
		}
		if _, again := r.After(x); !again {
			break
		}
	}
	return ok
}

func TestQ7AttemptsMultiply(t *testing.T) {
	l := chain(t, 3, "attempts=3", 1)
	l.call(0, 0)
	require.Equal(t, []int{3, 9, 27}, l.calls, "39 in all")

	l = chain(t, 3, "attempts=4", 1)
	l.call(0, 0)
	require.Equal(t, 64, l.calls[2], "read as 3 retries")
}

// Three loops of three in each other are one loop of 27.
func TestQ8ChanceInTheDeepestLayer(t *testing.T) {
	for failure, want := range map[float64]float64{.5: 2, .9: 9.419} {
		const n = 20_000
		l := chain(t, 3, "attempts=3", failure)
		for range n {
			l.call(0, 0)
		}
		require.InEpsilon(t, want, float64(l.calls[2])/n, .03)
	}
}

func TestQ9BudgetsMultiplyToo(t *testing.T) {
	for budget, want := range map[string]float64{"20%": 1.728, "10%": 1.331} {
		const n = 5000
		l := chain(t, 3, "attempts=3 budget="+budget, 1)
		for i := range n {
			l.call(0, time.Duration(i)*ms)
		}
		require.InDelta(t, want, float64(l.calls[2])/n, .002)
	}
}
