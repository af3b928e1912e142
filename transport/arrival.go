package transport

import (
	"io"
	"time"
)

// arrival notes when the first bytes of a response come.
type arrival struct {
	src   io.Reader
	clock func() time.Time
	reads int // since it was set back
	first time.Time
}

func (a *arrival) Read(b []byte) (int, error) {
	n, err := a.src.Read(b)
	if a.reads++; a.reads == 1 {
		a.first = a.clock()
	}
	return n, err
}
