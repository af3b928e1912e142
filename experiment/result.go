package experiment

import (
	"fmt"
	"math"
	"slices"
	"time"

	"openload/stats"
)

// Schema names version 1 of a result as JSON. Changes within it only add.
const Schema = "openload/experiment/v1"

// A Result is an experiment that has been made, as far as it went.
type Result struct {
	Schema      string        `json:"schema"`
	Description string        `json:"description,omitempty"`
	Simulated   bool          `json:"simulated"`
	Repeats     int           `json:"repeats"` // planned for each variant
	Bin         time.Duration `json:"bin_ns"`
	Outcomes    []string      `json:"outcomes"` // at least one operation of a run had to end in one of these ways
	Baseline    string        `json:"baseline"`
	Measures    []MeasureInfo `json:"measures"`
	Variants    []Arm         `json:"variants"`
	Comparisons []Comparison  `json:"comparisons"`
	Notes       []string      `json:"notes"`
	Interrupted bool          `json:"interrupted"`
}

// A MeasureInfo says what a measure is.
type MeasureInfo struct {
	Name string `json:"name"`
	Unit Unit   `json:"unit"` // count, ratio, or ns
	Help string `json:"help"`
}

// An Arm is a variant's runs. One that is not valid has no medians.
type Arm struct {
	Name    string     `json:"name"`
	Plan    string     `json:"plan,omitempty"` // a command that makes its first run
	Valid   bool       `json:"valid"`
	Reasons []string   `json:"reasons"` // why it is not
	Runs    []One      `json:"runs"`
	Medians []*float64 `json:"medians"` // of the measures, in their order; null if a run has no such value
}

// One is a run of a variant.
type One struct {
	Seed    uint64     `json:"seed"`
	Place   int        `json:"place"` // which run of the experiment it was, from 1
	Valid   bool       `json:"valid"`
	Reasons []string   `json:"reasons"`
	Values  []*float64 `json:"values"` // of the measures, in their order; null where there is none
}

// A Comparison is the test of one measure between two variants that are valid.
type Comparison struct {
	Measure string   `json:"measure"`
	A       string   `json:"a"`
	B       string   `json:"b"`
	P       *float64 `json:"p"`       // exact, two-sided; null if a run has no such value
	LeastP  float64  `json:"least_p"` // the smallest that so many runs can give
}

// Valid reports whether every variant is.
func (r *Result) Valid() bool {
	return !slices.ContainsFunc(r.Variants, func(a Arm) bool { return !a.Valid })
}

// sum works out the medians, the comparisons and what a reader should know.
func (r *Result) sum(s Spec) {
	for i := range r.Variants {
		r.Variants[i].sum(len(s.Measures))
	}
	for m := range s.Measures {
		for i := range r.Variants {
			for j := i + 1; j < len(r.Variants); j++ {
				if a, b := &r.Variants[i], &r.Variants[j]; a.Valid && b.Valid {
					r.Comparisons = append(r.Comparisons, compare(s.Measures[m].Name, m, a, b))
				}
			}
		}
	}
	if note := fewRuns(r); note != "" {
		r.Notes = append(r.Notes, note)
	}
}

// sum is for one variant.
func (a *Arm) sum(measures int) {
	a.Valid = len(a.Runs) > 0
	if !a.Valid {
		a.Reasons = append(a.Reasons, "not run")
	}
	for i, x := range a.Runs {
		if !x.Valid {
			a.Valid = false
			for _, why := range x.Reasons {
				a.Reasons = append(a.Reasons, fmt.Sprintf("run %d: %s", i+1, why))
			}
		}
	}
	a.Medians = make([]*float64, measures)
	for m := range a.Medians {
		if values, ok := a.values(m); a.Valid && ok {
			v := median(values)
			a.Medians[m] = &v
		}
	}
}

// values are those of the runs for one measure; ok is false if a run has none.
func (a *Arm) values(m int) (all []float64, ok bool) {
	for _, x := range a.Runs {
		if x.Values[m] == nil {
			return nil, false
		}
		all = append(all, *x.Values[m])
	}
	return all, true
}

// median is the middle one, or the mean of the middle two.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return sorted[(n-1)/2]/2 + sorted[n/2]/2
}

func compare(name string, m int, a, b *Arm) Comparison {
	c := Comparison{Measure: name, A: a.Name, B: b.Name, LeastP: stats.LeastP(len(a.Runs), len(b.Runs))}
	x, ok1 := a.values(m)
	y, ok2 := b.values(m)
	if ok1 && ok2 {
		if p, ok := stats.Permutation(x, y); ok {
			c.P = &p
		}
	}
	return c
}

// level is what a p-value is usually held against.
const level = 0.05

// fewRuns says so if no difference between variants can reach the usual level.
func fewRuns(r *Result) string {
	least, runs := 0.0, math.MaxInt
	for _, c := range r.Comparisons {
		least = max(least, c.LeastP)
	}
	for _, a := range r.Variants {
		if a.Valid {
			runs = min(runs, len(a.Runs))
		}
	}
	if least <= level || runs == math.MaxInt {
		return ""
	}
	need := runs
	for stats.LeastP(need, need) > level {
		need++
	}
	if runs == 1 {
		return fmt.Sprintf("one run of a variant shows nothing about the next: no difference reaches 5 %%; %d runs of each can (%.2g)", need, stats.LeastP(need, need))
	}
	return fmt.Sprintf("with %d runs of a variant no difference reaches 5 %%, however large: p is at least %.2g; %d runs of each can (%.2g)",
		runs, least, need, stats.LeastP(need, need))
}
