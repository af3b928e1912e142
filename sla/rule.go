package sla

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"openload/correct"
)

// A Metric is what a rule limits.
type Metric uint8

// The metrics. The zero Metric is none: rules are made by Parse.
const (
	Percentile Metric = iota + 1 // of a latency; max is the last of them
	Mean                         // of a latency
	Errors                       // share of the scheduled operations that did not succeed
	Attempts                     // attempts for each operation that was tried
	Useful                       // share of the scheduled operations that succeeded by their deadline
	FirstTry                     // share of the scheduled operations that succeeded at their first attempt
	Rate                         // the rate offered, as a share of the rate planned
)

var metricNames = map[Metric]string{Mean: "mean", Errors: "errors", Attempts: "attempts", Useful: "useful", FirstTry: "first_try", Rate: "rate"}

// The readings that a latency rule may name. One without a prefix is about Corrected.
var prefixes = map[correct.Set]string{correct.Raw: "raw", correct.CorrectedOK: "ok", correct.Settled: "settled"}

// A Rule is one limit that a run must keep. It is a plain value: two rules that say
// the same are equal.
type Rule struct {
	Target string // whose operations; "" is all of them
	Metric Metric

	Set      correct.Set      // of Percentile and Mean
	Quantile correct.Quantile // of Percentile

	Equal      bool          // the limit itself still keeps the rule: <= and >=
	Latency    time.Duration // the limit of Percentile and Mean
	Billionths uint64        // the limit of the others: 1 % is 10,000,000
}

const (
	billion = 1_000_000_000

	// longestLimit is more than anyone waits, and far from the end of a Duration.
	longestLimit = 1000 * time.Hour
)

// String is the rule as Parse reads it, in its shortest form.
func (r Rule) String() string {
	switch {
	case r.latency():
		return r.like(brief(r.Latency))
	case r.Metric == Attempts:
		return r.like(decimal(r.Billionths, 9))
	}
	return r.like(decimal(r.Billionths, 7) + "%")
}

// Check returns what is wrong with r for a run, a closed loop or an open one. What
// only the plan knows, such as whether r's target exists, is for the plan to check.
func (r Rule) Check(closed bool) error {
	switch {
	case r.Metric == 0:
		return errors.New("a rule that says nothing; make rules with sla.Parse")
	case closed && r.latency() && r.Set != correct.Raw:
		raw := r
		raw.Set = correct.Raw
		return fmt.Errorf("rule %q: a closed loop has no schedule to measure from, only raw latencies; write %s, or leave out --closed", r, raw)
	case closed && r.Metric == Rate:
		return fmt.Errorf("rule %q: a closed loop plans no rate; leave out the rule, or --closed", r)
	}
	return nil
}

// Limit is the duration at or over which an operation counts against the rule: L for
// <L and 1 ns more for <=L. Only a percentile's rule has one (ok). A recorder that is
// told of it counts exactly; see [correct.Options].
func (r Rule) Limit() (limit time.Duration, ok bool) {
	return r.bound(), r.Metric == Percentile
}

// bound is the least latency that breaks the rule.
func (r Rule) bound() time.Duration {
	if r.Equal {
		return r.Latency + 1
	}
	return r.Latency
}

// latency reports whether r limits a duration.
func (r Rule) latency() bool { return r.Metric == Percentile || r.Metric == Mean }

// lower reports whether r is a lower limit.
func (r Rule) lower() bool { return r.Metric == Useful || r.Metric == FirstTry || r.Metric == Rate }

// name is what stands before the comparison.
func (r Rule) name() string {
	name := metricNames[r.Metric]
	if r.Metric == Percentile {
		name = r.Quantile.String()
	}
	if prefix := prefixes[r.Set]; r.latency() && prefix != "" {
		name = prefix + "." + name
	}
	return name
}

func (r Rule) sign() string {
	sign := "<"
	if r.lower() {
		sign = ">"
	}
	if r.Equal {
		sign += "="
	}
	return sign
}

// counts reports whether r allows a number of operations to be over its limit, and
// share what part of all operations that is, in billionths.
func (r Rule) counts() (share uint64, ok bool) {
	switch r.Metric {
	case Percentile:
		return uint64(correct.Max - r.Quantile), true
	case Errors:
		return r.Billionths, true
	case Useful, FirstTry:
		return billion - r.Billionths, true
	}
	return 0, false
}

// allowed is how many of n operations may be over the limit.
func (r Rule) allowed(n uint64) uint64 {
	if r.Metric == Percentile {
		return r.Quantile.Allowed(n)
	}
	share, _ := r.counts()
	hi, lo := bits.Mul64(share, n)
	whole, rest := bits.Div64(hi, lo, billion)
	if !r.Equal && rest == 0 && whole > 0 {
		return whole - 1 // errors<1% of 200: one, for two are 1 %
	}
	return whole
}

// holds compares a/b with the limit of an Attempts or Rate rule, exactly.
func (r Rule) holds(a, b uint64) bool {
	hi, lo := bits.Mul64(a, billion)
	limitHi, limitLo := bits.Mul64(b, r.Billionths)
	switch {
	case hi == limitHi && lo == limitLo:
		return r.Equal
	case hi > limitHi || hi == limitHi && lo > limitLo:
		return r.lower()
	}
	return !r.lower()
}

// decimal writes v/10^places.
func decimal(v uint64, places int) string {
	s := fmt.Sprintf("%0*d", places+1, v)
	return strings.TrimRight(strings.TrimRight(s[:len(s)-places]+"."+s[len(s)-places:], "0"), ".")
}

// brief writes d as people do: 2m, not 2m0s.
func brief(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// digits3 writes d to three digits, with its unit apart: 1.94 s.
func digits3(d time.Duration) string {
	unit, name := time.Nanosecond, " ns"
	switch {
	case d >= time.Second:
		unit, name = time.Second, " s"
	case d >= time.Millisecond:
		unit, name = time.Millisecond, " ms"
	case d >= time.Microsecond:
		unit, name = time.Microsecond, " µs"
	}
	v, decimals := float64(d)/float64(unit), 2
	switch {
	case v >= 100 || unit == time.Nanosecond:
		decimals = 0
	case v >= 10:
		decimals = 1
	}
	return strconv.FormatFloat(v, 'f', decimals, 64) + name
}
