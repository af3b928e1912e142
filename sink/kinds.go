package sink

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"openload/internal/nearest"
	"openload/report"
)

// A Kind is one form in which a report can be written.
type Kind struct {
	Name string
	Help string // what it is, in a few words, for help texts

	// How it is written: from the report, after a run. A kind that has Rows is written
	// while a run goes on, and from the report only where there was none.
	Write func(w io.Writer, r *report.Report, opt TextOptions) error
	Rows  func(opt StreamOptions) rows

	// Job is for a kind without a file: it goes where a CI job wants it.
	Job func(j *GitHub, r *report.Report, opt TextOptions) error
}

// Kinds is what --out knows.
var Kinds = []Kind{
	{Name: "text", Help: "the report for people, 80 columns wide", Write: Text},
	{Name: "json", Help: "the whole report, schema " + report.Schema, Write: func(w io.Writer, r *report.Report, _ TextOptions) error { return JSON(w, r) }},
	{Name: "csv", Help: "each attempt of a run, as it ends", Rows: csv},
	{Name: "hlog", Help: "raw and corrected latencies as an HdrHistogram log, an interval a second", Write: hlog, Rows: hlogRows},
	{Name: "hgrm", Help: "percentiles of corrected latency, for HdrHistogram's plotter", Write: hgrm},
	{Name: "hgrm-raw", Help: "percentiles of raw latency, for HdrHistogram's plotter", Write: hgrmRaw},
	{Name: "html", Help: "the report as one page that opens offline, with figures", Write: htmlPage},
	{Name: "markdown", Help: "the report as Markdown, for comments and wikis", Write: markdown},
	{Name: "junit", Help: "JUnit XML: a test case for each rule", Write: junit},
	{Name: "github", Help: "summary, outputs and annotations of a GitHub step", Job: (*GitHub).write},
	{Name: "prom", Help: "metrics in Prometheus' text format", Write: prom},
}

// An Output is one --out KIND[=FILE].
type Output struct {
	Kind Kind
	File string  // "": standard output
	Job  *GitHub // of a kind without a file
}

// Parse reads KIND or KIND=FILE; KIND=- is standard output too. An unknown kind is
// an error that names the nearest one and lists all.
func Parse(spec string) (Output, error) {
	name, file, named := strings.Cut(spec, "=")
	if named && file == "" {
		return Output{}, fmt.Errorf("output %q: no file after the =; give %s=FILE, or %s for standard output", spec, name, name)
	}
	if file == "-" {
		file = ""
	}
	for _, k := range Kinds {
		if k.Name == name {
			if k.Job != nil && named {
				return Output{}, fmt.Errorf("output %q: %s takes no file: it writes where the job's environment says", spec, name)
			}
			return Output{Kind: k, File: file}, nil
		}
	}
	return Output{}, fmt.Errorf("output %q: unknown kind %q%s; kinds are %s", spec, name, suggest(spec, name), strings.Join(kindNames(), ", "))
}

// Streamed reports whether the output takes a run's attempts as they end, and not the
// report.
func (o Output) Streamed() bool { return o.Kind.Rows != nil }

// NeedsRun reports whether the output can be written in no other way.
func (o Output) NeedsRun() bool { return o.Kind.Write == nil && o.Kind.Job == nil }

// Shown reports whether the output goes to standard output.
func (o Output) Shown() bool { return o.File == "" && o.Kind.Job == nil }

// String is the form that Parse reads.
func (o Output) String() string {
	if o.File == "" {
		return o.Kind.Name
	}
	return o.Kind.Name + "=" + o.File
}

func kindNames() []string {
	names := make([]string, len(Kinds))
	for i, k := range Kinds {
		names[i] = k.Name
	}
	return names
}

// suggest guesses what was meant: a file name alone, or a kind with a typing error.
func suggest(spec, name string) string {
	if ext := strings.TrimPrefix(filepath.Ext(spec), "."); spec == name && slices.Contains(kindNames(), ext) {
		return fmt.Sprintf(", did you mean %q", ext+"="+spec)
	}
	meant := nearest.Of(name, kindNames())
	if meant == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q", meant+strings.TrimPrefix(spec, name))
}
