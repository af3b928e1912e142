package retry

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
)

func TestWhatMayBeRetried(t *testing.T) {
	status := func(code int) correct.Sample {
		return correct.Sample{Attempt: 1, Fired: true, Written: true, Class: correct.BadStatus, Status: code}
	}
	class := func(c correct.Class, written bool) correct.Sample {
		return correct.Sample{Attempt: 1, Fired: true, Written: written, Class: c}
	}
	earlier := class(correct.Refused, false)
	earlier.Earlier = true
	// Of each: whether a GET is tried again, a POST, a POST with a key, and whether it
	// is unknown what became of the POST.
	type verdict struct{ get, post, keyed, unknown bool }
	safe := verdict{get: true, keyed: true}                   // to repeat only what does no harm
	dubious := verdict{get: true, keyed: true, unknown: true} // and what happened, nobody knows
	always := verdict{get: true, post: true, keyed: true}     // nothing left this machine
	never, unclear := verdict{}, verdict{unknown: true}       // the next attempt would meet it again
	for _, tt := range []struct {
		name string
		x    correct.Sample
		want verdict
	}{
		{"a success", correct.Sample{Attempt: 1, Fired: true, Written: true, Class: correct.OK, Status: 200}, never},
		{"408", status(408), safe},
		{"425", status(425), safe},
		{"429", status(429), safe},
		{"500", status(500), safe},
		{"502", status(502), safe},
		{"503", status(503), safe},
		{"504", status(504), safe},
		{"400", status(400), never},
		{"404", status(404), never},
		{"409", status(409), never},
		{"501", status(501), never},
		{"505", status(505), never},
		{"999", status(999), never},
		{"302 where it was not expected", status(302), never},
		{"no answer in time", class(correct.Timeout, true), dubious},
		{"no connection in time", class(correct.ConnectTimeout, false), always},
		{"refused", class(correct.Refused, false), always},
		{"refused, after an attempt that was sent", earlier, dubious},
		{"reset after it was sent", class(correct.Reset, true), dubious},
		{"reset before a byte was sent", class(correct.Reset, false), always},
		{"half an answer", class(correct.Truncated, true), dubious},
		{"no such name", class(correct.DNS, false), always},
		{"unreachable", class(correct.Network, false), always},
		{"an idle connection that died", class(correct.Stale, false), always},
		{"a certificate that does not hold", class(correct.TLS, false), never},
		{"no HTTP", class(correct.Malformed, true), unclear},
		{"out of descriptors", class(correct.Descriptors, false), never},
		{"out of ports", class(correct.Ports, false), never},
		{"too late", class(correct.Deadline, true), unclear},
		{"dropped", class(correct.Dropped, false), never},
		{"cut off by the end of the run", class(correct.Unfinished, true), unclear},
	} {
		t.Run(tt.name, func(t *testing.T) {
			after := func(method string, key bool) bool {
				r := New(policy(t, "attempts=2"), Options{Method: method, Key: key})
				_, again := r.After(tt.x)
				require.Equal(t, tt.want.get && !again, r.Counts().Unsafe == 1, "wanted, and refused as unsafe")
				return again
			}
			for _, method := range []string{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"} {
				require.Equal(t, tt.want.get, after(method, false), method)
				require.False(t, Unknown(method, tt.x), "%s can be sent again", method)
			}
			for _, method := range []string{"POST", "PATCH", "PURGE"} {
				require.Equal(t, tt.want.post, after(method, false), method)
				require.Equal(t, tt.want.keyed, after(method, true), "%s with a key", method)
				require.Equal(t, tt.want.unknown, Unknown(method, tt.x), method)
			}
			r := New(policy(t, "attempts=2 repeat=always"), Options{Method: "POST"})
			_, again := r.After(tt.x)
			require.Equal(t, tt.want.get, again, "a POST of a client that does not care")
		})
	}
}

func TestOnlyWhatIsListed(t *testing.T) {
	r := retrier(t, "attempts=2 on=refused,5xx")
	for x, want := range map[correct.Sample]bool{
		{Class: correct.Refused}:                true,
		{Class: correct.Timeout}:                false,
		{Class: correct.BadStatus, Status: 599}: true,
		{Class: correct.BadStatus, Status: 500}: true,
		{Class: correct.BadStatus, Status: 429}: false,
		{Class: correct.BadStatus, Status: 600}: false,
	} {
		x.Attempt, x.Fired = 1, true
		_, again := r.After(x)
		require.Equal(t, want, again, fmt.Sprint(x.Class, x.Status))
	}
}

