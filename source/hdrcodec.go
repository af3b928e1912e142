package source

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
)

// The payload of an interval in a HdrHistogram log: base64 of a cookie, a length
// and a zlib stream that holds a header and the counts of all buckets from the
// first. hdrhistogram-go reads V2 only, and allocates by the header's range;
// here counts are handed out as they come, so a header can ask for nothing.
// Source: HdrHistogram, AbstractHistogram.java and ZigZagEncoding.java.

const (
	cookieV0, packedV0 = 0x1c849308, 0x1c849309
	cookieV1, packedV1 = 0x1c849301, 0x1c849302
	cookieV2, packedV2 = 0x1c849303, 0x1c849304
	cookieDouble       = 0x0c72124e // the last nibble tells compressed from not

	maxCount    = 1 << 53  // more were never counted, and sums must fit
	maxInflated = 64 << 20 // a histogram of 5 digits over all of int64 has 48 MiB at worst
)

var (
	errPayload = errors.New("damaged histogram")
	errCookie  = errors.New("no histogram encoding that is known")
)

// A hdrReader decodes payloads, reusing its buffers.
type hdrReader struct {
	raw []byte
	in  *bufio.Reader
}

// A hdrHead is what a payload's header says.
type hdrHead struct {
	digits int32
	lowest int64
	ratio  float64 // of a double histogram's values to its integers, else 1
	double bool
}

// each decodes one payload and calls fn for every bucket that isn't empty, with
// the least and greatest value in it. Values are in the file's unit.
func (h *hdrReader) each(payload []byte, fn func(low, high float64, count int64) bool) error {
	need := base64.StdEncoding.DecodedLen(len(payload))
	if cap(h.raw) < need {
		h.raw = make([]byte, need)
	}
	n, err := base64.StdEncoding.Decode(h.raw[:need], payload)
	if err != nil {
		return fmt.Errorf("%w: %w", errPayload, err)
	}
	b := h.raw[:n]
	head := hdrHead{ratio: 1}
	if len(b) >= 16 && binary.BigEndian.Uint32(b)&^1 == cookieDouble {
		head.double = true
		b = b[16:] // cookie, digits, ratio of highest to lowest
	}
	if len(b) < 8 {
		return errPayload
	}
	var cookie uint32
	switch binary.BigEndian.Uint32(b) &^ 0xf0 {
	case packedV0:
		cookie = cookieV0
	case packedV1:
		cookie = cookieV1
	case packedV2:
		cookie = cookieV2
	default:
		return errCookie
	}
	z, err := zlib.NewReader(bytes.NewReader(b[8:]))
	if err != nil {
		return fmt.Errorf("%w: %w", errPayload, err)
	}
	if h.in == nil {
		h.in = bufio.NewReader(nil)
	}
	h.in.Reset(io.LimitReader(z, maxInflated))
	word, err := h.header(cookie, &head)
	if err != nil {
		return err
	}
	return h.counts(word, &head, fn)
}

// header reads the inner header. word is the size of a count in bytes, 0 for V2,
// whose counts vary in size.
func (h *hdrReader) header(cookie uint32, head *hdrHead) (word int, err error) {
	var b [40]byte
	if _, err := io.ReadFull(h.in, b[:4]); err != nil {
		return 0, errPayload
	}
	inner := binary.BigEndian.Uint32(b[:])
	if inner&^0xf0 != cookie {
		return 0, errCookie
	}
	word = int(inner >> 4 & 0xf)
	rest := b[4:]
	if cookie == cookieV0 {
		rest = b[4:32]
	}
	if _, err := io.ReadFull(h.in, rest); err != nil {
		return 0, errPayload
	}
	if cookie == cookieV0 { // digits, lowest, highest, total
		head.digits, head.lowest = int32(binary.BigEndian.Uint32(b[4:])), int64(binary.BigEndian.Uint64(b[8:]))
	} else { // length, normalizing offset, digits, lowest, highest, ratio
		// Counts are written in order of value whatever the offset is: it describes
		// the writer's memory. (Checked against Java 2.1.11 with shifted histograms.)
		head.digits, head.lowest = int32(binary.BigEndian.Uint32(b[12:])), int64(binary.BigEndian.Uint64(b[16:]))
		if head.double {
			head.ratio = math.Float64frombits(binary.BigEndian.Uint64(b[32:]))
		}
	}
	switch {
	case head.digits < 0 || head.digits > 5 || head.lowest < 0:
		return 0, errPayload
	case !(head.ratio > 0) || math.IsInf(head.ratio, 0):
		return 0, errPayload
	case cookie == cookieV2:
		return 0, nil
	case word != 2 && word != 4 && word != 8:
		return 0, errPayload
	}
	return word, nil
}

