package source

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrUnknown is returned for a file in no format that is known here.
var ErrUnknown = errors.New("not a result file that openload knows")

// A Refusal is the error for a file that was recognised and can't be used.
type Refusal struct {
	Format  string // what the file is
	Reason  string // why it can't be used
	Instead string // the file that would do and how to get it; empty if there is none
}

// Error states format, reason and remedy.
func (e *Refusal) Error() string {
	s := e.Format + ": " + e.Reason
	if e.Instead != "" {
		s += "; " + e.Instead
	}
	return s
}

// A Need names an option without which a file can't be read.
type Need string

// The needs.
const (
	NeedUnit      Need = "unit"       // Options.Unit
	NeedTimeField Need = "time field" // Options.TimeField
	NeedColumns   Need = "columns"    // Options.Columns
)

// A Missing error asks for an option that the file's content can't replace.
type Missing struct {
	Format string
	Need   Need
	Why    string
	Found  []string // what there is to choose from; may be empty
}

// Error states what is needed, why, and the choice.
func (e *Missing) Error() string {
	s := fmt.Sprintf("%s: needs the %s: %s", e.Format, e.Need, e.Why)
	if len(e.Found) > 0 {
		s += " (found: " + strings.Join(e.Found, ", ") + ")"
	}
	return s
}

// A RowError says which record can't be read. It ends the reading of a file that
// isn't read leniently.
type RowError struct {
	Format string
	Line   int64  // as in Row.Line
	Field  string // empty if the record as a whole is meant
	Text   string // the field as far as it is fit to be shown, quoted
	Why    string
}

// Error states line, field and reason.
func (e *RowError) Error() string {
	s := fmt.Sprintf("%s, line %d: ", e.Format, e.Line)
	if e.Field != "" {
		s += e.Field + " "
	}
	if e.Text != "" {
		s += e.Text + ": "
	}
	return s + e.Why
}

// A Cut is the error for a file that ends before it is complete: what stood behind the
// cut would have counted, and may have been the slow part.
type Cut struct {
	Format  string
	What    string // what of it is incomplete, in words
	Rows    int64  // read before; counts in a histogram
	Buckets bool   // Rows are counts
	None    bool   // nothing can be read of a part, leniently or not
}

// Error states where the file ends, and what shows that.
func (e *Cut) Error() string {
	after := fmt.Sprintf("after %d rows", e.Rows)
	switch {
	case e.Rows == 0:
		after = "before its first row"
	case e.Rows == 1:
		after = "after 1 row"
	}
	if e.Buckets {
		after = strings.NewReplacer("rows", "samples", "row", "sample").Replace(after)
	}
	return fmt.Sprintf("%s: ends early, %s: %s", e.Format, after, e.What)
}

// clip makes input fit to be shown: quoted, escaped and short. Fields with a
// quarter of a million NUL bytes have been seen.
func clip(b []byte) string {
	const most = 48
	if len(b) > most {
		return strconv.Quote(string(b[:most])) + "..."
	}
	return strconv.Quote(string(b))
}
