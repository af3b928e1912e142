package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Lab makes one run of a variant, the given round of it, with the seed of the round.
// When stop ends, it sends no more; when ctx ends, it gives up. An error is that the run
// could not be made at all.
type Lab interface {
	Run(ctx, stop context.Context, variant, round int) (Outcome, error)
}

// Options are what an experiment wants from its surroundings.
type Options struct {
	Lab   Lab
	Seed  uint64                                       // of the first round
	Sleep func(ctx context.Context, d time.Duration)   // the pause between two runs
	Tell  func(place, of int, variant string, run One) // after every run; may be nil
	Out   io.Writer                                    // what hooks write
}

// Occupied names the addresses of s on which somebody listens already. They would
// answer in place of whom the experiment is about.
func (s Spec) Occupied() error {
	var wrong []error
	for _, address := range s.Free {
		l, err := net.Listen("tcp", address)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("free: %s is not free: %w; end who listens there, since it would answer in place of the experiment's server", address, err))
			continue
		}
		wrong = append(wrong, l.Close())
	}
	return errors.Join(wrong...)
}

// Run makes the experiment, as far as stop lets it: what was measured is in the result
// all the same.
func Run(ctx, stop context.Context, s Spec, o Options) *Result {
	r := &Result{
		Schema: Schema, Simulated: s.Simulate, Repeats: s.Repeats, Bin: s.Bin, Outcomes: s.Outcomes,
		Baseline: s.Variants[s.Baseline].Name, Comparisons: []Comparison{}, Notes: []string{},
	}
	for _, m := range s.Measures {
		r.Measures = append(r.Measures, MeasureInfo{m.Name, m.Unit, m.Help})
	}
	for _, v := range s.Variants {
		r.Variants = append(r.Variants, Arm{Name: v.Name, Reasons: []string{}, Runs: []One{}})
	}
	place, all := 0, s.Repeats*len(s.Variants)
rounds:
	for round := range s.Repeats {
		for _, i := range s.Order(round) {
			if place > 0 && s.Pause > 0 && !s.Simulate {
				o.Sleep(stop, s.Pause)
			}
			if stop.Err() != nil || ctx.Err() != nil {
				r.Interrupted = true
				break rounds
			}
			place++
			one, note := s.one(ctx, stop, o, i, round)
			if note != "" && !slices.Contains(r.Notes, note) {
				r.Notes = append(r.Notes, note)
			}
			if one == nil {
				r.Interrupted = true
				break rounds
			}
			one.Place = place
			r.Variants[i].Runs = append(r.Variants[i].Runs, *one)
			if o.Tell != nil {
				o.Tell(place, all, s.Variants[i].Name, *one)
			}
		}
	}
	r.sum(s)
	return r
}

// Variables are those of the environment that hooks find beside OPENLOAD_SEED: the
// variant's name, and the round from 1 on.
var Variables = [...]string{"OPENLOAD_VARIANT", "OPENLOAD_ROUND"}

// one makes a run with its hooks. It is nil if the run was cut short, and then not part
// of anything.
func (s Spec) one(ctx, stop context.Context, o Options, i, round int) (x *One, note string) {
	v := s.Variants[i]
	seed := o.Seed + uint64(round)
	env := []string{Variables[0] + "=" + v.Name, Variables[1] + "=" + strconv.Itoa(round+1), "OPENLOAD_SEED=" + strconv.FormatUint(seed, 10)}
	x = &One{Seed: seed, Reasons: []string{}, Values: make([]*float64, len(s.Measures))}
	var out Outcome
	pairs := [][2][]Hook{{s.Before, s.After}, {v.Before, v.After}}
	err, cleanup := around(ctx, pairs, o.Out, env, func() (err error) {
		out, err = o.Lab.Run(ctx, stop, i, round)
		return err
	})
	if cleanup != nil {
		note = fmt.Sprintf("clean-up of %s, round %d, failed: %v", v.Name, round+1, cleanup)
	}
	switch {
	case ctx.Err() != nil, err == nil && out.Report.Run.Interrupted:
		return nil, note
	case err != nil:
		x.Reasons = append(x.Reasons, err.Error())
		return x, note
	}
	x.Reasons = append(x.Reasons, s.doubts(out)...)
	if x.Valid = len(x.Reasons) == 0; !x.Valid {
		return x, note // numbers of such a run are not to be looked at
	}
	for m := range s.Measures {
		if value, ok := s.Measures[m].read(out, s.Bin); ok {
			x.Values[m] = &value
		}
	}
	return x, note
}

// doubts are why a run does not count.
func (s Spec) doubts(o Outcome) (why []string) {
	complain := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	c := o.Report.Counts
	sent := c.AttemptsSent + c.Resent
	if w := o.Report.Warmup; w != nil {
		sent += w.Counts.AttemptsSent + w.Counts.Resent
	}
	if sent == 0 {
		complain("the target saw no traffic")
	}
	if t := o.Target; t != nil && t.Received != sent {
		complain("%d requests were written, %d arrived", sent, t.Received)
	}
	ended := map[string]uint64{"ok": c.OK, "bad_status": c.BadStatus, "timed_out": c.TimedOut}
	for _, n := range c.Errors {
		ended["error"] += n
	}
	if sent > 0 && !slices.ContainsFunc(s.Outcomes, func(name string) bool { return ended[name] > 0 }) {
		complain("no operation ended as expected, which is %s", strings.Join(s.Outcomes, " or "))
	}
	if p := o.Report.Peaks; p != nil && s.crowds() && p.Smear > s.Bin {
		complain("sends were up to %v late, and peaks are counted in %v", p.Smear.Round(time.Microsecond), s.Bin)
	}
	if o.Report.Verdict == "invalid" {
		for _, reason := range o.Report.Reasons {
			// That nobody is served may be what the experiment is about.
			if reason.Code != "no_success" || slices.Contains(s.Outcomes, "ok") {
				complain("%s", reason.Text)
			}
		}
	}
	return why
}

// crowds reports whether peaks are measured.
func (s Spec) crowds() bool {
	return slices.ContainsFunc(s.Measures, func(m Measure) bool { return m.crowd })
}
