package source

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// An object walks the members of one JSON object in memory, without allocating
// and without looking into values.
type object struct {
	b   []byte
	i   int
	bad bool // not an object, or cut short
}

// next returns the next member's key, without its quotes, and its value as it
// stands. It returns false at the end, and where the text is no JSON (bad); with
// the key if it is only the value that is cut short.
func (o *object) next() (key, val []byte, ok bool) {
	o.i = space(o.b, o.i)
	switch {
	case o.i >= len(o.b):
		o.bad = true
		return nil, nil, false
	case o.b[o.i] == '{' || o.b[o.i] == ',':
		o.i = space(o.b, o.i+1)
	}
	if o.i < len(o.b) && o.b[o.i] == '}' {
		o.i++
		o.bad = space(o.b, o.i) < len(o.b)
		return nil, nil, false
	}
	k := o.i
	end := value(o.b, k)
	if end < 0 || o.b[k] != '"' {
		o.bad = true
		return nil, nil, false
	}
	v := space(o.b, end)
	if v >= len(o.b) || o.b[v] != ':' {
		o.bad = true
		return nil, nil, false
	}
	v = space(o.b, v+1)
	if o.i = value(o.b, v); o.i < 0 {
		o.i, o.bad = len(o.b), true
		return o.b[k+1 : end-1], nil, false
	}
	return o.b[k+1 : end-1], o.b[v:o.i], true
}

// space returns the index of the first byte from i that isn't white space.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// value returns the index behind the JSON value that begins at i, -1 if it
// doesn't end within b. Brackets are counted, not matched: what lies inside is
// nobody's business here.
func value(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = str(b, i); i < 0 {
				return -1
			}
		case '{', '[':
			depth++
			i++
		case '}', ']':
			if depth--; depth < 0 {
				return -1
			}
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return -1
			}
			i++
			continue
		default:
			for i < len(b) && !delimits(b[i]) {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
	return -1
}

// delimits reports whether c ends a number or a word.
func delimits(c byte) bool {
	switch c {
	case ',', ':', '}', ']', '{', '[', '"', ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

// str returns the index behind the string that begins at i, -1 if it has no end.
func str(b []byte, i int) int {
	for i++; ; {
		j := bytes.IndexByte(b[i:], '"')
		if j < 0 {
			return -1
		}
		i += j
		slashes := 0
		for b[i-1-slashes] == '\\' {
			slashes++
		}
		i++
		if slashes&1 == 0 {
			return i
		}
	}
}

// bare returns a value without its quotes. Escapes stay as they are.
func bare(val []byte) []byte {
	if len(val) >= 2 && val[0] == '"' {
		return val[1 : len(val)-1]
	}
	return val
}

// text returns a string value with its escapes resolved, in buf if there are any.
func text(val, buf []byte) []byte {
	b := bare(val)
	if bytes.IndexByte(b, '\\') < 0 {
		return b
	}
	buf = buf[:0]
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' || i+1 == len(b) {
			buf = append(buf, b[i])
			continue
		}
		i++
		switch b[i] {
		case 'n':
			buf = append(buf, '\n')
		case 't':
			buf = append(buf, '\t')
		case 'r':
			buf = append(buf, '\r')
		case 'b':
			buf = append(buf, '\b')
		case 'f':
			buf = append(buf, '\f')
		case 'u':
			r, n := hex4(b[i+1:]), 4
			if utf16.IsSurrogate(r) && i+6 < len(b) && b[i+5] == '\\' && b[i+6] == 'u' {
				r, n = utf16.DecodeRune(r, hex4(b[i+7:])), 10
			}
			buf = utf8.AppendRune(buf, r)
			i = min(i+n, len(b)-1)
		default:
			buf = append(buf, b[i])
		}
	}
	return buf
}

// hex4 reads four hexadecimal digits; U+FFFD if there are none.
func hex4(b []byte) rune {
	if len(b) < 4 {
		return utf8.RuneError
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c-'0' <= 9:
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return utf8.RuneError
		}
	}
	return r
}

// keys lists the top-level keys of the object that b begins with, as far as b goes.
func keys(b []byte) map[string]bool {
	all := map[string]bool{}
	o := object{b: b}
	for len(all) < 256 {
		k, _, ok := o.next()
		if k != nil { // the head may end inside the last one's value
			all[string(k)] = true
		}
		if !ok {
			break
		}
	}
	return all
}
