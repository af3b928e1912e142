package coding_test

import (
	"bytes"
	stdgzip "compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/molecule-man/go-brrr"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"openload/coding"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// encoders make what [coding.Accept] asks for.
var encoders = map[string]func(io.Writer) io.WriteCloser{
	"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	"zstd":    func(w io.Writer) io.WriteCloser { return must(zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))) },
	"br":      func(w io.Writer) io.WriteCloser { return must(brrr.NewWriter(w, 4)) },
}

var names = []string{"gzip", "deflate", "zstd", "br"}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// encode applies the codings, the first of them first.
func encode(body []byte, codings ...string) []byte {
	for _, name := range codings {
		var b bytes.Buffer
		w := encoders[name](&b)
		must(w.Write(body))
		if err := w.Close(); err != nil {
			panic(err)
		}
		body = b.Bytes()
	}
	return body
}

// send writes a body in pieces of n bytes, and its end.
func send(c *coding.Counter, codings string, wire []byte, n int) {
	b := c.Body(codings)
	for len(wire) > 0 {
		piece := bytes.Clone(wire[:min(n, len(wire))])
		b.Write(piece)
		clear(piece) // it may not be kept
		wire = wire[min(n, len(wire)):]
	}
	b.End()
}

func settle(t require.TestingT, c *coding.Counter) coding.Count {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	n := c.Settle(ctx)
	failed := uint64(0)
	for _, k := range n.Failed {
		failed += k
	}
	require.Equal(t, n.Bodies, n.Decoded+n.Skipped+failed, "it adds up")
	return n
}

// Law: whatever is encoded, in whatever codings, and however it is cut, comes to what it was.
func TestEveryBodyComesToWhatItWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c coding.Counter
		var want coding.Count
		for range rapid.IntRange(1, 8).Draw(t, "bodies") {
			codings := rapid.SliceOfN(rapid.SampledFrom(names), 1, 3).Draw(t, "codings")
			body := bytes.Repeat([]byte(rapid.String().Draw(t, "text")), rapid.IntRange(0, 1000).Draw(t, "times"))
			wire := encode(body, codings...)
			send(&c, strings.Join(codings, ", "), wire, rapid.IntRange(1, 100_000).Draw(t, "piece"))
			want.Bodies++
			want.Wire += uint64(len(wire))
			want.Bytes += uint64(len(body))
		}
		got := settle(t, &c)
		require.Equal(t, want.Bodies, got.Decoded, got.Failed)
		require.Equal(t, want.Wire, got.Wire)
		require.Equal(t, want.Bytes, got.Bytes)
		require.Zero(t, settle(t, &c), "it begins anew")
	})
}

func TestWhatIsCountedHow(t *testing.T) {
	hello := encode([]byte("hello hello hello"), "gzip")
	raw := func(b []byte) []byte {
		var out bytes.Buffer
		w := must(flate.NewWriter(&out, 9))
		must(w.Write(b))
		w.Close()
		return out.Bytes()
	}
	broken := bytes.Clone(hello)
	broken[len(broken)-6]++
	for _, tt := range []struct {
		name    string
		codings string
		wire    []byte
		told    string // how it is called, or what it failed by; "": it is not counted
		bytes   uint64
	}{
		{"as servers call it", "GZIP", hello, "gzip", 17},
		{"by its old name", "x-gzip", hello, "gzip", 17},
		{"identity is none", "identity", []byte("hello"), "", 0},
		{"identity beside another", "identity, gzip", hello, "gzip", 17},
		{"no coding", "", []byte("hello"), "", 0},
		{"no body, as after HEAD", "gzip", nil, "", 0},
		{"zlib's deflate", "deflate", encode([]byte("hello"), "deflate"), "deflate", 5},
		{"the bare deflate", "deflate", raw([]byte("hello")), "deflate", 5},
		{"two gzip members", "gzip", append(bytes.Clone(hello), hello...), "gzip", 34},
		{"one over the other", "gzip,br", encode([]byte("hello"), "gzip", "br"), "gzip, br", 5},
		{"cut off", "gzip", hello[:len(hello)-5], "gzip: cut off", 0},
		{"cut off, br", "br", encode(bytes.Repeat([]byte("hello"), 100), "br")[:9], "br: cut off", 0},
		{"cut off, zstd", "zstd", encode([]byte("hello"), "zstd")[:9], "zstd: cut off", 0},
		{"a wrong checksum", "gzip", broken, "gzip: invalid checksum", 0},
		{"not encoded at all", "gzip", []byte("<html><body>hello</body></html>"), "gzip: invalid header", 0},
		{"one byte", "deflate", []byte("x"), "deflate: cut off", 0},
		{"corrupt", "deflate", []byte("hello, this is no deflate"), "deflate: corrupt", 0},
		{"unknown", "sdch", hello, "sdch: not a coding that openload knows", 0},
		{"too many", "gzip,gzip,gzip,gzip,gzip", hello, "gzip, gzip, gzip, gzip, gzip: more than 4 codings over each other", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, piece := range []int{1, 1 << 20} {
				var c coding.Counter
				send(&c, tt.codings, tt.wire, piece)
				got := settle(t, &c)
				name, _, bad := strings.Cut(tt.told, ": ")
				switch {
				case tt.told == "":
					require.Zero(t, got)
				case bad:
					require.Equal(t, map[string]uint64{tt.told: 1}, got.Failed)
					require.Zero(t, got.Wire)
				default:
					require.Equal(t, uint64(len(tt.wire)), got.Wire)
					require.Empty(t, got.Failed)
				}
				if tt.told != "" {
					require.Equal(t, map[string]uint64{name: 1}, got.Codings)
				}
				require.Equal(t, tt.bytes, got.Bytes)
			}
		})
	}
}

