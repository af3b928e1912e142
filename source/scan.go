package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	headSize  = 64 << 10 // what Open looks at
	chunkSize = 1 << 20  // reads of 1 MiB: beyond it nothing is gained, and page faults make mmap slower

	// A quote that nobody closes would swallow the file. Errors with line breaks
	// in them are a few lines long.
	maxQuotedLines = 1000
)

// A scanner hands out a stream's lines, quoted records, bytes or JSON values
// without copying them. What it hands out is valid until the next call. Its
// buffer grows with what is really there, up to max, never by a number that the
// stream states.
type scanner struct {
	r        io.Reader
	buf      []byte
	pos, end int // buf[pos:end] is read and not handed out yet
	max      int // longest record
	chunk    int // size of the buffer behind the head, and of reads into it

	key   []byte // of the JSON member at hand
	lines int64  // line breaks handed out
	first int64  // line on which the last record began, from 1
	open  bool   // the last record ended with the stream, not with a line break
	torn  bool   // the stream itself ended early: a compressed file that was cut
	done  bool   // r has no more
	err   error  // why it has no more, if not for its end
}

var errLong = errors.New("record too long")

func newScanner(r io.Reader, max int) *scanner {
	return &scanner{r: r, buf: make([]byte, headSize), max: max, chunk: chunkSize}
}

// head reads up to headSize bytes ahead and shows them.
func (s *scanner) head() []byte {
	for s.end < headSize && s.fill() {
	}
	return s.buf[:s.end]
}

// fill reads more, keeping what is not handed out yet, and reports whether there
// was any. Earlier results become invalid.
func (s *scanner) fill() bool {
	if s.done {
		return false
	}
	rest := s.buf[s.pos:s.end]
	switch {
	case s.pos > 0 && len(s.buf) < s.chunk: // past the head: from now on in large reads
		s.buf = make([]byte, s.chunk)
	case len(rest) == len(s.buf): // one record fills it
		if len(rest) >= s.max {
			s.done, s.err = true, fmt.Errorf("line %d: %w: over %d bytes", s.lines+1, errLong, s.max)
			return false
		}
		s.buf = make([]byte, max(s.chunk, 2*len(rest)))
	}
	s.pos, s.end = 0, copy(s.buf, rest)
	// Decompressors return little at a time: go on until it is worth a look.
	want := min(s.end+headSize, len(s.buf))
	for empty := 0; s.end < want && empty < 100; {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if err != nil {
			s.done = true
			switch {
			case errors.Is(err, io.ErrUnexpectedEOF):
				s.torn = true
			case err != io.EOF:
				s.err = err
			}
		}
		if s.done {
			break
		}
		if n == 0 {
			empty++
		}
	}
	if s.end == len(rest) && !s.done {
		s.done, s.err = true, io.ErrNoProgress
	}
	return s.end > len(rest)
}

// next returns the next line without its end, which may be LF, CRLF or CR CR LF.
func (s *scanner) next() ([]byte, bool) {
	for from := 0; ; {
		if i := bytes.IndexByte(s.buf[s.pos+from:s.end], '\n'); i >= 0 {
			line := s.buf[s.pos : s.pos+from+i]
			s.pos += from + i + 1
			s.lines++
			s.first = s.lines
			return trimCR(line), true
		}
		from = s.end - s.pos
		if !s.fill() {
			return s.rest()
		}
	}
}

// rest returns what follows the last line break, if anything does. What a cut
// compressed stream ends with is half a record, and is left out.
func (s *scanner) rest() ([]byte, bool) {
	if s.pos == s.end || s.err != nil || s.torn {
		return nil, false
	}
	line := s.buf[s.pos:s.end]
	s.pos = s.end
	s.lines++
	s.first = s.lines
	s.open = true
	return trimCR(line), true
}

// record returns the next line like next, or several if a quoted field holds
// line breaks, and whether there is any quote in it.
func (s *scanner) record() (rec []byte, quoted, ok bool) {
	var from, quotes, breaks int
	for {
		i := bytes.IndexByte(s.buf[s.pos+from:s.end], '\n')
		if i < 0 {
			// Count what is complete only: the unfinished part is looked at again.
			have := s.end - s.pos
			if s.fill() {
				continue
			}
			if have == 0 || s.err != nil {
				return nil, false, false
			}
			quotes += bytes.Count(s.buf[s.pos+from:s.end], quote)
			if quotes&1 == 1 && breaks > maxQuotedLines {
				s.done, s.err = true, fmt.Errorf("line %d: a quote is never closed", s.lines+1)
				return nil, false, false
			}
			rec, ok = s.rest()
			s.lines += int64(breaks)
			return rec, quotes > 0, ok
		}
		quotes += bytes.Count(s.buf[s.pos+from:s.pos+from+i], quote)
		from += i + 1
		if quotes&1 == 1 && breaks <= maxQuotedLines {
			breaks++
			continue
		}
		if quotes&1 == 1 {
			s.done, s.err = true, fmt.Errorf("line %d: a quote is not closed within %d lines", s.lines+1, maxQuotedLines)
			return nil, false, false
		}
		rec = s.buf[s.pos : s.pos+from-1]
		s.pos += from
		s.first = s.lines + 1
		s.lines += int64(breaks) + 1
		return trimCR(rec), quotes > 0, true
	}
}

var quote = []byte{'"'}

func trimCR(line []byte) []byte {
	for len(line) > 0 && line[len(line)-1] == '\r' {
		line = line[:len(line)-1]
	}
	return line
}

// peek returns the next n bytes without handing them out; fewer at the end.
func (s *scanner) peek(n int) []byte {
	for s.end-s.pos < n && s.fill() {
	}
	return s.buf[s.pos:min(s.pos+n, s.end)]
}

// take hands out exactly n bytes, or nothing if there are fewer.
func (s *scanner) take(n int) ([]byte, bool) {
	b := s.peek(n)
	if len(b) < n {
		return nil, false
	}
	s.pos += n
	return b, true
}

// drop hands out n bytes to nobody, in constant memory.
func (s *scanner) drop(n int64) bool {
	for n > 0 {
		if s.pos == s.end && !s.fill() {
			return false
		}
		k := min(n, int64(s.end-s.pos))
		s.pos += int(k)
		n -= k
	}
	return true
}

// Read makes a scanner the source of another one.
func (s *scanner) Read(p []byte) (int, error) {
	if s.pos == s.end && !s.fill() {
		switch {
		case s.err != nil:
			return 0, s.err
		case s.torn:
			return 0, io.ErrUnexpectedEOF
		}
		return 0, io.EOF
	}
	n := copy(p, s.buf[s.pos:s.end])
	s.pos += n
	return n, nil
}
