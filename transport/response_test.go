package transport

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"openload/correct"
)

var responses = []struct {
	name   string
	head   bool
	stream string
	status int
	bytes  int64
	keep   bool
	class  correct.Class
}{
	{name: "a length", stream: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", status: 200, bytes: 5, keep: true},
	{name: "no reason", stream: "HTTP/1.1 200\r\ncontent-length:0\r\n\r\n", status: 200, keep: true},
	{name: "bare line feeds", stream: "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", status: 200, bytes: 5, keep: true},
	{name: "a length twice, the same", stream: "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nContent-Length: 5\r\n\r\nhello", status: 200, bytes: 5, keep: true},
	{name: "no length lasts until the close", stream: "HTTP/1.1 200 OK\r\n\r\nhello", status: 200, bytes: 5},
	{name: "no length and nothing", stream: "HTTP/1.1 200 OK\r\n\r\n", status: 200},
	{name: "connection close", stream: "HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 5\r\n\r\nhello", status: 200, bytes: 5},
	{name: "HTTP/1.0 closes", stream: "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", status: 200, bytes: 5},
	{name: "HTTP/1.0 keeps if it says so", stream: "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhello", status: 200, bytes: 5, keep: true},
	{name: "chunked", stream: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0A;x=y\r\n0123456789\r\n0\r\n\r\n", status: 200, bytes: 15, keep: true},
	{name: "chunked with trailers", stream: "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\nx\r\n0\r\nA: b\r\nC: d\r\n\r\n", status: 200, bytes: 1, keep: true},
	{name: "chunked and a length", stream: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", status: 200, bytes: 1},
	{name: "trailers that were announced, and fit no header", stream: "HTTP/1.1 200 OK\r\nTrailer: Content-Length, x\r\n y\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nContent-Length: 5\r\n\r\n", status: 200, bytes: 1, keep: true},
	{name: "a long header", stream: "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", maxHeader/2) + "\r\nContent-Length: 1\r\n\r\nx", status: 200, bytes: 1, keep: true},
	{name: "the longest header of bare line feeds", stream: "HTTP/1.1 200 OK\nContent-Length:1\n" + strings.Repeat("a:\n", maxHeader/3-12) + "\nx", status: 200, bytes: 1, keep: true},
	{name: "204 ends at its header", stream: "HTTP/1.1 204 No Content\r\nContent-Length: 10\r\n\r\n", status: 204, keep: true},
	{name: "304 ends at its header", stream: "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n", status: 304, keep: true},
	{name: "HEAD ends at its header", head: true, stream: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", status: 200, keep: true},
	{name: "interim responses come before", stream: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </s>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", status: 200, bytes: 1, keep: true},
	{name: "an interim response with a length", stream: "HTTP/1.1 102 Processing\r\nContent-Length: 7\r\nConnection: close\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", status: 200, bytes: 1, keep: true},
	{name: "HEAD without a length", head: true, stream: "HTTP/1.1 200 OK\r\n\r\n", status: 200, keep: true},
	{name: "an upgrade that is none", stream: "HTTP/1.1 200 OK\r\nConnection: upgrade\r\n\r\nhello", status: 200, bytes: 5},
	{name: "101 is the end of HTTP", stream: "HTTP/1.1 101 Switching Protocols\r\n\r\n", status: 101},
	{name: "a continued line", stream: "HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 1\r\n\r\nx", status: 200, bytes: 1, keep: true},
	{name: "more than was asked for", stream: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxy", status: 200, bytes: 1},

	{name: "nothing", stream: "", class: correct.Reset},
	{name: "an end in the status", stream: "HTTP/1.1 2", class: correct.Truncated},
	{name: "an end in the header", stream: "HTTP/1.1 200 OK\r\nContent-Le", class: correct.Truncated},
	{name: "an end after an interim response", stream: "HTTP/1.1 100 Continue\r\n\r\n", class: correct.Truncated},
	{name: "an end in the body", stream: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello", bytes: 5, class: correct.Truncated},
	{name: "an end in a chunk", stream: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe", bytes: 2, class: correct.Truncated},
	{name: "an end between chunks", stream: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n", bytes: 1, class: correct.Truncated},
	{name: "an end in the trailers", stream: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n", class: correct.Truncated},

	{name: "no HTTP", stream: "SSH-2.0-OpenSSH_9.2\r\n", class: correct.Malformed},
	{name: "HTTP/2", stream: "HTTP/2.0 200 OK\r\n\r\n", class: correct.Malformed},
	{name: "HTTP/1.2", stream: "HTTP/1.2 200 OK\r\n\r\n", class: correct.Malformed},
	{name: "an empty line first", stream: "\r\nHTTP/1.1 200 OK\r\n\r\n", class: correct.Malformed},
	{name: "a status of four digits", stream: "HTTP/1.1 2000 OK\r\n\r\n", class: correct.Malformed},
	{name: "a status that is none", stream: "HTTP/1.1 abc OK\r\n\r\n", class: correct.Malformed},
	{name: "a status below 100", stream: "HTTP/1.1 099 OK\r\n\r\n", class: correct.Malformed},
	{name: "a header without a colon", stream: "HTTP/1.1 200 OK\r\nhello\r\n\r\n", class: correct.Malformed},
	{name: "a name with a space", stream: "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello", class: correct.Malformed},
	{name: "a name that is none", stream: "HTTP/1.1 200 OK\r\nA\x00: b\r\n\r\n", class: correct.Malformed},
	{name: "a value with a control character", stream: "HTTP/1.1 200 OK\r\nA: b\x00c\r\n\r\n", class: correct.Malformed},
	{name: "a carriage return in a value", stream: "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n", class: correct.Malformed},
	{name: "a header that begins with a continuation", stream: "HTTP/1.1 200 OK\r\n A: b\r\n\r\n", class: correct.Malformed},
	{name: "a coding that nobody asked for", stream: "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", class: correct.Malformed},
	{name: "chunked twice", stream: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", class: correct.Malformed},
	{name: "HTTP/1.0 knows no chunks", stream: "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", class: correct.Malformed},
	{name: "a continued length", stream: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n 0\r\n\r\nhello", class: correct.Malformed},
	{name: "two lengths", stream: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", class: correct.Malformed},
	{name: "a negative length", stream: "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", class: correct.Malformed},
	{name: "a length beyond counting", stream: "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\n", class: correct.Malformed},
	{name: "a chunk size that is none", stream: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", class: correct.Malformed},
	{name: "a chunk longer than it says", stream: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nhello\r\n0\r\n\r\n", bytes: 1, class: correct.Malformed},
	{name: "a line without end", stream: "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", maxHeader), class: correct.Malformed},
	{name: "a header without end", stream: "HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", maxHeader/6), class: correct.Malformed},
	{name: "interim responses without end", stream: strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", maxHeader/25+1), class: correct.Malformed},
	{name: "trailers without end", stream: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + strings.Repeat("A: b\r\n", maxHeader/6), class: correct.Malformed},
	{name: "a chunk line without end", stream: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + strings.Repeat("x", maxHeader), class: correct.Malformed},
}

// Law: how the network cuts a stream into pieces changes nothing.
func TestResponse(t *testing.T) {
	for _, tt := range responses {
		t.Run(tt.name, func(t *testing.T) {
			for _, src := range []io.Reader{
				strings.NewReader(tt.stream),
				iotest.OneByteReader(strings.NewReader(tt.stream)),
				iotest.HalfReader(strings.NewReader(tt.stream)),
				iotest.DataErrReader(strings.NewReader(tt.stream)),
			} {
				r := reader{src: src}
				got, err := r.response(tt.head)
				class := correct.OK
				if err != nil {
					class, _ = readClass(err, got.began)
				}
				require.Equal(t, tt.class, class, err)
				require.Equal(t, tt.bytes, got.bytes)
				if class == correct.OK {
					require.Equal(t, tt.status, got.status)
				}
				if tt.keep {
					require.True(t, got.keep)
					require.Zero(t, r.buf.Buffered())
				}
				require.Equal(t, readAhead, r.buf.Size())
			}
		})
	}
}

// What follows a response on the same connection is read from where that one ended.
func TestResponsesFollowEachOther(t *testing.T) {
	var stream string
	for _, tt := range responses {
		if tt.keep && !tt.head && len(tt.stream) < 1<<10 {
			stream += tt.stream
		}
	}
	r := reader{src: iotest.OneByteReader(strings.NewReader(stream))}
	for _, tt := range responses {
		if tt.keep && !tt.head && len(tt.stream) < 1<<10 {
			got, err := r.response(false)
			require.NoError(t, err, tt.name)
			require.Equal(t, response{began: true, status: tt.status, bytes: tt.bytes, keep: true}, got, tt.name)
		}
	}
}

// A body may be of any length, and the buffer stays as it was.
func TestLargeBody(t *testing.T) {
	const size = 1 << 30
	r := reader{src: io.MultiReader(strings.NewReader("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n"), io.LimitReader(zeros{}, size))}
	got, err := r.response(false)
	require.NoError(t, err)
	require.Equal(t, response{began: true, status: 200, bytes: size, keep: true}, got)
	require.Equal(t, readAhead, r.buf.Size())
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

// Nothing that a server sends makes the reader fail in another way than by an
// error, or count more body than came.
func FuzzResponse(f *testing.F) {
	for _, tt := range responses {
		if len(tt.stream) < 1<<10 {
			f.Add([]byte(tt.stream), tt.head)
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, head bool) {
		whole := reader{src: bytes.NewReader(stream)}
		a, errA := whole.response(head)
		split := reader{src: iotest.OneByteReader(bytes.NewReader(stream))}
		b, errB := split.response(head)
		if (errA == nil) != (errB == nil) || a.status != b.status || a.bytes != b.bytes {
			t.Fatalf("whole %+v %v, split %+v %v", a, errA, b, errB)
		}
		if a.bytes > int64(len(stream)) {
			t.Fatalf("%d bytes of body from %d", a.bytes, len(stream))
		}
	})
}

func BenchmarkResponse(b *testing.B) {
	one := []byte("HTTP/1.1 200 OK\r\nServer: x\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok")
	src := bytes.NewReader(one)
	r := reader{src: src}
	b.ReportAllocs()
	for b.Loop() {
		src.Reset(one)
		if _, err := r.response(false); err != nil {
			b.Fatal(err)
		}
	}
}
