package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"openload/schedule"
	"openload/source"
)

// Files of arrivals are read as what they look like: a schedule, a line an instant,
// a file that package source knows, or else any log whose lines hold a time.

// arrivals are the instants of a file.
type arrivals struct {
	Name   string
	Format string // what the file was read as
	At     []time.Duration
	Step   time.Duration // least step between two times as written
	Notes  []string

	later  []time.Duration // those of At that are an attempt after the first, where the file numbers them
	origin int64           // of At, in ns since 1970, or since what the file's numbers count from
	wall   bool            // origin is a wall time
}

// reading says how to read them.
type reading struct {
	field   string         // with the time of arrival
	latency string         // field with the latency, to be taken off the time
	unit    time.Duration  // of bare numbers; 0: not given
	zone    *time.Location // of times without one; nil: not given
	lenient bool
}

// readArrivals reads a file and sorts its instants. The first is at 0.
func readArrivals(name string, r io.Reader, how reading) (*arrivals, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		in = bufio.NewReaderSize(z, 64<<10)
	}
	head, _ := in.Peek(64 << 10) // an error will come again
	a := &arrivals{Name: name}
	if err := a.read(in, head, how); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(a.At) == 0 {
		return nil, fmt.Errorf("read %s: no arrival in it", name)
	}
	slices.Sort(a.At)
	slices.Sort(a.later)
	first := a.At[0]
	for _, all := range [][]time.Duration{a.At, a.later} {
		for i := range all {
			all[i] -= first
		}
	}
	a.origin += int64(first)
	return a, nil
}

func (a *arrivals) read(in io.Reader, head []byte, how reading) error {
	first := firstLine(head)
	if first == "" {
		return nil
	}
	switch {
	case first == "seq,intended_ns":
		return a.schedule(in)
	case isLabArrivals(first):
		return a.lab(in, how)
	}
	if _, err := parseStamp(first, how); !errors.Is(err, errNoStamp) && how.field == "" {
		a.Format = "a line an instant"
		return a.lines(in, how, func(line string) (string, bool) { return strings.TrimSpace(line), true })
	}
	opt := source.Options{TimeField: how.latency, Unit: how.unit, TZ: how.zone, Lenient: how.lenient}
	if how.field != "" {
		opt.Fields = map[string]string{"start": how.field}
	}
	_, err := source.Open(bytes.NewReader(head), opt)
	var missing *source.Missing
	switch {
	case errors.As(err, &missing) && missing.Need == source.NeedTimeField, errors.Is(err, source.ErrUnknown):
		return a.log(in, first, how)
	case errors.As(err, &missing) && missing.Need == source.NeedUnit:
		return fmt.Errorf("%w; give --unit", err)
	}
	return a.known(in, opt)
}

func firstLine(b []byte) string {
	for line := range bytes.Lines(b) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return string(line)
		}
	}
	return ""
}

func (a *arrivals) schedule(in io.Reader) error {
	rec, err := schedule.Read(in)
	for _, x := range rec {
		a.At = append(a.At, x.At)
	}
	a.Format, a.Step = "schedule", time.Nanosecond
	return err
}

// known reads a file that package source can place on a time axis.
func (a *arrivals) known(in io.Reader, opt source.Options) error {
	f, err := source.Open(in, opt)
	var cut *source.Cut
	switch {
	case errors.As(err, &cut):
		return adviseCut(cut, opt.Lenient)
	case err != nil:
		return err
	}
	a.Format = f.Format
	if f.Histogram() || f.Facts.Stamp == source.NoStamp {
		return fmt.Errorf("%s: it does not say when requests arrived", f.Format)
	}
	lost := 0
	for row := range f.Rows() {
		if row.Start == source.NoTime {
			lost++
			continue
		}
		attempt := 0
		if row.Attempt != nil {
			attempt = row.Attempt.Attempt
		}
		a.add(row.Start, attempt)
	}
	if lost > 0 {
		a.note("%d rows without a time are left out", lost)
	}
	if epoch, ok := f.Epoch(); ok {
		a.origin, a.wall = epoch.UnixNano(), true
	}
	a.Step = max(f.Facts.StampStep, time.Nanosecond)
	if cut := f.Cut(); cut != nil && opt.Lenient {
		a.note("the file ends early (%s): what came behind is not looked at", cut.What)
	} else if cut != nil && f.Err() != nil {
		return adviseCut(cut, false)
	}
	return f.Err()
}

