package source

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"time"

	"github.com/klauspost/compress/zstd"

	"openload/correct"
)

// A File is an opened result file. It is read once, by Rows, Batches or Buckets, and
// isn't safe for concurrent use.
type File struct {
	Format string
	Facts  Facts

	opt   Options
	s     *scanner
	names names
	runs  runs
	tally Tally
	notes []Note
	err   error
	cut   *Cut

	origin   int64 // of Row.Start, ns since 1970 or since what the file counts from
	anchored bool  // origin is set
	absolute bool  // origin is a wall time that can be trusted

	spared  bool // a corrected series of the same run was not asked for
	ours    bool // openload wrote the rows, of an open run or a closed loop
	own     bool
	end     correct.End
	filler  *filler // of Batches, for formats that can do better than row by row
	labels  []int32
	rows    func(yield func(*Row) bool) error
	buckets func(yield func(*Bucket) bool) error
}

// Open recognises the file behind r by its first 64 KiB. gzip and zstd are unpacked,
// UTF-16 decoded and a byte order mark dropped. r is read on while rows are.
//
// The errors to tell apart with errors.As are *Refusal for a file that is known
// and can't be used, *Missing for an option that it needs, *RowError for what is
// wrong at its beginning; ErrUnknown with errors.Is.
func Open(r io.Reader, opt Options) (*File, error) {
	f, head, err := unwrap(r, opt)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	if len(bytes.TrimSpace(head)) == 0 && f.s.torn {
		return nil, f.tornOpen("compressed file")
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return nil, &Refusal{Format: "empty file", Reason: "it holds no samples"}
	}
	for i := range formats {
		if formats[i].is(head) {
			return f.as(&formats[i])
		}
	}
	if f.s.torn {
		return nil, f.tornOpen("compressed file")
	}
	return nil, fmt.Errorf("%w: it begins with %s", ErrUnknown, clip(firstLine(head)))
}

// as reads the head as format d, whether it looks like it or not.
func (f *File) as(d *format) (*File, error) {
	f.Format = d.name
	if err := d.open(f); err != nil {
		var missing *Missing
		if f.s.torn && !errors.As(err, &missing) {
			return nil, f.tornOpen(d.name)
		}
		return nil, err
	}
	if err := f.s.err; err != nil {
		return nil, fmt.Errorf("%s: %w", f.Format, err)
	}
	if u := f.Facts.Unit; f.opt.Unit != 0 && u != 0 && u != f.opt.Unit {
		return nil, fmt.Errorf("%s: latencies are in %s, not in %s", f.Format, unitName(u), unitName(f.opt.Unit))
	}
	if f.opt.Label != "" && !f.Facts.Labels {
		return nil, fmt.Errorf("%s: rows have no label to select by", f.Format)
	}
	if f.Facts.Leaps != "" {
		f.note(NoteMissing, f.Facts.Leaps)
	}
	return f, nil
}

// unwrap undoes compression and encoding, and returns a file with its first bytes.
func unwrap(r io.Reader, opt Options) (*File, []byte, error) {
	if opt.MaxRecord <= 0 {
		opt.MaxRecord = 64 << 20
	}
	if opt.RunGap == 0 {
		opt.RunGap = 5 * time.Minute
	}
	f := &File{opt: opt, s: newScanner(r, opt.MaxRecord)}
	head := f.s.head()
	for range 2 { // a .gz that was sent gzipped
		z, err := unpack(f.s, head)
		if err != nil {
			return nil, nil, err
		}
		if z == nil {
			break
		}
		f.s = newScanner(z, opt.MaxRecord)
		head = f.s.head()
	}
	switch {
	case bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}):
		f.s.pos += 3
		head = head[3:]
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		big := head[0] == 0xfe
		f.s.pos += 2
		f.s = newScanner(&utf16Reader{s: f.s, big: big}, opt.MaxRecord)
		if head = f.s.head(); isGob(head) || isGatlingBinary(head) || bytes.HasPrefix(head, sqliteMagic) {
			return nil, nil, &Refusal{Format: "UTF-16", Reason: "a binary file that went through a text redirection, which destroyed it",
				Instead: "let the tool write the file itself, or use cmd's > in place of PowerShell's"}
		}
		f.note(NoteEncoding, "decoded from UTF-16, which PowerShell's > writes")
	}
	return f, head, f.s.err
}

