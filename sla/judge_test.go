package sla

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
)

func TestOutcomesByName(t *testing.T) {
	for o, want := range map[Outcome]string{None: "none", Pass: "pass", Fail: "fail", Invalid: "invalid", Inconclusive: "inconclusive"} {
		require.Equal(t, want, o.String())
	}
}

// judge judges rules, separated by spaces, on r.
func judge(t require.TestingT, r run, text string, change ...func(*Evidence)) Verdict {
	var rules []Rule
	for text := range strings.FieldsSeq(text) {
		rules = append(rules, rule(t, text))
	}
	e := r.evidence(rules...)
	for _, c := range change {
		c(&e)
	}
	return Judge(rules, e)
}

// Two rules on one percentile must not name two values for it, whichever comes first.
func TestOnePercentileHasOneValue(t *testing.T) {
	for _, text := range []string{"p99<500ms p99<=1940ms p99<1h", "p99<1h p99<=1940ms p99<500ms", "p99<=1940ms max<1h"} {
		for _, x := range judge(t, labA(), text).Results {
			if x.Rule.Quantile == correct.P99 {
				require.Equal(t, 1940*ms, *x.Latency, "%s of %s", x.Rule, text)
			}
		}
	}
}

// L14 to L17: the lab's raw sample, its backfill and the open run, under limits that
// lie in turn below, between and on their percentiles.
func TestLabVerdicts(t *testing.T) {
	closed := run{closed: true, interval: 80 * ms}
	for _, s := range labService() {
		closed.ops = append(closed.ops, op{raw: s})
	}
	for _, tt := range []struct {
		name                string
		rule                string
		raw, backfill, open bool
	}{
		{"L14", "p99<=500ms", true, false, false},
		{"L15: below the backfill's top bucket", "p99<=1840ms", true, true, false},
		{"L15: between backfill and open", "p99<=1900ms", true, true, false},
		{"L15: on the open p99", "p99<=1940ms", true, true, true},
		{"L15: the open p99 left out", "p99<1940ms", true, true, false},
		{"L16: raw is not blind where the rank is the stall", "p99.9<=500ms", false, false, false},
		{"L17: the backfill's slope is too steep", "p90<=300ms", true, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, raw := rule(t, tt.rule), rule(t, "raw."+tt.rule)
			pass := func(r Rule, e Evidence) bool { return Judge([]Rule{r}, e).Outcome == Pass }
			require.Equal(t, tt.raw, pass(raw, closed.evidence(raw)))
			require.Equal(t, tt.backfill, pass(r, backfilled(t, r)))
			require.Equal(t, tt.open, pass(r, labA().evidence(r)))

			// The open run at one connection tells all three, but for the backfill.
			res := Judge([]Rule{r}, labA().evidence(r)).Results[0]
			require.Equal(t, tt.raw, res.Raw.Pass)
			require.Equal(t, tt.raw, res.ClosedLoop.Pass)
			require.Equal(t, tt.raw && !tt.open, res.Flipped)
		})
	}
}

// backfilled is the lab's closed sample as a file that was repaired at 80 ms.
func backfilled(t require.TestingT, rules ...Rule) Evidence {
	r := run{interval: 80 * ms}
	var limits []time.Duration
	for _, rule := range rules {
		limit, _ := rule.Limit()
		limits = append(limits, limit)
	}
	d := correct.NewDist(limits...)
	e := Evidence{Method: "backfill"}
	for _, s := range labService() {
		r.ops = append(r.ops, op{raw: s})
		e.Synthetic += d.Backfill(s, r.interval)
	}
	require.EqualValues(t, 24, e.Synthetic)
	e.Snapshot = r.snapshot(rules...)
	*e.Snapshot.Dist(correct.Corrected) = d
	return e
}

func TestResultOfTheLab(t *testing.T) {
	// The last of them waits until 500 ms exactly, so <500ms counts one more.
	require.EqualValues(t, 51, *judge(t, labA(), "p99<500ms").Results[0].Over)

	v := judge(t, labA(), "p99<=500ms errors<1%")
	require.Equal(t, Fail, v.Outcome)
	require.Equal(t, []correct.Doubt{{Code: "rule_broken", Text: "p99<=500ms is broken: 50 of 200 failed or took more than 500ms in 1 episode, and 2 may"}}, v.Reasons)

	p99 := v.Results[0]
	require.Equal(t, Fail, p99.Outcome)
	require.False(t, p99.Pass)
	require.EqualValues(t, 50, *p99.Over)
	require.EqualValues(t, 2, *p99.Allowed)
	require.EqualValues(t, 200, p99.Of)
	require.EqualValues(t, 1, *p99.Episodes)
	require.InEpsilon(t, 1940*ms, *p99.Latency, 0.001)
	require.InEpsilon(t, 50*ms, *p99.Raw.Latency, 0.001)
	require.True(t, p99.Flipped)
	require.Nil(t, p99.Number)

	errors := v.Results[1]
	require.Equal(t, Pass, errors.Outcome)
	require.Zero(t, *errors.Number)
	require.Zero(t, *errors.Over)
	require.EqualValues(t, 1, *errors.Allowed)
	require.Nil(t, errors.Latency)
	require.Nil(t, errors.Raw)
}

