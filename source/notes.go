package source

// A Note is something about a file that a reader of its numbers should know.
type Note struct {
	Code string // stable, for programs
	Text string
}

// The codes of notes.
const (
	NoteCut      = "cut"         // the last record, or the compressed stream, is incomplete
	NoteSkipped  = "skipped"     // bad records were skipped
	NoteAtCap    = "at_cap"      // as many rows as the tool ever writes: the rest is lost
	NoteRuns     = "runs"        // several runs in one file
	NoteLabels   = "labels"      // more labels than are kept apart
	NoteNested   = "nested"      // rows that repeat others were left out
	NoteStamps   = "stamps"      // what time stamps were taken to mark
	NoteFields   = "fields"      // fields chosen by name
	NoteUnit     = "unit"        // where the unit was taken from
	NoteEncoding = "encoding"    // the text was converted
	NoteMissing  = "missing"     // requests that the tool leaves out
	NoteClock    = "clock"       // absolute times can't be trusted
	NoteGaveUp   = "gave_up"     // rows end when the client gave up: true latencies are longer
	NoteTotal    = "total"       // a histogram's count and its footer differ
	NoteWarmup   = "calibration" // the tool discards a part of the run
	NoteDropped  = "dropped"     // arrivals that the tool gave up
	NoteDoctored = "corrected"   // parts of the file are corrected already
)

// A Tally counts what was read. It is final when the iteration has ended.
type Tally struct {
	Rows     int64 // yielded; buckets' counts in a histogram
	Failed   int64 // of those, with a Class other than OK
	Skipped  int64 // bad records, with Lenient
	Filtered int64 // of another label or tag
	Nested   int64 // left out because they repeat other rows
	Dropped  int64 // arrivals that the tool says it gave up
	Runs     int   // runs joined into the file; 1 normally, 0 if it is empty

	Bad []error // the first few errors of skipped records
}