// unpack returns a reader of what r's first bytes say is compressed; nil if they don't.
func unpack(r io.Reader, head []byte) (io.Reader, error) {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, damaged("gzip", err)
		}
		return &unpacker{z, "gzip"}, nil
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) // without goroutines, so that it needs no end
		if err != nil {
			return nil, damaged("zstd", err)
		}
		return &unpacker{z, "zstd"}, nil
	}
	return nil, nil
}

// An unpacker says of an error which stream it is in.
type unpacker struct {
	io.Reader
	kind string
}

// Read reads on. A stream that ends early is told from one that is damaged.
func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		err = damaged(u.kind, err)
	}
	return n, err
}

func damaged(kind string, err error) error {
	return fmt.Errorf("its %s stream is damaged (%w); get the file again", kind, err)
}

// Histogram reports whether the file holds buckets in place of rows.
func (f *File) Histogram() bool { return f.buckets != nil }

// Own reports whether the file holds an open run of openload's: rows are attempts
// and have an Attempt, measured from intended times.
func (f *File) Own() bool { return f.own }

// End is how a run of openload's ended, known once its rows are read. The zero End is
// that of a file which does not say: it was cut off, or an older openload wrote it.
func (f *File) End() (e correct.End, ours bool) { return f.end, f.ours }

// Spared reports whether the file holds corrected latencies of the same run, which
// were not asked for; known once its buckets are read. Then those that were need none.
func (f *File) Spared() bool { return f.spared }

// Rows yields the file's requests. The row is reused: it is valid until the next
// one. Err says afterwards whether all were read.
func (f *File) Rows() iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		rows := f.rows
		if rows == nil {
			return
		}
		f.rows = nil
		f.finish(rows(yield))
	}
}

// Buckets yields a histogram's non-empty buckets, interval by interval if the
// file has several. The bucket is reused.
func (f *File) Buckets() iter.Seq[*Bucket] {
	return func(yield func(*Bucket) bool) {
		buckets := f.buckets
		if buckets == nil {
			return
		}
		f.buckets = func(func(*Bucket) bool) error { return nil }
		f.finish(buckets(yield))
	}
}

// Err is why the reading ended before the file did; nil if it didn't.
func (f *File) Err() error { return f.err }

// Tally returns what was counted so far.
func (f *File) Tally() Tally { return f.tally }

// Notes returns what was noticed so far.
func (f *File) Notes() []Note { return f.notes }

// Name is the label, worker or series with the number id; empty for NoName.
func (f *File) Name(id int32) string {
	if id < 0 || int(id) >= len(f.names.list) {
		return ""
	}
	return f.names.list[id]
}

// Epoch is the wall time of a Start of 0, known after the first row; false if
// the file doesn't tell it, or tells what can't be true.
func (f *File) Epoch() (time.Time, bool) {
	if !f.absolute || !f.anchored {
		return time.Time{}, false
	}
	return time.Unix(0, f.origin).UTC(), true
}

// errStop is how formats end a loop that the caller broke off.
var errStop = errors.New("stopped")

// finish draws up what only the end of the file shows.
func (f *File) finish(err error) {
	if err == errStop {
		return
	}
	if err == nil && f.s.err != nil {
		err = fmt.Errorf("%s: %w", f.Format, f.s.err)
	}
	switch {
	case err != nil:
	case f.s.torn:
		err = f.cutShort("")
	case f.s.open && f.Histogram() && f.tally.Rows+f.tally.Filtered == 0:
		err = f.cutShort(fmt.Sprintf("line %d, the last, has no end", f.s.first))
	case f.s.open && f.cut == nil && f.Facts.Tool != plainFacts.Tool:
		f.note(NoteCut, fmt.Sprintf("line %d, the last, has no line break: if the file was cut off there, rows are missing", f.s.first))
	}
	f.err = err
	if f.tally.Rows > 0 {
		f.tally.Runs = int(f.runs.n) + 1
	}
	if n := f.tally.Runs; n > 1 {
		text := fmt.Sprintf("%d runs are joined in this file", n)
		if f.runs.apart > 0 {
			text += fmt.Sprintf(", the longest silence between them is %s", f.runs.apart)
		}
		f.note(NoteRuns, text)
	}
	if f.tally.Skipped > 0 {
		f.note(NoteSkipped, several(f.tally.Skipped, "bad record was", "bad records were")+" skipped")
	}
	if f.tally.Nested > 0 {
		f.note(NoteNested, several(f.tally.Nested, "row was left out because it repeats", "rows were left out because they repeat")+" others (transactions, sub-results)")
	}
	if f.Facts.Cap > 0 && f.tally.Rows+f.tally.Filtered == f.Facts.Cap {
		f.note(NoteAtCap, fmt.Sprintf("exactly %d rows: %s writes no more, later requests are lost", f.Facts.Cap, f.Facts.Tool))
	}
	if f.names.full {
		f.note(NoteLabels, fmt.Sprintf("more than %d labels and workers: the rest have no name", maxNames))
	}
}