// P8: refusals are fast, and count as if they had never been answered.
func TestFailuresRankAboveSuccesses(t *testing.T) {
	refused := op{raw: ms, class: correct.Refused}
	answered := run{interval: 80 * ms}
	for i := range 100 {
		o := op{raw: 50 * ms}
		if i >= 90 {
			o.raw = 100 * ms
		}
		answered.ops = append(answered.ops, o)
	}
	both := answered
	for range 100 {
		both.ops = append(both.ops, refused)
	}
	require.InEpsilon(t, 100*ms, *judge(t, answered, "p95<1s").Results[0].Latency, 0.001)

	v := judge(t, both, "p95<1s")
	require.Equal(t, Fail, v.Outcome)
	require.Nil(t, v.Results[0].Latency, "p95 lies among the failures")
	require.EqualValues(t, 100, *v.Results[0].Over)

	// Counted as latencies they would have halved it. Who asks for that is told so.
	settled := judge(t, both, "settled.p95<60ms")
	require.Equal(t, Pass, settled.Outcome)
	require.InEpsilon(t, 50*ms, *settled.Results[0].Latency, 0.001)
	ok := judge(t, both, "ok.p95<=100ms")
	require.Equal(t, Pass, ok.Outcome)
	require.Contains(t, codes(ok.Notes), "left_out")
}

// P9: the failures that a percentile survives.
func TestFailuresAllowed(t *testing.T) {
	for _, tt := range []struct {
		rule    string
		n       int
		allowed int
	}{
		{"p99<1s", 200, 2},
		{"p99.9<1s", 1000, 1},
		{"p99<1s", 1000, 10},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			v := judge(t, of(tt.n, ms).but(tt.allowed, failed(correct.Timeout)), tt.rule)
			require.Equal(t, Pass, v.Outcome)
			require.NotNil(t, v.Results[0].Latency)

			v = judge(t, of(tt.n, ms).but(tt.allowed+1, failed(correct.Timeout)), tt.rule)
			require.Equal(t, Fail, v.Outcome)
			require.Nil(t, v.Results[0].Latency)
		})
	}
}

// C41: one failure in 3,822 is fewer than 1 %.
func TestOneFailureOfMany(t *testing.T) {
	v := judge(t, of(3822, ms).but(1, failed(correct.Reset)), "errors<1%")
	require.Equal(t, Pass, v.Outcome)
	require.InEpsilon(t, 1.0/3822, *v.Results[0].Number, 1e-12)
}

// C20: nothing listens. The rules are broken, but so is the run, and that comes first.
func TestNothingListens(t *testing.T) {
	for _, rules := range []string{"", "p99<500ms errors<1%"} {
		v := judge(t, of(200, ms).but(200, failed(correct.Refused)), rules)
		require.Equal(t, Invalid, v.Outcome)
		require.Equal(t, []correct.Doubt{{Code: "no_success", Text: "no operation succeeded: 200 refused"}}, v.Reasons)
	}
}

func TestNoRules(t *testing.T) {
	require.Equal(t, Verdict{}, judge(t, of(200, ms), ""))
}

