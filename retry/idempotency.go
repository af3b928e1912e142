package retry

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
)

// IdempotencyKey is one value for an operation, the same on every attempt. r is the
// operation's own stream for it, from its beginning; it must be another one in each
// run, or the server takes a run for the repetition of the last. The form is that of
// a random UUID. Source: RFC 9562, section 5.4.
func IdempotencyKey(r *rand.Rand) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], r.Uint64())
	binary.BigEndian.PutUint64(b[8:], r.Uint64())
	b[6] = b[6]&0x0f | 0x40 // version 4
	b[8] = b[8]&0x3f | 0x80 // variant 10
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
