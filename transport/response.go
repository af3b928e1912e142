package transport

import (
	"bytes"
	"io"
	"strconv"
	"sync"
	"time"
)

const (
	maxHeader = 64 << 10 // bytes of status, header, chunk and trailer lines in one response
	firstRead = 1 << 10  // most responses' headers fit; a longer line makes a connection's buffer grow
)

// A response is what is known of one when it has been read.
type response struct {
	began  bool // a byte of it came
	status int
	bytes  int64         // of its body
	keep   bool          // the connection can be used again
	pause  time.Duration // asked for before another attempt
}

// framing is what the header says about the body, the connection, and the next attempt.
type framing struct {
	length      int64 // -1: not given
	chunked     bool
	coded       bool // a transfer coding was named
	close, keep bool
	after, date brief // Retry-After and Date
}

// brief is a short field value, kept without an allocation. A longer one is none.
type brief struct {
	n uint8
	b [40]byte
}

func (v *brief) set(value []byte) {
	v.n = 0
	if len(value) <= len(v.b) {
		v.n = uint8(copy(v.b[:], value))
	}
}

// pause is what the response asks to wait before another attempt.
func (f *framing) pause() time.Duration {
	if f.after.n == 0 {
		return 0
	}
	return retryAfter(string(f.after.b[:f.after.n]), string(f.date.b[:f.date.n]))
}

// reader reads responses from one connection.
type reader struct {
	src     io.Reader
	buf     []byte
	at, end int // what is read and not yet used
	lines   int // bytes of lines that this response may still have
	began   bool
}

// response reads one response to its end, after the interim ones before it. Without
// a length the body lasts until the connection ends.
// Source: RFC 9112, section 6.3.
func (r *reader) response(head bool) (resp response, err error) {
	r.lines, r.began = maxHeader, r.end > r.at
	defer func() { resp.began = r.began }()
	var f framing
	var old bool // HTTP/1.0
	for {
		if resp.status, old, err = r.statusLine(); err != nil {
			return resp, err
		}
		if f, err = r.header(); err != nil {
			return resp, err
		}
		if resp.status >= 200 || resp.status == 101 {
			break
		}
	}
	resp.keep = !f.close && (f.keep || !old)
	resp.pause = f.pause()
	switch {
	case head || resp.status == 101 || resp.status == 204 || resp.status == 304:
	case f.chunked:
		resp.bytes, err = r.chunks()
		resp.keep = resp.keep && f.length < 0 // both framings: do not trust what follows
	case f.coded || f.length < 0:
		resp.keep = false
		resp.bytes, err = r.rest()
	default:
		resp.bytes, err = r.discard(f.length)
	}
	// More than was asked for has come: what it belongs to is unknown.
	resp.keep = resp.keep && resp.status != 101 && r.at == r.end
	return resp, err
}

// statusLine reads "HTTP/1.1 200 OK".
func (r *reader) statusLine() (status int, old bool, err error) {
	line, err := r.line()
	if err != nil {
		return 0, false, err
	}
	const form = "HTTP/1.x 200"
	if len(line) < len(form) || !bytes.HasPrefix(line, []byte("HTTP/1.")) || line[8] != ' ' || len(line) > len(form) && line[len(form)] != ' ' {
		return 0, false, errMalformed
	}
	for _, c := range line[9:12] {
		if c < '0' || c > '9' {
			return 0, false, errMalformed
		}
		status = status*10 + int(c-'0')
	}
	if status < 100 {
		return 0, false, errMalformed
	}
	return status, line[7] == '0', nil
}