// Every cause that makes a whole run invalid, and its nearest neighbour that does not.
func TestInvalid(t *testing.T) {
	late := func(n int, lag time.Duration) run { return of(n, ms).last(func(o *op) { o.lag = lag }) }
	aborted := func(e *Evidence) { e.Planned++; e.AbortedOnFail = true }
	for _, tt := range []struct {
		name   string
		run    run
		rules  string
		change func(*Evidence)
		want   string // the reason's code; "": not invalid
	}{
		{"no operation succeeded", of(10, ms).but(10, failed(correct.BadStatus)), "", nil, "no_success"},
		{"one operation succeeded", of(10, ms).but(9, failed(correct.BadStatus)), "", nil, ""},
		{"nothing was scheduled", of(0, ms), "", nil, "no_success"},

		{"sent 1 % too slowly", late(100, 80*ms), "", nil, ""},
		{"sent slower than that", late(100, 80*ms+1), "", nil, "rate_off"},
		{"sent too fast, as the first was late", of(101, ms).but(1, func(o *op) { o.lag = 81 * ms }), "", nil, "rate_off"},
		{"a burst has no rate", late(101, 81*ms), "", func(e *Evidence) { e.Burst = true }, ""},
		{"one operation has no rate", of(1, ms).but(1, func(o *op) { o.lag = time.Second }), "", nil, ""},
		{"a file's sender is not ours", late(101, 81*ms), "", func(e *Evidence) { e.Method = "schedule" }, ""},
		{"a closed loop has no rate", late(101, 81*ms).inClosedLoop(), "", nil, ""},

		{"a thousandth dropped", of(1000, ms).but(1, failed(correct.Dropped)), "", nil, ""},
		{"more than a thousandth dropped", of(999, ms).but(1, failed(correct.Dropped)), "", nil, "dropped"},

		{"one never scheduled", of(10, ms), "", func(e *Evidence) { e.Planned = 11 }, "incomplete"},
		{"a plan without a number", of(10, ms), "", func(e *Evidence) { e.Planned = 0 }, ""},
		{"a closed loop that time ended", of(10, ms).inClosedLoop(), "", func(e *Evidence) { e.Planned = 11 }, ""},
		{"interrupted", of(10, ms), "", func(e *Evidence) { e.Planned, e.Interrupted = 11, true }, ""},
		{"aborted as a rule was broken", of(10, ms), "max<1ms", aborted, ""},
		{"aborted, and yet nothing is broken", of(10, ms), "max<1s", aborted, "incomplete"},

		{"no success to judge", of(10, ms).but(10, failed(correct.Timeout)), "ok.p50<1s", nil, "empty_set"},
		{"one success to judge", of(10, ms).but(9, failed(correct.Timeout)), "ok.p50<1s", nil, ""},
		{"nothing settled", of(10, ms).but(10, failed(correct.Unfinished)), "settled.mean<1s", nil, "empty_set"},
		{"nothing fired", of(10, ms).but(10, failed(correct.Dropped)), "attempts<2", nil, "empty_set"},
		{"no rate to judge", of(10, ms), "rate>=99%", func(e *Evidence) { e.Burst = true }, "empty_set"},
		{"no rate in one operation", of(1, ms), "rate>=99%", nil, "empty_set"},
		{"nor in one instant", run{ops: late(10, ms).ops}, "", nil, ""},
		{"a rate to judge", of(10, ms), "rate>=99%", nil, ""},
		{"no corrected latency in a closed loop", of(10, ms).inClosedLoop(), "p99<1s", nil, "empty_set"},
		{"raw latency in a closed loop", of(10, ms).inClosedLoop(), "raw.p99<1s", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.change == nil {
				tt.change = func(*Evidence) {}
			}
			v := judge(t, tt.run, tt.rules, tt.change)
			if tt.want == "" {
				require.NotEqual(t, Invalid, v.Outcome, v.Reasons)
				return
			}
			require.Equal(t, Invalid, v.Outcome)
			require.Contains(t, codes(v.Reasons), tt.want)
		})
	}
}

