package transport

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"openload/correct"
)

// parse pushes a stream, cut into pieces of the lengths that next returns, and its end.
func parse(stream []byte, head bool, next func() int) (p *Parser, rest int, err error) {
	p = new(Parser)
	p.Reset(head, nil)
	for len(stream) > 0 {
		n := min(max(1, next()), len(stream))
		piece := bytes.Clone(stream[:n]) // it may not be kept
		stream = stream[n:]
		done, err := p.Feed(piece)
		clear(piece)
		if done || err != nil {
			return p, len(stream), err
		}
	}
	return p, 0, p.End()
}

func whole() int { return 1 << 30 }
func byOne() int { return 1 }

// Law: pushed in pieces or pulled, however it is cut, a stream is the same response.
func TestParserIsReader(t *testing.T) {
	for _, tt := range responses {
		t.Run(tt.name, func(t *testing.T) {
			for _, next := range []func() int{whole, byOne, func() int { return 2 }, func() int { return 7 }} {
				p, _, err := parse([]byte(tt.stream), tt.head, next)
				class := correct.OK
				if err != nil {
					class, _ = readClass(err, p.began)
				}
				require.Equal(t, tt.class, class, err)
				require.Equal(t, tt.bytes, p.bytes)
				if class == correct.OK {
					require.Equal(t, tt.status, p.status)
				}
				if tt.keep {
					require.True(t, p.keep)
				}
			}
		})
	}
	p, _, err := parse([]byte("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxy"), false, whole)
	require.NoError(t, err)
	require.False(t, p.keep, "more than was asked for")
}

// A Parser takes one response after the other, and lets go of a long line.
func TestParserReset(t *testing.T) {
	var p Parser
	for range 2 {
		for _, tt := range responses {
			p.Reset(tt.head, nil)
			require.LessOrEqual(t, cap(p.line), longLine)
			for i := range len(tt.stream) {
				if done, err := p.Feed([]byte{tt.stream[i]}); done || err != nil {
					break
				}
			}
			if tt.class == correct.OK {
				require.Equal(t, tt.bytes, p.bytes, tt.name)
				require.Equal(t, tt.status, p.status, tt.name)
			}
		}
	}
}

// FuzzParser holds the two readers of responses against each other: same end, same
// status, same body, wherever the stream is cut.
func FuzzParser(f *testing.F) {
	for _, tt := range responses {
		if len(tt.stream) < 1<<10 {
			f.Add([]byte(tt.stream), tt.head, uint64(1))
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, head bool, cuts uint64) {
		chance := rand.New(rand.NewPCG(cuts, 0))
		agree(t, stream, head, func() int { return 1 + chance.IntN(1+chance.IntN(64)) })
	})
}

// TestParserOnRandomResponses does the same on streams that are put together from
// what responses are made of, which a fuzzer takes long to find.
func TestParserOnRandomResponses(t *testing.T) {
	parts := []string{
		"HTTP/1.1 200 OK\r\n", "HTTP/1.0 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 204 No Content\r\n", "HTTP/1.1 404\r\n",
		"Content-Length: 5\r\n", "Content-Length: 0\r\n", "Content-Length: 5, 5\r\n", "content-length:12\n", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n",
		"Connection: close\r\n", "Connection: keep-alive\r\n", "Server: x\r\n", " continued\r\n", "bad line\r\n",
		"Trailer: Host\r\n", "A: \x01\r\n", "HTTP/1.1 200 OK\n", "Retry-After: 7\r\n", " \r\n", "A:\r\n",
		"\r\n", "\n", "hello", "5\r\nhello\r\n", "5\r\nhello", "0\r\n\r\n", "0\r\nA: b\r\n\r\n", "A;x=y\r\n0123456789\r\n", "ffffffffffffffff\r\n", "\r", "H", "\x00",
	}
	chance := rand.New(rand.NewPCG(7, 7))
	complete := 0
	for range 50_000 {
		stream := []byte(parts[chance.IntN(5)])
		for range chance.IntN(8) {
			stream = append(stream, parts[chance.IntN(len(parts))]...)
		}
		if agree(t, stream, chance.IntN(8) == 0, func() int { return 1 + chance.IntN(20) }) {
			complete++
		}
	}
	require.Greater(t, complete, 1000, "too few are responses at all")
}

// agree reports whether both found a complete response.
func agree(t *testing.T, stream []byte, head bool, next func() int) bool {
	slow := reader{src: iotest.OneByteReader(bytes.NewReader(stream))}
	want, wantErr := slow.response(head)
	for _, cut := range []func() int{whole, next} {
		p, rest, err := parse(stream, head, cut)
		if (err == nil) != (wantErr == nil) || p.bytes != want.bytes || p.began != want.began || err == nil && p.status != want.status {
			t.Fatalf("pulled %+v %v, pushed %+v %v\n%q", want, wantErr, p, err, stream)
		}
		if err != nil {
			a, _ := readClass(wantErr, want.began)
			b, _ := readClass(err, p.began)
			if a != b {
				t.Fatalf("pulled %v, pushed %v\n%q", a, b, stream)
			}
		} else if rest == 0 && p.keep && !want.keep || p.framing.pause() != want.pause {
			t.Fatalf("pulled %+v, pushed %+v\n%q", want, p, stream)
		}
	}
	if wantErr == nil && len(stream) <= readAhead { // at once, both see whether there is more
		fast := reader{src: bytes.NewReader(stream)}
		want, _ := fast.response(head)
		if p, _, _ := parse(stream, head, whole); p.keep != want.keep {
			t.Fatalf("kept if pulled %v, if pushed %v\n%q", want.keep, p.keep, stream)
		}
	}
	return wantErr == nil
}

func BenchmarkParser(b *testing.B) {
	one := []byte("HTTP/1.1 200 OK\r\nServer: x\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok")
	var p Parser
	b.ReportAllocs()
	for b.Loop() {
		p.Reset(false, nil)
		if done, err := p.Feed(one); !done || err != nil {
			b.Fatal(err)
		}
	}
}
