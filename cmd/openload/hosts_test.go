package main

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/report"
)

// serving starts a server that counts its requests by protocol, over TLS where it is
// secure, and writes down whom to trust.
func serving(t *testing.T, secure bool, answer http.HandlerFunc) (url, trust string, one, two *atomic.Int64) {
	one, two = new(atomic.Int64), new(atomic.Int64)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 2 {
			two.Add(1)
		} else {
			one.Add(1)
		}
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	if !secure {
		s.Start()
		return s.URL, "", one, two
	}
	s.EnableHTTP2 = true
	s.StartTLS()
	trust = filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(trust, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600))
	return s.URL, trust, one, two
}

func nothingToSay(http.ResponseWriter, *http.Request) {}

// http:// and https:// in one run, over either engine: each host gets what is its own.
func TestBothSchemesInOneRun(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"auto", "portable"} {
		plain, _, plainly, _ := serving(t, false, nothingToSay)
		secure, trust, secured, _ := serving(t, true, nothingToSay)
		r := during(t, nothing, "--rate", "200", "--n", "50", "-c", "3", "--engine", engine, "--cacert", trust, plain+"/a", secure+"/a")
		require.EqualValues(t, 50, r.report.Counts.OK, r.stdout)
		require.EqualValues(t, 25, plainly.Load())
		require.EqualValues(t, 25, secured.Load())
		require.Equal(t, []string{plain, secure}, r.report.Plan.Hosts)
		var names []string
		for _, x := range r.report.Targets {
			names = append(names, x.Name)
		}
		require.Equal(t, []string{"GET " + plain + "/a", "GET " + secure + "/a"}, names)
		require.Len(t, r.report.Network.Hosts, 2)
		for i, h := range r.report.Network.Hosts {
			require.Equal(t, r.report.Plan.Hosts[i], h.URL)
			require.EqualValues(t, 25, h.Attempts)
			require.LessOrEqual(t, h.MaxConnections, 3)
			require.Equal(t, strings.SplitN(h.URL, "://", 2)[1], h.Peers[0].Address)
		}
	}
}

// Over HTTP/2 each host has connections of its own, and each of several runs counts its
// own, redirects from one host to the other among them.
func TestSeveralHostsOverHTTP2(t *testing.T) {
	t.Parallel()
	there, trust, _, twice := serving(t, true, nothingToSay)
	here, _, _, once := serving(t, true, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, there+"/b", http.StatusFound) })
	dir := t.TempDir()
	cmd := program("--rate", "200", "--n", "20", "--runs", "2", "--http2", "-L", "--cacert", trust, "--out", "json=r.json", here+"/a", there+"/a")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		require.Equal(t, 4, cmd.ProcessState.ExitCode(), "%s", out)
	}
	require.EqualValues(t, 20, once.Load())
	require.EqualValues(t, 40, twice.Load())
	b, err := os.ReadFile(filepath.Join(dir, "r.json"))
	require.NoError(t, err)
	var runs struct{ Runs []report.Report }
	require.NoError(t, json.Unmarshal(b, &runs))
	require.Len(t, runs.Runs, 2)
	for _, r := range runs.Runs {
		require.EqualValues(t, 20, r.Counts.OK)
		require.EqualValues(t, 10, *r.Network.Redirects)
		require.Equal(t, "HTTP/2.0", r.Network.Protocol)
		require.EqualValues(t, 30, r.Network.HTTP2.Streams)
		require.Len(t, r.Network.Hosts, 2)
		for _, h := range r.Network.Hosts {
			require.EqualValues(t, 1, h.MaxConnections)
		}
	}
}

// A signal while one host hangs: what the others answered stands, and all adds up.
func TestASignalWhileOneHostHangs(t *testing.T) {
	t.Parallel()
	well, hung := labProcess(t, "service=0s workers=0"), labProcess(t, "hang=1h workers=0")
	targets := filepath.Join(t.TempDir(), "t.txt")
	require.NoError(t, os.WriteFile(targets, []byte("# name=well\nGET "+well+"\n\n# name=hung\nGET "+hung+"\n"), 0o600))
	r := during(t, func(p *os.Process) {
		require.Eventually(t, func() bool { return received(t, well) >= 20 }, 20*time.Second, 20*time.Millisecond)
		require.NoError(t, p.Signal(syscall.SIGINT))
	}, "--rate", "100", "--duration", "60s", "-c", "2", "--drain", "100ms", "--targets", targets)
	require.Equal(t, 130, r.status)
	require.True(t, strings.HasPrefix(r.stdout, " INTERRUPTED "), r.stdout)
	rows := map[string]report.Target{}
	for _, x := range r.report.Targets {
		rows[x.Name] = x
	}
	require.Equal(t, rows["well"].Counts.Scheduled, rows["well"].Counts.OK)
	require.Equal(t, rows["hung"].Counts.Scheduled, rows["hung"].Counts.Unfinished)
	require.EqualValues(t, received(t, well), rows["well"].Counts.Sent)
	require.EqualValues(t, 2, rows["hung"].Counts.Sent)
	require.Equal(t, r.report.Counts.Scheduled, rows["well"].Counts.Scheduled+rows["hung"].Counts.Scheduled)
}