// What decides is named: the server, or what we did. Three of 200 break a rule that
// allows two, each time for another cause.
func TestOurDoingNeverFailsAServer(t *testing.T) {
	autoCap := func(e *Evidence) { e.AutoCapReached, e.AutoCap = true, 137 }
	slow := func(lag, wait, raw, late time.Duration) run {
		return of(200, 50*ms).but(3, func(o *op) { *o = op{lag: lag, wait: wait, raw: raw, late: late} })
	}
	for _, tt := range []struct {
		name   string
		run    run
		rule   string
		change func(*Evidence)
		want   Outcome
		code   string
	}{
		{"the server's slowness", slow(0, 0, 600*ms, 0), "p99<500ms", nil, Fail, "rule_broken"},
		{"slow enough without our lag", slow(50*ms, 0, 600*ms, 0), "p99<500ms", nil, Fail, "rule_broken"},
		{"only with our lag", slow(101*ms, 0, 400*ms, 0), "p99<500ms", nil, Invalid, "own_lateness"},
		{"only with a late reading", slow(0, 0, 520*ms, 30*ms), "p99<500ms", nil, Invalid, "own_lateness"},
		{"fast enough with our lag", slow(99*ms, 0, 400*ms, 0), "p99<500ms", nil, Pass, ""},
		{"limit included", slow(100*ms, 0, 400*ms, 0), "p99<=500ms", nil, Pass, ""},
		{"limit left out", slow(100*ms, 0, 400*ms, 0), "p99<500ms", nil, Invalid, "own_lateness"},
		{"the wait for a cap that was asked for", slow(0, 480*ms, 50*ms, 0), "p99<500ms", nil, Fail, "rule_broken"},
		{"the wait for the automatic cap", slow(0, 480*ms, 50*ms, 0), "p99<500ms", autoCap, Invalid, "auto_cap"},
		{"slow enough without that wait", slow(0, 480*ms, 550*ms, 0), "p99<500ms", autoCap, Fail, "rule_broken"},
		{"lag at the automatic cap", slow(101*ms, 0, 400*ms, 0), "p99<500ms", autoCap, Invalid, "own_lateness"},

		{"the mean with our lag", of(200, 49*ms).but(200, func(o *op) { o.lag = ms }), "mean<50ms", nil, Invalid, "own_lateness"},
		{"the mean without it", of(200, 50*ms).but(200, func(o *op) { o.lag = ms }), "mean<50ms", nil, Fail, "rule_broken"},
		{"successes with our lag", slow(101*ms, 0, 400*ms, 0).last(failed(correct.Reset)), "ok.p99<500ms", nil, Invalid, "own_lateness"},
		{"the greatest success with our lag", slow(101*ms, 0, 400*ms, 0).last(failed(correct.Reset)), "ok.max<500ms", nil, Invalid, "own_lateness"},
		{"successes without it", slow(0, 0, 600*ms, 0).last(failed(correct.Reset)), "ok.p99<500ms", nil, Fail, "rule_broken"},
		{"mean of the successes with our lag", slow(10*ms, 0, 50*ms, 0), "ok.mean<50.1ms", nil, Invalid, "own_lateness"},
		{"mean of the successes without it", slow(10*ms, 0, 50*ms, 0), "ok.mean<40ms", nil, Fail, "rule_broken"},
		{"the wait for the automatic cap in a mean", slow(0, 480*ms, 50*ms, 0), "ok.mean<51ms", autoCap, Invalid, "auto_cap"},
		{"settled with our lag", slow(101*ms, 0, 400*ms, 0), "settled.p99<500ms", nil, Invalid, "own_lateness"},
		{"settled with a late reading, which may have made others late", slow(0, 0, 520*ms, 15*ms), "settled.p99<500ms", nil, Invalid, "own_lateness"},
		{"settled without it", slow(50*ms, 0, 600*ms, 0), "settled.p99<500ms", nil, Fail, "rule_broken"},
		{"raw has no lag in it", slow(101*ms, 0, 500*ms, 0), "raw.p99<500ms", nil, Fail, "rule_broken"},
		{"raw with a late reading", slow(0, 0, 520*ms, 30*ms), "raw.p99<500ms", nil, Invalid, "own_lateness"},
		{"raw with a late reading, by less than a bucket", slow(0, 0, 529_990*time.Microsecond, 30*ms).last(func(o *op) { o.raw = time.Second }), "raw.p99<500ms", nil, Invalid, "own_lateness"},
		{"raw mean without it", slow(0, 0, 520*ms, 30*ms), "raw.mean<20ms", nil, Fail, "rule_broken"},

		{"failures of the server", of(200, 50*ms).but(2, failed(correct.Reset)), "errors<1%", nil, Fail, "rule_broken"},
		{"failures of ours", of(200, 50*ms).but(2, failed(correct.Stale)), "errors<1%", nil, Invalid, "own_lateness"},
		{"failures of ours in a percentile", of(200, 50*ms).but(3, failed(correct.Ports)), "p99<500ms", nil, Invalid, "own_lateness"},
		{"failures of ours in a raw percentile", of(200, 50*ms).but(3, failed(correct.Descriptors)), "raw.p99<500ms", nil, Invalid, "own_lateness"},
		{"failures of ours in a closed loop", of(200, 50*ms).but(2, failed(correct.Stale)).inClosedLoop(), "errors<1%", nil, Invalid, "own_lateness"},
		{"time-outs that our lag had a part in", of(200, 50*ms).but(2, func(o *op) { *o = op{lag: 20 * ms, raw: 100 * ms, class: correct.Timeout} }), "errors<1%", nil, Invalid, "own_lateness"},
		{"time-outs that it had no part in", of(200, 50*ms).but(2, func(o *op) { *o = op{lag: ms, raw: 100 * ms, class: correct.Timeout} }), "errors<1%", nil, Fail, "rule_broken"},
		{"dropped operations fail", of(2000, 50*ms).but(2, failed(correct.Dropped)), "errors<0.1%", nil, Fail, "rule_broken"},
		{"dropped operations are no failed attempts", of(2000, 50*ms).but(2, failed(correct.Dropped)).last(failed(correct.Reset)).but(4, func(o *op) {
			if o.class == correct.OK {
				o.class = correct.Reset
			}
		}), "raw.p99.9<500ms", nil, Fail, "rule_broken"},
		{"failures of ours are of no use either", of(200, 50*ms).but(2, failed(correct.Stale)), "useful>99%", nil, Invalid, "own_lateness"},

		{"a rate is never the server's", of(101, ms).last(func(o *op) { o.lag = 40 * ms }), "rate>99.9%", nil, Invalid, "own_lateness"},
		{"a rate that was kept", of(101, ms).last(func(o *op) { o.lag = 40 * ms }), "rate>99%", nil, Pass, ""},
		{"one rule is surely broken, another by our lag", slow(101*ms, 0, 400*ms, 0), "p99<500ms p99<300ms", nil, Fail, "rule_broken"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.change == nil {
				tt.change = func(*Evidence) {}
			}
			v := judge(t, tt.run, tt.rule, tt.change)
			require.Equal(t, tt.want, v.Outcome, v.Reasons)
			if tt.code != "" {
				require.Equal(t, []string{tt.code}, codes(v.Reasons))
			}
		})
	}
}

