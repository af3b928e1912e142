package sla

import (
	"time"

	"openload/correct"
)

// An Outcome is what a run says about its rules.
type Outcome uint8

const (
	None         Outcome = iota // nothing was decided: no rules, or the run was interrupted
	Pass                        // every rule holds, our own lateness counted in
	Fail                        // a rule is broken, our own lateness taken out
	Invalid                     // the run cannot be trusted, or the generator decided
	Inconclusive                // too few operations for the confidence asked for
)

// String is the outcome's name in JSON.
func (o Outcome) String() string {
	return [...]string{"none", "pass", "fail", "invalid", "inconclusive"}[o]
}

// A Verdict is what a run's rules came to.
type Verdict struct {
	Outcome     Outcome
	Interrupted bool // it stands above the outcome, which is then None
	NotRefuted  bool // a Pass that rests on synthetic samples: no evidence, only no objection

	Results []Result // one a rule, in their order

	// Reasons are why the outcome is what it is; none for a plain Pass or None. Codes:
	// interrupted; no_success, rate_off, dropped, incomplete, empty_set, own_lateness,
	// auto_cap (Invalid); rule_broken (Fail); too_few, synthetic (Inconclusive);
	// not_refuted (Pass); cut (any, of a file that ends early).
	Reasons []correct.Doubt

	// Notes are what a reader should know besides. Codes: aborted, no_steady_state, descriptors,
	// few_samples, this_run_alone, not_independent, limit_in_bucket, left_out.
	Notes []correct.Doubt
}

// A Result is one rule's. A nil pointer is a number that is unknown, or does not exist.
type Result struct {
	Rule    Rule
	Outcome Outcome // Pass, Fail, Invalid or Inconclusive
	Pass    bool    // the rule holds for what was measured, our own lateness counted in

	Latency *time.Duration // the value of a latency rule; nil where it lies among failures, or the set is empty
	Number  *float64       // the value of any other rule: a share, or attempts for each operation

	Over     *uint64 // operations over the limit, failures included, where they were counted exactly
	Allowed  *uint64 // how many may be, if the rule is about a number of them
	Of       uint64  // the size of the set judged
	Episodes *uint64 // separate stretches of operations over the limit, of a rule on corrected latency

	// Needed is how many operations with no more of them over the limit would show
	// the rule at the confidence asked for; 0 unless Inconclusive.
	Needed uint64

	// The same limit on other readings, as measured; nil for a rule on raw latency,
	// for one that is about no latency, and where the reading does not exist.
	Raw, ClosedLoop *Reading
	Flipped         bool // one of them passes, and the rule itself is broken with our lateness taken out

	findings []finding // what the outcome rests on
}

// A Reading is what a rule comes to on other samples than its own.
type Reading struct {
	Latency *time.Duration // nil where it lies among failures
	Pass    bool
}
