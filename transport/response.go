package transport

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"openload/coding"
)

const (
	maxHeader = 64 << 10 // bytes of status, header, chunk and trailer lines in one response
	readAhead = 1 << 10  // most responses' headers fit; ten thousand connections keep that much
)

// A response is what is known of one when it has been read.
type response struct {
	began  bool // a byte of it came
	status int
	bytes  int64         // of its body
	keep   bool          // the connection can be used again
	pause  time.Duration // asked for before another attempt
	goTo   string        // of a redirect
}

// reader reads responses from one connection.
type reader struct {
	src    io.Reader
	bodies *coding.Counter // nil: bodies are not decoded
	buf    *bufio.Reader   // nil before the first response
	rules  Parser
	header []byte // of the response that is being read
}

// response reads one response to its end, after the interim ones before it. Without
// a length the body lasts until the connection ends. The rules see each line of the
// header as it comes; once it is complete, fasthttp reads it, and the body.
func (r *reader) response(head bool) (resp response, err error) {
	if r.buf == nil {
		r.buf = bufio.NewReaderSize(r.src, readAhead)
	}
	r.rules.Reset(head, r.bodies)
	defer func() { resp.began = r.rules.began }()
	defer r.rules.Leave()
	if err := r.lines(); err != nil {
		return resp, err
	}
	got := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(got)
	if err := r.parse(&got.Header); err != nil {
		return resp, err
	}
	resp.status = got.StatusCode()
	if after := got.Header.Peek("Retry-After"); len(after) > 0 {
		resp.pause = retryAfter(string(after), string(got.Header.Peek("Date")))
	}
	if 300 <= resp.status && resp.status < 400 {
		resp.goTo = string(got.Header.Peek("Location"))
	}
	switch {
	case r.rules.phase == complete: // no body
	case got.Header.ContentLength() == -1:
		resp.bytes, err = r.chunks()
	default:
		got.StreamBody = true
		if err = got.ReadBody(r.buf, 0); err == nil {
			if resp.bytes, err = discard(got.BodyStream(), r.rules.body); err == nil {
				r.rules.end()
			}
		}
	}
	// More than was asked for has come: what it belongs to is unknown.
	resp.keep = r.rules.keep && r.buf.Buffered() == 0
	return resp, err
}

// lines reads the header line by line, past the interim responses, and refuses what
// the rules refuse.
func (r *reader) lines() error {
	p := &r.rules
	if r.header = r.header[:0]; cap(r.header) > longLine {
		r.header = nil
	}
	for start := 0; p.phase <= fieldNext; {
		if _, err := r.buf.Peek(1); err != nil {
			return err
		}
		b, _ := r.buf.Peek(r.buf.Buffered())
		if end := bytes.IndexByte(b, '\n'); end >= 0 {
			b = b[:end+1]
		}
		r.header = append(r.header, b...)
		_, err := p.Feed(b)
		r.buf.Discard(len(b))
		switch {
		case err != nil:
			return err
		case r.header[len(r.header)-1] != '\n':
			continue
		case p.phase == statusNext: // that was an interim response
			start = 0
		case p.phase == fieldNext && p.apart:
		default:
			start = r.end(start)
		}
		r.header = r.header[:start]
	}
	return nil
}

// end completes the line from start: fasthttp waits for an empty line that ends in CR
// LF. Before that line goes the length, of which there is now one. It returns where
// the next line starts.
func (r *reader) end(start int) int {
	line := bytes.TrimSuffix(r.header[start:len(r.header)-1], []byte("\r"))
	r.header = r.header[:start+len(line)]
	if len(line) == 0 && r.rules.length >= 0 {
		r.header = append(r.header, "Content-Length: "...)
		r.header = append(strconv.AppendInt(r.header, r.rules.length, 10), "\r\n"...)
	}
	r.header = append(r.header, "\r\n"...)
	return len(r.header)
}

// A headerReader is what fasthttp reads a header from that has come whole. Nothing
// waits while it holds one, so that there are as many as processors.
type headerReader struct {
	src bytes.Reader
	buf *bufio.Reader
}

var headerReaders = sync.Pool{New: func() any {
	h := new(headerReader)
	h.buf = bufio.NewReaderSize(&h.src, 2*maxHeader) // bare line feeds have become longer
	return h
}}

// parse has fasthttp read the header. What it refuses beyond the rules is refused.
func (r *reader) parse(into *fasthttp.ResponseHeader) error {
	h := headerReaders.Get().(*headerReader)
	defer headerReaders.Put(h)
	h.src.Reset(r.header)
	h.buf.Reset(&h.src)
	if err := into.Read(h.buf); err != nil {
		return errMalformed
	}
	return nil
}

// scrap is where bodies go. The pool is shared: only a connection that is reading a
// body needs it.
var scrap = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// discard reads a body to its end, keeps what there may be to keep, and returns how much
// came.
func discard(body io.Reader, kept *coding.Body) (total int64, err error) {
	b := scrap.Get().(*[64 << 10]byte)
	defer scrap.Put(b)
	for {
		n, err := body.Read(b[:])
		total += int64(n)
		kept.Write(b[:n])
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

// chunks discards a chunked body and its trailers.
func (r *reader) chunks() (total int64, err error) {
	b := scrap.Get().(*[64 << 10]byte)
	defer scrap.Put(b)
	for {
		n, err := r.buf.Read(b[:])
		done, bad := r.rules.Feed(b[:n])
		if done || bad != nil {
			return r.rules.bytes, bad
		}
		if err != nil {
			return r.rules.bytes, err
		}
	}
}
