// Package source reads the result files of other load generators and servers.
//
// Its one noun is the Row: one request as the tool recorded it, with its latency
// and, where the file has them, its start, end, status, label and worker. Files
// that hold a histogram in place of requests give Buckets. A File also states
// what is known of the tool: whether it skips or catches up after a stall,
// whether its failures are in the file, how fine its numbers are.
//
// Open recognises a file by its first 64 KiB, never by its name. What holds only
// a summary is answered with a Refusal, which names the file that would do.
//
// A file is read once, in constant memory, in its own order. Nothing here
// corrects, sorts or judges, and no unit is guessed: a bare number without a
// known unit is a Missing error.
package source
