package request

import (
	"encoding/binary"
	"encoding/hex"
)

// appendUUID writes 122 of the bits in the form of a random UUID.
// Source: RFC 9562, section 5.4.
func appendUUID(b []byte, hi, lo uint64) []byte {
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], hi)
	binary.BigEndian.PutUint64(raw[8:], lo)
	raw[6] = raw[6]&0x0f | 0x40 // version 4
	raw[8] = raw[8]&0x3f | 0x80 // variant 10
	for i, part := range [][]byte{raw[:4], raw[4:6], raw[6:8], raw[8:10], raw[10:]} {
		if i > 0 {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, part)
	}
	return b
}
