// Package repair makes a report of another tool's result file: raw and corrected
// readings side by side, a verdict, and what tells whether the correction is right.
// Its one noun is the intake, which takes a [source.File]'s rows once and keeps what
// every correction needs; only at the end, when the data has shown what the tool did
// after a stall, [File] chooses one.
//
// A tool that skips what it missed gets the missing samples (backfill); one that
// catches up has them all and gets its schedule back; one that never waited needs
// nothing; what is corrected already is left alone.
//
// Limits: memory does not grow with the file. What needs neighbours in time looks at
// the last 16,384 rows, so a stall that more requests than that passed by is taken
// for one that the others did not notice; at most 1,000 stalls are looked at; the
// most requests at once are those of the first 16,384 rows; and the rates at which a
// rule would fail come from the first four million rows.
package repair
