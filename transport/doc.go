// Package transport speaks HTTP/1.1 on one connection at a time: it resolves the
// target's name, dials, writes a request that was serialised before, reads the
// response to its end and throws the body away. It makes the Outcome.
//
// Nothing is ever sent twice, no redirect is followed, and no error is returned: what
// went wrong is a class in the Outcome. A [Network] finds the [Route] to a target: its
// addresses, over which dials are spread, a Unix socket, or a proxy that was asked for.
// A response may have 64 KiB of header lines; its body may be of any length and costs no
// memory, and a connection keeps 1.3 kB between two responses.
//
// What goes over a Conn is fasthttp's: the request is the text of a fasthttp.Request,
// which package request makes; the header is a fasthttp.ResponseHeader, and a body that
// has a length, or lasts until the close, the stream of a fasthttp.Response. Three things
// stay our own, in [Parser], which the event loop pushes everything through, so that both
// Worlds refuse the same:
//
//   - The lines of a header, before fasthttp sees them. By itself it says "malformed" or
//     "cut off" of the same stream depending on how the network cut it, waits for ever
//     on bare line feeds, fails on a header longer than its buffer, takes HTTP/2.0 and
//     names with blanks for good, and refuses a length that is given twice.
//   - Whether a connection may be kept: fasthttp closes after a HEAD without a length,
//     and does not tell a close that was asked for from one that it concluded.
//   - Chunks: fasthttp refuses trailers by their names, and longer ones than its buffer.
package transport
