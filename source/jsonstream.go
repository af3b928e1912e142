package source

import "bytes"

// A document of any size is walked in the scanner itself: members one by one,
// values that nobody wants skipped as they come.

// token hands out white space and shows the byte after it; 0 at the end.
func (s *scanner) token() byte {
	for {
		for s.pos < s.end {
			switch c := s.buf[s.pos]; c {
			case '\n':
				s.lines++
			case ' ', '\t', '\r':
			default:
				return c
			}
			s.pos++
		}
		if !s.fill() {
			return 0
		}
	}
}

// pass hands out c, if it comes next.
func (s *scanner) pass(c byte) bool {
	if s.token() != c {
		return false
	}
	s.pos++
	return true
}

// value hands out the object, array or string that comes next, whole.
func (s *scanner) value() ([]byte, bool) {
	s.token()
	for {
		end := value(s.buf[s.pos:s.end], 0)
		if have := s.end - s.pos; end < 0 && s.fill() {
			for s.end-s.pos < 2*have && s.fill() { // so that looking again stays linear
			}
			continue
		}
		if end < 0 {
			return nil, false
		}
		v := s.buf[s.pos : s.pos+end]
		s.pos += end
		s.lines += int64(bytes.Count(v, lf))
		return v, true
	}
}

var lf = []byte{'\n'}

// skip hands out the JSON value that comes next to nobody, in constant memory.
func (s *scanner) skip() bool {
	var depth int
	var inside, escaped bool
	if s.token() == 0 {
		return false
	}
	for {
		for i, c := range s.buf[s.pos:s.end] {
			if c == '\n' {
				s.lines++
			}
			switch {
			case escaped:
				escaped = false
				continue
			case inside:
				escaped = c == '\\'
				inside = c != '"'
			case c == '"':
				inside = true
			case c == '{' || c == '[':
				depth++
			case c == '}' || c == ']':
				if depth == 0 { // the end of what we stand in
					s.pos += i
					return true
				}
				depth--
			case c == ',' && depth == 0:
				s.pos += i
				return true
			}
			if depth == 0 && !inside && (c == '"' || c == '}' || c == ']') {
				s.pos += i + 1
				return true
			}
		}
		s.pos = s.end
		if !s.fill() {
			return false
		}
	}
}

// member hands out the next key of the object that the scanner stands in, up to
// its value; false at the object's end or the stream's. The key is valid until
// the next call.
func (s *scanner) member() (key []byte, ok bool) {
	switch s.token() {
	case '{', ',':
		s.pos++
	}
	if s.token() != '"' {
		s.pass('}')
		return nil, false
	}
	key, ok = s.value()
	if !ok {
		return nil, false
	}
	// What follows may move the buffer, and the key with it. Keys are short.
	s.key = append(s.key[:0], bare(key)...)
	return s.key, s.pass(':')
}
