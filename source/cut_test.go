package source

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// Strictly, a file that was cut is refused, or every row that is taken is one of the
// whole file's; leniently the same rows are taken, and the cut is told.
func TestCutFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 7))
	for name, s := range formatsOf(t) {
		whole := must(t, s.in, s.opt)
		lenient := s.opt
		lenient.Lenient = true
		for _, kind := range []string{"plain", "gzip", "zstd"} {
			in := s.in
			switch kind {
			case "gzip":
				in = zip(in)
			case "zstd":
				z, err := zstd.NewWriter(nil)
				require.NoError(t, err)
				in = z.EncodeAll(in, nil)
			}
			for range 8 {
				at := len(in)/2 + r.IntN(len(in)/2-1)
				got := read(in[:at], s.opt)
				var asks *Missing // of the head alone: what comes then says the rest
				if kind != "plain" && !whole.f.ours && !errors.As(got.err, &asks) {
					var cut *Cut
					require.ErrorAs(t, got.err, &cut, "%s %s", name, kind)
				}
				if got.err == nil && whole.f.Facts.Tool != plainFacts.Tool { // which people write
					require.True(t, in[at-1] == '\n' || in[at] == '\n' || len(whole.buckets) > 0 || isBinary(in) || told(got.f), "%s: %q", name, in[max(0, at-40):at])
				}
				part := read(in[:at], lenient)
				if part.f == nil {
					continue
				}
				require.NoError(t, part.err, "%s %s", name, kind)
				if !part.f.ours { // whose end says it
					require.Equal(t, got.err != nil, part.f.Cut() != nil, "%s %s", name, kind)
				}
				if n := len(part.rows) - 1; n > 0 { // the last one's number may be cut, which is told
					require.Equal(t, whole.brief()[:n], part.brief()[:n], "%s %s", name, kind)
				}
			}
		}
	}
}

func told(f *File) bool {
	for _, n := range f.Notes() {
		if n.Code == NoteCut {
			return true
		}
	}
	return false
}

// What was read of a cut file, where, and what shows it.
func TestCutSays(t *testing.T) {
	hey := sample(t, "hey/fmt-hey-c1-q12.5-stall2s.csv")
	xml := sample(t, "jmeter/fmt-jmeter213-xml-parent-tx.jtl")
	ghz := sample(t, "ghz/fmt-ghz-c1-rps20.json")
	fortio := sample(t, "fortio/fmt-fortio-c1-q12.5.json")
	hlog := sample(t, "hdr/fmt-java2.1.11-double.hlog")
	for _, tt := range []struct {
		name string
		in   []byte
		opt  Options
		want string
	}{
		{"a line", hey[:len(hey)-20], Options{}, "hey CSV: ends early, after 79 rows: line 81, the last, is incomplete"},
		{"XML", xml[:len(xml)/2], Options{}, "JMeter XML: ends early, after 24 rows: it has no </testResults>"},
		{"a JSON list", ghz[:len(ghz)/3], Options{}, "ghz JSON: ends early, after 21 rows: the list of calls is cut off or broken"},
		{"before a JSON list", ghz[:bytes.Index(ghz, []byte(`"details"`))-4], Options{}, "ghz JSON: ends early, before its first row: the details of single calls are not in it"},
		{"a JSON document", fortio[:len(fortio)/2], Options{}, "fortio result: ends early, before its first sample: its JSON is cut off"},
		{"a payload", hlog[:len(hlog)-30], Options{Unit: us(1)}, "HdrHistogram log: ends early, before its first sample: line 2, the last, is incomplete"},
		{"comments", hlog[:80], Options{Unit: us(1)}, "HdrHistogram log: ends early, before its first sample: line 1, the last, has no end"},
		{"a head", zip(hey)[:20], Options{}, "compressed file: ends early, before its first row: the compressed stream is cut off"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.EqualError(t, read(tt.in, tt.opt).err, tt.want)
		})
	}
}

// A stream that is damaged is no cut one.
func TestDamagedStream(t *testing.T) {
	for kind, in := range map[string]string{"zstd": "\x28\xb5\x2f\xfd\x07\x00\x00\x01\x02\x03\x04\x05\x06\x07", "gzip": "\x1f\x8b\x07\x00\x00\x01\x02\x03\x04\x05\x06\x07"} {
		err := read([]byte(in), Options{}).err
		require.ErrorContains(t, err, "its "+kind+" stream is damaged (")
		require.ErrorContains(t, err, "; get the file again")
	}
}

// Of an interval that can't be read to its end nothing is taken: its least values
// would be left alone.
func TestCutPayload(t *testing.T) {
	in := sample(t, "hdr/fmt-java2.1.11-double.hlog")
	i := bytes.LastIndex(in, []byte("HIST"))
	for at := i + 40; at < len(in)-2; at += 4 {
		got := must(t, in[:at], Options{Unit: us(1), Lenient: true})
		require.Empty(t, got.buckets)
	}
}
