package sink

import (
	"compress/gzip"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// packed returns what compresses into w as the end of the file's name says, .gz or
// .zst; nil if it says nothing. Close it, also after an error.
func packed(w io.Writer, file string) (io.WriteCloser, error) {
	switch {
	case strings.HasSuffix(file, ".gz"):
		return gzip.NewWriter(w), nil
	case strings.HasSuffix(file, ".zst"):
		// One goroutine less: whoever sends requests has better use for the processors.
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	}
	return nil, nil
}
