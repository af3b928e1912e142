package plan

import "fmt"

// A Place is where something stands in a file, both counted from 1. The zero Place is
// nowhere in particular.
type Place struct{ Line, Column int }

// A Problem is what is wrong at one place of a file. Its text is a line with the
// file's name and the place, and below it what stands there.
type Problem struct {
	File  string
	Place Place
	Text  string

	excerpt string
}

// Error is one line, and an excerpt if the place is known.
func (p *Problem) Error() string {
	if p.Place.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Text)
	}
	return fmt.Sprintf("%s:%d: %s%s", p.File, p.Place.Line, p.Text, p.excerpt)
}

// Problem is what is wrong at a place of the file.
func (f *File) Problem(at Place, format string, args ...any) error {
	at.Line = min(at.Line, len(f.lines)) // what is missing at the end lies beyond it
	return &Problem{File: f.Name, Place: at, Text: fmt.Errorf(format, args...).Error(), excerpt: f.excerpt(at)}
}
