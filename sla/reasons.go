package sla

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"openload/correct"
)

func doubt(code, format string, args ...any) correct.Doubt {
	return correct.Doubt{Code: code, Text: fmt.Sprintf(format, args...)}
}

// distrust is why the run as a whole, or a rule, has nothing to say.
func (e *Evidence) distrust(results []Result) (why []correct.Doubt) {
	c := &e.Snapshot.Counts
	if e.Lacks != "" {
		return []correct.Doubt{doubt("incomplete", "%s", e.Lacks)} // the rest may follow from it
	}
	// What was cut off for a rule that is lost is decided by it, and a handful of
	// operations has no rate to speak of: one of ten that left 1 ms late is 1 % off. A file
	// of attempts knows that a rule was lost, and not which.
	decided := e.AbortedOnFail && (len(results) == 0 || slices.ContainsFunc(results, func(r Result) bool { return r.Outcome == Fail }))
	switch {
	case c.Scheduled == 0 && e.Warm > 0:
		why = append(why, doubt("no_success", "all %d operations were of the warm-up, and nothing is left to judge; give a shorter one, or more operations", e.Warm))
	case c.Scheduled == 0:
		why = append(why, doubt("no_success", "no operation was scheduled"))
	case c.OK == 0:
		why = append(why, doubt("no_success", "no operation succeeded: %s", e.list(func(k correct.Class) bool { return k != correct.OK })))
	}
	if planned, taken, ok := e.rate(); ok && !decided && 100*(planned-taken).Abs() > taken {
		n := float64(c.Scheduled - 1)
		left := "all left at once"
		if taken > 0 {
			left = rounded(n/taken.Seconds()) + " left"
		}
		why = append(why, doubt("rate_off", "%s operations a second were planned and %s, more than 1 %% off: openload did not keep the schedule", rounded(n/planned.Seconds()), left))
	}
	if 1000*c.Dropped > c.Scheduled {
		why = append(why, doubt("dropped", "%d of %d operations were dropped, more than 0.1 %%: the backlog was full%s", c.Dropped, c.Scheduled, e.behindCap()))
	}
	if !e.Snapshot.Closed() && c.Scheduled < e.Planned && !decided {
		why = append(why, doubt("incomplete", "%d of %d planned operations were never scheduled", e.Planned-c.Scheduled, e.Planned))
	}
	for _, r := range results {
		if len(r.findings) == 0 {
			why = append(why, doubt("empty_set", "%s has nothing to judge: %s", r.Rule, e.on(r.Rule).lacks(r.Rule)))
		}
	}
	return why
}

// lacks is why r has nothing to judge.
func (e *Evidence) lacks(r Rule) string {
	switch {
	case r.Metric == Rate && e.Snapshot.Counts.Scheduled < 2:
		return "one operation has no rate"
	case r.Metric == Rate:
		return "no rate was planned"
	case r.latency() && e.Snapshot.Dist(r.Set) == nil:
		return "there is no " + r.Set.String() + " latency"
	}
	return "no operation counts for it"
}

func (e *Evidence) behindCap() string {
	switch {
	case !e.AutoCapReached && e.Held:
		return " for a connection to be opened"
	case !e.AutoCapReached:
		return ""
	}
	return fmt.Sprintf(" behind the automatic cap of %d connections%s%s", e.AutoCap, e.toEach(), e.byDescriptors(", which is all that our limit of %d file descriptors has room for"))
}

// toEach says what the automatic cap is of, if there are several hosts.
func (e *Evidence) toEach() string {
	if e.Hosts > 1 {
		return " to each host"
	}
	return ""
}

// byDescriptors is said with their limit where it was what capped.
func (e *Evidence) byDescriptors(format string) string {
	if e.Descriptors == 0 {
		return ""
	}
	return fmt.Sprintf(format, e.Descriptors)
}

// reasons are why the results came to outcome: one for each rule that made it so.
func (e *Evidence) reasons(outcome Outcome, results []Result) (why []correct.Doubt) {
	say := map[Outcome]func(Result) correct.Doubt{Fail: e.broken, Invalid: e.generatorDecided, Inconclusive: e.tooFew}[outcome]
	for _, r := range results {
		if say != nil && r.Outcome == outcome {
			why = append(why, say(r))
		}
	}
	return why
}

func (e *Evidence) broken(r Result) correct.Doubt {
	return doubt("rule_broken", "%s is broken: %s", r.Rule, r.tally(""))
}

// generatorDecided is for a rule that is broken only with our doing counted in.
func (e *Evidence) generatorDecided(r Result) correct.Doubt {
	e = e.on(r.Rule)
	ours := "our own lateness, up to " + digits3(e.lateness())
	if failed := e.list(func(k correct.Class) bool { return k.Ours() && k != correct.Dropped }); failed != "" {
		ours += ", and failures of our own (" + failed + ")"
	}
	if punctual := r.findings[1]; len(r.findings) > 2 && r.findings[0].outcome == punctual.outcome {
		neither := r.findings[len(r.findings)-1]
		way := "give --connections to make a cap part of the plan"
		if e.Descriptors > 0 {
			way = "raise it (ulimit -n)"
		}
		if n, broken := e.lessWait(r.Rule); broken {
			return doubt("own_lateness", "%s hangs on %s, and the wait%s together, and not on the server: %s; run it again where nothing holds openload up, or %s",
				r.Rule, ours, e.behindCap(), r.tally(r.aside("%d without our lateness, %d or more without the wait, %d without both", punctual.over, n, neither.over)), way)
		}
		without := r.aside("%d without it", neither.over)
		if punctual.over < r.findings[0].over {
			without = r.aside("%d without our lateness, %d without the wait either", punctual.over, neither.over)
		}
		return doubt("auto_cap", "%s hangs on the wait%s: %s; %s", r.Rule, e.behindCap(), r.tally(without), way)
	}
	without := r.aside("%d without it", r.findings[1].over)
	return doubt("own_lateness", "%s hangs on %s, and not on the server: %s", r.Rule, ours, r.tally(without))
}

