package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"openload/peak"
	"openload/report"
)

// peaksCmd shows how many arrivals of a file came at once.
type peaksCmd struct {
	File  string `arg:"" optional:"" help:"The file; - is standard input."`
	Other string `arg:"" optional:"" help:"A second one, of the same arrivals by another clock."`

	Width     span   `group:"file" placeholder:"TIME" default:"100ms" help:"Width to look at, beside the usual ones."`
	Field     string `signed:"" group:"file" placeholder:"FIELD" help:"Field with the time of arrival: a JSON key, the name in name=value, or the number of a word, from the end if negative."`
	TimeField string `signed:"" group:"file" placeholder:"FIELD" help:"Field with the latency, where the time is that of the answer."`
	Unit      string `group:"file" placeholder:"UNIT" help:"Unit of bare numbers: ns, us, ms, s. Times since 1970 need none."`
	TZ        string `name:"tz" group:"file" placeholder:"ZONE" help:"Zone of times that are written without one: UTC, Europe/Berlin."`
	Lenient   bool   `group:"file" help:"Skip and count what can't be read, in place of stopping there; take what is there of a file that was cut."`
	Out       string `short:"o" group:"output" enum:"text,json" default:"text" placeholder:"KIND" help:"text or json."`
}

// Help is what stands below the flags.
func (c *peaksCmd) Help() string {
	return `Read: access logs, one number or time a line (RFC 3339, nginx), schedules, and the
result files of other tools that say when each request was sent, and the arrivals of a
lab server (GET /lab/arrivals). Where attempts are numbered, those after the first are
shown apart.

  openload peaks access.log --width 100ms
  openload peaks access.log --time-field request_time --unit s
  openload peaks arrivals.txt --unit ms
  openload peaks client.txt server.log             the offset between two clocks`
}

// peaksDoc is what is shown, as text or JSON.
type peaksDoc struct {
	Schema string      `json:"schema"`
	Files  []peaksFile `json:"files"`
	Clocks *clocks     `json:"clocks"` // null for one file
}

// peaksFile is one file's curve. Times are offsets from its first arrival.
type peaksFile struct {
	Name   string         `json:"name"`
	Later  bool           `json:"after_first"` // only the attempts after the first
	Format string         `json:"format"`
	N      int            `json:"n"`
	First  *time.Time     `json:"first"` // null if the file has no wall times
	Span   time.Duration  `json:"span_ns"`
	Step   time.Duration  `json:"step_ns"` // of its times
	Curve  []report.Peak  `json:"curve"`
	Wave   *report.Wave   `json:"wave"` // null if no burst stands out
	Fit    *time.Duration `json:"fit_width_ns"`
	Asked  askedWidth     `json:"asked"`
	Notes  []string       `json:"notes"`

	fits map[time.Duration]string // for the table
}

type askedWidth struct {
	report.Peak
	Fit  string `json:"fit"` // in words; empty if no burst stands out
	Warn bool   `json:"unfit"`
}

func (c *peaksCmd) run(s streams) (int, error) {
	how, err := c.reading()
	if err != nil {
		return 0, usage(err)
	}
	names := []string{c.File}
	if c.Other != "" {
		names = append(names, c.Other)
	}
	doc := peaksDoc{Schema: "openload/peaks/v1"}
	var files []*arrivals
	for _, name := range names {
		a, err := readNamed(name, s.in, how)
		if err != nil {
			return 0, usage(err)
		}
		files = append(files, a)
		doc.Files = append(doc.Files, curveOf(a, time.Duration(c.Width)))
		if len(a.later) > 0 {
			later := *a
			later.At, later.Notes = a.later, nil
			f := curveOf(&later, time.Duration(c.Width))
			f.Later = true
			doc.Files = append(doc.Files, f)
		}
	}
	if len(files) == 2 {
		if doc.Clocks, err = compareClocks(files[0], files[1]); err != nil {
			return 0, usage(err)
		}
	}
	if c.Out == "json" {
		e := json.NewEncoder(s.out)
		e.SetIndent("", "  ")
		err = e.Encode(doc)
	} else {
		_, err = io.WriteString(s.out, doc.text())
	}
	if err != nil {
		return statusBroken, fmt.Errorf("write to standard output: %w", err)
	}
	return statusDone, nil
}

