// Command bench measures openload beside other load generators and writes RESULTS.md.
// `make bench` runs it, on Linux, with gcc.
//
// A witness in C (testdata/witness/arrivals.c) on the first processor answers and notes
// when each request arrived; the generator has the last processor. What is said of a
// generator is what the witness saw and what the kernel charged for the process, never
// what the generator says of itself, but where a column is named so. Generators that
// are not installed are left out and named: apt-get install wrk hey apache2-utils
// nghttp2-client nginx, and go install vegeta, bombardier and fortio (v1.66.5 was to be had).
//
// Whether requests clump is told twice: as the kernel received them, and as the witness
// read them. A witness that had to wait for its processor finds several at once, however
// well apart they came.
//
// Every round runs every generator once before the next round begins, so that a busy
// spell of the machine meets them all; a table shows medians over the rounds with the
// range beside them. Compare within a table only. `go run ./bench -only file` runs one part:
// here `openload correct` on ten million rows, beside encoding/csv.
package main
