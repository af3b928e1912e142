package sla

import (
	"slices"

	"openload/correct"
	"openload/stats"
)

// ofRules are the codes of the notes that Judge makes.
var ofRules = []string{"aborted", "no_steady_state", "descriptors", "few_samples", "this_run_alone", "not_independent", "limit_in_bucket", "left_out"}

// OfRules reports whether a note of this code is Judge's: another judgement replaces it.
func OfRules(code string) bool { return slices.Contains(ofRules, code) }

// notes are what a reader should know besides the reasons.
func (e *Evidence) notes(results []Result) (notes []correct.Doubt) {
	s := e.Snapshot
	if e.AbortedOnFail {
		notes = append(notes, doubt("aborted", "stopped early (--abort-on-fail): after %d%s operations a rule could not be kept any more, whatever the rest had brought", s.Counts.Scheduled, e.ofPlanned()))
	}
	if s.Growing() {
		notes = append(notes, doubt("no_steady_state", "no steady state: more and more operations were under way towards the end, so p99 depends on n"))
	}
	if e.Descriptors > 0 {
		notes = append(notes, doubt("descriptors", "operations waited for a connection by our own doing: our limit of %d file descriptors has room for %d%s, and that was the cap; raise it (ulimit -n)", e.Descriptors, e.AutoCap, e.toEach()))
	}
	for _, r := range results {
		if len(r.findings) == 0 {
			continue // there is nothing to doubt
		}
		for _, note := range e.on(r.Rule).notesOn(r) {
			if !slices.Contains(notes, note) { // two limits of one percentile have the same
				notes = append(notes, note)
			}
		}
	}
	return notes
}

func (e *Evidence) notesOn(r Result) (notes []correct.Doubt) {
	share, byChance := r.Rule.chance()
	if e.Confidence == 0 && r.Rule.Metric == Percentile && byChance {
		const usual = 95
		if needed := stats.Needed(0, share, usual/100.); r.Of < needed {
			notes = append(notes, doubt("few_samples", "%s of %d %s; fewer than %d cannot show it at %d %%",
				r.Rule.Quantile, r.Of, r.restsOn(), needed, usual))
		}
	}
	if e.Confidence > 0 && !byChance {
		notes = append(notes, doubt("this_run_alone", "%s is judged as measured: no sample shows it for other runs at %v %%", r.Rule, e.Confidence))
	}
	if e.Confidence > 0 && byChance && r.Episodes != nil && r.Over != nil && *r.Episodes < *r.Over {
		notes = append(notes, doubt("not_independent", "the %d operations against %s came in %s, and the %v %% takes each for an event of its own",
			*r.Over, r.Rule, episodes(*r.Episodes), e.Confidence))
	}
	if f := r.findings[0]; r.Allowed != nil && f.over > *r.Allowed && f.over-f.unsure <= *r.Allowed {
		notes = append(notes, doubt("limit_in_bucket", "%s was decided by a histogram, and its limit lies inside the deciding bucket: up to %d of the %d over it may not be",
			r.Rule, f.unsure, f.over))
	}
	if n := e.Snapshot.Counts.Scheduled; r.Rule.latency() && r.Of < n {
		switch r.Rule.Set {
		case correct.CorrectedOK:
			notes = append(notes, doubt("left_out", "%s is judged on the %d of %d operations that succeeded", r.Rule, r.Of, n))
		case correct.Settled:
			notes = append(notes, doubt("left_out", "%s is judged on the %d of %d operations that came to an end", r.Rule, r.Of, n))
		}
	}
	return notes
}

// restsOn says which values make the percentile.
func (r Result) restsOn() string {
	unit := "operation"
	if r.Rule.Set == correct.Raw {
		unit = "attempt"
	}
	if r.Of != 1 {
		unit += "s"
	}
	switch *r.Allowed {
	case 0:
		return unit + " is the slowest of them"
	case 1:
		return unit + " rests on the slowest one"
	}
	return unit + " rests on the slowest " + decimal(*r.Allowed, 0)
}