// A body that never ends is in no count, and leaves nothing behind.
func TestLeave(t *testing.T) {
	var c coding.Counter
	for _, n := range []int{10, 1 << 20} { // one that waits for its end, and one that is being decoded
		b := c.Body("gzip")
		b.Write(encode(noise(2*n), "gzip")[:n])
		b.Leave()
	}
	var none *coding.Body
	none.Write([]byte("x"))
	none.End()
	none.Leave()
	require.Zero(t, settle(t, &c))
}

// Where bodies come faster than they are decoded, they are let go of and counted: memory
// stays flat, and nobody waits.
func TestWhatCannotBeKeptIsSkipped(t *testing.T) {
	var c coding.Counter
	wire := encode(noise(1<<20), "gzip")
	stuck := c.Body("gzip") // most of them, so that no other is decoded
	all := []*coding.Body{stuck}
	stuck.Write(wire[:128<<10])
	for range 31 {
		b := c.Body("gzip")
		b.Write(wire[:128<<10])
		all = append(all, b)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 100 {
		send(&c, "gzip", wire, 64<<10)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapInuse)-int64(before.HeapInuse), int64(100<<20))
	for _, b := range all {
		b.Leave()
	}
	got := settle(t, &c)
	require.EqualValues(t, 100, got.Bodies)
	require.Positive(t, got.Skipped)
	require.Positive(t, got.Decoded)
	require.Equal(t, got.Decoded<<20, got.Bytes)
}

// Who cannot wait any longer is told what was skipped.
func TestSettleEnds(t *testing.T) {
	var c coding.Counter
	bomb := encode(make([]byte, 64<<20), "gzip", "gzip")
	for range 40 {
		send(&c, "gzip, gzip", bomb, 1<<20)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	got := c.Settle(ended)
	require.EqualValues(t, 40, got.Bodies)
	require.Positive(t, got.Skipped)
	send(&c, "gzip", encode([]byte("x"), "gzip"), 100)
	require.EqualValues(t, 1, settle(t, &c).Decoded, "and it goes on")
}

func TestManyAtOnce(t *testing.T) {
	var c coding.Counter
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 20 {
				name := names[(i+k)%len(names)]
				send(&c, name, encode(noise(k*1000), name), 1+k*100)
			}
		})
	}
	all.Wait()
	got := settle(t, &c)
	require.EqualValues(t, 8*20, got.Decoded, got.Failed)
	require.EqualValues(t, 8*1000*19*20/2, got.Bytes)
	require.Len(t, got.Codings, len(names))
}

// What is told apart is bounded, whatever servers make up.
func TestReasonsAreBounded(t *testing.T) {
	var c coding.Counter
	for i := range 100 {
		send(&c, fmt.Sprint("made-up-", i), []byte("x"), 1)
	}
	got := settle(t, &c)
	require.LessOrEqual(t, len(got.Codings), 17)
	require.LessOrEqual(t, len(got.Failed), 17)
	require.EqualValues(t, 100, got.Bodies)
}

// FuzzBody holds decoding against the standard library, and to its sums.
func FuzzBody(f *testing.F) {
	for i, name := range names {
		f.Add(name, encode([]byte("hello hello"), name), uint16(1+i))
	}
	f.Add("gzip, br", encode([]byte("hello"), "gzip", "br"), uint16(3))
	f.Fuzz(func(t *testing.T, codings string, wire []byte, piece uint16) {
		var c coding.Counter
		send(&c, codings, wire, 1+int(piece))
		got := settle(t, &c)
		if codings != "gzip" || len(wire) == 0 {
			return
		}
		r, err := stdgzip.NewReader(bytes.NewReader(wire))
		var n int64
		if err == nil {
			n, err = io.Copy(io.Discard, r)
		}
		if (err == nil) != (got.Decoded == 1) || err == nil && uint64(n) != got.Bytes {
			t.Fatalf("want %d %v, got %+v", n, err, got)
		}
	})
}

// noise is what cannot be compressed.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{}).Read(b)
	return b
}

func BenchmarkBody(b *testing.B) {
	var c coding.Counter
	wire := encode(bytes.Repeat([]byte("<li>hello</li>"), 300), "gzip")
	b.ReportAllocs()
	for b.Loop() {
		body := c.Body("gzip")
		body.Write(wire)
		body.End()
	}
	b.StopTimer()
	n := c.Settle(context.Background())
	b.ReportMetric(float64(n.Skipped)/float64(n.Bodies), "skipped/op")
}
