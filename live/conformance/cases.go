package conformance

import (
	"io"
	"time"

	"openload/correct"
	"openload/request"
)

// settings of one case.
type settings struct {
	request       request.Request // its URL is filled in
	connections   int             // 0: 10
	noKeepAlive   bool
	perConnection int
	timeout       time.Duration // of each attempt
}

const hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

// always answers every request with text, on connections that it keeps.
func always(text string) func(int, peer) {
	return func(_ int, p peer) {
		for _, ok := p.request(); ok; _, ok = p.request() {
			p.say(text)
		}
	}
}

// once answers one request on each connection with text, and closes it.
func once(text string) func(int, peer) {
	return func(_ int, p peer) {
		if _, ok := p.request(); ok {
			p.say(text)
		}
	}
}

var cases = []struct {
	name    string
	with    settings
	handle  func(n int, p peer)
	shots   int // one after the other
	classes map[correct.Class]int
	status  int
	bytes   int64
	conns   int // that the server saw
}{
	{
		name: "a length", handle: always(hello), shots: 5,
		classes: map[correct.Class]int{correct.OK: 5}, status: 200, bytes: 5, conns: 1,
	}, {
		name: "C01 no length, to the close", handle: once("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 200, bytes: 5, conns: 3,
	}, {
		name: "C01 no length, to a close that was not announced", handle: once("HTTP/1.1 200 OK\r\n\r\nhello"), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 200, bytes: 5, conns: 3,
	}, {
		name: "chunks and trailers", handle: always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\nSum: x\r\n\r\n"), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 200, bytes: 5, conns: 1,
	}, {
		name: "C03 204 with a length", handle: always("HTTP/1.1 204 No Content\r\nContent-Length: 10\r\n\r\n"), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 204, conns: 1,
	}, {
		name: "C03 304 with a length", handle: always("HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n"), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 304, conns: 1,
	}, {
		name: "C03 HEAD with a length", with: settings{request: request.Request{Method: "HEAD"}},
		handle: always("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 200, conns: 1,
	}, {
		name: "interim responses", handle: always("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </s>\r\n\r\n" + hello), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 200, bytes: 5, conns: 1,
	}, {
		name: "C05 some answers close", shots: 6, handle: func(n int, p peer) {
			p.request()
			p.say(hello)
			p.request()
			p.say("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello")
		},
		classes: map[correct.Class]int{correct.OK: 6}, status: 200, bytes: 5, conns: 3,
	}, {
		name: "C05 HTTP/1.0", handle: once("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 200, bytes: 5, conns: 3,
	}, {
		name: "C05 without keep-alive", with: settings{noKeepAlive: true}, handle: always(hello), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 200, bytes: 5, conns: 3,
	}, {
		name: "C05 three requests a connection", with: settings{perConnection: 3}, handle: always(hello), shots: 7,
		classes: map[correct.Class]int{correct.OK: 7}, status: 200, bytes: 5, conns: 3,
	}, {
		name: "C05 the user asks for the close", with: settings{request: request.Request{Header: []request.Field{{Name: "Connection", Value: "close"}}}},
		handle: always(hello), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 200, bytes: 5, conns: 3,
	}, {
		name: "C06 a body cut off", handle: once("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), shots: 3,
		classes: map[correct.Class]int{correct.Truncated: 3}, bytes: 5, conns: 3,
	}, {
		name: "C07 every second request of a connection is read and not answered", shots: 10, handle: func(n int, p peer) {
			p.request()
			p.say(hello)
			p.request()
		},
		classes: map[correct.Class]int{correct.OK: 5, correct.Reset: 5}, conns: 5,
	}, {
		name: "C07 the same with POST", with: settings{request: request.Request{Body: []byte("x")}}, shots: 10, handle: func(n int, p peer) {
			p.request()
			p.say(hello)
			p.request()
		},
		classes: map[correct.Class]int{correct.OK: 5, correct.Reset: 5}, conns: 5,
	}, {
		name: "a connection dies while it is idle", handle: once(hello), shots: 5,
		classes: map[correct.Class]int{correct.OK: 5}, status: 200, bytes: 5, conns: 5,
	}, {
		name: "a response that nobody asked for", handle: always(hello + hello), shots: 3,
		classes: map[correct.Class]int{correct.OK: 3}, status: 200, bytes: 5, conns: 3,
	}, {
		name: "a large request", with: settings{request: request.Request{Body: make([]byte, 8<<20)}}, handle: always(hello), shots: 2,
		classes: map[correct.Class]int{correct.OK: 2}, status: 200, bytes: 5, conns: 1,
	}, {
		name: "closed without an answer", handle: once(""), shots: 3,
		classes: map[correct.Class]int{correct.Reset: 3}, conns: 3,
	}, {
		name: "C14 a redirect is an answer like any other", shots: 3,
		handle:  always("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 5\r\n\r\nhello"),
		classes: map[correct.Class]int{correct.OK: 3}, status: 302, bytes: 5, conns: 1,
	}, {
		name: "C27 every answer is 400", handle: always("HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno"), shots: 3,
		classes: map[correct.Class]int{correct.BadStatus: 3}, status: 400, bytes: 2, conns: 1,
	}, {
		name: "C29 no answer", with: settings{timeout: 30 * time.Millisecond}, shots: 2, handle: func(_ int, p peer) {
			p.request()
			p.request()
		},
		classes: map[correct.Class]int{correct.Timeout: 2}, conns: 2,
	}, {
		name: "C29 half an answer", with: settings{timeout: 150 * time.Millisecond}, shots: 1, handle: func(_ int, p peer) {
			p.request()
			p.say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
			p.request()
		},
		classes: map[correct.Class]int{correct.Timeout: 1}, bytes: 5, conns: 1,
	}, {
		name: "not HTTP", handle: once("220 mail ESMTP\r\n"), shots: 2,
		classes: map[correct.Class]int{correct.Malformed: 2}, conns: 2,
	}, {
		name: "a header without end", shots: 1, handle: func(_ int, p peer) {
			p.request()
			p.say("HTTP/1.1 200 OK\r\n")
			for {
				if _, err := io.WriteString(p, "A: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\n"); err != nil {
					return
				}
			}
		},
		classes: map[correct.Class]int{correct.Malformed: 1}, conns: 1,
	},
}
