package conformance

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"openload/coding"
	"openload/correct"
	"openload/engine"
	"openload/request"
	"openload/transport"
)

// codings holds a World to counting what bodies come to, while a sample's bytes are those
// on the wire: however a body ends, and only if it is complete.
func codings(t *testing.T, open func(*testing.T, Options) World) {
	text := []byte(strings.Repeat("hello ", 10_000))
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	g.Write(text)
	g.Close()
	zipped := b.String()
	var z bytes.Buffer
	e, err := zstd.NewWriter(&z, zstd.WithEncoderConcurrency(1))
	require.NoError(t, err)
	e.Write(text)
	e.Close()
	length := func(coding, body string) string {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", coding, len(body), body)
	}
	half := len(zipped) / 2
	for _, tt := range []struct {
		name   string
		method string
		handle func(int, peer)
		class  correct.Class
		wire   int64 // of each answer
		want   coding.Count
	}{
		{
			name: "a length", handle: always(length("gzip", zipped)), wire: int64(len(zipped)),
			want: coding.Count{Bodies: 3, Decoded: 3, Codings: map[string]uint64{"gzip": 3}, Failed: map[string]uint64{}},
		}, {
			name: "chunks", wire: int64(z.Len()),
			handle: always(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n", z.String()[:5], z.Len()-5, z.String()[5:])),
			want:   coding.Count{Bodies: 3, Decoded: 3, Codings: map[string]uint64{"zstd": 3}, Failed: map[string]uint64{}},
		}, {
			name: "to the close", handle: once("HTTP/1.1 200 OK\r\ncontent-encoding: x-gzip\r\n\r\n" + zipped), wire: int64(len(zipped)),
			want: coding.Count{Bodies: 3, Decoded: 3, Codings: map[string]uint64{"gzip": 3}, Failed: map[string]uint64{}},
		}, {
			name: "one that does not decode", handle: always(length("gzip", "hello")), wire: 5,
			want: coding.Count{Bodies: 3, Codings: map[string]uint64{"gzip": 3}, Failed: map[string]uint64{"gzip: cut off": 3}},
		}, {
			name: "a coding that nobody knows", handle: always(length("zip", "hello")), wire: 5,
			want: coding.Count{Bodies: 3, Codings: map[string]uint64{"zip": 3}, Failed: map[string]uint64{"zip: not a coding that openload knows": 3}},
		},
		{name: "none", handle: always(hello), wire: 5},
		{name: "no body", handle: always("HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n")},
		{name: "HEAD", method: "HEAD", handle: always("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n")},
		{
			name: "cut off by the server", class: correct.Truncated, wire: int64(half),
			handle: once(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(zipped), zipped[:half])),
		}, {
			name: "never complete", class: correct.Timeout, wire: int64(half), handle: func(_ int, p peer) {
				p.request()
				p.say(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(zipped), zipped[:half]))
				p.request()
			},
		},
	} {
		for _, secure := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s TLS=%v", tt.name, secure), func(t *testing.T) {
				certificate, roots := Certify(t, time.Now().Add(time.Hour))
				scheme, config := "http", (*tls.Config)(nil)
				if secure {
					scheme, config = "https", &tls.Config{Certificates: []tls.Certificate{certificate}}
				}
				s := listen(t, "127.0.0.1", config, tt.handle)
				var bodies coding.Counter
				w := open(t, Options{
					Epoch: time.Now(), Connections: 10, ConnectTimeout: 5 * time.Second,
					Client: client(t, transport.Config{
						Request: request.Request{Method: tt.method, URL: scheme + "://" + s.Addr().String()}, Addrs: []netip.Addr{netip.MustParseAddr("127.0.0.1")},
						Security: transport.Security{Roots: roots}, Clock: time.Now, Bodies: &bodies,
					}),
				})
				defer w.Close()
				for range 3 {
					x := Drive(t, w, []time.Duration{0}, func(x *engine.Shot) {
						if tt.class == correct.Timeout {
							x.Timeout = 150 * time.Millisecond
						}
					})[0]
					require.Equal(t, tt.class, x.Class)
					require.Equal(t, tt.wire, x.Bytes)
				}
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				defer cancel()
				want := tt.want
				want.Wire, want.Bytes = want.Decoded*uint64(tt.wire), want.Decoded*uint64(len(text))
				require.Equal(t, want, bodies.Settle(ctx))
			})
		}
	}
}
