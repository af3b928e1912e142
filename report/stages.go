package report

import (
	"time"

	"openload/correct"
	"openload/plan"
)

// A Stage is one phase of the plan: its part of the run. Together they are the whole,
// the warm-up included.
type Stage struct {
	Name    string        `json:"name"`
	At      time.Duration `json:"t_ns"` // when it begins
	Length  time.Duration `json:"length_ns"`
	Rate    string        `json:"rate"` // as the plan says it: 50, 10..200, 0
	Warmup  bool          `json:"warmup"`
	Counts  Counts        `json:"counts"`
	Failed  uint64        `json:"failed"` // scheduled operations that did not succeed
	Latency Latency       `json:"latency"`
}

// A Warmup is what was sent and kept out of everything else in the report, but for what
// belongs to the run as a whole: its planned operations, connections and stages.
type Warmup struct {
	Until   time.Duration `json:"until_ns"` // from here on everything was judged
	Counts  Counts        `json:"counts"`
	Failed  uint64        `json:"failed"`
	Latency Latency       `json:"latency"`
}

// PhaseDimension is what the groups of operations by phase are called.
const PhaseDimension = "phase"

func warmupOf(p *plan.Plan, warm *correct.Snapshot) *Warmup {
	if warm == nil {
		return nil
	}
	return &Warmup{Until: p.WarmUntil(), Counts: countsOf(&warm.Counts, Meta{}), Failed: warm.Counts.Failed(), Latency: latencyOf(warm)}
}

func stagesOf(p *plan.Plan, judged, warm *correct.Snapshot) (all []Stage) {
	var at time.Duration
	for _, x := range p.Phases {
		s := judged
		if x.Warmup && warm != nil {
			s = warm
		}
		of := s.Part(PhaseDimension, x.Name)
		if of == nil {
			of = new(correct.Snapshot)
		}
		all = append(all, Stage{
			Name: x.Name, At: at, Length: x.Stage.For, Rate: x.Rate(), Warmup: x.Warmup,
			Counts: countsOf(&of.Counts, Meta{}), Failed: of.Counts.Failed(), Latency: latencyOf(of),
		})
		at += x.Stage.For
	}
	return all
}
