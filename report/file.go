package report

import (
	"time"

	"openload/correct"
	"openload/sla"
)

// File is what a report of another tool's result file says of the file, and of
// whether its sample can be corrected at all. Null for a run.
type File struct {
	Name   string `json:"name"`
	Format string `json:"format"`
	Tool   string `json:"tool"`

	Rows     uint64 `json:"rows"` // read and judged; in a histogram its counts
	Failed   uint64 `json:"failed"`
	Skipped  uint64 `json:"skipped"`  // bad records, skipped because that was asked for
	Filtered uint64 `json:"filtered"` // of another label or tag
	Nested   uint64 `json:"nested"`   // left out because they repeat other rows
	Dropped  uint64 `json:"dropped"`  // arrivals that the tool says it gave up
	Runs     int    `json:"runs"`

	Unit       string         `json:"unit"`
	Resolution *time.Duration `json:"resolution_ns"`
	Span       *time.Duration `json:"span_ns"` // first start to last end, without the silence between runs
	Workers    int            `json:"workers"` // 0: unknown
	WorkersBy  string         `json:"workers_from"`

	Pacing   string `json:"pacing"`   // what the tool usually does about what was due while it waited
	Observed string `json:"observed"` // what the data show that it did; unknown if they don't

	Half    *AtInterval `json:"half_interval"`
	Double  *AtInterval `json:"double_interval"`
	Bracket *Bracket    `json:"bracket"` // one worker's p99 lies within
	Fails   []FailsAt   `json:"fails_at"`

	Findings []Finding `json:"findings"`
}

// AtInterval is the corrected reading at another interval than the one given.
type AtInterval struct {
	Interval  time.Duration  `json:"interval_ns"`
	Synthetic uint64         `json:"synthetic"`
	P50       *time.Duration `json:"p50_ns"`
	P99       *time.Duration `json:"p99_ns"`
	Max       *time.Duration `json:"max_ns"`
}

// Bracket is the least and the most that a user's p99 can have been: only the slow
// requests were slow, or everything behind them was.
type Bracket struct {
	Raw   *time.Duration `json:"raw_p99_ns"`
	Queue *time.Duration `json:"queue_p99_ns"`
}

// FailsAt says at which rates a rule would fail if the requests came one by one to a
// single first-come-first-served server: a prediction, for files without an interval.
type FailsAt struct {
	Rule     string         `json:"rule"`
	Always   bool           `json:"always"`      // at any rate
	Interval *time.Duration `json:"interval_ns"` // the longest at which it fails; null: always or never
	PerSec   *float64       `json:"per_s"`       // the rate there: it fails at this and every higher one
	Of       uint64         `json:"of"`          // requests that this rests on
}

// Finding is one test of whether the sample lacks what its tool did not send.
type Finding struct {
	Code string `json:"code"`
	Says string `json:"says"` // coordinated, not_coordinated, lossy, or unclear
	Text string `json:"text"`
}

// The answers of findings.
const (
	Coordinated    = "coordinated"     // the tool waited, and its sample lacks what it did not send meanwhile
	NotCoordinated = "not_coordinated" // it did not wait
	Lossy          = "lossy"           // requests are missing that no correction restores
	Unclear        = "unclear"
)

// Sample is what New takes of a file in place of a run.
type Sample struct {
	File       File
	Correction Correction
	Queue      *Dist
	Expect     string // statuses that are a success, in words
	Confidence float64
	Duration   time.Duration
}

// OfFile is the report of a file's sample.
func OfFile(x *Sample, s *correct.Snapshot, v *sla.Verdict, m Meta) *Report {
	r := &Report{
		Schema:     Schema,
		Tool:       Tool{Version: m.Version},
		Plan:       Plan{Model: "file", Expect: x.Expect, Confidence: x.Confidence, Command: m.Command},
		Run:        Run{Started: m.Started, Duration: x.Duration, Interrupted: v.Interrupted, Aborted: m.Aborted, Engine: "file"},
		Correction: x.Correction,
		Counts:     countsOf(&s.Counts, m),
		Series:     []Window{},
		File:       &x.File,
	}
	// A file knows no lateness of ours.
	r.Latency = Latency{
		Corrected: WithHistogram(s.Dist(correct.Corrected)), Raw: WithHistogram(s.Dist(correct.Raw)), Queue: x.Queue,
		CorrectedOK: WithHistogram(s.Dist(correct.CorrectedOK)), Settled: WithHistogram(s.Dist(correct.Settled)),
	}
	r.judged(v)
	r.Notes = append(r.Notes, reasons(m.Notes)...)
	return r
}

// OfOwn is the report of a run of ours that comes back from its own file, which does
// know our lateness.
func OfOwn(x *Sample, s *correct.Snapshot, v *sla.Verdict, m Meta) *Report {
	r := OfFile(x, s, v, m)
	r.Latency, r.Rate, r.Evidence = latencyOf(s), rateOf(s), evidenceOf(m.Evidence)
	r.Targets = targetsOfFile(s)
	r.picture(m.Picture, false)
	return r
}
