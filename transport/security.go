package transport

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
)

// Security says how TLS is spoken. The zero value trusts whom the machine trusts, and
// makes a full handshake for each connection.
type Security struct {
	Insecure     bool           // do not verify the server's certificate
	Roots        *x509.CertPool // whom to trust; nil: whom the machine trusts
	Certificates []tls.Certificate
	Name         string // asked for by SNI, and verified; "": the target's host
	Least        uint16 // TLS version, such as [tls.VersionTLS12]; 0: crypto/tls's own
	Resume       bool   // sessions are resumed

	Handshakes *Handshakes // counts them; nil: nobody wants to know
}

// Handshakes are those in which the server was accepted.
type Handshakes struct {
	all, resumed atomic.Uint64
}

// Counts are all of them so far, and those of them that resumed a session.
func (h *Handshakes) Counts() (all, resumed uint64) { return h.all.Load(), h.resumed.Load() }

// count is called by crypto/tls for resumed sessions, too.
func (h *Handshakes) count(s tls.ConnectionState) error {
	h.all.Add(1)
	if s.DidResume {
		h.resumed.Add(1)
	}
	return nil
}

// sessions is how many are kept for each target: servers give two or so a connection,
// and only the last is used.
const sessions = 64

// config is what crypto/tls needs for a target's host. An address has no SNI.
func (s Security) config(host string, protocols ...string) *tls.Config {
	c := &tls.Config{
		ServerName: strings.TrimSuffix(host, "."), NextProtos: protocols,
		RootCAs: s.Roots, Certificates: s.Certificates, InsecureSkipVerify: s.Insecure, MinVersion: s.Least,
	}
	if s.Name != "" {
		c.ServerName = s.Name
	}
	if s.Handshakes != nil {
		c.VerifyConnection = s.Handshakes.count
	}
	if s.Resume {
		c.ClientSessionCache = tls.NewLRUClientSessionCache(sessions)
	}
	return c
}

// ReadRoots reads the certificates of those to trust, in PEM.
func ReadRoots(file string) (*x509.CertPool, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(b) {
		return nil, fmt.Errorf("%s: no certificate in it; it must be PEM, which begins -----BEGIN CERTIFICATE-----", file)
	}
	return pool, nil
}

// ReadCertificate reads our own certificate and its key, in PEM. Without a key file both
// are in the first.
func ReadCertificate(file, key string) (tls.Certificate, error) {
	certificate, err := os.ReadFile(file)
	if err != nil {
		return tls.Certificate{}, err
	}
	private := certificate
	if key == "" {
		if !bytes.Contains(certificate, []byte("PRIVATE KEY-----")) && bytes.Contains(certificate, []byte("BEGIN CERTIFICATE-----")) {
			return tls.Certificate{}, fmt.Errorf("%s has no key in it; add --key FILE", file)
		}
		key = file
	} else if private, err = os.ReadFile(key); err != nil {
		return tls.Certificate{}, err
	}
	c, err := tls.X509KeyPair(certificate, private)
	if err != nil {
		_, reason, ok := strings.Cut(err.Error(), "tls: ")
		if !ok {
			reason = err.Error()
		}
		return c, fmt.Errorf("%s and %s: %s", file, key, reason)
	}
	return c, nil
}

// ParseTLSVersion reads 1.0 to 1.3.
func ParseTLSVersion(text string) (uint16, error) {
	for v := uint16(tls.VersionTLS10); v <= tls.VersionTLS13; v++ {
		if tls.VersionName(v) == "TLS "+text {
			return v, nil
		}
	}
	return 0, fmt.Errorf("%q is no version of TLS; write 1.2 or 1.3 (1.0 and 1.1 for old servers)", text)
}
