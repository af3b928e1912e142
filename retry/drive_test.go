package retry

import (
	"container/heap"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/seed"
)

const ms = time.Millisecond

// policy parses what a test relies on.
func policy(t require.TestingT, text string) Policy {
	p, err := Parse(text)
	require.NoError(t, err)
	return p
}

// chance is an operation's stream, as run hands it in.
func chance(s seed.Seed) func(uint64) *rand.Rand {
	return func(seq uint64) *rand.Rand { return s.At("retry", seq) }
}

func retrier(t require.TestingT, text string) *Retrier {
	return New(policy(t, text), Options{Method: "GET", Chance: chance(1)})
}

// hook is what the engine calls.
type hook interface {
	Start(attempt int, now time.Duration) bool
	After(correct.Sample) (time.Duration, bool)
}

// drive is the engine's loop in small: it calls Start and After as their contract
// says, and returns the attempts that were made. serve decides how each of them ends.
func drive(r hook, originals []time.Duration, serve func(x *correct.Sample)) (made []correct.Sample) {
	var q events
	for i, at := range originals {
		heap.Push(&q, event{at: at, x: correct.Sample{Seq: uint64(i), Attempt: 1, Intended: at}})
	}
	for len(q) > 0 {
		e := heap.Pop(&q).(event)
		switch {
		case e.ended:
			made = append(made, e.x)
			if delay, again := r.After(e.x); again {
				x := correct.Sample{Seq: e.x.Seq, Attempt: e.x.Attempt + 1, Intended: e.x.Intended, Earlier: true}
				heap.Push(&q, event{at: e.at + delay, x: x})
			}
		case r.Start(e.x.Attempt, e.at):
			x := e.x
			x.Due, x.Dispatched, x.Sent, x.Fired, x.Written = e.at, e.at, e.at, true, true
			serve(&x)
			heap.Push(&q, event{at: x.Done, ended: true, x: x})
		}
	}
	return made
}

// hang is a server that answers nobody, and a client that waits for 3 s.
func hang(x *correct.Sample) { x.Done, x.Class = x.Sent+3*time.Second, correct.Timeout }

// refuse is a server that is down.
func refuse(x *correct.Sample) { x.Done, x.Class, x.Written = x.Sent, correct.Refused, false }

// every is n instants, one each period.
func every(n int, period time.Duration) (at []time.Duration) {
	for i := range n {
		at = append(at, time.Duration(i)*period)
	}
	return at
}

func retries(made []correct.Sample) (n int) {
	for _, x := range made {
		if x.Attempt > 1 {
			n++
		}
	}
	return n
}

// An event is an attempt that starts, or one that ends. Ends come first.
type event struct {
	at    time.Duration
	ended bool
	x     correct.Sample
}

type events []event

func (q events) Len() int      { return len(q) }
func (q events) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q events) Less(i, j int) bool {
	a, b := q[i], q[j]
	if a.at != b.at {
		return a.at < b.at
	}
	if a.ended != b.ended {
		return a.ended
	}
	return a.x.Seq < b.x.Seq
}
func (q *events) Push(x any) { *q = append(*q, x.(event)) }
func (q *events) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

func TestAttemptsAreNumberedAndBounded(t *testing.T) {
	made := drive(retrier(t, "attempts=4 backoff=fixed base=1s"), every(3, time.Second), refuse)
	require.Len(t, made, 12)
	for _, x := range made {
		require.Equal(t, x.Intended+time.Duration(x.Attempt-1)*time.Second, x.Sent)
	}
}
