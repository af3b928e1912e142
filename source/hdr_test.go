package source

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// pack wraps an inner buffer as a payload does.
func pack(cookie uint32, inner []byte) string {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write(inner)
	w.Close()
	b := binary.BigEndian.AppendUint32(nil, cookie)
	b = binary.BigEndian.AppendUint32(b, uint32(z.Len()))
	return base64.StdEncoding.EncodeToString(append(b, z.Bytes()...))
}

// packOld makes a payload of version 0 or 1, with words of the given size.
func packOld(version, word int, digits int32, counts []int64) string {
	be := binary.BigEndian
	var body []byte
	for _, c := range counts {
		body = append(body, be.AppendUint64(nil, uint64(c))[8-word:]...)
	}
	cookie, packed := uint32(cookieV0), uint32(packedV0)
	if version == 1 {
		cookie, packed = cookieV1, packedV1
	}
	b := be.AppendUint32(nil, cookie|uint32(word)<<4)
	if version == 1 {
		b = be.AppendUint32(b, uint32(len(body)))
		b = be.AppendUint32(b, 0)
	}
	b = be.AppendUint32(b, uint32(digits))
	b = be.AppendUint64(b, 1)
	b = be.AppendUint64(b, 3_600_000_000)
	if version == 1 {
		b = be.AppendUint64(b, math.Float64bits(1))
	} else {
		b = be.AppendUint64(b, 0) // total
	}
	return pack(packed|uint32(word)<<4, append(b, body...))
}

func hlog(payloads ...string) []byte {
	var b strings.Builder
	b.WriteString("#[StartTime: 1796004000.000 (seconds since epoch), x]\n")
	for i, p := range payloads {
		fmt.Fprintf(&b, "%d.000,1.000,0.100,%s\n", i, p)
	}
	return []byte(b.String())
}

// cells lists low, high and count in units.
func cells(got reading, unit time.Duration) (all [][3]int64) {
	for _, b := range got.buckets {
		all = append(all, [3]int64{int64(b.Low / unit), int64(b.High / unit), b.Count})
	}
	return all
}

// Whatever is recorded comes back in the library's own buckets.
func TestHdrAgreesWithTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.IntRange(1, 3).Draw(t, "digits")
		lowest := rapid.Int64Range(1, 5000).Draw(t, "lowest")
		h := hdrhistogram.New(lowest, 3_600_000_000_000, digits)
		for _, v := range rapid.SliceOfN(rapid.Int64Range(0, 3_600_000_000_000), 1, 50).Draw(t, "values") {
			require.NoError(t, h.RecordValues(v, 1+v%7))
		}
		payload, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		require.NoError(t, err)
		var want [][3]int64
		for _, b := range h.Distribution() {
			if b.Count > 0 {
				want = append(want, [3]int64{b.From, b.To, b.Count})
			}
		}
		got := read(hlog(string(payload)), Options{Unit: time.Nanosecond})
		require.NoError(t, got.err)
		require.Equal(t, want, cells(got, 1))
		require.Equal(t, h.TotalCount(), got.f.Tally().Rows)
	})
}

// The versions differ in how they write counts, not in what these mean.
func TestHdrVersions(t *testing.T) {
	counts := make([]int64, 2100)
	counts[0], counts[17], counts[2047], counts[2048], counts[2099] = 3, 1, 2, 4, 5
	want := [][3]int64{{0, 0, 3}, {17, 17, 1}, {2047, 2047, 2}, {2048, 2049, 4}, {2150, 2151, 5}}
	for version := range 2 {
		for _, word := range []int{2, 4, 8} {
			p := packOld(version, word, 3, counts)
			require.True(t, strings.HasPrefix(p, []string{"HISTC", "HIST"}[version]) || version == 0 && strings.HasPrefix(p, "HIST"))
			require.Equal(t, want, cells(must(t, hlog(p), Options{Unit: ms}), ms), "V%d of %d bytes", version, word)
		}
	}
}

// A count of nine bytes has eight bits in its last.
func TestZigZag(t *testing.T) {
	be := binary.BigEndian
	head := be.AppendUint32(nil, cookieV2|0x10)
	head = append(head, make([]byte, 8)...)
	head = be.AppendUint32(head, 3)
	head = be.AppendUint64(head, 1)
	head = be.AppendUint64(head, 3_600_000_000)
	head = be.AppendUint64(head, math.Float64bits(1))
	for name, tt := range map[string]struct {
		body []byte
		want [][3]int64
	}{
		"one byte":        {[]byte{0x02}, [][3]int64{{0, 0, 1}}},
		"a run of zeros":  {[]byte{0x05, 0x02}, [][3]int64{{3, 3, 1}}},
		"two bytes":       {[]byte{0x80, 0x02}, [][3]int64{{0, 0, 128}}},
		"eight bytes":     {[]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20}, [][3]int64{{0, 0, 1 << 53}}},
		"nine bytes":      {[]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}, nil}, // 2^62 in a cell
		"cut in a number": {[]byte{0x80}, nil},
		"zeros for ever":  {[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}, nil},
	} {
		got := read(hlog(pack(packedV2|0x10, append(bytes.Clone(head), tt.body...))), Options{Unit: ms})
		if tt.want == nil {
			require.ErrorContains(t, got.err, "damaged histogram", name)
		} else {
			require.NoError(t, got.err, name)
			require.Equal(t, tt.want, cells(got, ms), name)
		}
	}
}

