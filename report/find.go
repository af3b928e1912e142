package report

// FindSchema names version 1 of the document of a search.
const FindSchema = "openload/find/v1"

// What limits the answer of a search from above.
const (
	ByServer      = "server"      // it broke a rule
	ByMeasurement = "measurement" // no step above was worth anything, or had enough operations
	ByRange       = "range"       // nothing did: the highest rate of the search held
	ByUser        = "interrupted"
)

// A Find is the search for the highest rate that keeps the rules.
type Find struct {
	Schema    string     `json:"schema"`
	Tool      Tool       `json:"tool"`
	Command   string     `json:"command,omitempty"` // how to search again
	From      float64    `json:"from_per_s"`
	To        float64    `json:"to_per_s"`
	Precision float64    `json:"precision"` // a share: 0.05
	Holds     *float64   `json:"holds_per_s"`
	Above     *float64   `json:"above_per_s"` // the lowest rate tried above it that did not; null: none
	Limit     string     `json:"limited_by"`  // server, measurement, range, interrupted
	Steps     []FindStep `json:"steps"`       // in the order in which they were made
}

// A FindStep is a run at one rate.
type FindStep struct {
	Rate   float64 `json:"rate_per_s"`
	Report *Report `json:"report"`
}

// FailedByServer reports whether the run is worth nothing for the one reason that the
// server answered every operation, and none with a status that is a success.
func (r *Report) FailedByServer() bool {
	return r.Verdict == "invalid" && len(r.Reasons) == 1 && r.Reasons[0].Code == "no_success" &&
		r.Counts.Scheduled > 0 && r.Counts.BadStatus == r.Counts.Scheduled
}
