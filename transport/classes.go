package transport

// Every error of the network becomes a class here, and nowhere else.

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"openload/correct"
)

var (
	errMalformed = errors.New("not an HTTP/1 response")
	errCoding    = fmt.Errorf("%w that can be read: a transfer coding other than chunked", errMalformed)
	errControl   = fmt.Errorf("%w that can be read: a control character in its header", errMalformed)
	errHeader    = fmt.Errorf("more than %d bytes of header", maxHeader)
)

// dialClass is the class of a failed dial.
func dialClass(err error) (correct.Class, string) {
	if timedOut(err) || errors.Is(err, syscall.ETIMEDOUT) {
		return correct.ConnectTimeout, ""
	}
	if p, ok := errors.AsType[proxyError](err); ok {
		return correct.Proxy, p.reason
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return correct.DNS, dns.Err
	}
	return systemClass(err)
}

// handshakeClass is the class of a failed TLS handshake on an open connection.
func handshakeClass(err error) (correct.Class, string) {
	if timedOut(err) {
		return correct.ConnectTimeout, "in the TLS handshake"
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return correct.Reset, "closed in the TLS handshake"
	}
	if class, detail := systemClass(err); class != correct.Network {
		return class, detail
	}
	return tlsClass(err)
}

// tlsClass is the class of what TLS itself found wrong.
func tlsClass(err error) (correct.Class, string) {
	class := correct.TLS
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		class = correct.CertExpired
	} else if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		class = correct.CertUntrusted
	} else if _, ok := errors.AsType[x509.HostnameError](err); ok {
		class = correct.CertName
	}
	return class, tlsDetail(err)
}

// tlsDetail says in a few words why TLS failed.
func tlsDetail(err error) string {
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return "certificate has expired or is not yet valid"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "certificate of an unknown authority"
	}
	if name, ok := errors.AsType[x509.HostnameError](err); ok {
		return "certificate is not for " + name.Host
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "the server does not speak TLS on this port"
	}
	if _, reason, ok := strings.Cut(err.Error(), "tls: "); ok {
		return reason
	}
	return err.Error()
}

// readClass is the class of an error after the dial. began says whether a byte of
// the response had been read before it.
func readClass(err error, began bool) (correct.Class, string) {
	switch {
	case errors.Is(err, errMalformed) || errors.Is(err, errHeader):
		return correct.Malformed, err.Error()
	case timedOut(err):
		return correct.Timeout, ""
	case errors.Is(err, net.ErrClosed):
		return correct.Unfinished, "" // only we close a connection under an exchange, when the run ends
	}
	class, detail := correct.Reset, "closed by the server"
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		class, detail = systemClass(err)
	}
	switch {
	case class == correct.Reset && began:
		return correct.Truncated, detail
	case class == correct.Network && isTLS(err):
		return correct.TLS, tlsDetail(err)
	}
	return class, detail
}

func isTLS(err error) bool {
	_, alert := errors.AsType[tls.AlertError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	return alert || record || strings.Contains(err.Error(), "tls: ")
}

// systemClass is the class of what the kernel says.
func systemClass(err error) (correct.Class, string) {
	errno, ok := errors.AsType[syscall.Errno](err)
	if !ok {
		return correct.Network, err.Error()
	}
	switch errno {
	case syscall.ECONNREFUSED:
		return correct.Refused, ""
	case syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED:
		return correct.Reset, errno.Error()
	case syscall.EMFILE, syscall.ENFILE:
		return correct.Descriptors, errno.Error()
	case syscall.EADDRNOTAVAIL:
		return correct.Ports, errno.Error()
	}
	return correct.Network, errno.Error()
}

// timedOut reports whether a limit of ours ended it. The kernel's own ETIMEDOUT is
// none: that is a peer which stopped acknowledging.
func timedOut(err error) bool {
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	_, errno := errors.AsType[syscall.Errno](err)
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout() && !errno
}