// several is a count with the words for it.
func several(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (f *File) note(code, text string) { f.notes = append(f.notes, Note{code, text}) }

// emit counts r and hands it on; false to stop.
func (f *File) emit(r *Row, yield func(*Row) bool) bool {
	f.tally.Rows++
	if r.Class != correct.OK {
		f.tally.Failed++
	}
	return yield(r)
}

// wants reports whether a row of this label is asked for, and counts it if not.
func (f *File) wants(label []byte) bool {
	if f.opt.Label == "" || f.opt.Label == string(label) {
		return true
	}
	f.tally.Filtered++
	return false
}

// Cut is where the file ends before it is complete; nil if nothing shows that it
// does. Without Options.Lenient it is Err too, but for openload's own files, which say
// by their End whether they are whole.
func (f *File) Cut() *Cut { return f.cut }

// cutShort reports that the file ends early: nil to take what is there. A compressed
// stream that is cut off explains whatever else is incomplete.
func (f *File) cutShort(what string) error {
	if f.cut == nil {
		if f.s.torn {
			what = tornStream
		}
		f.cut = &Cut{Format: f.Format, What: what, Rows: f.tally.Rows, Buckets: f.Histogram()}
		if f.opt.Lenient || f.ours {
			f.note(NoteCut, f.cut.What)
		}
	}
	if f.opt.Lenient || f.ours {
		return nil
	}
	return f.cut
}

const tornStream = "the compressed stream is cut off"

// tornOpen is the error for a stream that is cut off before its rows begin.
func (f *File) tornOpen(format string) error {
	return &Cut{Format: format, What: tornStream, None: true}
}

// bad reports a record that can't be read: nil to go on with the next one.
// The file's last record may be half, if its line isn't ended.
func (f *File) bad(field string, text []byte, why problem) error {
	if f.s.open && why.mayBeCut() {
		if f.opt.Lenient {
			f.tally.Skipped++
		}
		return f.cutShort(fmt.Sprintf("line %d, the last, is incomplete", f.s.first))
	}
	return f.badAt(f.s.first, field, text, why)
}

// badAt is bad for records that aren't lines.
func (f *File) badAt(line int64, field string, text []byte, why problem) error {
	e := &RowError{Format: f.Format, Line: line, Field: field, Why: string(why)}
	if text != nil {
		e.Text = clip(text)
	}
	if !f.opt.Lenient || why.spoilsAll() {
		return e
	}
	f.tally.Skipped++
	if len(f.tally.Bad) < 5 {
		f.tally.Bad = append(f.tally.Bad, e)
	}
	return nil
}

// times places a row on the time axis by wall times in ns. A row stamped 0, in
// 1970, stays off it.
func (f *File) times(r *Row, start, end int64) {
	if start <= 0 || end <= 0 {
		r.Start, r.End = NoTime, NoTime
		r.Run = f.runs.n
		return
	}
	if !f.anchored {
		f.anchored, f.absolute, f.origin = true, true, start
	}
	r.Start, r.End = time.Duration(start-f.origin), time.Duration(end-f.origin)
	r.Run = f.runs.of(r.Start, r.End)
}

// needUnit returns the unit that the user gave for a file that has none.
func (f *File) needUnit(why string) (time.Duration, error) {
	if f.opt.Unit <= 0 {
		return 0, &Missing{Format: f.Format, Need: NeedUnit, Why: why, Found: []string{"ns", "us", "ms", "s"}}
	}
	return f.opt.Unit, nil
}

// emitBucket counts b and hands it on; false to stop.
func (f *File) emitBucket(b *Bucket, yield func(*Bucket) bool) bool {
	if f.tally.Rows += b.Count; f.tally.Rows < 0 {
		f.tally.Rows = math.MaxInt64
	}
	f.tally.Failed += b.Failed
	return yield(b)
}