// log reads a log whose latencies are not asked for, or not there.
func (a *arrivals) log(in io.Reader, first string, how reading) error {
	take := timeIn(first, how)
	if take == nil {
		return fmt.Errorf("found no time in %.60q; name its field with --field", first)
	}
	a.Format = "log"
	if how.field == "" {
		a.note("the times are those of the log's lines, which servers write when a request has ended; with --time-field and --unit they are counted back to its start")
	}
	return a.lines(in, how, take)
}

// lines reads what take finds in each line.
func (a *arrivals) lines(in io.Reader, how reading, take func(line string) (text string, ok bool)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	skipped, unzoned := 0, false
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		text, ok := take(line)
		x, err := parseStamp(text, how)
		if !ok {
			err = fmt.Errorf("found no time in %.60q", line)
		}
		if err == nil && len(a.At) > 0 && a.wall != x.wall {
			err = fmt.Errorf("%.60q: other lines count from another beginning", text)
		}
		switch {
		case errors.Is(err, errNoUnit):
			return fmt.Errorf("line %d: %w", n, err)
		case err != nil && how.lenient:
			skipped++
			continue
		case err != nil:
			return fmt.Errorf("line %d: %w; correct it, or skip such lines with --lenient", n, err)
		}
		if len(a.At) == 0 {
			a.origin, a.wall, a.Step = x.ns, x.wall, x.step
		}
		a.At = append(a.At, time.Duration(x.ns-a.origin))
		a.Step = min(a.Step, x.step)
		unzoned = unzoned || x.unzoned
	}
	a.skipped(skipped)
	if unzoned && how.zone == nil {
		a.note("times without a zone are taken for UTC; --tz says which zone it is")
	}
	return lines.Err()
}

// add takes an arrival in; attempt is 0 if the file has no number for it.
func (a *arrivals) add(at time.Duration, attempt int) {
	a.At = append(a.At, at)
	if attempt > 1 {
		a.later = append(a.later, at)
	}
}

func (a *arrivals) skipped(lines int) {
	if lines > 0 {
		a.note("%d lines are skipped, they can't be read", lines)
	}
}

func (a *arrivals) note(format string, args ...any) {
	a.Notes = append(a.Notes, fmt.Sprintf(format, args...))
}

// Names that fields with a time usually have, starts first.
var usualTimes = []string{"start_time", "start", "msec", "time_iso8601", "time_local", "ts", "@timestamp", "timestamp", "time", "datetime"}

var (
	logWord     = regexp.MustCompile(`\[[^\]]*\]|"(?:\\.|[^"\\])*"|\S+`)
	leadingTime = regexp.MustCompile(`^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*`)
)

// timeIn returns what finds the time in lines like first; nil if nothing does.
func timeIn(first string, how reading) func(line string) (string, bool) {
	var ways []func(string) (string, bool)
	names := usualTimes
	if how.field != "" {
		names = []string{how.field}
	}
	if n, err := strconv.Atoi(how.field); err == nil && n != 0 {
		ways = append(ways, func(line string) (string, bool) { return word(line, n) })
	}
	for _, name := range names {
		ways = append(ways, func(line string) (string, bool) { return named(line, name) })
	}
	if how.field == "" {
		ways = append(ways, bracketed, func(line string) (string, bool) {
			text := leadingTime.FindString(line)
			return text, text != ""
		})
	}
	for _, way := range ways {
		if text, ok := way(first); ok {
			if _, err := parseStamp(text, how); err == nil {
				return way
			}
		}
	}
	return nil
}

// word is number n of a line's words, counted from 1, from the end if negative.
func word(line string, n int) (string, bool) {
	words := logWord.FindAllString(line, -1)
	if n < 0 {
		n += len(words) + 1
	}
	if n < 1 || n > len(words) {
		return "", false
	}
	return strings.Trim(words[n-1], `[]"`), true
}

// named is the value of a key of a JSON object, or of name=value.
func named(line, name string) (string, bool) {
	if strings.HasPrefix(strings.TrimSpace(line), "{") {
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(line), &object) != nil || object[name] == nil {
			return "", false
		}
		return strings.Trim(string(object[name]), `"`), true
	}
	for _, w := range logWord.FindAllString(line, -1) {
		if value, ok := strings.CutPrefix(w, name+"="); ok {
			return strings.Trim(value, `[]"`), true
		}
	}
	return "", false
}

// bracketed is the first time in brackets, as nginx and Apache write it.
func bracketed(line string) (string, bool) {
	for _, w := range logWord.FindAllString(line, -1) {
		if w[0] == '[' {
			return strings.Trim(w, "[]"), true
		}
	}
	return "", false
}
