package transport

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"time"
)

// framing is what the header says about the body, the connection, and the next attempt.
type framing struct {
	length      int64 // -1: not given
	chunked     bool
	close, keep bool
	after, date brief // Retry-After and Date
	coding      list  // Content-Encoding
}

// brief is a short field value, kept without an allocation. A longer one is none.
type brief struct {
	n uint8
	b [40]byte
}

func (v *brief) set(value []byte) {
	if v.n == 0 && len(value) <= len(v.b) { // the first counts
		v.n = uint8(copy(v.b[:], value))
	}
}

// list is a brief of all fields of that name, which together are one. One that is too
// long reads "...".
type list struct{ brief }

func (v *list) add(value []byte) {
	n := int(v.n)
	if n+1+len(value) > len(v.b) {
		n, value = 0, []byte("...")
	}
	if n > 0 {
		n += copy(v.b[n:], ",")
	}
	v.n = uint8(n + copy(v.b[n:], value))
}

func (v *list) String() string { return string(v.b[:v.n]) }

// pause is what the response asks to wait before another attempt.
func (f *framing) pause() time.Duration {
	if f.after.n == 0 {
		return 0
	}
	return retryAfter(string(f.after.b[:f.after.n]), string(f.date.b[:f.date.n]))
}

// take reads one header field and reports whether it is one that we go by.
func (f *framing) take(name, value []byte) (ours bool, err error) {
	switch {
	case is(name, "content-length"):
		for part := range bytes.SplitSeq(value, []byte(",")) {
			n, err := strconv.ParseUint(string(trim(part)), 10, 63)
			if err != nil || f.length >= 0 && f.length != int64(n) {
				return true, errMalformed
			}
			f.length = int64(n)
		}
	case is(name, "transfer-encoding"):
		if f.chunked || !is(value, "chunked") {
			return true, errCoding
		}
		f.chunked = true
	case is(name, "connection"):
		f.close = f.close || hasToken(value, "close")
		f.keep = f.keep || hasToken(value, "keep-alive")
	case is(name, "retry-after"):
		f.after.set(value)
	case is(name, "date"):
		f.date.set(value)
	case is(name, "content-encoding"):
		f.coding.add(value)
	default:
		return false, nil
	}
	return true, nil
}

// noted reports whether the names of fields that matter can have n letters.
func noted(n int) bool {
	switch n {
	case len("connection"), len("content-length"), len("transfer-encoding"), len("retry-after"), len("date"), len("trailer"), len("content-encoding"):
		return true
	}
	return false
}

// is compares without regard to case. want is in lower case.
func is(b []byte, want string) bool {
	if len(b) != len(want) {
		return false
	}
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != want[i] {
			return false
		}
	}
	return true
}

// hasToken reports whether a comma-separated list names token, in lower case.
func hasToken(list []byte, token string) bool {
	for part := range bytes.SplitSeq(list, []byte(",")) {
		if is(trim(part), token) {
			return true
		}
	}
	return false
}

// trim cuts off the blanks around b.
func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// digits reads a number of up to 18 of them, which always fits.
func digits(b []byte) (n int64, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, 0 < len(b) && len(b) <= 18
}

// inNames holds the characters of a token. Source: RFC 9110, section 5.6.2.
var inNames = func() (all [256]bool) {
	for _, c := range []byte("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		all[c] = true
	}
	return all
}()

// nameLength is how many characters of a field name line begins with.
func nameLength(line []byte) int {
	for i, c := range line {
		if !inNames[c] {
			return i
		}
	}
	return len(line)
}

// clean reports whether b has no control characters but tabs: a field value with one
// is invalid. Source: RFC 9110, section 5.5.
func clean(b []byte) bool {
	const ones = 0x0101010101010101
	for ; len(b) >= 8; b = b[8:] { // eight at a time: is one below 0x20, or 0x7f?
		w := binary.LittleEndian.Uint64(b)
		del := w ^ 0x7f*ones
		if ((w-0x20*ones)&^w|(del-ones)&^del)&(0x80*ones) != 0 && !cleanBytes(b[:8]) {
			return false
		}
	}
	return cleanBytes(b)
}

func cleanBytes(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
