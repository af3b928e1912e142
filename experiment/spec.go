package experiment

import (
	"errors"
	"net"
	"slices"
	"strconv"
	"time"

	"openload/peak"
	"openload/plan"
)

// Section is the name of an experiment in a plan file.
const Section = "experiment"

// A Spec is an experiment before it starts.
type Spec struct {
	Variants []Variant
	Repeats  int
	Simulate bool          // in virtual time
	Baseline int           // the variant that the others are compared with first
	Measures []Measure     // what is told of each run
	Bin      time.Duration // the width at which peaks are counted
	Outcomes []string      // at least one operation must end in one of these ways: ok, bad_status, timed_out, error
	Pause    time.Duration // between two runs
	Free     []string      // addresses on which nobody may listen before the start
	Before   []Hook        // of every run
	After    []Hook
}

// A Variant is the plan with some keys said anew.
type Variant struct {
	Name          string
	File          *plan.File
	Before, After []Hook
}

// Limits and defaults of an experiment.
const (
	defaultRepeats = 4 // the least with which a difference can reach 5 %
	maxRepeats     = 100
	maxVariants    = 50
	defaultBin     = 100 * time.Millisecond
	defaultHook    = 30 * time.Second
)

// outcomes are what an operation may end as, by their names in reports.
var outcomes = []string{"ok", "bad_status", "timed_out", "error"}

var (
	specFields    = []string{"variants", "repeats", "simulate", "baseline", "measures", "bin", "outcome", "pause", "free", "before", "after"}
	variantFields = []string{"name", "before", "after"}
)

// Read is the experiment of a plan file. The error names everything that is wrong, with
// its place.
func Read(f *plan.File) (Spec, error) {
	s := Spec{Repeats: defaultRepeats, Bin: defaultBin, Outcomes: outcomes[:1], Measures: usual()}
	section, ok := f.Section(Section)
	if !ok {
		return s, f.Problem(plan.Place{}, "it has no experiment: section, and so no variants; 'openload run -f' runs a plan without")
	}
	fields, err := section.Fields(specFields...)
	r := reader{f: f, wrong: []error{err}, fields: fields}
	r.take("repeats", func(v plan.Value) error { return r.number(v, &s.Repeats, 1, maxRepeats) })
	r.take("simulate", func(v plan.Value) error { return r.oneOf(v, func(i int) { s.Simulate = i == 0 }, "true", "false") })
	r.take("bin", func(v plan.Value) error {
		if err := r.time(v, &s.Bin); err != nil || slices.Contains(peak.Widths(), s.Bin) {
			return err
		}
		return v.Problem("peaks are counted in windows of %s; write one of them", list(peak.Widths()))
	})
	r.take("pause", func(v plan.Value) error { return r.time(v, &s.Pause) })
	r.take("outcome", func(v plan.Value) error {
		s.Outcomes = nil
		var wrong []error
		for _, item := range v.Items() {
			wrong = append(wrong, r.oneOf(item, func(i int) { s.Outcomes = append(s.Outcomes, outcomes[i]) }, outcomes...))
		}
		return errors.Join(wrong...)
	})
	r.take("measures", func(v plan.Value) (err error) { s.Measures, err = measures(v); return err })
	r.take("before", func(v plan.Value) (err error) { s.Before, err = hooks(v); return err })
	r.take("after", func(v plan.Value) (err error) { s.After, err = hooks(v); return err })
	r.take("free", func(v plan.Value) (err error) { s.Free, err = addresses(v); return err })
	if variants, ok := fields["variants"]; ok {
		r.variants(variants, &s)
	} else if err == nil {
		r.wrong = append(r.wrong, section.Problem("no variants; write a list of them, each with a name and the keys that it says anew"))
	}
	r.take("baseline", func(v plan.Value) error {
		var names []string
		for _, x := range s.Variants {
			names = append(names, x.Name)
		}
		return r.oneOf(v, func(i int) { s.Baseline = i }, names...)
	})
	return s, errors.Join(r.wrong...)
}

// A reader collects what is wrong.
type reader struct {
	f      *plan.File
	fields map[string]plan.Value
	wrong  []error
}

func (r *reader) take(name string, read func(plan.Value) error) {
	if v, ok := r.fields[name]; ok {
		r.wrong = append(r.wrong, read(v))
	}
}

func (r *reader) number(v plan.Value, to *int, least, most int) error {
	text, err := v.Text()
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return v.Problem("%q is not a whole number from %d to %d", text, least, most)
	}
	*to = n
	return nil
}

func (r *reader) time(v plan.Value, to *time.Duration) error {
	text, err := v.Text()
	if err != nil {
		return err
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return v.Problem("%q is not a duration; write one such as 100ms", text)
	}
	*to = d
	return nil
}

func (r *reader) oneOf(v plan.Value, set func(i int), names ...string) error {
	text, err := v.Text()
	if err != nil {
		return err
	}
	i := slices.Index(names, text)
	if i < 0 {
		return v.Unknown(text, names)
	}
	set(i)
	return nil
}

// variants reads the list of them.
func (r *reader) variants(v plan.Value, s *Spec) {
	seen := map[string]bool{}
	for i, item := range v.Items() {
		own, file, err := r.f.With(item, variantFields...)
		r.wrong = append(r.wrong, err)
		x := Variant{Name: "variant " + strconv.Itoa(i+1), File: file}
		if name, ok := own["name"]; ok {
			text, err := name.Text()
			x.Name, r.wrong = text, append(r.wrong, err)
		} else if err == nil {
			r.wrong = append(r.wrong, item.Problem("a variant needs a name"))
		}
		if seen[x.Name] {
			r.wrong = append(r.wrong, item.Problem("two variants are named %q", x.Name))
		}
		seen[x.Name] = true
		for name, to := range map[string]*[]Hook{"before": &x.Before, "after": &x.After} {
			if v, ok := own[name]; ok {
				all, err := hooks(v)
				*to, r.wrong = all, append(r.wrong, err)
			}
		}
		s.Variants = append(s.Variants, x)
	}
	if len(s.Variants) < 2 || len(s.Variants) > maxVariants {
		r.wrong = append(r.wrong, v.Problem("%d variants; write from 2 to %d", len(s.Variants), maxVariants))
	}
}

// addresses reads host:port, one or several.
func addresses(v plan.Value) (all []string, err error) {
	var wrong []error
	for _, item := range v.Items() {
		text, err := item.Text()
		if err == nil {
			if _, _, bad := net.SplitHostPort(text); bad != nil {
				err = item.Problem("%q is no address; write host:port, such as 127.0.0.1:8080", text)
			}
		}
		all, wrong = append(all, text), append(wrong, err)
	}
	return all, errors.Join(wrong...)
}

// Order is which variant comes when in a round, so that none is always first.
func (s Spec) Order(round int) (all []int) {
	for i := range s.Variants {
		all = append(all, (i+round)%len(s.Variants))
	}
	return all
}
