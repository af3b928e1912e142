//go:build integration

package main

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/live/conformance"
)

// servers are nginx and haproxy with the configurations of testdata/servers. Without
// them this fails: a check that did not run must not look like one that passed.
type servers struct {
	dir  string
	port [7]string // from 1 on
}

func startServers(t *testing.T) *servers {
	dir, err := os.MkdirTemp("", "ol") // a short path, as a Unix socket wants it
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	s := &servers{dir: dir}
	replace := []string{"@DIR", dir}
	for i := 1; i < len(s.port); i++ {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		_, s.port[i], _ = net.SplitHostPort(l.Addr().String())
		replace = append(replace, "@"+strconv.Itoa(i), s.port[i])
		l.Close()
	}
	certificate, _ := conformance.Certify(t, time.Now().Add(time.Hour))
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	require.NoError(t, err)
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})
	private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})
	for name, content := range map[string][]byte{
		"cert.pem": cert, "key.pem": private, "both.pem": append(bytes.Clone(cert), private...),
		"large.txt": bytes.Repeat([]byte("0123456789abcdef"), 4<<20/16),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}
	for _, x := range []struct {
		file string
		args []string
	}{{"nginx.conf", []string{"nginx", "-p", dir, "-c"}}, {"haproxy.cfg", []string{"haproxy", "-db", "-f"}}} {
		b, err := os.ReadFile(filepath.Join("testdata/servers", x.file))
		require.NoError(t, err)
		file := filepath.Join(dir, x.file)
		require.NoError(t, os.WriteFile(file, []byte(strings.NewReplacer(replace...).Replace(string(b))), 0o644))
		cmd := exec.Command(x.args[0], append(x.args[1:], file)...)
		cmd.Stderr = os.Stderr
		require.NoError(t, cmd.Start(), "%s has to be installed", x.args[0])
		t.Cleanup(func() {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait()
		})
	}
	for i := 1; i < len(s.port); i++ {
		require.Eventually(t, func() bool {
			c, err := net.Dial("tcp", "127.0.0.1:"+s.port[i])
			if err == nil {
				c.Close()
			}
			return err == nil
		}, 10*time.Second, 10*time.Millisecond)
	}
	return s
}

// url is where the server with that number listens.
func (s *servers) url(scheme string, n int, path string) string {
	return scheme + "://127.0.0.1:" + s.port[n] + path
}