func TestReasonNamesOurDoing(t *testing.T) {
	run := of(200, 50*ms).but(3, func(o *op) { *o = op{lag: 101 * ms, raw: 400 * ms} }).last(failed(correct.Stale))
	require.Equal(t,
		"p99<500ms hangs on our own lateness, up to 101 ms, and failures of our own (1 stale_connection), and not on the server: 4 of 200 failed or took 500ms or more in 2 episodes (0 without it), and 2 may",
		judge(t, run, "p99<500ms").Reasons[0].Text)

	capped := of(200, 50*ms).but(3, func(o *op) { o.wait = time.Second })
	require.Equal(t,
		"p99<500ms hangs on the wait behind the automatic cap of 137 connections: 3 of 200 failed or took 500ms or more in 1 episode (0 without it), and 2 may; give --connections to make a cap part of the plan",
		judge(t, capped, "p99<500ms", func(e *Evidence) { e.AutoCapReached, e.AutoCap = true, 137 }).Reasons[0].Text)
	require.Contains(t,
		judge(t, capped, "p99<500ms", func(e *Evidence) { e.AutoCapReached, e.AutoCap, e.Hosts = true, 137, 2 }).Reasons[0].Text,
		"behind the automatic cap of 137 connections to each host: ")

	// One hiccup makes all but the first eight late; three of those waited for a connection.
	both := of(200, 14*ms).but(200, func(o *op) { o.wait, o.lag = 8*time.Microsecond, 18*ms })
	both = both.but(8, func(o *op) { o.lag = 0 }).but(3, func(o *op) { *o = op{wait: 9 * ms, raw: 14 * ms} })
	for i := 3; i < 8; i++ {
		both.ops[i] = op{raw: 14 * ms, wait: 2 * ms}
	}
	held := func(e *Evidence) { e.Held = true }
	v := judge(t, both, "p99<15ms", held)
	require.Equal(t, []string{"own_lateness"}, codes(v.Reasons))
	require.Equal(t,
		"p99<15ms hangs on our own lateness, up to 18.0 ms, and the wait for a connection to be opened together, and not on the server: "+
			"200 of 200 failed or took 15ms or more in 1 episode (8 without our lateness, 192 or more without the wait, 0 without both), and 2 may; "+
			"run it again where nothing holds openload up, or give --connections to make a cap part of the plan",
		v.Reasons[0].Text)

	// The lateness of a few does not matter where the wait alone makes the difference.
	waits := of(200, 14*ms).but(10, func(o *op) { o.wait = 30 * ms }).but(2, func(o *op) { o.wait, o.lag = 0, 5*ms })
	require.Equal(t,
		"p99<15ms hangs on the wait for a connection to be opened: 10 of 200 failed or took 15ms or more in 1 episode "+
			"(8 without our lateness, 0 without the wait either), and 2 may; give --connections to make a cap part of the plan",
		judge(t, waits, "p99<15ms", held).Reasons[0].Text)

	// Where our lateness is enough, the count is that without it alone.
	alone := of(200, 14*ms).but(9, func(o *op) { o.lag = 5 * ms }).but(2, func(o *op) { *o = op{wait: 9 * ms, raw: 14 * ms} })
	require.Contains(t, judge(t, alone, "p99<15ms", held).Reasons[0].Text, "9 of 200 failed or took 15ms or more in 1 episode (2 without it), and 2 may")
	v = judge(t, capped, "p99<500ms", func(e *Evidence) { e.AutoCapReached, e.AutoCap, e.Descriptors = true, 21, 40 })
	require.Equal(t,
		"p99<500ms hangs on the wait behind the automatic cap of 21 connections, which is all that our limit of 40 file descriptors has room for: 3 of 200 failed or took 500ms or more in 1 episode (0 without it), and 2 may; raise it (ulimit -n)",
		v.Reasons[0].Text)
	require.Contains(t, codes(v.Notes), "descriptors", "a run without rules has it, too")
}