// Histograms that the Java library had shifted, with the buckets that it printed
// itself: the normalizing offset describes its memory, not the file.
func TestHdrShifted(t *testing.T) {
	got := must(t, sample(t, "hdr/java2.1.11-shifted.hlog"), Options{Unit: time.Microsecond})
	type cell struct {
		tag       string
		low, high float64
		count     int64
	}
	var cells []cell
	for _, b := range got.buckets {
		cells = append(cells, cell{got.f.Name(b.Series), float64(b.Low) / 1e3, float64(b.High) / 1e3, b.Count})
	}
	require.Equal(t, []cell{
		{"", 0, 0.001, 7}, {"", 0.25, 0.25, 1}, {"", 5, 5.003, 1}, {"", 1000, 1000.5, 1}, // cut to ns
		{"int", 40000, 40031, 1}, {"int", 559616, 560127, 1},
		{"", 0.009, 0.01, 1}, {"", 0.898, 0.902, 1}, {"", 1, 1.007, 1}, {"", 4096, 4128, 1},
	}, cells)
}

// The writer's own max, in ms, is the end of the highest bucket.
func TestHdrTags(t *testing.T) {
	in := sample(t, "hdr/fmt-java2.1.11-tagged.hlog")
	got := must(t, in, Options{Unit: time.Nanosecond})
	highest := map[time.Duration]time.Duration{}
	series := map[string]int64{}
	for _, b := range got.buckets {
		highest[b.Start] = max(highest[b.Start], b.High)
		series[got.f.Name(b.Series)] += b.Count
		require.Equal(t, time.Second, b.Length)
	}
	require.Equal(t, map[time.Duration]time.Duration{0: 3600383, time.Second: 3600383, 2 * time.Second: 2000683007, 3 * time.Second: 3600383}, highest)
	require.Len(t, series, 2)
	at, ok := got.f.Epoch()
	require.True(t, ok)
	require.Equal(t, int64(1796004000), at.Unix())

	tagged := must(t, in, Options{Unit: time.Nanosecond, Tag: "b"})
	untagged := must(t, in, Options{Unit: time.Nanosecond, Untagged: true})
	require.Equal(t, series["b"], tagged.f.Tally().Rows)
	require.Equal(t, series[""], untagged.f.Tally().Rows)
	require.EqualValues(t, 2, tagged.f.Tally().Filtered)
}

// A length or a range in a file is nobody's order to allocate.
func TestHdrHostile(t *testing.T) {
	be := binary.BigEndian
	header := func(digits int32, lowest uint64) []byte {
		b := be.AppendUint32(nil, cookieV2|0x10)
		b = be.AppendUint32(b, math.MaxInt32) // payload length
		b = be.AppendUint32(b, math.MaxInt32) // offset
		b = be.AppendUint32(b, uint32(digits))
		b = be.AppendUint64(b, lowest)
		b = be.AppendUint64(b, math.MaxInt64)
		return be.AppendUint64(b, math.Float64bits(1))
	}
	// The greatest range with the most digits, and one sample: no counts array.
	in := hlog(pack(packedV2|0x10, append(header(5, 1), 0x02)))
	allocated := testing.AllocsPerRun(10, func() { must(t, in, Options{Unit: 1}) })
	require.Less(t, allocated, 300.0)
	require.Equal(t, [][3]int64{{0, 0, 1}}, cells(must(t, in, Options{Unit: 1}), 1))

	for name, payload := range map[string]string{
		"digits":                pack(packedV2|0x10, append(header(6, 1), 0x02)),
		"negative digits":       pack(packedV2|0x10, append(header(-1, 1), 0x02)),
		"negative lowest":       pack(packedV2|0x10, append(header(3, 1<<63), 0x02)),
		"value beyond int64":    pack(packedV2|0x10, append(header(3, 1<<62), 0x05, 0x02, 0x05, 0x02)),
		"longer than a year":    pack(packedV2|0x10, append(header(0, 1<<60), 0x01, 0x02)),
		"cookie within":         pack(packedV2|0x10, header(3, 1)[4:]),
		"half a header":         pack(packedV2|0x10, header(3, 1)[:20]),
		"no zlib":               base64.StdEncoding.EncodeToString(append(be.AppendUint32(nil, packedV2|0x10), "12345678"...)),
		"uncompressed":          "HISTEwAAAAMAAAAAAAAAAwAA",
		"no base64":             "HISTF***",
		"only a cookie":         "HISTFA==",
		"word of three":         packOld(1, 3, 3, nil),
		"count beyond int64":    packOld(1, 8, 3, []int64{-1}),
		"double of half a head": "DHIST",
	} {
		got := read(hlog(payload), Options{Unit: time.Nanosecond})
		var row *RowError
		require.ErrorAs(t, got.err, &row, name)
		require.EqualValues(t, 2, row.Line, name)
		lenient := must(t, hlog(payload, pack(packedV2|0x10, append(header(3, 1), 0x02))), Options{Unit: time.Nanosecond, Lenient: true})
		require.EqualValues(t, 1, lenient.f.Tally().Skipped, name)
		require.EqualValues(t, 1, lenient.f.Tally().Rows, name)
	}
}
