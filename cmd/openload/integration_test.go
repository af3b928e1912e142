//go:build integration

package main

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// witness is a server written in C that notes when each request arrived.
type witness struct {
	cmd  *exec.Cmd
	url  string
	file string
}

// buildWitness compiles it. Without a C compiler this fails: a check that did not run
// must not look like one that passed.
func buildWitness(t *testing.T) string {
	bin := filepath.Join(t.TempDir(), "arrivals")
	out, err := exec.Command("gcc", "-O2", "-Wall", "-o", bin, "../../testdata/witness/arrivals.c").CombinedOutput()
	require.NoError(t, err, string(out))
	return bin
}

func startWitness(t *testing.T, bin string) *witness {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
	require.NoError(t, ln.Close())
	w := &witness{url: "http://127.0.0.1:" + port + "/", file: filepath.Join(t.TempDir(), "arrivals.txt")}
	w.cmd = exec.Command("taskset", "-c", "0", bin, port, w.file, "1000000")
	w.cmd.Stderr = os.Stderr
	out, err := w.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, w.cmd.Start())
	ready := bufio.NewScanner(out)
	require.True(t, ready.Scan())
	return w
}

// arrivals stops the witness and returns what it saw.
func (w *witness) arrivals(t *testing.T) (at []time.Duration) {
	require.NoError(t, w.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, w.cmd.Wait())
	b, err := os.ReadFile(w.file)
	require.NoError(t, err)
	for line := range strings.Lines(string(b)) {
		ns, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		require.NoError(t, err)
		at = append(at, time.Duration(ns))
	}
	return at
}

// onTheOther moves openload to the processor that the witness leaves free.
func onTheOther(p *os.Process) {
	_ = exec.Command("taskset", "-acp", strconv.Itoa(runtime.NumCPU()-1), strconv.Itoa(p.Pid)).Run()
}

// deviation is the median distance of arrivals from the grid that fits them best.
func deviation(at []time.Duration, period time.Duration) time.Duration {
	residues := make([]time.Duration, len(at))
	for i, t := range at {
		residues[i] = t - time.Duration(i)*period
	}
	slices.Sort(residues)
	origin := residues[len(residues)/2]
	for i, r := range residues {
		residues[i] = (r - origin).Abs()
	}
	slices.Sort(residues)
	return residues[len(residues)/2]
}

// Every request of the schedule reaches the server, and the report says just that.
// How punctually depends on the machine: it is shown, not asserted.
func TestIntegrationTheServerSawTheSchedule(t *testing.T) {
	bin := buildWitness(t)
	for _, tt := range []struct {
		name string
		rate int
		n    uint64
	}{
		{"100/s", 100, 300}, {"1,000/s", 1_000, 3_000}, {"10,000/s", 10_000, 50_000},
	} {
		for _, engine := range []string{"portable", "loop"} {
			t.Run(tt.name+" "+engine, func(t *testing.T) {
				w := startWitness(t, bin)
				r := during(t, onTheOther, "--engine", engine, "--rate", strconv.Itoa(tt.rate), "--n", strconv.FormatUint(tt.n, 10), "-c", "256", w.url)
				at := w.arrivals(t)
				c := r.report.Counts
				require.Equal(t, tt.n, c.Scheduled)
				require.Len(t, at, int(c.AttemptsSent+c.Resent))
				require.GreaterOrEqual(t, float64(len(at)), 0.999*float64(tt.n))
				require.LessOrEqual(t, *c.MaxConnections, 256)
				t.Logf("seen %d of %d over %d connections; median deviation from the grid %v; our lag p50 %v p99 %v",
					len(at), tt.n, *c.MaxConnections, deviation(at, time.Second/time.Duration(tt.rate)), *r.report.Latency.Lag.P50, *r.report.Latency.Lag.P99)
				require.Equal(t, engine, r.report.Run.Engine)
			})
		}
	}
}

// Two loops send what one would, and the server sees all of it.
func TestIntegrationTheServerSawBothThreads(t *testing.T) {
	bin := buildWitness(t)
	for _, args := range [][]string{
		{"--rate", "2000", "--n", "4000", "-c", "64"},
		{"--rate", "20000", "--n", "60000", "-c", "256", "--arrival", "poisson"},
		{"--closed", "--n", "60000", "-c", "64"},
	} {
		w := startWitness(t, bin)
		r := during(t, nothing, append(args, "--threads", "2", w.url)...)
		at := w.arrivals(t)
		c := r.report.Counts
		require.Equal(t, 2, r.report.Run.Threads)
		require.Equal(t, *c.Planned, c.Scheduled)
		require.Len(t, at, int(c.AttemptsSent+c.Resent))
		require.Equal(t, c.Sent, c.OK)
		t.Logf("%v: seen %d; our lag p50 %v p99 %v", args, len(at), *r.report.Latency.Lag.P50, *r.report.Latency.Lag.P99)
	}
}
