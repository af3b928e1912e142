package correct

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"math"
	"sync"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Encoded is the histogram of the durations up to Longest, in nanoseconds: base64 of
// HdrHistogram's compressed V2 encoding, which the libraries of other languages read
// too. Empty if there are none. Failures are not in it.
func (d *Dist) Encoded() string {
	if d.bins == nil {
		return ""
	}
	var e encoding
	d.bins.each(func(i uint, n uint64) bool {
		e.add(int64(i), int64(n))
		return true
	})
	return e.text(3, 1, int64(Longest))
}

// Encoded is h likewise, byte for byte what the library makes of it. It takes 800 kB
// to compress one there, and a report may have hundreds.
func Encoded(h *hdrhistogram.Histogram) string {
	var e encoding
	for i, n := range h.Export().Counts {
		if n > 0 {
			e.add(int64(i), n)
		}
	}
	return e.text(int32(h.SignificantFigures()), h.LowestTrackableValue(), h.HighestTrackableValue())
}

// An encoding is the counts as they are written: varints, of which negative ones stand
// for so many empty buckets.
type encoding struct {
	next   int64 // bucket
	counts []byte
}

// add adds a bucket that is not empty; they come in order.
func (e *encoding) add(i, n int64) {
	switch gap := i - e.next; {
	case gap == 1:
		e.counts = binary.AppendVarint(e.counts, 0)
	case gap > 1:
		e.counts = binary.AppendVarint(e.counts, -gap)
	}
	e.counts = binary.AppendVarint(e.counts, n)
	e.next = i + 1
}

var compressors = sync.Pool{New: func() any {
	w, err := zlib.NewWriterLevel(nil, zlib.BestCompression)
	if err != nil {
		panic(err) // there is such a level
	}
	return w
}}

func (e *encoding) text(digits int32, least, greatest int64) string {
	if e.next == 0 {
		e.counts = []byte{0}
	}
	const flags = 0x10
	plain := binary.BigEndian.AppendUint32(nil, uint32(hdrhistogram.V2EncodingCookieBase|flags))
	plain = binary.BigEndian.AppendUint32(plain, uint32(len(e.counts)))
	plain = binary.BigEndian.AppendUint32(plain, 0) // no offset
	plain = binary.BigEndian.AppendUint32(plain, uint32(digits))
	plain = binary.BigEndian.AppendUint64(plain, uint64(least))
	plain = binary.BigEndian.AppendUint64(plain, uint64(greatest))
	plain = binary.BigEndian.AppendUint64(plain, math.Float64bits(1)) // values are as they are
	plain = append(plain, e.counts...)

	var b bytes.Buffer
	w := compressors.Get().(*zlib.Writer)
	defer compressors.Put(w)
	w.Reset(&b)
	_, _ = w.Write(plain) // memory takes all
	_ = w.Close()
	all := binary.BigEndian.AppendUint32(nil, uint32(hdrhistogram.V2CompressedEncodingCookieBase|flags))
	all = binary.BigEndian.AppendUint32(all, uint32(b.Len()))
	return base64.StdEncoding.EncodeToString(append(all, b.Bytes()...))
}
