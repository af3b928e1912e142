package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"openload/coding"
	"openload/correct"
	"openload/request"
)

// A Stream is a place on a connection: one request at a time. One goroutine uses it.
type Stream struct {
	streams *Streams
	shared  *shared
}

// Alive reports whether the connection still takes requests: not after a GOAWAY.
func (t *Stream) Alive() bool {
	return t.shared.conn.Err() == nil && !t.streams.client.route.Gone(t.shared.address)
}

// Close gives the place back.
func (t *Stream) Close() { t.streams.giveBack(t.shared) }

// mark notes what httptrace tells. The transport's goroutines write it.
type mark struct {
	writes       atomic.Int32
	wrote, first atomic.Pointer[time.Time]
}

func (m *mark) trace(clock func() time.Time) *httptrace.ClientTrace {
	now := func(p *atomic.Pointer[time.Time]) {
		t := clock()
		p.Store(&t)
	}
	return &httptrace.ClientTrace{
		WroteHeaders:         func() { m.writes.Add(1) },
		WroteRequest:         func(httptrace.WroteRequestInfo) { now(&m.wrote) },
		GotFirstResponseByte: func() { now(&m.first) },
	}
}

// Exchange is described by [Conn.Exchange]. A request that the server refused, and says
// it has not processed, is Stale as well, though it was written: it may be sent again,
// and counts as resent then. A request that ran out of time does not end the connection.
func (t *Stream) Exchange(m *request.Message, deadline time.Time) Outcome {
	l := t.streams.client
	if m == nil {
		m = &l.message
	}
	r, err := asRequest(m, l.tls != nil)
	if err != nil {
		return failed(correct.Malformed, err.Error())
	}
	ctx, cancel := context.Background(), context.CancelFunc(func() {})
	if !deadline.IsZero() {
		ctx, cancel = context.WithDeadline(ctx, deadline)
	}
	defer cancel()
	var k mark
	r = r.WithContext(httptrace.WithClientTrace(ctx, k.trace(l.clock)))
	if t.shared.conn.Reserve() != nil {
		o := failed(correct.Stale, "")
		o.Full = t.Alive()
		return o
	}
	o := t.exchange(r)
	writes := int(k.writes.Load())
	o.Written, o.Resent = writes > 0, max(0, writes-1)
	if at := k.wrote.Load(); at != nil {
		o.Wrote = *at
	}
	if at := k.first.Load(); at != nil {
		o.First = *at
	}
	o.Keep = !m.Close && t.Alive()
	t.streams.note(writes, o)
	return o
}

// note counts an exchange.
func (s *Streams) note(writes int, o Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Requests += writes
	if o.Class == correct.Stale && writes > 0 {
		s.counts.Refused++
	}
}

func (t *Stream) exchange(r *http.Request) Outcome {
	resp, err := t.shared.conn.RoundTrip(r)
	if err != nil {
		return streamOutcome(err, false)
	}
	defer resp.Body.Close()
	var kept *coding.Body
	if bodies := t.streams.client.bodies; bodies != nil {
		kept = bodies.Body(strings.Join(resp.Header.Values("Content-Encoding"), ","))
	}
	n, err := discard(resp.Body, kept)
	if err != nil {
		kept.Leave()
		o := streamOutcome(err, true)
		o.Bytes = n
		return o
	}
	kept.End()
	o := Outcome{Status: resp.StatusCode, Bytes: n}
	if 300 <= o.Status && o.Status < 400 {
		o.Location = resp.Header.Get("Location")
	}
	if after := resp.Header.Get("Retry-After"); after != "" {
		o.RetryAfter = retryAfter(after, resp.Header.Get("Date"))
	}
	if !t.streams.client.expect(resp.StatusCode) {
		o.Class = correct.BadStatus
	}
	return o
}

// streamError has the fields of net/http's own, which turns itself into any such.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string { return streamCode(e.Code) }

// refusedStream is the code of a stream that the server has not processed.
// Source: RFC 9113, section 8.7.
const refusedStream = 7

// streamCodes are the names of RFC 9113, section 7.
var streamCodes = []string{
	"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR",
	"REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
}

func streamCode(code uint32) string {
	if int(code) < len(streamCodes) {
		return streamCodes[code]
	}
	return fmt.Sprintf("stream error %d", code)
}

// unprocessed are the errors of net/http, which it has no types for, that say that the
// server has not looked at the request.
var unprocessed = []string{
	"http2: Transport received Server's graceful shutdown GOAWAY",
	"http2: client conn not usable",
	"http2: client conn could not be established",
}

// streamOutcome is the outcome of an exchange that err ended, after the header of the
// response if began is set.
func streamOutcome(err error, began bool) Outcome {
	var s streamError
	switch {
	case errors.As(err, &s):
		class := correct.Reset
		if began {
			class = correct.Truncated
		} else if s.Code == refusedStream {
			class = correct.Stale
		}
		return failed(class, "the stream was reset: "+streamCode(s.Code))
	case !began:
		for _, text := range unprocessed {
			if err.Error() == text {
				return failed(correct.Stale, "")
			}
		}
	}
	if strings.HasPrefix(err.Error(), "http2: server sent GOAWAY") {
		class := correct.Reset
		if began {
			class = correct.Truncated
		}
		return failed(class, "the server said GOAWAY and closed")
	}
	return failed(readClass(err, began))
}

// asRequest is a message as net/http takes it. HTTP/2 has no order and no case of
// names to keep; the path goes out as it was typed.
func asRequest(m *request.Message, secure bool) (*http.Request, error) {
	head, body, ok := bytes.Cut(m.Bytes, []byte("\r\n\r\n"))
	lines := strings.Split(string(head), "\r\n")
	line := strings.Split(lines[0], " ")
	if !ok || len(line) != 3 {
		return nil, errors.New("not a request") // it is ours
	}
	scheme := "http"
	if secure {
		scheme = "https"
	}
	r := &http.Request{
		Method: line[0], URL: &url.URL{Scheme: scheme, Opaque: line[1]},
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: make(http.Header, len(lines)),
	}
	for _, l := range lines[1:] {
		name, value, _ := strings.Cut(l, ": ")
		switch name = http.CanonicalHeaderKey(name); name {
		case "Host":
			r.Host = value
		case "Content-Length", "Connection":
		default:
			r.Header[name] = append(r.Header[name], value)
		}
	}
	r.URL.Host = r.Host
	if len(r.Header["User-Agent"]) == 0 {
		r.Header["User-Agent"] = []string{""} // or it would name itself
	}
	if len(body) > 0 {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	return r, nil
}
