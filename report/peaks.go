package report

import (
	"time"

	"openload/correct"
	"openload/peak"
)

// Peaks are the most attempts that left at once, against the width of "at once". One
// width alone shows what suits it. Null for a file.
type Peaks struct {
	Resolution time.Duration `json:"resolution_ns"` // instants are cut down to a multiple of it
	Smear      time.Duration `json:"smear_ns"`      // our own greatest lateness: closer together than that we may have put them ourselves
	All        Arrivals      `json:"attempts"`
	Later      Arrivals      `json:"after_first"` // attempts after an operation's first, by their number
}

// Arrivals are attempts by when they left.
type Arrivals struct {
	N      uint64         `json:"n"`
	Late   uint64         `json:"left_out"` // attempts that took too long to be counted
	AtMost bool           `json:"at_most"`  // peaks of shards or runs were added up: the true ones may be lower
	Curve  []Peak         `json:"curve"`    // by width
	Wave   *Wave          `json:"wave"`     // null if none stands out
	Fit    *time.Duration `json:"fit_width_ns"`
}

// Peak is the most arrivals within one width.
type Peak struct {
	Width   time.Duration `json:"width_ns"`
	Sliding uint64        `json:"sliding"` // in any window: for judging
	At      time.Duration `json:"at_ns"`   // where the first such window begins
	Aligned uint64        `json:"aligned"` // in one bin counted from the launch: for plots
}

// Wave is the narrowest crowd that stands out. Arrivals.Fit is the widest width that
// shows how it is spread, null if none does.
type Wave struct {
	N     uint64        `json:"n"`
	At    time.Duration `json:"at_ns"`
	Width time.Duration `json:"width_ns"` // from its first arrival to its last
}

func peaksOf(s *correct.Snapshot) *Peaks {
	all, later := s.Peaks()
	smear, _ := s.Dist(correct.Lag).Max()
	return &Peaks{
		Resolution: peak.Quantum, Smear: smear,
		All: arrivalsOf(all, s.LastDone, smear), Later: arrivalsOf(later, s.LastDone, smear),
	}
}

func arrivalsOf(c peak.Curve, observed, smear time.Duration) Arrivals {
	a := Arrivals{N: c.N, Late: c.Late, AtMost: c.AtMost, Curve: []Peak{}}
	for _, p := range c.Points {
		a.Curve = append(a.Curve, Peak{Width: p.Width, Sliding: p.Sliding, At: p.At, Aligned: p.Aligned})
	}
	if w, ok := c.Wave(observed, smear); ok {
		a.Wave = &Wave{N: w.N, At: w.At, Width: w.Width}
		if h, ok := w.Effect(smear, peak.Quantum).Best(); ok {
			a.Fit = &h
		}
	}
	return a
}
