package report

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Difference is something in which the runs are not alike. What the plan says of the
// load or of what is measured refuses a comparison; the rest is named.
type Difference struct {
	What    string   `json:"what"`
	Values  []string `json:"values"` // those of base first
	Refuses bool     `json:"refuses"`
}

// A trait is something that runs may differ in.
type trait struct {
	what    string
	refuses bool
	of      func(r *Report) string
}

var traits = []trait{
	{"model", true, func(r *Report) string { return r.Plan.Model }},
	{"schedule", true, func(r *Report) string {
		if r.Schedule == nil {
			return ""
		}
		return r.Schedule.Description
	}},
	{"correction", true, func(r *Report) string {
		if r.Correction.Interval != nil {
			return r.Correction.Method + " " + r.Correction.Interval.String()
		}
		return r.Correction.Method
	}},
	{"request method", true, func(r *Report) string { return r.Plan.Method }},
	{"connections", true, func(r *Report) string { return strconv.Itoa(r.Plan.Connections) }},
	{"closed loop", true, func(r *Report) string {
		if r.Plan.Closed == nil {
			return ""
		}
		return fmt.Sprintf("rate %s, think time %s", r.Plan.Closed.Rate, r.Plan.Closed.Think)
	}},
	{"expected status", true, func(r *Report) string { return r.Plan.Expect }},
	{"retries", true, func(r *Report) string {
		if r.Retries == nil {
			return ""
		}
		return r.Retries.Policy
	}},
	{"warm-up", true, func(r *Report) string {
		if r.Warmup == nil {
			return ""
		}
		return r.Warmup.Until.String()
	}},
	{"targets", true, func(r *Report) string {
		var names []string
		for _, t := range r.Targets {
			names = append(names, t.Name)
		}
		return strings.Join(names, ", ")
	}},
	{"timeout", false, func(r *Report) string { return r.Plan.Timeout.String() }},
	{"deadline", false, func(r *Report) string { return r.Plan.Deadline.String() }},
	{"URL", false, func(r *Report) string { return r.Plan.URL }},
	{"simulated server", false, func(r *Report) string { return r.Plan.Server }},
	{"network", false, func(r *Report) string { return strings.Join(r.Plan.Network, " ") }},
	{"keep-alive", false, func(r *Report) string { return map[bool]string{true: "off", false: "on"}[r.Plan.NoKeepalive] }},
	{"engine", false, func(r *Report) string { return r.Run.Sender() }},
	{"machine", false, func(r *Report) string { return r.Run.Machine }},
	{"openload", false, func(r *Report) string { return r.Tool.Version }},
}

// differences are all that the runs are not alike in.
func differences(runs []Named) []Difference {
	all := []Difference{}
	for _, t := range traits {
		var values []string
		for _, r := range runs {
			if v := t.of(r.Report); !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if len(values) < 2 {
			continue
		}
		for i, v := range values {
			if v == "" || v == time.Duration(0).String() {
				values[i] = "none"
			}
		}
		all = append(all, Difference{t.what, values, t.refuses})
	}
	return all
}

// refusal names those of the differences that must not be, each with the reason.
func refusal(all []Difference, must func(Difference) bool, why string) error {
	var wrong []error
	for _, d := range all {
		if must(d) {
			wrong = append(wrong, fmt.Errorf("the runs differ in %s (%s): %s", d.What, strings.Join(d.Values, " / "), why))
		}
	}
	return errors.Join(wrong...)
}
