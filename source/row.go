package source

import (
	"math"
	"time"

	"openload/correct"
)

// Markers for what a file doesn't say.
const (
	NoTime = time.Duration(math.MinInt64) // Row.Start, Row.End
	NoSeq  = -1                           // Row.Seq
	NoName = -1                           // Row.Label, Row.Worker, Bucket.Series
)

// A Row is one request, as the tool that made the file recorded it.
type Row struct {
	// Start and End are offsets from the first start in the file, which is in
	// the first row that has one. Files are seldom in order of start, so both may
	// be negative. NoTime where unknown. End is Start + Latency, and NoTime where
	// the tool's latency may not count from the start.
	Start, End time.Duration

	// Latency is what the tool calls the request's duration, never negative.
	Latency time.Duration

	Seq    int64 // order of starts as the tool numbered them, NoSeq if it didn't
	Line   int64 // line in the file where the record begins, from 1; its number in formats without lines
	Label  int32 // what was requested: File.Name(Label), or NoName
	Worker int32 // thread, connection or virtual user: File.Name(Worker), or NoName
	Run    int32 // counts the runs that were joined into this file, from 0

	Status int  // status code, 0 if there was none or the file has none
	Known  bool // the file holds the tool's own idea of success
	OK     bool // that idea, if Known

	// Class is OK, or how the request failed, as far as the file tells. Where
	// the tool has no opinion a status outside 200-399 is BadStatus.
	Class correct.Class

	// Attempt is all that openload knew of an attempt of its own, reused like the
	// row; nil in the files of others. Its times count from that run's epoch.
	Attempt *correct.Sample
}

// blank is a row of which nothing is known.
var blank = Row{Start: NoTime, End: NoTime, Seq: NoSeq, Label: NoName, Worker: NoName}

// byStatus sets Class for a tool that has no opinion of its own.
func (r *Row) byStatus(status int) {
	r.Status = status
	r.Known, r.OK, r.Class = false, false, correct.OK
	if status != 0 && (status < 200 || status > 399) {
		r.Class = correct.BadStatus
	}
}

// verdict sets the tool's own idea of success, and the class of a failure.
func (r *Row) verdict(ok bool, status int, reason []byte) {
	r.Status, r.Known, r.OK, r.Class = status, true, ok, correct.OK
	if !ok {
		r.Class = classify(status, reason)
	}
}

// A Bucket is one cell of a histogram: Count values from Low to High.
type Bucket struct {
	Low, High time.Duration // both within the bucket, to the last unit of the file
	Count     int64
	Failed    int64 // how many of Count were failed requests, as far as the file tells

	Series    int32 // File.Name(Series): the tag, or NoName. Series must not be added up unasked
	Corrected bool  // the tool measured these from intended starts: never correct them again

	// The interval that the bucket was recorded in, as an offset from the first;
	// NoTime and 0 for a histogram of the whole run.
	Start, Length time.Duration
}
