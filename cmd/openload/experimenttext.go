package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"openload/experiment"
	"openload/sink"
)

// widestRuns is how wide the values of a variant's runs may be, to stand one by one.
const widestRuns = 23

// experimentText writes a result for people.
func experimentText(w io.Writer, r *experiment.Result) error {
	var b strings.Builder
	b.WriteString(experimentVerdict(r) + "\n")
	if r.Description != "" {
		paragraph(&b, " ", r.Description)
	}
	for m, info := range r.Measures {
		if !anyValid(r) {
			break
		}
		b.WriteByte('\n')
		for _, line := range sink.Columns(measureRows(r, m, info)) {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
		paragraph(&b, "   ", experimentHelp(r, info))
	}
	if text := experimentReasons(r); text != "" {
		b.WriteString("\n" + text)
	}
	notes := append([]string{"p is exact: of all ways to deal the runs out to two variants, the share in which their means differ as much"}, r.Notes...)
	if len(r.Comparisons) == 0 {
		notes = r.Notes
	}
	if len(notes) > 0 {
		b.WriteString("\n notes\n")
	}
	for _, note := range notes {
		paragraph(&b, "   - ", note)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// anyValid reports whether there are numbers at all.
func anyValid(r *experiment.Result) bool {
	return slices.ContainsFunc(r.Variants, func(a experiment.Arm) bool { return a.Valid })
}

// experimentVerdict is the first line.
func experimentVerdict(r *experiment.Result) string {
	made, planned, invalid := 0, r.Repeats*len(r.Variants), 0
	for _, a := range r.Variants {
		made += len(a.Runs)
		if !a.Valid {
			invalid++
		}
	}
	where := "live"
	if r.Simulated {
		where = "in virtual time"
	}
	size := fmt.Sprintf("%d variants, %d runs each, in turn, %s", len(r.Variants), r.Repeats, where)
	switch {
	case r.Interrupted:
		return fmt.Sprintf(" INTERRUPTED  after %d of %d runs (%s)", made, planned, size)
	case invalid > 0:
		return fmt.Sprintf(" INVALID  %d of %d variants do not count (%s)", invalid, len(r.Variants), size)
	}
	return " DONE  " + size
}

// measureRows is the table of one measure.
func measureRows(r *experiment.Result, m int, info experiment.MeasureInfo) [][]string {
	rows := [][]string{{" " + info.Name, "median", "runs", "p against " + shortened(r.Baseline, 14)}}
	for _, a := range r.Variants {
		name := "   " + shortened(a.Name, 28)
		row := []string{name, "INVALID", "", ""}
		if len(a.Runs) == 0 {
			row[1] = "not run"
		} else if a.Valid {
			row = []string{name, valueText(a.Medians[m], info.Unit), runsText(a, m, info.Unit), pText(r, info.Name, a.Name)}
		}
		rows = append(rows, row)
	}
	return rows
}

func shortened(name string, to int) string {
	if runes := []rune(name); len(runes) > to {
		return string(runes[:to-2]) + ".."
	}
	return name
}

// runsText are the values of a variant's runs, or their range if there are many.
func runsText(a experiment.Arm, m int, unit experiment.Unit) string {
	var texts []string
	var least, most *float64
	for _, x := range a.Runs {
		v := x.Values[m]
		texts = append(texts, valueText(v, unit))
		if v == nil {
			continue
		}
		if least == nil || *v < *least {
			least = v
		}
		if most == nil || *v > *most {
			most = v
		}
	}
	text := strings.Join(texts, " ")
	switch {
	case len(a.Runs) < 2 || len(text) <= widestRuns && unit != experiment.Nanos:
		return text
	case least != nil && *least == *most:
		return "all the same"
	}
	return valueText(least, unit) + " to " + valueText(most, unit)
}

// valueText is a value for people; none means that it lies among the failures, or that
// nobody knows.
func valueText(v *float64, unit experiment.Unit) string {
	switch {
	case v == nil:
		return "none"
	case unit == experiment.Nanos:
		return sink.Duration(time.Duration(*v))
	case unit == experiment.Ratio:
		return strconv.FormatFloat(math.Round(*v*1000)/1000, 'f', -1, 64)
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

// pText is the p-value of a variant against the baseline.
func pText(r *experiment.Result, measure, variant string) string {
	if variant == r.Baseline {
		return "-"
	}
	for _, c := range r.Comparisons {
		if c.Measure == measure && (c.A == variant && c.B == r.Baseline || c.B == variant && c.A == r.Baseline) {
			if c.P == nil {
				return "none"
			}
			return strconv.FormatFloat(*c.P, 'g', 2, 64)
		}
	}
	return "-"
}

// experimentHelp says what a measure is.
func experimentHelp(r *experiment.Result, info experiment.MeasureInfo) string {
	text := info.Help
	if info.Name == "peak" || info.Name == "peak.all" {
		text += ", in windows of " + sink.Duration(r.Bin)
	} else if _, width, ok := strings.Cut(info.Name, "@"); ok {
		text += ", in windows of " + width
	}
	return text
}

// experimentReasons says which variants do not count, and why.
func experimentReasons(r *experiment.Result) string {
	var b strings.Builder
	for _, a := range r.Variants {
		if a.Valid {
			continue
		}
		if len(a.Runs) == 0 {
			fmt.Fprintf(&b, " NOT RUN  %s\n", a.Name)
			continue
		}
		fmt.Fprintf(&b, " INVALID  %s\n", a.Name)
		for _, why := range a.Reasons {
			paragraph(&b, "   - ", why)
		}
	}
	return b.String()
}

// toldRun is the line about a run that is over.
func toldRun(s experiment.Spec, variant string, x experiment.One) string {
	if !x.Valid {
		return variant + "  INVALID: " + strings.Join(x.Reasons, "; ")
	}
	text := variant
	for m, info := range s.Measures {
		text += fmt.Sprintf("  %s %s", info.Name, valueText(x.Values[m], info.Unit))
	}
	return text
}
