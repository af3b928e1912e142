package main

import (
	"compress/gzip"
	"crypto/tls"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/live/conformance"
)

// C39: an expired certificate and one of another name are classes of their own, nothing
// is sent, and no rule holds. With -k the run goes on, and says so in its first line.
func TestC39CertificatesThatAreNoGood(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		until time.Duration
		args  []string
		class string
		say   string
	}{
		{"expired", -time.Minute, nil, "tls_expired", "certificate has expired or is not yet valid"},
		{"of another name", time.Hour, []string{"--sni", "other.test"}, "tls_wrong_name", "certificate is not for other.test"},
	} {
		certificate, _ := conformance.Certify(t, time.Now().Add(tt.until))
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		s.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.StartTLS()
		defer s.Close()
		file := filepath.Join(t.TempDir(), "cert.pem")
		require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]}), 0o600))
		args := append(tt.args, "--rate", "100", "--n", "10", "--sla", "errors<1%", "--progress", "none", s.URL)

		r := during(t, nothing, append([]string{"--cacert", file}, args...)...)
		require.EqualValues(t, 10, r.report.Counts.Errors[tt.class], r.stdout)
		require.Zero(t, r.report.Counts.Sent)
		require.Contains(t, r.stdout, tt.say)
		require.NotZero(t, r.status, tt.name)
		require.NotEqual(t, "pass", r.report.Verdict)

		r = during(t, nothing, append([]string{"-k"}, args...)...)
		require.EqualValues(t, 10, r.report.Counts.OK, r.stdout)
		first, _, _ := strings.Cut(r.stdout, "\n")
		require.Contains(t, first, "-k")
	}
}

// C09: compression comes only where it is asked for, and both sides of it are named; what
// does not decode is told, and counts by its status all the same.
func TestC09Compression(t *testing.T) {
	t.Parallel()
	var asked atomic.Value
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.Header["Accept-Encoding"])
		if len(r.Header["Accept-Encoding"]) == 0 {
			io.WriteString(w, strings.Repeat("hello ", 1000))
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		if r.URL.Path == "/broken" {
			io.WriteString(w, "hello")
			return
		}
		z := gzip.NewWriter(w)
		io.WriteString(z, strings.Repeat("hello ", 1000))
		z.Close()
	}))
	defer s.Close()
	for _, engine := range []string{"auto", "portable"} {
		run := func(args ...string) result {
			r := during(t, nothing, append([]string{"--engine", engine, "--rate", "100", "--n", "10", "--progress", "none"}, args...)...)
			require.EqualValues(t, 10, r.report.Counts.OK, r.stdout)
			return r
		}
		plain := run(s.URL)
		require.Empty(t, asked.Load())
		require.EqualValues(t, 60_000, plain.report.Network.BodyBytes)
		require.Nil(t, plain.report.Network.Decoded)

		packed := run("--compressed", s.URL)
		require.Equal(t, []string{"gzip, deflate, br, zstd"}, asked.Load())
		d := packed.report.Network.Decoded
		require.Less(t, packed.report.Network.BodyBytes, uint64(6000))
		require.Equal(t, packed.report.Network.BodyBytes, d.Wire)
		require.EqualValues(t, 60_000, d.Bytes)
		require.EqualValues(t, 10, d.Decoded)

		own := run("--compressed", "-H", "accept-encoding: gzip", s.URL)
		require.Equal(t, []string{"gzip"}, asked.Load(), "the user's own stands")
		require.EqualValues(t, 60_000, own.report.Network.Decoded.Bytes)

		broken := run("--compressed", s.URL+"/broken")
		require.Equal(t, map[string]uint64{"gzip: cut off": 10}, broken.report.Network.Decoded.Failed)
		require.Contains(t, strings.Join(strings.Fields(broken.stdout), " "), "10 of 10 encoded bodies did not decode (gzip: cut off); their answers count by status all the same")
	}
}
