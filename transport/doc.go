// Package transport speaks HTTP/1.1 on one connection at a time: it resolves the
// target's name, dials, writes a request that was serialised before, reads the
// response to its end and throws the body away. It makes the Outcome.
//
// Nothing is ever sent twice, no redirect is followed, no proxy is used, and no
// error is returned: what went wrong is a class in the Outcome. The responses are
// read by a small reader of our own, since a report must tell a response that was
// cut off from one that never began and from one that is no HTTP, and ten thousand
// connections must not each keep a buffer as long as the longest header. A response
// may have 64 KiB of header lines; its body may be of any length and costs no memory.
package transport
