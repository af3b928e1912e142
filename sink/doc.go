// Package sink shows a report. Its one noun is the output, --out KIND[=FILE]: a kind
// is one file of this package and one line in the table [Kinds].
//
// A sink computes nothing new: what the report does not hold is not shown. Text is
// at most 80 columns wide but for a URL or a command that can't be broken, and says
// in words all that it says in colour.
package sink
