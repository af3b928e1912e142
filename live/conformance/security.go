package conformance

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/transport"
)

// Certify returns a certificate for 127.0.0.1, ::1 and example.test that ends at the
// given time, and who trusts it.
func Certify(t testing.TB, until time.Time) (tls.Certificate, *x509.CertPool) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: until.Add(-time.Hour), NotAfter: until,
		DNSNames: []string{"example.test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

// security holds a World to what TLS may and may not do.
func security(t *testing.T, open func(*testing.T, Options) World) {
	good, roots := Certify(t, time.Now().Add(time.Hour))
	old, oldRoots := Certify(t, time.Now().Add(-time.Minute))
	mine, mineRoots := Certify(t, time.Now().Add(time.Hour))

	// shots fires some, one after the other, each over a connection of its own, and
	// returns how they ended and what the server saw of each connection.
	shots := func(t *testing.T, n int, server *tls.Config, s transport.Security) (ended []correct.Class, saw []tls.ConnectionState) {
		states := make(chan tls.ConnectionState, n)
		l := listen(t, "127.0.0.1", server, func(_ int, p peer) {
			if _, ok := p.request(); ok {
				states <- p.Conn.(*tls.Conn).ConnectionState()
				p.say(hello)
			}
		})
		w := open(t, Options{
			Epoch: time.Now(), Connections: 1, ConnectTimeout: 5 * time.Second,
			Client: client(t, transport.Config{
				Request: plain("https://" + l.Addr().String()), Addrs: addrs("127.0.0.1"), Security: s, Clock: time.Now,
			}),
		})
		defer w.Close()
		for range n {
			x := Drive(t, w, []time.Duration{0}, nil)[0]
			ended = append(ended, x.Class)
			require.Equal(t, x.Class == correct.OK, x.Written)
			l.settle(t)
		}
		close(states)
		for c := range states {
			saw = append(saw, c)
		}
		return ended, saw
	}
	with := func(c tls.Certificate) *tls.Config { return &tls.Config{Certificates: []tls.Certificate{c}} }
	for _, tt := range []struct {
		name   string
		server *tls.Config
		client transport.Security
		class  correct.Class
		sni    string
	}{
		{"C39 expired", with(old), transport.Security{Roots: oldRoots}, correct.CertExpired, ""},
		{"C39 wrong name", with(good), transport.Security{Roots: roots, Name: "other.test"}, correct.CertName, ""},
		{"untrusted", with(good), transport.Security{Roots: oldRoots}, correct.CertUntrusted, ""},
		{"C39 insecure takes all", with(old), transport.Security{Roots: roots, Insecure: true}, correct.OK, ""},
		{"C16 a name of one's own", with(good), transport.Security{Roots: roots, Name: "example.test"}, correct.OK, "example.test"},
		{"C16 and insecure", with(old), transport.Security{Insecure: true, Name: "other.test"}, correct.OK, "other.test"},
		{"a client certificate is asked for",
			&tls.Config{Certificates: []tls.Certificate{good}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: mineRoots, MaxVersion: tls.VersionTLS12},
			transport.Security{Roots: roots}, correct.TLS, ""},
		{"and given",
			&tls.Config{Certificates: []tls.Certificate{good}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: mineRoots},
			transport.Security{Roots: roots, Certificates: []tls.Certificate{mine}}, correct.OK, ""},
		{"an old version", &tls.Config{Certificates: []tls.Certificate{good}, MaxVersion: tls.VersionTLS12}, transport.Security{Roots: roots, Least: tls.VersionTLS13}, correct.TLS, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ended, saw := shots(t, 1, tt.server, tt.client)
			require.Equal(t, []correct.Class{tt.class}, ended)
			if tt.class == correct.OK {
				require.Len(t, saw, 1)
				require.Equal(t, tt.sni, saw[0].ServerName)
			}
		})
	}
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for _, resume := range []bool{false, true} {
			server := with(good)
			server.MaxVersion = version
			ended, saw := shots(t, 4, server, transport.Security{Roots: roots, Resume: resume})
			require.Len(t, ended, 4)
			require.Len(t, saw, 4)
			for i, c := range saw {
				require.Equal(t, correct.OK, ended[i])
				require.Equal(t, resume && i > 0, c.DidResume, "connection %d, %s", i, tls.VersionName(version))
			}
		}
	}
}
