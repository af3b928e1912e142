package source

import (
	"bytes"
	"io"
)

// A gobStream hands a scanner's bytes to one gob decoder and ends where a second
// stream was appended: a decoder refuses to have a type defined twice, which is
// what cat a.gob b.gob gives it.
type gobStream struct {
	s       *scanner
	left    int64          // bytes of the message at hand
	defined map[int64]bool // types that this stream has defined
	again   bool           // a further stream follows
	hasSeq  bool           // the type has a field Seq
	results int64          // decoded, over all streams
}

// begin readies g for the next stream.
func (g *gobStream) begin() { g.defined, g.again, g.hasSeq = map[int64]bool{}, false, false }

// message looks at what begins a message: its length, then the number of the
// type, which is negative in a definition.
func (g *gobStream) message() error {
	head := g.s.peek(256)
	if len(head) == 0 {
		return io.EOF
	}
	length, n := gobUint(head)
	id, m := gobUint(head[n:])
	if n == 0 || m == 0 {
		return io.ErrUnexpectedEOF
	}
	if length > uint64(g.s.max) {
		return errLong
	}
	if id&1 == 1 { // negative: the definition of type -id
		if g.defined[int64(id)] {
			g.again = true
			return io.EOF
		}
		g.defined[int64(id)] = true
		g.hasSeq = g.hasSeq || bytes.Contains(head, []byte("\x03Seq"))
	}
	g.left = int64(length) + int64(n)
	return nil
}

// gobUint reads an unsigned gob integer and the bytes that it takes; 0 bytes if
// b has none.
func gobUint(b []byte) (v uint64, n int) {
	if len(b) == 0 {
		return 0, 0
	}
	if b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	n = 256 - int(b[0])
	if n > 8 || len(b) < 1+n {
		return 0, 0
	}
	for _, c := range b[1 : 1+n] {
		v = v<<8 | uint64(c)
	}
	return v, 1 + n
}

// Read reads up to the end of the message at hand.
func (g *gobStream) Read(p []byte) (int, error) {
	if g.left == 0 {
		if err := g.message(); err != nil {
			return 0, err
		}
	}
	if int64(len(p)) > g.left {
		p = p[:g.left]
	}
	n, err := g.s.Read(p)
	g.left -= int64(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// ReadByte keeps the decoder from reading ahead.
func (g *gobStream) ReadByte() (byte, error) {
	var b [1]byte
	_, err := io.ReadFull(g, b[:])
	return b[0], err
}
