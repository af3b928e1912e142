package transport

import (
	"time"

	"openload/correct"
)

// An Outcome is how one exchange, or one dial, ended.
type Outcome struct {
	Class      correct.Class
	Status     int           // HTTP status, 0 if no complete response came
	Bytes      int64         // response body bytes read
	RetryAfter time.Duration // what the response asked to wait before another attempt

	Location string // where a redirect leads; "" for another response

	Detail string // for people: what the class leaves open, without addresses or ports

	// Instants by the Client's clock; zero if it has none, or there was none.
	Resolved, Connected, Secured time.Time // of a dial: the target's address was known, connected to, the TLS handshake over
	Wrote, First                 time.Time // of an exchange: the last byte was handed over; the first was read, if not with the last

	Peer    string // of a dial: whom it reached
	Address int    // of a dial: its number in the route
	Shared  bool   // of a dial: over a connection that was there, or was opened for another
	Full    bool   // of an exchange that is Stale: the connection lives, but has no stream left
	Resent  int    // of an exchange: times that the transport put the request on the wire again

	Written bool // a byte of the request was handed to the kernel
	Keep    bool // the connection can take another request
}

// TooLate is the outcome for whoever had given up by then, as class says: what came no
// longer counts. If it was we who read it late, that is known of the sample.
func (o Outcome) TooLate(class correct.Class) Outcome {
	o.Class, o.Status, o.RetryAfter, o.Location, o.Detail = class, 0, 0, "", "the answer was read after that"
	return o
}

func failed(class correct.Class, detail string) Outcome {
	return Outcome{Class: class, Detail: detail}
}
