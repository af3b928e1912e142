package coding

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/molecule-man/go-brrr"
)

// A decoder is a kind of coding: its readers are used again and again.
type decoder struct {
	readers *sync.Pool // of resetters
}

// resetter reads a coding.
type resetter interface {
	io.Reader
	Reset(io.Reader) error
}

// decoders are what [Accept] asks for.
// Source: RFC 9110, section 8.4.1; RFC 7932; RFC 8878; the window of RFC 9659.
var decoders = map[string]decoder{
	"gzip":    {&sync.Pool{New: func() any { return new(gzip.Reader) }}},
	"deflate": {&sync.Pool{New: func() any { return new(deflated) }}},
	"br":      {&sync.Pool{New: func() any { return &brotli{brrr.NewReader(nil)} }}},
	"zstd": {&sync.Pool{New: func() any {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8<<20))
		if err != nil {
			panic(err) // its options are ours
		}
		return d
	}}},
}

// Accept is the Accept-Encoding that asks for all codings that can be decoded.
const Accept = "gzip, deflate, br, zstd"

// mostCodings bounds how many may lie over each other.
const mostCodings = 4

// split returns the codings of a Content-Encoding, in the order in which they were
// applied.
func split(value string) (codings []string) {
	for part := range strings.SplitSeq(value, ",") {
		switch name := strings.ToLower(strings.Trim(part, " \t")); name {
		case "", "identity":
		case "x-gzip":
			codings = append(codings, "gzip")
		default:
			codings = append(codings, name)
		}
	}
	return codings
}

// join is how several are called, as a header would.
func join(codings []string) string { return strings.Join(codings, ", ") }

// known says what about the codings cannot be decoded.
func known(codings []string) error {
	if len(codings) > mostCodings {
		return fmt.Errorf("more than %d codings over each other", mostCodings)
	}
	for _, name := range codings {
		if _, ok := decoders[name]; !ok {
			return errors.New("not a coding that openload knows")
		}
	}
	return nil
}

// decode reads the body to its end and returns what it came to.
func (b *Body) decode() (bytes int64, err error) {
	var r io.Reader = b
	for _, name := range slices.Backward(b.codings) { // the last was applied last
		pool := decoders[name].readers
		d := pool.Get().(resetter)
		defer pool.Put(d)
		if err := d.Reset(r); err != nil {
			return 0, err
		}
		r = d
	}
	buf := scrap.Get().(*[32 << 10]byte)
	defer scrap.Put(buf)
	for !b.skipped.Load() {
		n, err := r.Read(buf[:])
		bytes += int64(n)
		if err == io.EOF {
			return bytes, nil
		}
		if err != nil {
			return bytes, err
		}
		b.counter.give() // the others have their turn
		b.counter.take()
	}
	return bytes, errGone
}

var scrap = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// deflated reads what servers call deflate: zlib's format, or the bare stream.
type deflated struct {
	src   *bufio.Reader
	zlib  io.Reader
	flate io.Reader
	now   io.Reader // one of them
}

func (d *deflated) Reset(r io.Reader) (err error) {
	if d.src == nil {
		d.src = bufio.NewReader(r)
	}
	d.src.Reset(r)
	head, err := d.src.Peek(2)
	if err != nil {
		return err
	}
	// Source: RFC 1950, section 2.2: method 8, and a multiple of 31.
	if head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		if d.zlib == nil {
			d.zlib, err = zlib.NewReader(d.src)
		} else {
			err = d.zlib.(zlib.Resetter).Reset(d.src, nil)
		}
		d.now = d.zlib
		return err
	}
	if d.flate == nil {
		d.flate = flate.NewReader(d.src)
	} else {
		err = d.flate.(flate.Resetter).Reset(d.src, nil)
	}
	d.now = d.flate
	return err
}

func (d *deflated) Read(p []byte) (int, error) { return d.now.Read(p) }

// brotli is a reader whose Reset cannot fail.
type brotli struct{ *brrr.Reader }

func (b *brotli) Reset(r io.Reader) error {
	b.Reader.Reset(r)
	return nil
}

// reason says what was wrong with a body, in words that are the same for all such.
func reason(name string, err error) string {
	text := err.Error()
	switch _, corrupt := errors.AsType[flate.CorruptInputError](err); {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || text == "brotli: truncated input":
		text = "cut off"
	case corrupt:
		text = "corrupt"
	default:
		for _, maker := range []string{"gzip: ", "zlib: ", "zstd: ", "brrr: ", "brotli: "} {
			text = strings.TrimPrefix(text, maker)
		}
	}
	return name + ": " + text
}
