package source

import "time"

// Pacing says what a tool does about requests that were due while it was stuck.
// It decides which correction is right, and whether any is.
type Pacing uint8

// The pacings.
const (
	PacingUnknown Pacing = iota
	Closed               // no schedule: the next request follows the last answer. Correcting needs an interval that the user assumes
	Skips                // requests that were due are never sent: backfill is right
	CatchesUp            // they are sent late in a burst and timed from then: replay the schedule, add nothing
	OpenModel            // sends on schedule whatever the answers do: nothing to correct
	Corrected            // the latencies are corrected already: never again
)

var pacingNames = [...]string{"unknown", "closed", "skips", "catches up", "open model", "corrected"}

// String is the pacing in words.
func (p Pacing) String() string { return pacingNames[p] }

// RateOf says whose rate a tool's rate flag is. The interval to correct with
// always belongs to one worker.
type RateOf uint8

// The conventions.
const (
	RateUnknown   RateOf = iota // the tool has no rate, or the mode decides
	RatePerWorker               // interval = 1 / rate
	RateTotal                   // interval = workers / rate
)

// Order says how rows follow each other in the file.
type Order uint8

// The orders.
const (
	Unordered Order = iota
	ByEnd           // as answers came, give or take a flush
	ByStart
	ByLatency // sorted by latency: nothing can be read from neighbours
)

// Stamp says what a file's time stamps mark.
type Stamp uint8

// The stamps. As an option NoStamp leaves the decision to the format.
const (
	NoStamp Stamp = iota
	StampStart
	StampEnd
)

// Facts are what is known of a file before its first row: from the tool's
// source, and from the file's head. What only the rows show is exact when they
// have been read: Resolution, StampStep and Workers in some formats.
type Facts struct {
	Tool string

	Pacing    Pacing // as the tool is usually driven
	Otherwise Pacing // in the mode that the file doesn't tell apart; equal to Pacing if there is none

	Unit       time.Duration // unit of the file's latencies; 0 where every value has its own
	Resolution time.Duration // least step between two latencies
	Stamp      Stamp         // what the time stamps mark; NoStamp: rows have no times
	StampStep  time.Duration // least step between two stamps; 1 s makes gaps and concurrency meaningless
	Order      Order

	Workers  bool // rows name their worker
	Labels   bool // rows say what was requested
	Statuses bool // rows have a status
	Failures bool // failed requests are rows too

	Rate        RateOf
	RateFlag    string  // how the tool's rate is given, in words
	PerSec      float64 // rate as the file states it, by Rate's convention; 0 if it doesn't
	Concurrency int     // workers as the file states them; 0 if it doesn't

	Cap   int64  // most rows that the tool writes; 0 if it has no cap
	Leaps string // what the tool leaves out of its latencies or its file, in words
}
