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
	Name  string
	Help  string                                                     // what it is, in a few words, for help texts
	Write func(w io.Writer, r *report.Report, opt TextOptions) error // nil: a Stream writes it while the run goes on
}

// Kinds is what --out knows.
var Kinds = []Kind{
	{"text", "the report for people, 80 columns wide", Text},
	{"json", "the whole report, schema " + report.Schema, func(w io.Writer, r *report.Report, _ TextOptions) error { return JSON(w, r) }},
	{"csv", "each attempt of a run, as it ends", nil},
	{"hlog", "raw and corrected latencies as an HdrHistogram log", hlog},
}

// An Output is one --out KIND[=FILE].
type Output struct {
	Kind Kind
	File string // "": standard output
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
			return Output{k, file}, nil
		}
	}
	return Output{}, fmt.Errorf("output %q: unknown kind %q%s; kinds are %s", spec, name, suggest(spec, name), strings.Join(kindNames(), ", "))
}

// Streamed reports whether the output takes a run's attempts as they end, and not the
// report.
func (o Output) Streamed() bool { return o.Kind.Write == nil }

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