// Against real servers every request gets its answer, over every transport and in both
// Worlds, and connections that a server ends by its own limits are nobody's failure.
func TestIntegrationServers(t *testing.T) {
	s := startServers(t)
	trust := []string{"--cacert", s.dir + "/cert.pem"}
	own := append([]string{"--cert", s.dir + "/cert.pem", "--key", s.dir + "/key.pem"}, trust...)
	both, portable := []string{"loop", "portable"}, []string{"auto"}
	for _, tt := range []struct {
		name     string
		engines  []string
		args     []string
		ok       uint64 // of 300; the others have a bad status
		protocol string
		atLeast  uint64 // connections
		atMost   uint64
		check    func(*testing.T, result)
	}{
		{"keep-alive of ten requests", both, []string{s.url("http", 1, "/")}, 300, "HTTP/1.1", 30, 300, nil},
		{"C05 without keep-alive", both, []string{"--no-keepalive", s.url("http", 1, "/")}, 300, "HTTP/1.1", 300, 300, nil},
		{"so many requests a connection", both, []string{"--requests-per-connection", "5", s.url("http", 1, "/")}, 300, "HTTP/1.1", 60, 300, nil},
		{"C14 redirects are not followed", both, []string{s.url("http", 1, "/redirect")}, 300, "HTTP/1.1", 1, 300, func(t *testing.T, r result) {
			require.EqualValues(t, 300, r.report.Counts.Status["302"])
		}},
		{"C14 and are", portable, []string{"-L", s.url("http", 1, "/redirect")}, 300, "HTTP/1.1", 1, 300, func(t *testing.T, r result) {
			require.EqualValues(t, 300, r.report.Counts.Status["200"])
			require.EqualValues(t, 300, *r.report.Network.Redirects)
		}},
		{"HEAD stays HEAD", both, []string{"-X", "HEAD", s.url("http", 1, "/")}, 300, "HTTP/1.1", 30, 300, nil},
		{"every answer is 503", both, []string{s.url("http", 1, "/fail")}, 0, "HTTP/1.1", 1, 300, nil},
		{"a Unix socket", both, []string{"--unix-socket", s.dir + "/socket", "http://example.test/"}, 300, "HTTP/1.1", 30, 300, func(t *testing.T, r result) {
			require.Equal(t, "unix:"+s.dir+"/socket", r.report.Network.Peers[0].Address)
		}},
		{"TLS", both, append(trust, s.url("https", 2, "/")), 300, "HTTP/1.1", 6, 300, nil},
		{"TLS resumed", both, append([]string{"--tls-resume", "on", "--no-keepalive"}, append(trust, s.url("https", 2, "/"))...), 300, "HTTP/1.1", 300, 300, nil},
		{"a client certificate", both, append(own, s.url("https", 4, "/")), 300, "HTTP/1.1", 6, 300, nil},
		{"no client certificate", both, append(trust, s.url("https", 4, "/")), 0, "HTTP/1.1", 1, 300, nil}, // nginx says 400
		{"C35 HTTP/2, GOAWAY after fifty", portable, append([]string{"--http2"}, append(trust, s.url("https", 2, "/"))...), 300, "HTTP/2.0", 6, 300, nil},
		{"HTTP/2, four streams a connection", portable, append([]string{"--http2", "--streams", "4"}, append(trust, s.url("https", 2, "/"))...), 300, "HTTP/2.0", 6, 300, nil},
		{"HTTP/2 in the clear", portable, []string{"--http2-prior-knowledge", s.url("http", 3, "/")}, 300, "HTTP/2.0", 6, 300, nil},
		{"haproxy", both, []string{s.url("http", 5, "/")}, 300, "HTTP/1.1", 1, 300, nil},
		{"haproxy and TLS", both, append(trust, s.url("https", 6, "/")), 300, "HTTP/1.1", 1, 300, nil},
		{"haproxy and HTTP/2", portable, append([]string{"--http2"}, append(trust, s.url("https", 6, "/"))...), 300, "HTTP/2.0", 1, 300, nil},
	} {
		for _, engine := range tt.engines {
			t.Run(tt.name+" "+engine, func(t *testing.T) {
				r := during(t, nothing, append([]string{"--engine", engine, "--rate", "600", "--n", "300", "--progress", "none"}, tt.args...)...)
				c := r.report.Counts
				require.Equal(t, tt.ok, c.OK, r.stdout)
				require.Equal(t, 300-tt.ok, c.BadStatus, r.stdout)
				require.EqualValues(t, 300, c.Sent)
				require.Equal(t, tt.protocol, r.report.Network.Protocol)
				require.GreaterOrEqual(t, *c.ConnectionsOpened, tt.atLeast)
				require.LessOrEqual(t, *c.ConnectionsOpened, tt.atMost)
				if h := r.report.Network.HTTP2; h != nil {
					require.Equal(t, 300+c.Resent, h.Streams)
					require.Equal(t, c.Resent, h.Refused)
				}
				if tt.check != nil {
					tt.check(t, r)
				}
			})
		}
	}

	t.Run("an idle timeout of the server is no failure", func(t *testing.T) {
		for _, engine := range both {
			// nginx closes after 100 ms, and requests come every 150.
			r := during(t, nothing, "--engine", engine, "--rate", "6.6667", "--n", "8", s.url("http", 1, "/"))
			require.EqualValues(t, 8, r.report.Counts.OK, r.stdout)
			require.Zero(t, r.report.Counts.Resent)
			require.GreaterOrEqual(t, *r.report.Counts.ConnectionsOpened, uint64(4))
		}
	})

	t.Run("C40 large bodies cost no memory", func(t *testing.T) {
		for _, engine := range both {
			var used int64
			r := during(t, func(p *os.Process) {
				time.Sleep(1500 * time.Millisecond)
				used = residentBytes(t, p.Pid)
			}, "--engine", engine, "--rate", "10", "--n", "30", "--no-keepalive", s.url("http", 5, "/large")) // no close of an idle connection to meet
			require.EqualValues(t, 30, r.report.Counts.OK, r.stdout)
			require.Less(t, used, int64(100<<20), "30 bodies of 4 MiB")
		}
	})

	t.Run("C09 compression", func(t *testing.T) {
		for _, engine := range both {
			plain := during(t, nothing, "--engine", engine, "--rate", "10", "--n", "2", s.url("http", 5, "/large"))
			require.EqualValues(t, 2*4<<20, plain.report.Network.BodyBytes, "nobody asked for it")
			packed := during(t, nothing, "--engine", engine, "--rate", "10", "--n", "2", "--compressed", s.url("http", 5, "/large"))
			require.EqualValues(t, 2, packed.report.Counts.OK)
			require.Positive(t, packed.report.Network.BodyBytes)
			require.Less(t, packed.report.Network.BodyBytes, uint64(1<<20))
			d := packed.report.Network.Decoded
			require.EqualValues(t, 2, d.Decoded)
			require.Equal(t, map[string]uint64{"gzip": 2}, d.Codings)
			require.Equal(t, packed.report.Network.BodyBytes, d.Wire)
			require.EqualValues(t, 2*4<<20, d.Bytes)
			require.Contains(t, strings.Join(strings.Fields(packed.stdout), " "), "2 of 2 encoded ones (gzip) decoded, "+strconv.FormatUint(d.Wire, 10)+" B to 8388608 B")
			broken := during(t, nothing, "--engine", engine, "--rate", "10", "--n", "2", "--compressed", s.url("http", 1, "/mislabelled"))
			require.EqualValues(t, 2, broken.report.Counts.OK)
			require.Equal(t, map[string]uint64{"br: cut off": 2}, broken.report.Network.Decoded.Failed)
			require.Contains(t, strings.Join(strings.Fields(broken.stdout), " "), "2 of 2 encoded bodies did not decode (br: cut off)")
		}
	})

	t.Run("what nginx reads", func(t *testing.T) {
		// No compression is asked for unless the user does, and Host is what was given.
		r := during(t, nothing, "--rate", "10", "--n", "2", "-H", "Host: own.test", "-H", "Accept-Encoding: gzip", s.url("http", 1, "/host"))
		require.EqualValues(t, 2, r.report.Counts.OK)
		require.Zero(t, r.report.Counts.BadStatus)
	})

	t.Run("C39 a certificate that nobody trusts", func(t *testing.T) {
		r := during(t, nothing, "--rate", "50", "--n", "5", "--sla", "p99<1s", s.url("https", 2, "/"))
		require.EqualValues(t, 5, r.report.Counts.Errors["tls_untrusted"])
		require.Zero(t, r.report.Counts.Sent)
		require.NotZero(t, r.status)
		r = during(t, nothing, "--rate", "50", "--n", "5", "-k", s.url("https", 2, "/"))
		require.EqualValues(t, 5, r.report.Counts.OK)
		first, _, _ := strings.Cut(r.stdout, "\n")
		require.Contains(t, first, "-k")
		require.True(t, r.report.Plan.Insecure)
	})
}

// residentBytes is the memory that a process has.
func residentBytes(t *testing.T, pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	require.NoError(t, err)
	pages, err := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	require.NoError(t, err)
	return pages * int64(os.Getpagesize())
}
