package report

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"openload/correct"
)

// Flow is what was meant to leave, left and ended, in bins of one width from the run's
// epoch on: number i begins at i times the width.
type Flow struct {
	Width     time.Duration   `json:"width_ns"`
	Scheduled []uint64        `json:"scheduled"` // operations that were due in it; empty for a closed loop
	Sent      []uint64        `json:"sent"`      // attempts that left in it
	Ended     []uint64        `json:"ended"`     // attempts that ended in it
	Lag       []time.Duration `json:"lag_max_ns"`
	Late      []time.Duration `json:"late_max_ns"` // what our lag can't see: answers that were read late
}

// Heat is how long things took, in columns of one width by when they were due. Each
// is a histogram of nanoseconds to an eighth, in HdrHistogram's compressed V2 encoding;
// "" for an empty one.
type Heat struct {
	Width     time.Duration `json:"width_ns"`
	Corrected []string      `json:"corrected"` // of successes; empty for a closed loop
	Raw       []string      `json:"raw"`       // of attempts that succeeded
	Failed    []uint64      `json:"failed"`    // operations, which are in no histogram
}

// Operation is one of the operations that took longest, by its last attempt. The phases
// add up to what it took, or in a closed loop to what its attempt took.
type Operation struct {
	Run      int                      `json:"run,omitempty"` // of runs that were merged, in the order of their start from 1
	Seq      uint64                   `json:"seq"`
	Intended *time.Duration           `json:"t_ns"` // when it was due; null in a closed loop
	Took     time.Duration            `json:"took_ns"`
	Attempts int                      `json:"attempts"`
	Class    string                   `json:"class"` // what became of it: ok, bad_status, timeout, ...
	Status   int                      `json:"status"`
	Phases   map[string]time.Duration `json:"phases_ns"` // those of Phase that took any time
}

// picture takes over what a run looked like.
func (r *Report) picture(p *correct.Picture, closed bool) {
	if p == nil {
		return
	}
	r.Flow, r.Heat = flowOf(p.Flow(), closed), heatOf(p.Heat(), closed)
	for _, x := range p.Worst() {
		o := Operation{Seq: x.Seq, Took: x.Corrected(), Attempts: x.Attempt, Class: x.Class.String(), Status: x.Status, Phases: map[string]time.Duration{}}
		if !x.Fired {
			o.Attempts--
		}
		in := x.Phases()
		if closed {
			o.Took, in[correct.Before], in[correct.Lagging], in[correct.Waiting] = x.Raw(), 0, 0, 0
		} else {
			o.Intended = &x.Intended
		}
		for phase, took := range in {
			if took > 0 {
				o.Phases[correct.Phase(phase).String()] = took
			}
		}
		r.Worst = append(r.Worst, o)
	}
}

func flowOf(f correct.Flow, closed bool) *Flow {
	out := &Flow{Width: f.Width, Scheduled: []uint64{}, Sent: []uint64{}, Ended: []uint64{}, Lag: []time.Duration{}, Late: []time.Duration{}}
	for _, b := range f.Bins {
		if !closed {
			out.Scheduled = append(out.Scheduled, b.Scheduled)
		}
		out.Sent, out.Ended = append(out.Sent, b.Sent), append(out.Ended, b.Ended)
		out.Lag, out.Late = append(out.Lag, b.Lag), append(out.Late, b.Late)
	}
	return out
}

func heatOf(h correct.Heat, closed bool) *Heat {
	out := &Heat{Width: h.Width, Corrected: []string{}, Raw: []string{}, Failed: []uint64{}}
	for _, c := range h.Columns {
		if !closed {
			out.Corrected = append(out.Corrected, encoded(c.Corrected))
		}
		out.Raw, out.Failed = append(out.Raw, encoded(c.Raw)), append(out.Failed, c.Failed)
	}
	return out
}

func encoded(h *hdrhistogram.Histogram) string {
	if h == nil {
		return ""
	}
	return correct.Encoded(h)
}