// interrupted > INVALID > FAIL > INCONCLUSIVE > PASS, by runs that are several at once.
func TestPrecedence(t *testing.T) {
	const (
		broken  = "max<1ms "
		unshown = "p99<1s " // of 200
		kept    = "errors<5% "
	)
	sure := func(e *Evidence) { e.Confidence = 95 }
	short := func(e *Evidence) { e.Planned++ }
	stopped := func(e *Evidence) { e.Interrupted = true }
	for _, tt := range []struct {
		name   string
		rules  string
		change []func(*Evidence)
		want   Outcome
	}{
		{"pass", kept, []func(*Evidence){sure}, Pass},
		{"inconclusive before pass", kept + unshown, []func(*Evidence){sure}, Inconclusive},
		{"fail before inconclusive", kept + unshown + broken, []func(*Evidence){sure}, Fail},
		{"invalid before fail", kept + unshown + broken, []func(*Evidence){sure, short}, Invalid},
		{"interrupted before invalid", kept + unshown + broken, []func(*Evidence){sure, short, stopped}, None},
		{"interrupted before pass", kept, []func(*Evidence){stopped}, None},
		{"interrupted though aborted", broken, []func(*Evidence){func(e *Evidence) { e.AbortedOnFail = true }, stopped}, None},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := judge(t, of(200, ms), tt.rules, tt.change...)
			require.Equal(t, tt.want, v.Outcome, v.Reasons)
			require.Equal(t, tt.want == None, v.Interrupted)
			if v.Interrupted {
				require.Equal(t, []string{"interrupted"}, codes(v.Reasons))
			}
		})
	}
}

func TestConfidence(t *testing.T) {
	for _, tt := range []struct {
		name   string
		n      int
		over   int
		rule   string
		want   Outcome
		needed uint64
	}{
		{"299 without one over", 299, 0, "p99<1s", Pass, 0},
		{"298 without one over", 298, 0, "p99<1s", Inconclusive, 299},
		{"1 over of 200", 200, 1, "p99<1s", Inconclusive, 473},
		{"5 over of 200", 200, 5, "p99<1s", Inconclusive, 1049},
		{"6 over of 200", 200, 6, "p99<1s", Fail, 0},
		{"a share of failures", 200, 6, "errors<1%", Fail, 0},
		{"no failure of 299", 299, 0, "errors<1%", Pass, 0},
		{"useful ones of 298", 298, 0, "useful>99%", Inconclusive, 299},
		{"max is this run's", 10, 0, "max<1s", Pass, 0},
		{"and so is no failure at all", 10, 1, "errors<=0", Fail, 0},
		{"and the mean", 10, 0, "mean<1s", Pass, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := judge(t, of(tt.n, ms).but(tt.over, failed(correct.Reset)), tt.rule, func(e *Evidence) { e.Confidence = 95 })
			require.Equal(t, tt.want, v.Outcome)
			require.Equal(t, tt.needed, v.Results[0].Needed)
		})
	}
	v := judge(t, of(200, ms).but(1, failed(correct.Reset)), "p99<1s", func(e *Evidence) { e.Confidence = 95 })
	require.True(t, v.Results[0].Pass, "as measured it holds")
	require.Equal(t, "p99<1s is neither shown nor refuted at 95 %: 1 of 200 failed or took 1s or more in 1 episode, and 2 may; 473 with no more than that would show it", v.Reasons[0].Text)
	require.Panics(t, func() { judge(t, of(1, ms), "p99<1s", func(e *Evidence) { e.Confidence = 0.95 }) })
}

func TestCheckConfidence(t *testing.T) {
	for _, ok := range []float64{0, 50, 95, 99.9} {
		require.NoError(t, CheckConfidence(ok))
	}
	for _, wrong := range []float64{0.95, -1, 100} {
		require.ErrorContains(t, CheckConfidence(wrong), "write one from 50 to less than 100, such as 95")
	}
}

