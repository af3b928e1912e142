// Package coding counts what response bodies come to once they are decoded: gzip,
// deflate, br and zstd, also one over the other.
//
// A [Counter] stands beside a run and never in its way. Whoever reads a response writes
// its body, as it comes, to a [Body], which keeps a copy; goroutines of the Counter
// decode it, count and throw it away. Nobody waits for them: a Write copies, and where 64
// MiB wait already the body is let go and counted as such. So no send and no answer is
// later for it but by that copy, and by the processor that decoding takes away from
// others, which a run sees as its own lateness.
//
// A body that does not decode is told by what was wrong with it. It is no failure of the
// response, whose times were taken by then.
package coding