// counts reads the counts up to the payload's end.
func (h *hdrReader) counts(word int, head *hdrHead, fn func(low, high float64, count int64) bool) error {
	// The number of sub-buckets is the power of two that tells 2*10^digits apart.
	precise := 2.0 * math.Pow10(int(head.digits))
	subs := int64(1) << int(math.Ceil(math.Log2(precise)))
	shift := 0 // of the lowest discernible value
	if head.lowest > 1 {
		shift = bits.Len64(uint64(head.lowest)) - 1
	}
	for i := int64(0); ; i++ {
		count, zeros, err := h.count(word)
		if err == io.EOF {
			return nil
		}
		if err != nil || count < 0 || zeros > math.MaxInt32 || i > math.MaxInt32 {
			return errPayload
		}
		if zeros > 0 {
			i += zeros - 1
			continue
		}
		if count == 0 {
			continue
		}
		if count > maxCount {
			return errPayload
		}
		low, width, ok := bucketOf(i, subs, shift)
		if !ok {
			return errPayload
		}
		high := float64(low + width - 1)
		if head.double { // values are real: the bucket goes up to the next one
			high = float64(low + width)
		}
		if !fn(float64(low)*head.ratio, high*head.ratio, count) {
			return errStop
		}
	}
}

// bucketOf returns the least value of bucket i and its width. The first subs
// buckets are one unit wide; then every subs/2 of them the width doubles.
func bucketOf(i, subs int64, shift int) (low, width int64, ok bool) {
	half := subs / 2
	sub, octave := i, int64(0)
	if i >= subs {
		octave = i/half - 1
		sub = i%half + half
	}
	n := int(octave) + shift
	if octave > 62 || n > 62 || bits.Len64(uint64(sub))+n > 62 {
		return 0, 0, false
	}
	return sub << n, 1 << n, true
}

// count reads the next count, or the number of zero counts that follow.
func (h *hdrReader) count(word int) (count, zeros int64, err error) {
	if word == 0 {
		v, err := h.zigzag()
		if v < 0 {
			if v == math.MinInt64 {
				return 0, 0, errPayload
			}
			return 0, -v, err
		}
		return v, 0, err
	}
	var b [8]byte
	if _, err := io.ReadFull(h.in, b[:word]); err != nil {
		return 0, 0, err
	}
	v := binary.BigEndian.Uint64(b[:]) >> (64 - 8*word)
	if v > math.MaxInt64 {
		return 0, 0, errPayload
	}
	return int64(v), 0, nil
}

// zigzag reads a ZigZag LEB128-64b9B number: seven bits a byte, the lowest first,
// the highest bit for more to come; a ninth byte has eight bits and is the last.
func (h *hdrReader) zigzag() (int64, error) {
	var v uint64
	for i := 0; ; i++ {
		c, err := h.in.ReadByte()
		if err != nil {
			if i > 0 {
				err = errPayload
			}
			return 0, err
		}
		if i == 8 {
			v |= uint64(c) << 56
			break
		}
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			break
		}
	}
	return int64(v>>1) ^ -int64(v&1), nil
}
