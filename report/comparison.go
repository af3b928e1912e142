package report

import "time"

// CompareSchema names version 1 of the document that a Comparison is.
const CompareSchema = "openload/compare/v1"

// A Comparison answers whether it got worse. Its unit is the run: requests of one run
// share its luck, and a thousand of them say nothing of how much runs differ.
type Comparison struct {
	Schema      string       `json:"schema"`
	Verdict     string       `json:"verdict"` // fail, inconclusive, pass; none without gates; invalid if a side has no run that counts
	Confidence  float64      `json:"confidence"`
	Base        Side         `json:"base"`
	New         Side         `json:"new"`
	Set         string       `json:"latency"`  // which one Changes are of: corrected or raw
	Single      bool         `json:"one_each"` // one run a side: bounds are of these two runs, not of what runs do
	Changes     []Change     `json:"changes"`
	Gates       []GateResult `json:"gates"`
	Differences []Difference `json:"differences"` // of plans and machines
	Notes       []Reason     `json:"notes"`
}

// Side is the runs before or after.
type Side struct {
	Files []string `json:"files"`
	Runs  int      `json:"runs"`     // that count
	Left  []string `json:"left_out"` // those that do not, each with the reason
}

// Change is what became of a reading.
type Change struct {
	Name string           `json:"name"`
	Base []*time.Duration `json:"base_ns"` // each run's, in order; null among the failures
	New  []*time.Duration `json:"new_ns"`

	BaseMean *time.Duration `json:"base_mean_ns"` // over the runs; null if any has none
	NewMean  *time.Duration `json:"new_mean_ns"`
	Share    *float64       `json:"change"` // of the base's mean
	Lower    *time.Duration `json:"lower_ns"`
	Upper    *time.Duration `json:"upper_ns"` // the interval of the difference; null with too few runs
	P        *float64       `json:"p"`        // two-sided, exact; null with one run a side

	// With one run a side the bounds that each run puts on its own percentile.
	BaseBounds *Bounds `json:"base_bounds,omitempty"`
	NewBounds  *Bounds `json:"new_bounds,omitempty"`

	Answer string `json:"answer"`
}

// Bounds hold a percentile. A null one is not bounded on that side.
type Bounds struct {
	Lower *time.Duration `json:"lower_ns"`
	Upper *time.Duration `json:"upper_ns"`
}

// The answers.
const (
	Worse          = "worse"
	Better         = "better"
	NotSignificant = "not significant"
	TooFewRuns     = "too few runs"
	Apart          = "apart" // two runs differ by more than chance within each explains
)

// GateResult is what became of a gate.
type GateResult struct {
	Gate    string   `json:"gate"`
	Outcome string   `json:"outcome"` // pass, fail, inconclusive
	Answer  string   `json:"answer"`
	Base    *float64 `json:"base"` // mean over runs: ns, or a share; null where failures have no value
	New     *float64 `json:"new"`
	P       *float64 `json:"p"` // one-sided: how often chance alone goes as far over the bar
}
