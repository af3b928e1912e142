package repair

import (
	"errors"
	"fmt"
	"math"
	"time"

	"openload/plan"
	"openload/schedule"
	"openload/sla"
	"openload/source"
)

// A Method is a way to correct a sample.
type Method string

// The methods. Auto lets the format and the data decide.
const (
	Auto     Method = "auto"
	Backfill Method = "backfill"
	Schedule Method = "schedule"
	Queue    Method = "queue"
	None     Method = "none"
)

// Options are what the user knows of a file.
type Options struct {
	Interval time.Duration // between two requests that one worker was meant to send; 0: not given
	Rate     schedule.Rate // of all workers together, in place of Interval
	Workers  int           // how many there were; 0: not given

	Method Method // "" is Auto
	Force  bool   // correct although the data says that it is wrong

	Expect *plan.Statuses // statuses that are a success; nil: what the tool took for one

	Rules      []sla.Rule
	Confidence float64 // in percent; 0: the file itself is what is judged

	Name    string // of the file, for the report
	Version string
	Command string // how to do it again

	careful bool // tests: no row is dull
}

// Check returns what is wrong with o, whatever the file.
func (o *Options) Check() error {
	var wrong []error
	switch o.Method {
	case "", Auto, Backfill, Schedule, Queue, None:
	default:
		wrong = append(wrong, fmt.Errorf("--method: %q is none; write auto, backfill, schedule, queue or none", o.Method))
	}
	if o.Interval < 0 {
		wrong = append(wrong, fmt.Errorf("--interval: %v is negative; give the time between two requests of one worker, such as 80ms", o.Interval))
	}
	if o.Interval > longest {
		wrong = append(wrong, fmt.Errorf("--interval: %v is too long; give the time between two requests of one worker, such as 80ms", o.Interval))
	}
	if o.Workers < 0 {
		wrong = append(wrong, fmt.Errorf("--workers: %d is negative; give the number of connections or threads of the tool", o.Workers))
	}
	if o.Interval > 0 && !o.Rate.IsZero() {
		wrong = append(wrong, errors.New("--interval and --rate say the same twice; give --interval (of one worker), or --rate (of all) with --workers"))
	}
	if err := sla.CheckConfidence(o.Confidence); err != nil {
		wrong = append(wrong, fmt.Errorf("--confidence: %w", err))
	}
	return errors.Join(wrong...)
}

// A pace is the interval of one worker, and whose word it is. A zero pace is unknown.
type pace struct {
	interval time.Duration
	perSlot  float64 // the same in ns, exactly
	workers  int     // 0: unknown
	source   string
}

// paceOf is the pace that the options, or else the file's head, state.
func paceOf(o *Options, facts *source.Facts) (p pace, err error) {
	p.workers = o.Workers
	if p.workers == 0 {
		p.workers = max(0, facts.Concurrency)
	}
	rate, of := facts.PerSec, facts.Rate
	switch {
	case o.Interval > 0:
		p.set(float64(o.Interval), "--interval "+o.Interval.String())
	case !o.Rate.IsZero():
		if p.workers == 0 {
			return p, errors.New("--rate is of all workers together and the interval that of one: give --workers too")
		}
		p.set(float64(p.workers)*1e9/o.Rate.PerSecond(), fmt.Sprintf("--rate %s, %s", o.Rate, several(p.workers, "worker")))
		if p.interval == 0 {
			return p, fmt.Errorf("--rate %s of %s: they are too far apart, or too close, for an interval; write another rate", o.Rate, several(p.workers, "worker"))
		}
	case rate > 0 && of == source.RatePerWorker:
		p.set(1e9/rate, fmt.Sprintf("the file's rate of %.6g/s a worker", rate))
	case rate > 0 && of == source.RateTotal && p.workers > 0:
		p.set(float64(p.workers)*1e9/rate, fmt.Sprintf("the file's rate of %.6g/s, %s", rate, several(p.workers, "worker")))
	}
	return p, nil
}

// longest is an interval that no load test has, and far from the end of a Duration.
const longest = 1000 * time.Hour

// set leaves p unknown if ns is no interval.
func (p *pace) set(ns float64, source string) {
	if ns >= 1 && ns <= float64(longest) {
		p.perSlot, p.source = ns, source
		p.interval = time.Duration(math.Round(ns))
	}
}

// several is a count with its noun in the right number.
func several(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
