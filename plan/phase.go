package plan

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"openload/schedule"
)

// A Phase is a stage of the schedule that is told apart in the report.
type Phase struct {
	Name   string
	Stage  schedule.Stage
	Warmup bool // its operations are sent, and kept out of what is judged
}

// mostPhases bounds a plan's phases: each has a recorder of its own.
const mostPhases = 50

// phaseForm is what an error says to write.
const phaseForm = "write 'NAME: RATE@TIME' such as 'steady: 50@1m', with warmup behind it for one that is not judged"

// ParsePhase reads "[NAME:] RATE@TIME [warmup]", where RATE is as in a stage of a rate:
// 50, 10..200 for a ramp, 0 for a pause.
func ParsePhase(text string) (Phase, error) {
	var p Phase
	rest := text
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		p.Name, rest = strings.TrimSpace(text[:i]), text[i+1:]
	}
	words := strings.Fields(rest)
	if len(words) == 2 && words[1] == "warmup" {
		p.Warmup, words = true, words[:1]
	}
	if len(words) != 1 || strings.Contains(rest, ",") || !strings.Contains(rest, "@") {
		return Phase{}, fmt.Errorf("phase %q: %s", text, phaseForm)
	}
	// A shape needs an arrival, and a pause has none.
	shape, err := schedule.ParseShape(words[0]+",1@1s", 0)
	if err != nil {
		return Phase{}, errors.New(strings.Replace(err.Error(), "stage 1: ", "", 1))
	}
	p.Stage = shape[0]
	return p, nil
}

// String is the form that ParsePhase reads.
func (p Phase) String() string {
	text := p.Stage.String()
	if p.Name != "" {
		text = p.Name + ": " + text
	}
	if p.Warmup {
		text += " warmup"
	}
	return text
}

// Rate is what the phase offers, as its text has it: 50, 10..200, 0.
func (p Phase) Rate() string {
	text, _, _ := strings.Cut(p.Stage.String(), "@")
	return text
}

// pause reports whether the phase offers nothing.
func (p Phase) pause() bool { return p.Stage.From.IsZero() && p.Stage.To.IsZero() }

// kind is what a phase without a name is called.
func (p Phase) kind() string {
	switch {
	case p.Warmup:
		return "warm-up"
	case p.pause():
		return "pause"
	case p.Stage.From != p.Stage.To:
		return "ramp"
	}
	return "steady"
}

// SetPhases makes the plan's rate one of phases, in order. Those without a name get one,
// and no two keep the same.
func (p *Plan) SetPhases(phases []Phase) {
	seen := map[string]int{}
	p.Phases, p.Schedule.Shape = nil, nil
	for _, x := range phases {
		if x.Name == "" {
			x.Name = x.kind()
		}
		if seen[x.Name]++; seen[x.Name] > 1 {
			x.Name += " " + strconv.Itoa(seen[x.Name])
		}
		p.Phases = append(p.Phases, x)
		p.Schedule.Shape = append(p.Schedule.Shape, x.Stage)
	}
}

// PhaseAt is the number of the phase that an operation intended at t is in. What lies
// at the very end belongs to the last one.
func (p *Plan) PhaseAt(t time.Duration) int {
	for i, x := range p.Phases {
		if t < x.Stage.For {
			return i
		}
		t -= x.Stage.For
	}
	return len(p.Phases) - 1
}

// Warm reports whether an operation intended at t belongs to the warm-up: it is sent,
// and kept out of what is judged.
func (p *Plan) Warm(t time.Duration) bool {
	if len(p.Phases) > 0 {
		return p.Phases[p.PhaseAt(t)].Warmup
	}
	return t < p.Warmup
}

// WarmUntil is the instant from which on everything is judged; 0: there is no warm-up.
func (p *Plan) WarmUntil() (end time.Duration) {
	var at time.Duration
	for _, x := range p.Phases {
		if at += x.Stage.For; x.Warmup {
			end = at
		}
	}
	return max(end, p.Warmup)
}

