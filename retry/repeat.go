package retry

import (
	"slices"

	"openload/correct"
)

// Idempotent reports whether a request of this method does when sent twice what it
// does when sent once. Source: RFC 9110, section 9.2.2.
func Idempotent(method string) bool {
	return slices.Contains([]string{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"}, method)
}

// Unknown reports whether nobody can say if the operation was done that ended with
// x, its last attempt: a request that is not idempotent was put on the wire, and no
// complete answer came. It is no failure and no success; with or without an
// idempotency key, only the server can tell. If an earlier attempt was written and
// x was not, that is taken for unknown too. After a query it is unknown unless it was
// answered that the operation was done, or was not.
func Unknown(method string, x correct.Sample) bool {
	if x.Query {
		return x.Class != correct.OK && x.Status != notDone
	}
	return !Idempotent(method) && x.Class != correct.OK && x.Status == 0 && written(x)
}

// notDone is the status of an operation of which the server knows nothing.
const notDone = 404

// written reports whether the server may have seen the operation.
func written(x correct.Sample) bool { return x.Written || x.Earlier }
