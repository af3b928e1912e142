package transport

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"openload/correct"
)

func TestClasses(t *testing.T) {
	during := func(err error) error { return &net.OpError{Op: "x", Net: "tcp", Err: os.NewSyscallError("x", err)} }
	for _, tt := range []struct {
		name        string
		err         error
		dial        correct.Class
		read, began correct.Class // before and after the first byte of the response
	}{
		{"refused", during(syscall.ECONNREFUSED), correct.Refused, correct.Refused, correct.Refused},
		{"reset", during(syscall.ECONNRESET), correct.Reset, correct.Reset, correct.Truncated},
		{"broken pipe", during(syscall.EPIPE), correct.Reset, correct.Reset, correct.Truncated},
		{"end of file", io.EOF, correct.Network, correct.Reset, correct.Truncated},
		{"our limit", during(os.ErrDeadlineExceeded), correct.ConnectTimeout, correct.Timeout, correct.Timeout},
		{"the kernel's limit", during(syscall.ETIMEDOUT), correct.ConnectTimeout, correct.Network, correct.Network},
		{"no descriptors here", during(syscall.EMFILE), correct.Descriptors, correct.Descriptors, correct.Descriptors},
		{"no descriptors anywhere", during(syscall.ENFILE), correct.Descriptors, correct.Descriptors, correct.Descriptors},
		{"no ports", during(syscall.EADDRNOTAVAIL), correct.Ports, correct.Ports, correct.Ports},
		{"no way", during(syscall.EHOSTUNREACH), correct.Network, correct.Network, correct.Network},
		{"no name", &net.DNSError{Err: "no such host", IsNotFound: true}, correct.DNS, correct.Network, correct.Network},
		{"no HTTP", errMalformed, correct.Network, correct.Malformed, correct.Malformed},
		{"a long header", fmt.Errorf("x: %w", errHeader), correct.Network, correct.Malformed, correct.Malformed},
		{"an alert", errors.New("remote error: tls: internal error"), correct.Network, correct.TLS, correct.TLS},
		{"closed by us", net.ErrClosed, correct.Network, correct.Unfinished, correct.Unfinished},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dial, _ := dialClass(tt.err)
			read, _ := readClass(tt.err, false)
			began, _ := readClass(tt.err, true)
			require.Equal(t, []correct.Class{tt.dial, tt.read, tt.began}, []correct.Class{dial, read, began})
		})
	}
}
