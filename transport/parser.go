package transport

import (
	"bytes"
	"io"
	"math"
	"strconv"

	"openload/coding"
)

// A Parser reads one response at a time from pieces as they come, for a World that
// waits for many connections at once. It makes of every stream what the reader of a
// Conn makes of it, keeps nothing but a line that has begun, and allocates only if
// one is cut in two. Call Reset before each response.
//
// It takes what RFC 9112 lets a client take: bare line feeds, a length given twice if
// both are the same, a continued line if we do not go by what it says. It refuses
// what would leave the body's end in doubt, what no header may hold, and a transfer
// coding other than chunked, since no request of ours asks for one.
type Parser struct {
	phase  phase
	head   bool // a response to HEAD has no body
	began  bool
	old    bool // HTTP/1.0
	first  bool // the next line is the first of the header
	ours   bool // the line before this one is one that we go by
	apart  bool // it was a Content-Length or a Trailer
	keep   bool
	status int
	bytes  int64 // of the body
	left   int64 // of the body, or of its chunk
	lines  int   // bytes of lines that the response may still have
	framing
	line   []byte          // the beginning of a line whose end has not come
	bodies *coding.Counter // nil: bodies are not decoded
	body   *coding.Body    // of this response; nil: it came as it is, or nobody wants to know
}

// phase says what comes next.
type phase uint8

const (
	statusNext  phase = iota // a status line
	fieldNext                // a header line
	bodyNext                 // left bytes of body
	restNext                 // body, until the connection ends
	sizeNext                 // the line before a chunk
	chunkNext                // left bytes of a chunk
	chunkEnd                 // the empty line after a chunk
	trailerNext              // a trailer line
	complete
)

// longLine is what a connection may keep of its buffer between responses.
const longLine = 4 << 10

// Reset makes p ready for the next response. head says that it answers a HEAD. Where
// there are bodies, they are told what the body decodes to.
func (p *Parser) Reset(head bool, bodies *coding.Counter) {
	line := p.line[:0]
	if cap(line) > longLine {
		line = nil
	}
	*p = Parser{head: head, lines: maxHeader, line: line, bodies: bodies}
}

// Leave lets go of a response that failed. One that is complete stays as it is.
func (p *Parser) Leave() {
	if p.body != nil {
		p.body.Leave()
		p.body = nil
	}
}

// Began reports whether a byte of the response has come.
func (p *Parser) Began() bool { return p.began }

// Feed takes what came next and reports whether the response is complete with it.
// What is left in b then belongs to nothing that was asked for. After an error the
// stream makes no sense any more.
func (p *Parser) Feed(b []byte) (done bool, err error) {
	p.began = p.began || len(b) > 0
	for p.phase != complete {
		switch p.phase {
		case bodyNext, restNext, chunkNext:
			n := min(p.left, int64(len(b)))
			p.bytes += n
			p.left -= n
			if p.body != nil {
				p.body.Write(b[:n])
			}
			b = b[n:]
			switch {
			case p.left > 0:
				return false, nil
			case p.phase == chunkNext:
				p.phase = chunkEnd
			default:
				p.phase = complete
			}
		default:
			end := bytes.IndexByte(b, '\n')
			if end < 0 {
				if len(p.line)+len(b) > p.lines {
					return false, errHeader
				}
				p.line = append(p.line, b...)
				return false, nil
			}
			line := b[:end]
			b = b[end+1:]
			if len(p.line) > 0 {
				p.line = append(p.line, line...)
				line = p.line
				p.line = p.line[:0]
			}
			if p.lines -= len(line) + 1; p.lines < 0 {
				return false, errHeader
			}
			if n := len(line); n > 0 && line[n-1] == '\r' {
				line = line[:n-1]
			}
			if err := p.take(line); err != nil {
				return false, err
			}
		}
	}
	p.keep = p.keep && len(b) == 0
	p.end()
	return true, nil
}

// end says that the body is complete.
func (p *Parser) end() {
	if p.body != nil {
		p.body.End()
		p.body = nil
	}
}