// aside is what a rule that counts operations says of other counts of them.
func (r Result) aside(format string, counts ...any) string {
	if r.Allowed == nil {
		return ""
	}
	return " (" + fmt.Sprintf(format, counts...) + ")"
}

// lessWait reports whether r is certainly broken with the wait for a connection taken out
// and our own lateness left in, and by how many operations at least, if it counts them.
//
// What took limit+w or more and waited for w at most is over the limit without its wait;
// nobody knows who waited, but of all over limit+w they are all but those that waited longer.
func (e *Evidence) lessWait(r Rule) (n uint64, broken bool) {
	measured, wait := e.Snapshot.Dist(r.Set), e.Snapshot.Dist(correct.Wait)
	if !r.latency() || measured == nil || wait == nil {
		return 0, false
	}
	longest, ok := wait.Max()
	if r.Metric == Mean {
		return 0, ok && view{dist: measured, less: longest}.meanBreaks(r.bound())
	}
	waits := []time.Duration{longest}
	for _, q := range []correct.Quantile{correct.P50, correct.P90, correct.P95, correct.P99, correct.P999} {
		if w, ok := wait.Quantile(q); ok {
			waits = append(waits, w)
		}
	}
	for _, w := range waits {
		over, unsure := view{dist: measured}.over(r.bound() + w)
		longer, _ := view{dist: wait}.over(w + 1)
		n = max(n, over-min(over, unsure+longer))
	}
	return n, n > r.allowed(measured.N())
}

// tooFew is for a rule that is neither shown nor refuted.
func (e *Evidence) tooFew(r Result) correct.Doubt {
	if e.madeUp(r.Rule) {
		return doubt("synthetic", "%s cannot be shown at %v %%: of %d samples the correction (%s) made up %d", r.Rule, e.Confidence, r.Of, e.Method, e.Synthetic)
	}
	return doubt("too_few", "%s is neither shown nor refuted at %v %%: %s; %d with no more than that would show it",
		r.Rule, e.Confidence, r.tally(""), r.Needed)
}

func (e *Evidence) notRefuted() correct.Doubt {
	return doubt("not_refuted", "not refuted, which is no evidence: the correction (%s) made up %d samples that nobody measured", e.Method, e.Synthetic)
}

func (e *Evidence) interrupted() correct.Doubt {
	return doubt("interrupted", "interrupted after %d%s operations: nothing is decided", e.Snapshot.Counts.Scheduled, e.ofPlanned())
}

// ofPlanned is how many there should have been, if that is known.
func (e *Evidence) ofPlanned() string {
	if e.Planned == 0 {
		return ""
	}
	return fmt.Sprintf(" of %d", e.Planned)
}

// tally is what was measured, in words, with aside behind the number.
func (r Result) tally(aside string) string {
	switch {
	case r.Allowed != nil:
		in := ""
		if r.Episodes != nil && *r.Episodes > 0 {
			in = " in " + episodes(*r.Episodes)
		}
		return fmt.Sprintf("%d of %d %s%s%s, and %d may", r.findings[0].over, r.Of, r.Rule.offence(), in, aside, *r.Allowed)
	case r.Rule.latency() && r.Latency == nil:
		return "some failed, and failures have no mean"
	case r.Rule.latency():
		return "the mean is " + digits3(*r.Latency)
	case r.Rule.Metric == Attempts:
		return fmt.Sprintf("there were %s attempts for each operation", rounded(*r.Number))
	case r.Number == nil:
		return "all left at once"
	}
	return rounded(100**r.Number) + " % of the planned rate left"
}

// rounded is x to four digits, or to a whole number if it has more.
func rounded(x float64) string {
	if math.Abs(x) >= 1000 {
		return strconv.FormatFloat(math.Round(x), 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// offence is what an operation did that counts against r.
func (r Rule) offence() string {
	switch {
	case r.Metric == Errors:
		return "failed"
	case r.Metric == Useful:
		return "were of no use"
	case r.Metric == FirstTry:
		return "did not succeed at their first attempt"
	case r.Equal:
		return "failed or took more than " + brief(r.Latency)
	}
	return "failed or took " + brief(r.Latency) + " or more"
}

func episodes(n uint64) string {
	if n == 1 {
		return "1 episode"
	}
	return fmt.Sprintf("%d episodes", n)
}

// list writes how many operations ended in each of some classes: 150 refused, 3 reset.
func (e *Evidence) list(of func(correct.Class) bool) string {
	var parts []string
	for _, k := range correct.Classes() {
		if n := e.Snapshot.Counts.Of(k); n > 0 && of(k) {
			parts = append(parts, fmt.Sprintf("%d %s", n, k))
		}
	}
	return strings.Join(parts, ", ")
}
