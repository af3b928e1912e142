package correct

// Class says how an attempt ended.
type Class uint8

// The classes. Everything but OK ranks above every success in a percentile.
const (
	OK Class = iota
	BadStatus

	// Time ran out.
	Timeout        // no complete response within the attempt's timeout, from Sent
	ConnectTimeout // no connection within the connect timeout
	Deadline       // the operation's deadline passed

	// The target, or the way to it.
	Refused
	Reset     // connection reset or closed before a response began
	Truncated // closed in the middle of a response
	Malformed // not HTTP, or larger than we read
	DNS
	TLS
	CertExpired   // the server's certificate has expired, or is not valid yet
	CertName      // it is for another name
	CertUntrusted // nobody whom we trust has signed it
	Proxy         // the proxy did not let us through
	Network       // unreachable, and what has no class of its own

	// Ours.
	Stale       // a kept-alive connection died while idle, seen before a byte was written, and again after one re-dial
	Descriptors // this process ran out of file descriptors
	Ports       // this machine ran out of local ports
	Unmade      // its request could not be made from its template
	Dropped     // the backlog was full: never fired
	Blocked     // the circuit breaker was open: never fired
	Unfinished  // the run ended first

	classes
)

var classNames = [classes]string{
	OK: "ok", BadStatus: "bad_status",
	Timeout: "timeout", ConnectTimeout: "connect_timeout", Deadline: "deadline",
	Refused: "refused", Reset: "reset", Truncated: "truncated", Malformed: "malformed",
	DNS: "dns", TLS: "tls", CertExpired: "tls_expired", CertName: "tls_wrong_name", CertUntrusted: "tls_untrusted",
	Proxy: "proxy", Network: "network",
	Stale: "stale_connection", Descriptors: "out_of_descriptors", Ports: "out_of_ports", Unmade: "unmade_request",
	Dropped: "dropped", Blocked: "blocked", Unfinished: "unfinished",
}

// Classes lists every class, in the order in which reports name them.
func Classes() []Class {
	all := make([]Class, classes)
	for i := range all {
		all[i] = Class(i)
	}
	return all
}

// String is the class's name in reports and JSON.
func (c Class) String() string { return classNames[c] }

// TimedOut reports whether time ran out: the attempt's, the dial's or the operation's.
func (c Class) TimedOut() bool { return c == Timeout || c == ConnectTimeout || c == Deadline }

// Error reports whether c counts under "errors" in the balance.
func (c Class) Error() bool { return c >= Refused && c <= Unmade }

// Ours reports whether the failure says nothing about the target.
func (c Class) Ours() bool { return c >= Stale && c <= Dropped }