// End says that the connection has ended: nil if the response is complete by that.
func (p *Parser) End() error {
	if p.phase == restNext {
		p.phase = complete
		p.end()
		return nil
	}
	return io.EOF
}

// take takes a line.
func (p *Parser) take(line []byte) error {
	switch p.phase {
	case statusNext:
		return p.takeStatus(line)
	case fieldNext:
		if len(line) == 0 {
			p.endHeader()
			return nil
		}
		return p.takeField(line)
	case sizeNext:
		return p.takeSize(line)
	case chunkEnd:
		if len(line) > 0 {
			return errMalformed
		}
		p.lines += 2
		p.phase = sizeNext
	case trailerNext:
		if len(line) == 0 {
			p.phase = complete
		}
	}
	return nil
}

// takeStatus takes "HTTP/1.1 200 OK". There never was another version than 1.0 and 1.1.
func (p *Parser) takeStatus(line []byte) error {
	if len(line) < 12 || string(line[:7]) != "HTTP/1." || line[8] != ' ' || len(line) > 12 && line[12] != ' ' {
		return errMalformed
	}
	minor, hundreds, tens, ones := line[7], line[9]-'0', line[10]-'0', line[11]-'0'
	if minor != '0' && minor != '1' || hundreds < 1 || hundreds > 9 || tens > 9 || ones > 9 {
		return errMalformed
	}
	p.status = int(hundreds)*100 + int(tens)*10 + int(ones)
	p.old = minor == '0'
	p.framing, p.phase = framing{length: -1}, fieldNext
	p.first, p.ours, p.apart = true, false, false
	return nil
}

// takeField takes a header line and notes what it says about the framing.
func (p *Parser) takeField(line []byte) (err error) {
	first := p.first
	p.first = false
	if line[0] == ' ' || line[0] == '\t' { // an old-style continuation
		if first || p.ours {
			return errMalformed
		}
		if !clean(line) {
			return errControl
		}
		return nil
	}
	colon := nameLength(line)
	if colon < 1 || colon == len(line) || line[colon] != ':' {
		return errMalformed
	}
	name, value := line[:colon], trim(line[colon+1:])
	if !clean(value) {
		return errControl
	}
	if p.ours, p.apart = false, false; !noted(colon) { // most lines end here
		return nil
	}
	if n, ok := digits(value); ok && p.length < 0 && is(name, "content-length") { // nearly always
		p.length, p.ours, p.apart = n, true, true
		return nil
	}
	p.ours, err = p.framing.take(name, value)
	p.apart = is(name, "content-length") || is(name, "trailer")
	if err == nil && p.chunked && p.old {
		err = errMalformed // RFC 9112, section 6.1: its framing is faulty
	}
	return err
}

// endHeader decides where the body ends. Source: RFC 9112, section 6.3.
func (p *Parser) endHeader() {
	if p.status < 200 && p.status != 101 {
		p.phase = statusNext // an interim response
		return
	}
	p.keep = p.status != 101 && !p.framing.close && (p.framing.keep || !p.old)
	if p.bodies != nil {
		p.body = p.bodies.Body(p.coding.String())
	}
	p.phase = bodyNext
	switch {
	case p.head || p.status == 101 || p.status == 204 || p.status == 304:
		p.left = 0
	case p.chunked:
		p.keep = p.keep && p.length < 0 // both framings: do not trust what follows
		p.phase = sizeNext
	case p.length < 0:
		p.keep, p.left, p.phase = false, math.MaxInt64, restNext
	default:
		p.left = p.length
	}
}

// takeSize takes the line before a chunk. Those lines may be many: each is limited,
// not their sum.
func (p *Parser) takeSize(line []byte) error {
	p.lines += len(line) + 2
	size, _, _ := bytes.Cut(line, []byte(";"))
	n, err := strconv.ParseUint(string(bytes.Trim(size, " \t")), 16, 63)
	if err != nil {
		return errMalformed
	}
	p.left, p.phase = int64(n), chunkNext
	if n == 0 {
		p.phase = trailerNext
	}
	return nil
}

// Bytes returns how much of the body has come.
func (p *Parser) Bytes() int64 { return p.bytes }