func (c *peaksCmd) reading() (how reading, err error) {
	var wrong []error
	how = reading{field: c.Field, latency: c.TimeField, lenient: c.Lenient}
	if c.File == "" {
		wrong = append(wrong, errors.New("no file given; name one, or - for standard input"))
	}
	if c.File == "-" && c.Other == "-" {
		wrong = append(wrong, errors.New("standard input can't be both files"))
	}
	if c.Width <= 0 {
		wrong = append(wrong, errors.New("--width: give a width above 0, such as 100ms"))
	}
	if c.Unit != "" {
		if how.unit = units[c.Unit]; how.unit == 0 {
			wrong = append(wrong, fmt.Errorf("--unit: %q is none; write ns, us, ms or s", c.Unit))
		}
	}
	if c.TZ != "" {
		if how.zone, err = time.LoadLocation(c.TZ); err != nil {
			wrong = append(wrong, fmt.Errorf("--tz: %q is not a zone; write one such as UTC or Europe/Berlin", c.TZ))
		}
	}
	return how, errors.Join(wrong...)
}

func readNamed(name string, in io.Reader, how reading) (*arrivals, error) {
	if name == "-" {
		return readArrivals(name, in, how)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%w; name a file that can be read, or - for standard input", err)
	}
	defer f.Close()
	return readArrivals(name, f, how)
}

// curveOf is the curve of a file's arrivals, and what it says.
func curveOf(a *arrivals, asked time.Duration) peaksFile {
	f := peaksFile{
		Name: a.Name, Format: a.Format, N: len(a.At), Span: a.At[len(a.At)-1] - a.At[0], Step: a.Step,
		Notes: append([]string{}, a.Notes...), fits: map[time.Duration]string{},
	}
	if a.wall {
		first := time.Unix(0, a.origin).UTC()
		f.First = &first
	}
	widths := peak.Widths()
	if !slices.Contains(widths, asked) {
		widths = append(widths, asked)
		slices.Sort(widths)
	}
	c := peak.Of(a.At, widths...)
	fine := peak.Curve{N: c.N} // as far as the times can tell
	for _, p := range c.Points {
		f.Curve = append(f.Curve, report.Peak{Width: p.Width, Sliding: p.Sliding, At: p.At, Aligned: p.Aligned})
		if p.Width >= 10*a.Step {
			fine.Points = append(fine.Points, p)
		} else {
			f.fits[p.Width] = peak.Unresolved.String()
		}
		if p.Width == asked {
			f.Asked.Peak = f.Curve[len(f.Curve)-1]
		}
	}
	// All at one instant is a burst too, however short the file.
	if w, ok := fine.Wave(max(f.Span, 10*time.Millisecond), 0); ok {
		f.wave(w)
	}
	f.Asked.Fit = f.fits[asked]
	f.Asked.Warn = f.Asked.Fit != "" && f.Asked.Fit != peak.Fits.String()
	return f
}

func (f *peaksFile) wave(w peak.Wave) {
	f.Wave = &report.Wave{N: w.N, At: w.At, Width: w.Width}
	e := w.Effect(0, f.Step)
	for _, p := range f.Curve {
		f.fits[p.Width] = e.Judge(p.Width).String()
	}
	if h, ok := e.Best(); ok {
		f.Fit = &h
	}
}

// clocks is how two files' times of the same arrivals differ: the second's less the first's.
type clocks struct {
	First   time.Duration `json:"first_difference_ns"`  // of the first arrivals
	Median  time.Duration `json:"median_difference_ns"` // of all, paired in order
	Pairs   int           `json:"pairs"`
	Unequal bool          `json:"unequal"` // the files do not have as many arrivals
	Apart   bool          `json:"apart"`   // either is more than a second
	Zone    bool          `json:"zone"`    // they look like a time zone read wrong
	Set     bool          `json:"set"`     // neither has times of day: the first arrivals are set equal
}

// compareClocks tells the offset between two clocks as far as it can be told: from
// arrivals that are the same ones, in order, and with them the time on the way.
func compareClocks(a, b *arrivals) (*clocks, error) {
	if a.wall != b.wall {
		return nil, fmt.Errorf("%s and %s: one has times of day and the other has not; their clocks can't be compared", a.Name, b.Name)
	}
	shift := time.Duration(b.origin - a.origin)
	if !a.wall {
		shift = 0
	}
	n := min(len(a.At), len(b.At))
	differences := make([]time.Duration, n)
	for i := range n {
		differences[i] = shift + b.At[i] - a.At[i]
	}
	slices.Sort(differences)
	c := &clocks{First: shift, Median: differences[(n-1)/2], Pairs: n, Unequal: len(a.At) != len(b.At), Set: !a.wall}
	c.Apart = max(c.First.Abs(), c.Median.Abs()) > time.Second
	quarters := c.Median.Round(15 * time.Minute)
	c.Zone = quarters != 0 && (c.Median-quarters).Abs() <= time.Minute
	return c, nil
}
