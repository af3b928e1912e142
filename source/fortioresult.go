package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"
)

// fortio's result file holds a histogram: buckets (Start, End] in seconds, whose
// width grows with the value. Its percentiles are interpolated, so only the
// counts are read. Nighthawk writes the same shape with numbers in strings.

const maxResult = 16 << 20 // a result of a million requests has some kB

// A loose is a number, or one in a string.
type loose float64

// UnmarshalJSON reads the number.
func (l *loose) UnmarshalJSON(b []byte) error {
	s := string(bare(b))
	if s == "null" || s == "max" || s == "" {
		return nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return errors.New("not a number: " + clip(b))
	}
	*l = loose(v)
	return nil
}

type fortioHistogram struct {
	Count loose
	Data  []struct{ Start, End, Count loose }
}

type fortioResult struct {
	RequestedQPS            loose
	NumThreads              int
	NoCatchUp               bool
	Version                 string
	DurationHistogram       *fortioHistogram
	ErrorsDurationHistogram *fortioHistogram
}

func isFortioResult(h []byte) bool { return keys(h)["DurationHistogram"] }

func openFortioResult(f *File) error {
	b, err := io.ReadAll(io.LimitReader(f.s, maxResult))
	if err != nil {
		return err
	}
	var res fortioResult
	if err := json.Unmarshal(b, &res); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) && int(syntax.Offset) == len(b) && len(b) < maxResult {
			return &Cut{Format: f.Format, What: "its JSON is cut off", Buckets: true, None: true}
		}
		return fmt.Errorf("%s: %w", f.Format, err)
	}
	h := res.DurationHistogram
	if h == nil {
		return &Refusal{Format: f.Format, Reason: "no DurationHistogram in it"}
	}
	f.Facts = fortioFacts
	f.Facts.Workers, f.Facts.Stamp, f.Facts.StampStep = false, NoStamp, 0
	f.Facts.PerSec, f.Facts.Concurrency = float64(res.RequestedQPS), res.NumThreads
	f.Facts.Otherwise = CatchesUp
	if res.NoCatchUp {
		f.Facts.Pacing, f.Facts.Otherwise = Skips, Skips
	}
	if res.RequestedQPS <= 0 {
		f.Facts.Pacing, f.Facts.Otherwise = Closed, Closed
	}
	f.buckets = func(yield func(*Bucket) bool) error { return f.fortioBuckets(&res, yield) }
	return nil
}

func (f *File) fortioBuckets(res *fortioResult, yield func(*Bucket) bool) error {
	failed := make([]int64, len(res.DurationHistogram.Data))
	if e := res.ErrorsDurationHistogram; e != nil {
		for _, d := range e.Data {
			// Inner bounds are the same in both; the outer ones are each its own least
			// and greatest value.
			for i, b := range res.DurationHistogram.Data {
				if d.End <= b.End {
					failed[i] += int64(d.Count)
					break
				}
			}
		}
	}
	var total int64
	for i, d := range res.DurationHistogram.Data {
		low, high, count := seconds(d.Start), seconds(d.End), int64(d.Count)
		if low < 0 || high < low || count < 0 || d.Count > maxCount || d.Count != loose(count) {
			if err := f.badAt(int64(i)+1, "bucket", nil, "bounds or count make no sense"); err != nil {
				return err
			}
			continue
		}
		if count == 0 {
			continue
		}
		total += count
		b := Bucket{Low: low, High: high, Count: count, Failed: min(failed[i], count), Series: NoName, Start: NoTime}
		if !f.emitBucket(&b, yield) {
			return errStop
		}
	}
	if want := int64(res.DurationHistogram.Count); want != total && f.tally.Skipped == 0 {
		f.note(NoteTotal, fmt.Sprintf("buckets hold %d samples, the file says %d", total, want))
	}
	return nil
}

// seconds turns a file's float into a duration; -1 if it can't be one.
func seconds(v loose) time.Duration {
	ns := float64(v) * 1e9
	if !(ns >= 0 && ns <= float64(longest)) {
		return -1
	}
	return time.Duration(math.Round(ns))
}
