package source

import (
	"bytes"
	"strconv"
)

// JMeter's XML nests: a parent transaction holds its requests, a request holds
// its redirects and embedded resources. The outermost element that isn't a
// transaction is the request. Tags are read one by one: element text may hold
// megabytes of response data, and characters that a strict parser refuses.

func isJMeterXML(h []byte) bool {
	h = bytes.TrimSpace(h)
	return len(h) > 0 && h[0] == '<' && bytes.Contains(h[:min(len(h), 4096)], []byte("<testResults"))
}

func openJMeterXML(f *File) error {
	f.Facts = jmeterFacts
	f.runs.gap = f.opt.RunGap
	x := &jtl{f: f}
	x.lookXML(f.s.peek(headSize))
	f.rows = x.xml
	return nil
}

// A tag is what stands between < and >.
type tag struct {
	b     []byte
	line  int64
	close bool // </name>
	empty bool // <name/>
}

// tag hands out the next tag, skipping text, comments and CDATA.
func (s *scanner) tag() (t tag, ok bool) {
	for {
		if !s.until('<') {
			return t, false
		}
		switch head := s.peek(9); {
		case bytes.HasPrefix(head, []byte("<!--")):
			if !s.past("-->") {
				return t, false
			}
			continue
		case bytes.HasPrefix(head, []byte("<![CDATA[")):
			if !s.past("]]>") {
				return t, false
			}
			continue
		}
		var q byte
		for i := 0; ; i++ {
			if s.pos+i == s.end && !s.fill() {
				s.pos = s.end
				return t, false
			}
			switch c := s.buf[s.pos+i]; {
			case q != 0:
				if c == q {
					q = 0
				}
			case c == '"' || c == '\'':
				q = c
			case c == '>':
				t.b = s.buf[s.pos+1 : s.pos+i]
				s.pos += i + 1
				t.line = s.lines + 1
				s.lines += int64(bytes.Count(t.b, lf))
				if len(t.b) > 0 && t.b[0] == '/' {
					t.close, t.b = true, t.b[1:]
				} else if len(t.b) > 0 && t.b[len(t.b)-1] == '/' {
					t.empty, t.b = true, t.b[:len(t.b)-1]
				}
				return t, true
			}
		}
	}
}

// until hands out everything before c.
func (s *scanner) until(c byte) bool {
	for {
		i := bytes.IndexByte(s.buf[s.pos:s.end], c)
		n := i
		if i < 0 {
			n = s.end - s.pos
		}
		s.lines += int64(bytes.Count(s.buf[s.pos:s.pos+n], lf))
		s.pos += n
		if i >= 0 {
			return true
		}
		if !s.fill() {
			return false
		}
	}
}

// past hands out everything up to the end of mark.
func (s *scanner) past(mark string) bool {
	for s.until(mark[0]) {
		if string(s.peek(len(mark))) == mark {
			s.pos += len(mark)
			return true
		}
		s.pos++
	}
	return false
}

// isSample reports whether the tag is a sample's.
func (t *tag) isSample() bool {
	name := t.b
	if i := bytes.IndexAny(name, " \t\r\n"); i >= 0 {
		name = name[:i]
	}
	return string(name) == "sample" || string(name) == "httpSample"
}

// attributes reads what is wanted of a sample's attributes. Values stay in the
// scanner's buffer, entities resolved in place.
func (t *tag) attributes() (row jtlRow) {
	b := t.b
	var kind []byte
	for {
		i := bytes.IndexByte(b, '=')
		if i < 0 || i+1 >= len(b) {
			break
		}
		name := b[:i]
		if j := bytes.LastIndexAny(name, " \t\r\n"); j >= 0 {
			name = name[j+1:]
		}
		q := b[i+1]
		if q != '"' && q != '\'' {
			break
		}
		n := bytes.IndexByte(b[i+2:], q)
		if n < 0 {
			break
		}
		v := b[i+2 : i+2+n]
		b = b[i+3+n:]
		switch string(name) {
		case "t":
			row.elapsed = v
		case "ts":
			row.stamp = v
		case "lb":
			row.label = entities(v)
		case "rc", "rs":
			row.code = v
		case "rm":
			row.message = v
		case "tn":
			row.thread = entities(v)
		case "s":
			row.success = v
		case "sc":
			row.count = v
		case "dt":
			kind = v
		}
	}
	row.transaction = len(kind) == 0 && bytes.HasPrefix(row.message, transaction)
	return row
}

// entities resolves &quot; and the like in place.
func entities(b []byte) []byte {
	if bytes.IndexByte(b, '&') < 0 {
		return b
	}
	w := b[:0]
	for i := 0; i < len(b); i++ {
		end := -1
		if b[i] == '&' {
			end = bytes.IndexByte(b[i:min(len(b), i+10)], ';')
		}
		if end < 0 {
			w = append(w, b[i])
			continue
		}
		switch name := string(b[i+1 : i+end]); name {
		case "quot":
			w = append(w, '"')
		case "apos":
			w = append(w, '\'')
		case "lt":
			w = append(w, '<')
		case "gt":
			w = append(w, '>')
		case "amp":
			w = append(w, '&')
		default:
			// A character by number never is longer than its entity.
			if n, err := strconv.ParseUint(trimHash(name), 0, 16); err == nil && n < 0x80 {
				w = append(w, byte(n))
			} else {
				w = append(w, b[i:i+end+1]...)
			}
		}
		i += end
	}
	return w
}

// trimHash turns #10 into 10 and #xA into 0xA.
func trimHash(s string) string {
	if len(s) < 2 || s[0] != '#' {
		return ""
	}
	if s[1] == 'x' {
		return "0" + s[1:]
	}
	return s[1:]
}

// nesting knows whether a tag lies within a request.
type nesting struct{ inside int } // open elements of the request at hand, itself included

// see reads a sample's tag; outer is false for one within another request. Other
// tags have no time.
func (n *nesting) see(t *tag) (row jtlRow, outer bool) {
	switch {
	case !t.isSample():
	case t.close:
		n.inside = max(0, n.inside-1)
	default:
		row, outer = t.attributes(), n.inside == 0
		if !t.empty && (n.inside > 0 || !row.transaction) {
			n.inside++
		}
	}
	return row, outer
}

// xml yields the requests. A file without its end comes of a crash.
func (x *jtl) xml(yield func(*Row) bool) error {
	f := x.f
	var r Row
	n, ended := nesting{}, false
	for {
		t, ok := f.s.tag()
		switch {
		case !ok && !ended && f.s.err == nil:
			return f.cutShort("it has no </testResults>")
		case !ok:
			return nil
		}
		ended = t.close && string(t.b) == "testResults"
		row, outer := n.see(&t)
		if row.elapsed == nil && (!outer || t.close) {
			continue
		}
		if !outer && !f.opt.Nested {
			f.tally.Nested++
			continue
		}
		r = blank
		r.Line = t.line
		use, wrong := x.row(&row, &r)
		if wrong.why != "" {
			if err := f.badAt(t.line, wrong.field, wrong.text, wrong.why); err != nil {
				return err
			}
			continue
		}
		if use && !f.emit(&r, yield) {
			return errStop
		}
	}
}

// lookXML reads the head's requests ahead, as look does.
func (x *jtl) lookXML(head []byte) {
	s := newScanner(bytes.NewReader(bytes.Clone(head)), headSize)
	o := overlaps{}
	n := nesting{}
	for t, ok := s.tag(); ok; t, ok = s.tag() {
		if row, outer := n.see(&t); outer && !row.transaction {
			o.see(&row)
		}
	}
	x.decide(&o)
}
