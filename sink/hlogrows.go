package sink

import (
	"bufio"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"openload/correct"
)

// hlogRows writes an HdrHistogram log while a run goes on: for each second in which
// anything ended an interval of raw latencies, by attempt, and one of corrected ones,
// by operation.
func hlogRows(opt StreamOptions) rows {
	l := &hlogStream{StreamOptions: opt, tags: []*interval{{tag: "raw"}}}
	if !opt.Closed {
		l.tags = append(l.tags, &interval{tag: "corrected"})
	}
	return l
}

type hlogStream struct {
	StreamOptions
	tags   []*interval
	second time.Duration // the present interval's beginning
	last   time.Duration // when the latest attempt ended
	begun  bool
}

// An interval holds what one reading of the present second is.
type interval struct {
	tag    string
	hist   *hdrhistogram.Histogram
	failed uint64 // in all seconds
	longer uint64 // than a histogram holds, in all seconds
}

func (*hlogStream) begin(*bufio.Writer) error { return nil }

func (l *hlogStream) attempt(w *bufio.Writer, x *correct.Sample) error {
	if l.Warm != nil && l.Warm(x.Intended) {
		return nil
	}
	if !l.begun {
		l.head(w)
	}
	// What is handed over late, and ended in a second that was written already, counts in this one.
	if second := x.Done.Truncate(time.Second); second > l.second {
		if err := l.write(w, time.Second); err != nil {
			return err
		}
		l.second = second
	}
	l.last = max(l.last, x.Done)
	if x.Fired {
		l.tags[0].add(x.Raw(), x.Class)
	}
	if x.Final && !l.Closed {
		l.tags[1].add(x.Corrected(), x.Class)
	}
	return nil
}

func (i *interval) add(v time.Duration, c correct.Class) {
	switch {
	case c != correct.OK:
		i.failed++
		return
	case v > correct.Longest:
		i.longer++
		return
	case i.hist == nil:
		i.hist = hdrhistogram.New(1, int64(correct.Longest), 3)
	}
	if err := i.hist.RecordValue(int64(v)); err != nil {
		panic("sink: histogram refused a value in its range: " + err.Error())
	}
}

func (l *hlogStream) head(w *bufio.Writer) {
	l.begun = true
	var started time.Time
	if l.Started != nil {
		started = l.Started()
	}
	hlogHead(w, l.Version, started)
	w.WriteString(hlogLegend)
}

// write ends the present interval, which is so long.
func (l *hlogStream) write(w *bufio.Writer, length time.Duration) error {
	for _, i := range l.tags {
		if i.hist == nil || i.hist.TotalCount() == 0 {
			continue
		}
		text, err := i.hist.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil {
			return err
		}
		hlogLine(w, i.tag, l.second, length, i.hist.Max(), text)
		i.hist.Reset()
	}
	_, err := w.Write(nil) // what could not be written before
	return err
}

func (l *hlogStream) end(w *bufio.Writer, e correct.End) error {
	if !l.begun {
		l.head(w)
	}
	if err := l.write(w, max(l.last-l.second, time.Millisecond)); err != nil {
		return err
	}
	for _, i := range l.tags {
		hlogMissing(w, i.tag, i.failed, i.longer)
	}
	_, err := w.Write(e.AppendCSV(nil, 1)) // a comment here too
	return err
}

// hlogLine writes an interval. The third number is the maximum in ms, for people:
// readers take the histogram's.
func hlogLine(w *bufio.Writer, tag string, at, length time.Duration, most int64, payload []byte) {
	fmt.Fprintf(w, "Tag=%s,%.3f,%.3f,%.3f,%s\n", tag, at.Seconds(), length.Seconds(), float64(most)/1e6, payload)
}

// hlogMissing says what an interval log of successes has no place for.
func hlogMissing(w *bufio.Writer, tag string, failed, longer uint64) {
	if failed > 0 {
		fmt.Fprintf(w, "# %s: %d failed, which are not in it and rank above all that is\n", tag, failed)
	}
	if longer > 0 {
		fmt.Fprintf(w, "# %s: %d took longer than %v and are not in it\n", tag, longer, correct.Longest)
	}
}

const hlogLegend = `"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"` + "\n"

func hlogHead(w *bufio.Writer, version string, started time.Time) {
	fmt.Fprintf(w, "#[openload %s, latencies in ns]\n#[Histogram log format version 1.3]\n", version)
	if at := started.UTC(); !at.IsZero() {
		since := fmt.Sprintf("%d.%03d (seconds since epoch)", at.Unix(), at.Nanosecond()/1e6)
		fmt.Fprintf(w, "#[StartTime: %s, %s]\n#[BaseTime: %s]\n", since, at.Format(time.RFC1123), since)
	}
}