// A budget is spent on attempts that are made. One that would start at the deadline
// or later is none.
func TestADeadlineCostsNoBudget(t *testing.T) {
	for _, tt := range []struct {
		name     string
		deadline time.Duration
		again    bool
	}{
		{"none", 0, true},
		{"later than the next attempt", 4501 * ms, true},
		{"just then", 4500 * ms, false},
		{"before", 4 * time.Second, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := New(policy(t, "attempts=2 base=500ms budget=10/s"), Options{Method: "GET", Deadline: tt.deadline})
			delay, again := r.After(correct.Sample{Attempt: 1, Intended: time.Second, Done: 5 * time.Second, Fired: true, Class: correct.Timeout})
			require.Equal(t, tt.again, again)
			require.Equal(t, 500*ms, delay)
			require.Equal(t, tt.again, r.ratio.balance() == 99*token)
			require.Zero(t, r.Counts().Denied)
		})
	}
}

// The server's word is kept and nobody comes before it; the jitter still keeps
// those apart who were told the same.
func TestRetryAfter(t *testing.T) {
	at := func(text string, seq uint64, asked time.Duration) time.Duration {
		delay, again := retrier(t, text).after(correct.Sample{Seq: seq, Attempt: 1, Fired: true, Class: correct.BadStatus, Status: 503}, asked)
		require.True(t, again)
		return delay
	}
	t.Run("without jitter it is the greater of the two", func(t *testing.T) {
		require.Equal(t, 500*ms, at("attempts=2 base=500ms", 0, 0))
		require.Equal(t, 500*ms, at("attempts=2 base=500ms", 0, 300*ms))
		require.Equal(t, 7*time.Second, at("attempts=2 base=500ms", 0, 7*time.Second))
		require.Equal(t, time.Minute, at("attempts=2 base=500ms cap=2s", 0, time.Minute), "the cap is ours, not the server's")
	})
	t.Run("a deaf policy does not hear it", func(t *testing.T) {
		require.Equal(t, 500*ms, at("attempts=2 base=500ms retry-after=off", 0, 7*time.Second))
	})
	t.Run("nobody comes too early, nor all at once", func(t *testing.T) {
		for _, j := range jitterNames {
			text := "attempts=2 base=1s jitter=" + j
			least, width := jitter(0).spread(time.Second)
			for i, name := range jitterNames {
				if name == j {
					least, width = jitter(i).spread(time.Second)
				}
			}
			instants := map[time.Duration]bool{}
			for seq := range uint64(50) {
				d := at(text, seq, 3*time.Second)
				require.GreaterOrEqual(t, d, 3*time.Second)
				require.LessOrEqual(t, d, 3*time.Second+width)
				require.Equal(t, at(text, seq, 0)-least, d-3*time.Second, "the same draw, further on")
				instants[d] = true
			}
			if j == "none" {
				require.Len(t, instants, 1)
			} else {
				require.Len(t, instants, 50)
			}
		}
	})
	t.Run("it is never less than the backoff's own", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			p := policy(t, texts().Draw(t, "policy"))
			r := New(p, Options{Method: "GET", Chance: chance(7)})
			x := correct.Sample{Seq: 5, Attempt: rapid.IntRange(1, 5).Draw(t, "attempt")}
			asked := time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "asked"))
			own, moved := r.delay(x, 0), r.delay(x, asked)
			require.GreaterOrEqual(t, moved, own)
			if p.deaf {
				require.Equal(t, own, moved)
			} else {
				require.GreaterOrEqual(t, moved, asked)
			}
		})
	})
}

// The order in which answers come does not change when an operation comes back.
func TestDelaysDoNotDependOnOrder(t *testing.T) {
	const text = "attempts=5 backoff=decorrelated base=1s"
	forward, backward := map[string]time.Duration{}, map[string]time.Duration{}
	ask := func(r *Retrier, into map[string]time.Duration, seq uint64, attempt int) {
		delay, again := r.After(correct.Sample{Seq: seq, Attempt: attempt, Fired: true, Class: correct.Timeout})
		require.True(t, again)
		into[fmt.Sprint(seq, attempt)] = delay
	}
	a, b := retrier(t, text), retrier(t, text)
	for i := range 40 {
		ask(a, forward, uint64(i%10), 1+i/10)
		ask(b, backward, uint64(9-i%10), 1+i/10)
	}
	require.Equal(t, forward, backward)
	different := map[time.Duration]bool{}
	for _, d := range forward {
		different[d] = true
	}
	require.Len(t, different, 40)
}

func TestCountsAdd(t *testing.T) {
	c := Counts{1, 2, 3, 4}
	c.Add(Counts{10, 20, 30, 40})
	require.Equal(t, Counts{11, 22, 33, 44}, c)
	require.Panics(t, func() { New(policy(t, "attempts=2 jitter=full"), Options{}) }, "jitter without chance")
	_, again := New(Policy{}, Options{Method: "GET"}).After(correct.Sample{Attempt: 1, Fired: true, Class: correct.Timeout})
	require.False(t, again, "the zero policy")
}