// Lateness and chance together: what only our lag refutes is ours; what it leaves
// open is open.
func TestConfidenceWithLag(t *testing.T) {
	sure := func(e *Evidence) { e.Confidence = 95 }
	lagging := func(n, over int) run {
		return of(n, 50*ms).but(over, func(o *op) { *o = op{lag: 101 * ms, raw: 400 * ms} })
	}
	require.Equal(t, []string{"own_lateness"}, codes(judge(t, lagging(200, 6), "p99<500ms", sure).Reasons))
	require.Equal(t, Inconclusive, judge(t, lagging(200, 5), "p99<500ms", sure).Outcome)
	require.Equal(t, Inconclusive, judge(t, lagging(400, 1), "p99<500ms", sure).Outcome)
	require.Equal(t, Pass, judge(t, lagging(473, 1), "p99<500ms", sure).Outcome)
}

// Samples that nobody measured can refute a rule, but not show it.
func TestSyntheticSamples(t *testing.T) {
	p99, raw := rule(t, "p99<=1900ms"), rule(t, "raw.p99<=1900ms")
	e := backfilled(t, p99, raw)

	v := Judge([]Rule{p99}, e)
	require.Equal(t, Pass, v.Outcome)
	require.True(t, v.NotRefuted)
	require.Equal(t, []string{"not_refuted"}, codes(v.Reasons))
	require.Nil(t, v.Results[0].Episodes)

	require.False(t, Judge([]Rule{raw}, e).NotRefuted, "the raw sample was measured")

	e.Confidence = 95
	v = Judge([]Rule{rule(t, "p50<1s")}, e) // with measured samples 200 would show it
	require.Equal(t, Inconclusive, v.Outcome)
	require.Equal(t, []string{"synthetic"}, codes(v.Reasons))

	broken := rule(t, "p99<=500ms")
	v = Judge([]Rule{broken}, backfilled(t, broken))
	require.Equal(t, Fail, v.Outcome)
	require.False(t, v.NotRefuted)
	require.True(t, v.Results[0].Flipped)
}

// Useful is what succeeded by the deadline, whoever enforced it.
func TestUseful(t *testing.T) {
	run := of(200, 50*ms).but(3, func(o *op) { o.raw = 2 * time.Second })
	deadline := func(e *Evidence) { e.Deadline = time.Second }
	require.Equal(t, Pass, judge(t, run, "useful>99%").Outcome)

	v := judge(t, run, "useful>99%", deadline)
	require.Equal(t, Fail, v.Outcome)
	require.EqualValues(t, 3, *v.Results[0].Over)
	require.InDelta(t, 0.985, *v.Results[0].Number, 1e-12)

	cut := of(200, 50*ms).but(3, func(o *op) { *o = op{raw: time.Second, class: correct.Deadline} })
	require.Equal(t, Fail, judge(t, cut, "useful>99%", deadline).Outcome)

	lagging := of(200, 50*ms).last(failed(correct.Reset))
	lagging.ops[1] = op{lag: 600 * ms, raw: 600 * ms}
	require.Equal(t, []string{"own_lateness"}, codes(judge(t, lagging, "useful>99%", deadline).Reasons))

	justInTime := of(200, 50*ms).but(3, func(o *op) { o.raw = time.Second })
	require.Equal(t, Pass, judge(t, justInTime, "useful>99%", deadline).Outcome)
}

func TestAttempts(t *testing.T) {
	rec := correct.NewRecorder(correct.Options{})
	for i := range uint64(10) {
		rec.Arrive(i, 0, 0, 0, 0)
		if i < 2 {
			rec.Record(correct.Sample{Seq: i, Attempt: 1, Class: correct.Reset, Fired: true, Written: true})
		}
		rec.Record(correct.Sample{Seq: i, Attempt: 2, Fired: true, Written: true, Final: true})
	}
	e := Evidence{Snapshot: rec.Snapshot()}
	v := Judge([]Rule{rule(t, "attempts<1.2")}, e)
	require.Equal(t, Fail, v.Outcome)
	require.InDelta(t, 1.2, *v.Results[0].Number, 1e-12)
	require.Equal(t, "attempts<1.2 is broken: there were 1.2 attempts for each operation", v.Reasons[0].Text)
	require.Equal(t, Pass, Judge([]Rule{rule(t, "attempts<=1.2")}, e).Outcome)
}

