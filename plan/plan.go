package plan

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"openload/request"
	"openload/retry"
	"openload/schedule"
	"openload/seed"
	"openload/sla"
)

// A Plan is one run, before it starts.
type Plan struct {
	Target   Target
	Mix      *request.Mix  // what operations send, if a report tells them apart; nil: all send the same
	Rows     uint64        // of the data that requests are filled with, one an operation; 0: there are none
	Once     uint64        // operations that there is something to send for, and then no more; 0: it begins anew
	Schedule schedule.Spec // the open model; unused if Closed is set
	Closed   *Closed       // a closed loop instead
	Phases   []Phase       // the stages of Schedule.Shape by name; nil: they have none
	Warmup   time.Duration // operations intended before it are sent and not judged
	Seed     seed.Seed

	Connections    int           // most connections; 0: automatic
	Timeout        time.Duration // of each attempt, from its send; 0: none
	ConnectTimeout time.Duration // of each dial; 0: none
	Deadline       time.Duration // of each operation, from when it was intended; 0: none
	Drain          time.Duration // how long after the last arrival to wait for answers
	Backlog        int           // most operations that may wait for a connection

	Retry  retry.Policy // what happens after a failed attempt; zero: nothing
	HasKey bool         // each operation carries an idempotency key of its own

	Expect      Statuses
	Rules       []sla.Rule
	AbortOnFail bool    // send no more once a rule can't be kept any more
	Confidence  float64 // in percent, such as 95; 0: the run itself is what is judged
}

// A Target is what the plan says of the request, ready to be shown: secrets are
// redacted.
type Target struct {
	Method      string
	URL         string
	Hosts       []string // as URLs, if operations go to several
	Insecure    bool     // TLS certificates are not verified
	NoKeepalive bool     // every request on a connection of its own
	Network     []string // flags that say how connections are made
	Simulated   string   // the server's model, if the run is simulated
}

// Closed describes a closed loop of Connections workers.
type Closed struct {
	N        uint64
	Duration time.Duration
	Rate     *schedule.Rate // paces the workers together; nil: each sends as soon as it can
	Think    time.Duration
}

// Defaults that the plan takes where the user says nothing.
const (
	DefaultTimeout        = 30 * time.Second
	DefaultConnectTimeout = 5 * time.Second
	DefaultDrain          = 30 * time.Second
	DefaultBacklog        = 1_000_000
)

// Check returns everything that is wrong with p, joined.
func (p *Plan) Check() error {
	var wrong []error
	for _, d := range []struct {
		name string
		v    time.Duration
	}{{"--timeout", p.Timeout}, {"--connect-timeout", p.ConnectTimeout}, {"--deadline", p.Deadline}, {"--drain", p.Drain}} {
		if d.v < 0 {
			wrong = append(wrong, fmt.Errorf("%s: %v is negative; give a duration such as 30s", d.name, d.v))
		}
	}
	if p.Connections < 0 {
		wrong = append(wrong, fmt.Errorf("--connections: %d is negative; give a number, or 0 for automatic", p.Connections))
	}
	if p.Retry.Query() != "" && !p.HasKey {
		wrong = append(wrong, errors.New("--retry: unknown=query: asks by the operation's key; add --idempotency-key HEADER"))
	}
	if p.Closed != nil && p.Retry.Attempts() > 1 {
		wrong = append(wrong, errors.New("--retry belongs to an open run; a closed loop makes one attempt an operation"))
	}
	if p.Closed != nil {
		wrong = append(wrong, p.Closed.check(p))
	} else if err := p.Schedule.Check(); err != nil {
		wrong = append(wrong, err)
	} else if _, any := p.Arrivals().Next(); !any {
		wrong = append(wrong, fmt.Errorf("by chance %s schedules no arrival with --seed %d; give a longer duration, a number (--n) or another seed", p.Schedule, p.Seed))
	}
	if len(wrong) == 0 || errors.Join(wrong...) == nil {
		wrong = append(wrong, p.checkPhases())
	}
	for _, r := range p.Rules {
		wrong = append(wrong, p.checkTarget(r.String(), r.Target))
		wrong = append(wrong, r.Check(p.Closed != nil))
	}
	if err := sla.CheckConfidence(p.Confidence); err != nil {
		wrong = append(wrong, fmt.Errorf("--confidence: %w", err))
	}
	if p.AbortOnFail {
		wrong = append(wrong, p.checkAbort(errors.Join(wrong...) == nil))
	}
	return errors.Join(wrong...)
}

// checkAbort says why p could never be aborted. Whether its operations are counted is
// only known of a plan that is right otherwise.
func (p *Plan) checkAbort(right bool) error {
	switch {
	case len(p.Rules) == 0:
		return errors.New("--abort-on-fail has nothing to fail: give a rule, such as --sla 'p99<500ms'")
	case !slices.ContainsFunc(p.Rules, sla.Rule.Early):
		return errors.New("--abort-on-fail has nothing to fail: a rule on the rate is kept, or the run is INVALID; give another, such as --sla 'p99<500ms'")
	case right && p.Planned() == 0:
		return errors.New("--abort-on-fail needs to know how many operations there are: give --n as well")
	}
	return nil
}

func (c *Closed) check(p *Plan) error {
	var wrong []error
	if c.N == 0 && c.Duration == 0 {
		wrong = append(wrong, errors.New("a closed loop needs an end: give --n or --duration"))
	}
	if c.Duration < 0 || c.Think < 0 {
		wrong = append(wrong, errors.New("--duration and --think: give a duration that is not negative, such as 10s"))
	}
	if p.Connections == 0 {
		wrong = append(wrong, errors.New("a closed loop needs its number of workers: give --connections, such as -c 1"))
	}
	return errors.Join(wrong...)
}
