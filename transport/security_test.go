package transport_test

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/live/conformance"
	"openload/transport"
)

func TestReadingCertificates(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, blocks ...*pem.Block) string {
		var b []byte
		for _, x := range blocks {
			b = append(b, pem.EncodeToMemory(x)...)
		}
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, b, 0o600))
		return file
	}
	c, _ := conformance.Certify(t, time.Now().Add(time.Hour))
	other, _ := conformance.Certify(t, time.Now().Add(time.Hour))
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	require.NoError(t, err)
	certificate, key := &pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]}, &pem.Block{Type: "PRIVATE KEY", Bytes: der}
	both, alone, private := write("both.pem", certificate, key), write("cert.pem", certificate), write("key.pem", key)
	wrong := write("other.pem", &pem.Block{Type: "CERTIFICATE", Bytes: other.Certificate[0]})

	_, err = transport.ReadRoots(alone)
	require.NoError(t, err)
	_, err = transport.ReadRoots(private)
	require.EqualError(t, err, private+": no certificate in it; it must be PEM, which begins -----BEGIN CERTIFICATE-----")
	_, err = transport.ReadRoots(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)

	for _, files := range [][2]string{{both, ""}, {alone, private}} {
		got, err := transport.ReadCertificate(files[0], files[1])
		require.NoError(t, err)
		require.Equal(t, c.Certificate, got.Certificate)
	}
	_, err = transport.ReadCertificate(alone, "")
	require.EqualError(t, err, alone+" has no key in it; add --key FILE")
	_, err = transport.ReadCertificate(wrong, private)
	require.ErrorContains(t, err, "private key does not match public key")
}

func TestParseTLSVersion(t *testing.T) {
	for text, want := range map[string]uint16{"1.0": 0x301, "1.2": 0x303, "1.3": 0x304} {
		got, err := transport.ParseTLSVersion(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := transport.ParseTLSVersion("TLS1.2")
	require.EqualError(t, err, `"TLS1.2" is no version of TLS; write 1.2 or 1.3 (1.0 and 1.1 for old servers)`)
}
