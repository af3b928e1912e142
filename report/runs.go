package report

import "slices"

// RunsSchema names version 1 of the document of a repeated run.
const RunsSchema = "openload/runs/v1"

// Runs is a run that was repeated. The runs stay apart: a percentile of all their
// samples together would be nobody's.
type Runs struct {
	Schema  string    `json:"schema"`
	Planned int       `json:"planned"`           // how many runs were asked for
	Verdict string    `json:"verdict"`           // of all of them together; see NewRuns
	Command string    `json:"command,omitempty"` // how to make all of them again
	Runs    []*Report `json:"runs"`              // in their order
}

// NewRuns puts runs together. Each was judged for itself. Together they fail if any
// fails, since that rests on what the server did and no other run undoes it; else they
// are invalid if any is, else inconclusive if any is, and pass only if all do. Fewer
// than planned, or an interrupted one, have no verdict, unless one failed and the rest
// were left out because of it.
func NewRuns(planned int, runs []*Report) *Runs {
	all := &Runs{Schema: RunsSchema, Planned: planned, Verdict: "none", Runs: runs}
	interrupted := slices.ContainsFunc(runs, func(r *Report) bool { return r.Run.Interrupted })
	for _, verdict := range []string{"fail", "invalid", "inconclusive", "pass"} {
		if !interrupted && slices.ContainsFunc(runs, func(r *Report) bool { return r.Verdict == verdict }) {
			all.Verdict = verdict
			break
		}
	}
	if len(runs) < planned && all.Verdict != "fail" {
		all.Verdict = "none"
	}
	return all
}

// Interrupted reports whether the runs were cut short from outside.
func (r *Runs) Interrupted() bool {
	return slices.ContainsFunc(r.Runs, func(r *Report) bool { return r.Run.Interrupted }) || len(r.Runs) < r.Planned && r.Verdict != "fail"
}