// header reads up to the empty line and takes note of the framing.
func (r *reader) header() (framing, error) {
	f := framing{length: -1}
	ours := false // the line before this one was framing
	for {
		line, err := r.line()
		if err != nil || len(line) == 0 {
			return f, err
		}
		if line[0] == ' ' || line[0] == '\t' { // an old-style continuation
			if ours {
				return f, errMalformed
			}
			continue
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok || len(name) == 0 || bytes.ContainsAny(name, " \t") {
			return f, errMalformed
		}
		if ours, err = f.take(name, bytes.Trim(value, " \t")); err != nil {
			return f, err
		}
	}
}

// take reads one header field and reports whether it is one of the framing.
func (f *framing) take(name, value []byte) (ours bool, err error) {
	switch {
	case is(name, "content-length"):
		for part := range bytes.SplitSeq(value, []byte(",")) {
			n, err := strconv.ParseUint(string(bytes.Trim(part, " \t")), 10, 63)
			if err != nil || f.length >= 0 && f.length != int64(n) {
				return true, errMalformed
			}
			f.length = int64(n)
		}
	case is(name, "transfer-encoding"):
		// Only a coding that ends in chunked tells where the body ends.
		f.coded = true
		last := value[bytes.LastIndexByte(value, ',')+1:]
		f.chunked = is(bytes.Trim(last, " \t"), "chunked")
	case is(name, "connection"):
		f.close = f.close || hasToken(value, "close")
		f.keep = f.keep || hasToken(value, "keep-alive")
	case is(name, "retry-after"):
		f.after.set(value)
		return false, nil
	case is(name, "date"):
		f.date.set(value)
		return false, nil
	default:
		return false, nil
	}
	return true, nil
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
		if is(bytes.Trim(part, " \t"), token) {
			return true
		}
	}
	return false
}

// chunks discards a chunked body and its trailers.
func (r *reader) chunks() (total int64, err error) {
	for {
		line, err := r.line()
		if err != nil {
			return total, err
		}
		r.lines += len(line) + 2 // chunk lines may be many: each is limited, not their sum
		size, _, _ := bytes.Cut(line, []byte(";"))
		n, err := strconv.ParseUint(string(bytes.Trim(size, " \t")), 16, 63)
		if err != nil {
			return total, errMalformed
		}
		if n == 0 {
			break
		}
		got, err := r.discard(int64(n))
		total += got
		if err != nil {
			return total, err
		}
		if line, err = r.line(); err != nil {
			return total, err
		}
		if len(line) > 0 {
			return total, errMalformed
		}
		r.lines += 2
	}
	for {
		if line, err := r.line(); err != nil || len(line) == 0 {
			return total, err
		}
	}
}

// line returns the next line without its end; it is good until the next read.
func (r *reader) line() ([]byte, error) {
	for seen := r.at; ; {
		if i := bytes.IndexByte(r.buf[seen:r.end], '\n'); i >= 0 {
			line := r.buf[r.at : seen+i]
			r.at = seen + i + 1
			if r.lines -= len(line) + 1; r.lines < 0 {
				return nil, errHeader
			}
			return bytes.TrimSuffix(line, []byte("\r")), nil
		}
		if r.end-r.at > r.lines {
			return nil, errHeader
		}
		had := r.end - r.at
		if err := r.fill(); err != nil {
			return nil, err
		}
		seen = r.at + had
	}
}

// fill reads more behind what is there, after making room for it.
func (r *reader) fill() error {
	switch {
	case r.at == r.end:
		r.at, r.end = 0, 0
		if r.buf == nil {
			r.buf = make([]byte, firstRead)
		}
	case r.at > 0:
		r.end = copy(r.buf, r.buf[r.at:r.end])
		r.at = 0
	case r.end == len(r.buf):
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	n, err := r.read(r.buf[r.end:])
	r.end += n
	return err
}

// read reads at least one byte, or fails.
func (r *reader) read(b []byte) (int, error) {
	for {
		n, err := r.src.Read(b)
		if n > 0 {
			r.began = true
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// scrap is where bodies go. The pool is shared: only a connection that is reading a
// body needs it.
var scrap = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// discard reads n bytes of a body, and returns how many came.
func (r *reader) discard(n int64) (int64, error) {
	got := min(n, int64(r.end-r.at))
	r.at += int(got)
	if got == n {
		return got, nil
	}
	b := scrap.Get().(*[64 << 10]byte)
	defer scrap.Put(b)
	for got < n {
		m, err := r.read(b[:min(int64(len(b)), n-got)])
		got += int64(m)
		if err != nil {
			return got, err
		}
	}
	return got, nil
}

// rest reads a body that lasts until the connection is closed.
func (r *reader) rest() (int64, error) {
	n, err := r.discard(1<<63 - 1)
	if err == io.EOF {
		err = nil
	}
	return n, err
}