// PlannedWarm is how many operations of the schedule belong to the warm-up; 0 for a
// closed loop, which does not know.
func (p *Plan) PlannedWarm() (n uint64) {
	p.eachWarm(func(uint64) { n++ })
	return n
}

// eachWarm calls do for every operation of the schedule that belongs to the warm-up.
func (p *Plan) eachWarm(do func(seq uint64)) {
	until := p.WarmUntil()
	if until == 0 || p.Closed != nil {
		return
	}
	for open := p.Arrivals(); ; {
		a, ok := open.Next()
		if !ok || a.At >= until {
			return
		}
		if p.Warm(a.At) {
			do(a.Seq)
		}
	}
}

// checkPhases names what is wrong with the warm-up and the phases of a plan whose
// schedule is right.
func (p *Plan) checkPhases() error {
	switch until := p.WarmUntil(); {
	case p.Warmup < 0:
		return fmt.Errorf("--warmup: %v is negative; give a duration such as 10s", p.Warmup)
	case len(p.Phases) > mostPhases:
		return fmt.Errorf("--phase: %d phases; give at most %d", len(p.Phases), mostPhases)
	case len(p.Phases) > 0 && p.Warmup > 0:
		return errors.New("--warmup: beside phases, which say it themselves; write warmup behind a phase")
	case until == 0:
		return nil
	case p.lateWarmup() != "":
		return fmt.Errorf("--phase: %q is a warm-up after a phase that is judged; put it first", p.lateWarmup())
	case len(p.Phases) > 0 && p.PlannedWarm() == p.Planned():
		return errors.New("--phase: every operation is due in a warm-up, and nothing would be judged; give a phase without warmup, such as 'steady: 50@1m'")
	case p.Closed != nil && p.Closed.Duration > 0 && until >= p.Closed.Duration:
		return fmt.Errorf("--warmup: %v is all of the run, and nothing would be judged; give a shorter one, or a longer duration", until)
	case p.Closed == nil && p.PlannedWarm() == p.Planned():
		return fmt.Errorf("--warmup: every operation is due in its %v, and nothing would be judged; give a shorter one, or more operations", until)
	}
	return nil
}

// lateWarmup is the name of a warm-up that comes after what is judged; "" for none.
func (p *Plan) lateWarmup() string {
	judged := false
	for _, x := range p.Phases {
		if x.Warmup && judged {
			return x.Name
		}
		judged = judged || !x.Warmup && !x.pause()
	}
	return ""
}

// phase reads a phase of a plan file: a mapping, or the text that --phase takes.
func phase(v Value) ([]Word, error) {
	if !v.isMapping() {
		return v.word()
	}
	fields, err := v.Fields("name", "rate", "duration", "pause", "warmup")
	wrong := []error{err}
	texts := map[string]string{}
	for name, x := range fields {
		text, err := x.Text()
		texts[name], wrong = text, append(wrong, err)
	}
	rate, length := texts["rate"], texts["duration"]
	if pause, ok := fields["pause"]; ok {
		if rate != "" || length != "" {
			wrong = append(wrong, pause.Problem("a pause has neither rate nor duration beside it; its time stands behind the word pause"))
		}
		rate, length = "0", texts["pause"]
	} else if rate == "" || length == "" {
		wrong = append(wrong, v.Problem("a phase has a rate and a duration, or is a pause"))
	}
	if w, ok := fields["warmup"]; ok && texts["warmup"] != "true" && texts["warmup"] != "false" {
		wrong = append(wrong, w.Problem("%q is neither true nor false", texts["warmup"]))
	}
	if name, ok := fields["name"]; ok && strings.ContainsAny(texts["name"], ":\n") {
		wrong = append(wrong, name.Problem("%q has a colon; leave it out", texts["name"]))
	}
	text := rate + "@" + length
	if texts["name"] != "" {
		text = texts["name"] + ": " + text
	}
	if texts["warmup"] == "true" {
		text += " warmup"
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	if _, err := ParsePhase(text); err != nil {
		return nil, v.Problem("%w", err)
	}
	return []Word{{text, v.Place()}}, nil
}
