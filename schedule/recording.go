package schedule

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
	"time"
)

// A Recording is a schedule written down: its arrivals in order. It may be a part
// of a schedule, with gaps in Seq.
type Recording []Arrival

const csvHeader = "seq,intended_ns"

// Read reads a schedule file: a line "seq,intended_ns", then one line per arrival
// with its place and its offset from the run's epoch in nanoseconds, in order.
// Lines may end in CRLF. The error names the line and says what is wrong with it.
// Memory is 16 bytes an arrival and grows with what was read.
func Read(r io.Reader) (Recording, error) {
	lines := bufio.NewScanner(r)
	if !lines.Scan() {
		if lines.Err() == nil {
			return nil, fmt.Errorf("line 1: the file is empty; the first line is %s, then one line per arrival", csvHeader)
		}
		return nil, unreadable(1, lines.Err())
	}
	if lines.Text() != csvHeader {
		return nil, fmt.Errorf("line 1: %s is no header; the first line is %s", quote(lines.Text()), csvHeader)
	}
	var rec Recording
	number := 2
	for ; lines.Scan(); number++ {
		a, err := parseArrival(lines.Text())
		if err == nil && len(rec) > 0 {
			err = follows(rec[len(rec)-1], a)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		rec = append(rec, a)
	}
	if lines.Err() != nil {
		return nil, unreadable(number, lines.Err())
	}
	if len(rec) == 0 {
		return nil, errors.New("line 2: no arrival after the header")
	}
	return rec, nil
}

func unreadable(line int, err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("line %d: too long for an arrival", line)
	}
	return fmt.Errorf("line %d: %w", line, err)
}

func parseArrival(line string) (Arrival, error) {
	seq, ns, ok := strings.Cut(line, ",")
	if !ok {
		return Arrival{}, fmt.Errorf("%s is no arrival; write %s, such as 0,80000000", quote(line), csvHeader)
	}
	n, err := strconv.ParseUint(seq, 10, 64)
	if err != nil {
		return Arrival{}, fmt.Errorf("seq %s is not a whole number from 0 to 2^64-1", quote(seq))
	}
	at, err := strconv.ParseInt(ns, 10, 64)
	if err != nil {
		return Arrival{}, fmt.Errorf("intended_ns %s is not a whole number of nanoseconds below 2^63", quote(ns))
	}
	return Arrival{n, time.Duration(at)}, notNegative(time.Duration(at))
}

func notNegative(at time.Duration) error {
	if at < 0 {
		return fmt.Errorf("intended_ns %d is negative; instants count from the start of the run", at)
	}
	return nil
}

// follows says why b cannot come right after a.
func follows(a, b Arrival) error {
	switch {
	case b.Seq == a.Seq:
		return fmt.Errorf("seq %d is there twice", b.Seq)
	case b.Seq < a.Seq:
		return fmt.Errorf("out of order: seq %d after %d", b.Seq, a.Seq)
	case b.At < a.At:
		return fmt.Errorf("out of order: intended_ns %d after %d", b.At, a.At)
	}
	return nil
}

// check holds a recording that was not read to what Read holds.
func (r Recording) check() error {
	for i, a := range r {
		err := notNegative(a.At)
		if err == nil && i > 0 {
			err = follows(r[i-1], a)
		}
		if err != nil {
			return fmt.Errorf("arrival %d: %w", i, err)
		}
	}
	return nil
}

// before is the part of r with At below end.
func (r Recording) before(end time.Duration) Recording {
	return r[:sort.Search(len(r), func(i int) bool { return r[i].At >= end })]
}

// Open starts the recorded schedule.
func (r Recording) Open() Schedule { return &replay{r} }

type replay struct{ rest Recording }

func (p *replay) Next() (Arrival, bool) {
	if len(p.rest) == 0 {
		return Arrival{}, false
	}
	a := p.rest[0]
	p.rest = p.rest[1:]
	return a, true
}

// WriteCSV writes s as Read reads it and returns the number of arrivals written.
func WriteCSV(w io.Writer, s Schedule) (n uint64, err error) {
	out := bufio.NewWriter(w)
	line := append([]byte(csvHeader), '\n')
	for {
		if _, err := out.Write(line); err != nil {
			return n, err
		}
		a, ok := s.Next()
		if !ok {
			return n, out.Flush()
		}
		line = strconv.AppendUint(line[:0], a.Seq, 10)
		line = append(line, ',')
		line = strconv.AppendInt(line, int64(a.At), 10)
		line = append(line, '\n')
		n++
	}
}
