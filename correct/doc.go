// Package correct is the measurement and its honesty: what one attempt took,
// measured from the instant that the schedule gave it, and what a run's attempts
// took together.
//
// A [Sample] is one finished attempt. A [Recorder] takes a shard's samples and
// keeps a [Dist] for every reading of them (corrected, raw, without our own
// lateness …); a [Snapshot] is what it held at one instant, and snapshots of
// shards merge. [Backfill] and [Queue] repair or replay samples that a closed loop
// took. Nothing here looks at a clock, and no sample is ever corrected twice.
//
// Limits: values are kept in nanoseconds to three significant digits up to one
// hour; longer ones are counted and the greatest of them is kept exactly.
package correct
