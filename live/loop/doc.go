// Package loop is the fast World, for Linux: one event loop that the engine itself
// drives. Wait is an epoll_pwait2 with the next due instant as its timeout, Fire is a
// write, and both happen on the goroutine that calls them, bound to its thread, so
// that nothing is ever handed to another: from a bound thread that costs two switches
// of threads, 53 µs. Only TLS handshakes are made elsewhere, since they can't be cut
// into steps.
//
// System calls that cannot block are made without telling Go's scheduler, which costs
// a fifth of a request; the one that can, the wait, tells it. A request is one write
// and one read, and nothing is allocated for it (over TLS, crypto/tls allocates once).
// Responses are read into one buffer for all connections and thrown away, so that one
// in flight costs what a socket costs.
//
// It makes the same samples as the portable World of package live, which is the
// reference: package conformance holds both to the same rows. Connections grow by the
// same rule, with two more clauses. As long as there are answers to read, a shot that
// waits opens no connection, since it would not be served sooner; and none is opened
// after a pause of this process for as long again as it took, so that the backlog of
// the pause drains over the connections there are. Neither holds for more than a second.
//
// There is no io_uring here, and no second thread: a World is a shard of one core.
package loop