func TestReasonsOfNothingToJudge(t *testing.T) {
	none := func(r run, rule string) string {
		v := judge(t, r, rule, func(e *Evidence) { e.Burst = true })
		return v.Reasons[len(v.Reasons)-1].Text
	}
	require.Equal(t, "rate>=99% has nothing to judge: no rate was planned", none(of(10, ms), "rate>=99%"))
	require.Equal(t, "p99<1s has nothing to judge: there is no corrected latency", none(of(10, ms).inClosedLoop(), "p99<1s"))
	require.Equal(t, "ok.p99<1s has nothing to judge: no operation counts for it", none(of(1, ms).last(failed(correct.TLS)), "ok.p99<1s"))
	require.Equal(t, "no operation was scheduled", none(of(0, ms), ""))
}

// Seven operations are no rate, and the rule that they broke stands whatever theirs is.
// Our drops and a dead target speak against such a run as against any other.
func TestAnAbortedRunIsNotJudgedByItsRate(t *testing.T) {
	aborted := func(e *Evidence) { e.AbortedOnFail, e.Planned = true, 400 }
	early := of(7, ms).but(1, func(o *op) { o.lag = 5 * ms }).last(failed(correct.BadStatus))
	require.Equal(t, Invalid, judge(t, early, "errors<1%", func(e *Evidence) { e.Planned = 7 }).Outcome)
	v := judge(t, early, "errors<1% rate>=99%", aborted)
	require.Equal(t, Fail, v.Outcome, v.Reasons)
	require.Equal(t, []string{"rule_broken"}, codes(v.Reasons))

	require.Equal(t, []string{"rate_off", "incomplete"}, codes(judge(t, early, "p50<1s", aborted).Reasons), "by another rule, nothing was decided")
	unnamed := judge(t, early, "", aborted)
	require.Equal(t, Fail, unnamed.Outcome, "a file knows that a rule was lost, and not which")
	require.Equal(t, []string{"rule_lost"}, codes(unnamed.Reasons))
	require.Equal(t, []string{"dropped"}, codes(judge(t, early.but(2, failed(correct.Dropped)), "errors<1%", aborted).Reasons))
	require.Equal(t, []string{"no_success"}, codes(judge(t, of(7, ms).but(7, failed(correct.Refused)), "errors<1%", aborted).Reasons))
}

func TestReasonOfTheRate(t *testing.T) {
	half := of(11, ms).last(func(o *op) { o.lag = 800 * ms })
	require.Equal(t, "12.5 operations a second were planned and 6.25 left, more than 1 % off: openload did not keep the schedule", judge(t, half, "").Reasons[0].Text)

	atOnce := of(2, ms).but(1, func(o *op) { o.lag = 80 * ms })
	v := judge(t, atOnce, "rate>=99%")
	require.Equal(t, "12.5 operations a second were planned and all left at once, more than 1 % off: openload did not keep the schedule", v.Reasons[0].Text)
	require.Nil(t, v.Results[0].Number, "no number says how fast at once is")
}

// What only our lateness broke is no flip: a closed loop would have hidden nothing.
func TestOurLatenessIsNoFlip(t *testing.T) {
	v := judge(t, of(200, 50*ms).but(3, func(o *op) { *o = op{lag: 101 * ms, raw: 400 * ms} }), "p99<500ms mean<55.4ms")
	for _, res := range v.Results {
		require.Equal(t, Invalid, res.Outcome, res.Rule)
		require.False(t, res.Pass)
		require.True(t, res.Raw.Pass)
		require.False(t, res.Flipped)
	}
}

// A percentile is the top of a bucket, 0.1 % wide; beside an exact count that may be
// over a limit that was kept.
func TestValueDoesNotContradictTheCount(t *testing.T) {
	v := judge(t, of(200, 524_801).but(2, func(o *op) { o.raw = ms }), "p99<525us")
	require.Equal(t, Pass, v.Outcome)
	require.EqualValues(t, 524_999, *v.Results[0].Latency)
}

func TestMostLate(t *testing.T) {
	e := of(10, ms).but(1, func(o *op) { o.lag = 10 * ms }).last(func(o *op) { o.late = ms }).evidence()
	require.Equal(t, 11*ms, e.mostLate())
	e.Snapshot.Counts.Attempts += 2
	require.Equal(t, 31*ms, e.mostLate(), "one operation may have been late three times")
	e.Snapshot.Counts.Attempts = 1 << 62
	require.EqualValues(t, 1<<61, e.mostLate())
}

func TestZeroRuleIsRefused(t *testing.T) {
	require.Panics(t, func() { Judge([]Rule{{}}, of(1, ms).evidence()) })
}
