package source

import (
	"bytes"
	"fmt"
	"time"
)

// HdrHistogram's percentile distribution as text or CSV, by itself and in wrk2's
// output: Value, Percentile, TotalCount. A row stands for the samples between
// its value and the one before; the scale of values isn't stated, but wrk2's is
// a millisecond.

var spectrumFacts = Facts{
	Tool: "HdrHistogram percentiles", Pacing: PacingUnknown, Otherwise: Corrected,
	Leaps: "rows are upper bounds: a value may lie anywhere above the row before",
}

// isSpectrumHead reports whether a line is the table's heading. vegeta's hdrplot
// has Value(ms), and is none.
func isSpectrumHead(line []byte) bool {
	f := bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' || r == '"' })
	return len(f) >= 3 && string(f[0]) == "Value" && string(f[1]) == "Percentile" && string(f[2]) == "TotalCount"
}

func isSpectrum(h []byte) bool { return isSpectrumHead(firstLine(h)) }

func openSpectrum(f *File) error {
	unit, err := f.needUnit("the scale of a percentile distribution isn't stated")
	if err != nil {
		return err
	}
	f.Facts = spectrumFacts
	f.Facts.Unit, f.Facts.Resolution = unit, unit/1000
	f.buckets = func(yield func(*Bucket) bool) error {
		for {
			line, ok := f.s.next()
			if !ok {
				return nil
			}
			if isSpectrumHead(line) {
				return f.spectrum(&Bucket{Series: NoName, Start: NoTime}, unit, !bytes.ContainsRune(line, ','), yield)
			}
		}
	}
	return nil
}

// spectrum reads the rows behind a heading, up to the footer's count, which the CSV
// form has not.
func (f *File) spectrum(b *Bucket, unit time.Duration, footer bool, yield func(*Bucket) bool) error {
	var last time.Duration
	var seen, total int64
	rows := 0
	for {
		line, ok := f.s.next()
		if !ok {
			if !footer {
				return nil
			}
			return f.cutShort("the distribution has no footer")
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if line[0] == '#' {
			if n, ok := footerCount(line); ok {
				total = n
			}
			if bytes.HasPrefix(line, []byte("#[Buckets")) {
				break
			}
			continue
		}
		cols := bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' })
		wrong := fault{}
		var high time.Duration
		var count int64
		if len(cols) < 3 {
			wrong = fault{"", line, "not a row of the distribution"}
		} else if high, wrong.why = duration(cols[0], unit); wrong.why != "" {
			wrong = fault{"Value", cols[0], wrong.why}
		} else if count, wrong.why = integer(cols[2]); wrong.why != "" {
			wrong = fault{"TotalCount", cols[2], wrong.why}
		} else if count < seen || high < last || count > maxCount {
			wrong = fault{"", line, "value or count goes back"}
		}
		if wrong.why != "" {
			if err := f.bad(wrong.field, wrong.text, wrong.why); err != nil {
				return err
			}
			continue
		}
		if rows++; count > seen {
			// The first row is the minimum itself.
			b.Low, b.High, b.Count = last, high, count-seen
			if rows == 1 {
				b.Low = high
			}
			if !f.emitBucket(b, yield) {
				return errStop
			}
		}
		seen, last = count, high
	}
	if total != seen {
		f.note(NoteTotal, fmt.Sprintf("rows hold %d samples, the footer says %d", seen, total))
	}
	return nil
}

// footerCount reads #[Max     =     2000.895, Total count    =          100].
func footerCount(line []byte) (int64, bool) {
	_, rest, ok := bytes.Cut(line, []byte("Total count"))
	if !ok {
		return 0, false
	}
	n, p := integer(bytes.Trim(rest, " =]"))
	return n, p == ""
}

var wrk2Facts = Facts{
	Tool: "wrk2", Pacing: CatchesUp, Otherwise: CatchesUp,
	Unit: time.Millisecond, Resolution: time.Microsecond,
	Rate: RateTotal, RateFlag: "-R is the total",
	Leaps: "requests that timed out are not in the histograms",
}

func isWrk2(h []byte) bool {
	return bytes.HasPrefix(firstLine(h), []byte("Running ")) && bytes.Contains(h, []byte(" test @ ")) && bytes.Contains(h, []byte("(HdrHistogram - "))
}

// openWrk2 reads two series: "recorded" counts from the planned start and is the
// answer, "uncorrected" is raw and there with -U only.
func openWrk2(f *File) error {
	head := f.s.peek(headSize)
	if !bytes.Contains(head, []byte("Detailed Percentile spectrum")) {
		return &Refusal{Format: f.Format, Reason: "no detailed percentile spectrum in it", Instead: "run wrk2 with --latency and --u_latency"}
	}
	f.Facts = wrk2Facts
	if !bytes.Contains(head, []byte("(HdrHistogram - Uncorrected")) {
		f.Facts.Pacing, f.Facts.Otherwise = Corrected, Corrected
	}
	f.note(NoteDoctored, "the series recorded counts from planned starts: it is corrected already")
	if bytes.Contains(head, []byte("Thread calibration")) {
		f.note(NoteWarmup, "wrk2 discards its first 10 s (calibration)")
	}
	f.buckets = f.wrk2
	return nil
}

func (f *File) wrk2(yield func(*Bucket) bool) error {
	b := Bucket{Series: NoName, Start: NoTime}
	for {
		line, ok := f.s.next()
		if !ok {
			return nil
		}
		switch {
		case bytes.Contains(line, []byte("(HdrHistogram - Uncorrected")):
			b.Series, b.Corrected = f.names.id([]byte("uncorrected")), false
		case bytes.Contains(line, []byte("(HdrHistogram - Recorded")):
			b.Series, b.Corrected = f.names.id([]byte("recorded")), true
		case isSpectrumHead(line):
			if !f.wantsTag([]byte(f.Name(b.Series))) {
				continue // over its rows, which mean nothing here
			}
			if err := f.spectrum(&b, time.Millisecond, true, yield); err != nil {
				return err
			}
		}
	}
}
