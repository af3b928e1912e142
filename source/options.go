package source

import "time"

// Options select what is read of a file, and supply what it doesn't say.
type Options struct {
	// Unit of the latencies: ns, us, ms or s. Needed where the format has none,
	// an error where it has another.
	Unit time.Duration

	// TimeField is the field with the latency: the name of a JSON key, of a
	// name=value pair or of a k6 metric, or in a text log the number of a field
	// counted from 1, from the end if negative.
	TimeField string

	// Fields names further fields of an access log: "start", "end", "status",
	// "worker" and "label" to names or numbers like TimeField. What isn't named is
	// looked for under the usual names.
	Fields map[string]string

	Columns  []string // names of the columns of a JMeter CSV without header
	Label    string   // only requests of this label
	Tag      string   // only histograms of this tag
	Untagged bool     // only histograms without a tag

	Stamps Stamp          // what time stamps mark, where the tool can be set to either
	TZ     *time.Location // zone of times that are written without one; nil: they are only compared
	Nested bool           // keep what repeats other rows: JMeter's transactions and sub-results

	Lenient   bool          // skip and count bad records in place of an error; take what is there of a cut file
	MaxRecord int           // longest record in bytes; 0: 64 MiB
	RunGap    time.Duration // silence, or step back in time, that starts a new run in files that tools append to; 0: 5 minutes, negative: none

	careful bool // tests: read no row the quick way
}
