package conformance

import (
	"net"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Listen serves every connection on 127.0.0.1 with handle, until the test ends, and
// returns its address.
func Listen(t testing.TB, handle func(net.Conn)) (addr string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				handle(c)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		all.Wait()
	})
	return l.Addr().String()
}

// Hello answers everything that it reads, and allocates nothing for it.
func Hello(c net.Conn) {
	answer := []byte(hello)
	for b := make([]byte, 4096); ; {
		if _, err := c.Read(b); err != nil {
			return
		}
		c.Write(answer)
	}
}

// Mallocs is how many objects this process has allocated.
func Mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}
