package source

import (
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// A utf16Reader turns UTF-16, which PowerShell's > writes, into UTF-8.
type utf16Reader struct {
	s   *scanner
	big bool
	out []byte // decoded, not read yet
	buf []byte
}

// unit returns the code unit in b.
func (u *utf16Reader) unit(b []byte) rune {
	if u.big {
		return rune(b[0])<<8 | rune(b[1])
	}
	return rune(b[1])<<8 | rune(b[0])
}

// Read decodes what the scanner has at hand. Half a character at the end is lost.
func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		b := u.s.peek(2)
		if len(b) < 2 {
			u.s.pos = u.s.end
			_, err := u.s.Read(nil)
			if err == nil {
				err = io.EOF
			}
			return 0, err
		}
		r := u.unit(b)
		u.s.pos += 2
		if utf16.IsSurrogate(r) {
			low := rune(utf8.RuneError)
			if b = u.s.peek(2); len(b) == 2 {
				low = u.unit(b)
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				u.s.pos += 2
			}
		}
		u.buf = utf8.AppendRune(u.buf[:0], r)
		// Nearly all is ASCII: take what else is at hand.
		for u.s.end-u.s.pos >= 2 && len(u.buf) < 4096 {
			if r = u.unit(u.s.buf[u.s.pos:]); r >= utf8.RuneSelf {
				break
			}
			u.buf = append(u.buf, byte(r))
			u.s.pos += 2
		}
		u.out = u.buf
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}
