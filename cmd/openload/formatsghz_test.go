//go:build formats

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/report"
)

// grpcLab builds the lab for tools that speak gRPC, and hands out how to start it; what
// started tells its address, and once stopped what it saw.
func grpcLab(t *testing.T) (start func(t *testing.T) (addr string, seen func() (calls, failed uint64))) {
	bin := filepath.Join(t.TempDir(), "grpclab")
	build := exec.Command("go", "build", "-o", bin, ".")
	build.Dir = filepath.FromSlash("../../internal/grpclab")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return func(t *testing.T) (string, func() (uint64, uint64)) {
		cmd := exec.Command(bin, "-service", "2ms", "-stall-call", "20", "-stall-calls", "2", "-stall", stall.String(), "-fail-call", "35")
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = in.Close() }) // which ends it
		lines := bufio.NewReader(out)
		addr, err := lines.ReadString('\n')
		require.NoError(t, err)
		return strings.TrimSpace(addr), func() (calls, failed uint64) {
			require.NoError(t, in.Close())
			_, err := fmt.Fscanf(lines, "calls %d failed %d\n", &calls, &failed)
			require.NoError(t, err)
			require.NoError(t, cmd.Wait())
			return calls, failed
		}
	}
}

// ghz runs it with two workers, of which the stall holds both, and its own name for a
// format.
func ghz(t *testing.T, dir, addr, format string, args ...string) (file string) {
	args = append([]string{"--insecure", "--call", "grpc.health.v1.Health/Check", "-n", "200", "-c", "2", "-O", format, "-o", "out"}, args...)
	tool(t, dir, "", "ghz", append(args, addr)...)
	return filepath.Join(dir, "out")
}

// The latency of each call in ghz's files, and the unit it is written in.
var ghzLatency = map[string]struct {
	in   *regexp.Regexp
	unit time.Duration
}{
	"json":           {regexp.MustCompile(`"timestamp":"[^"]*","latency":(\d+)`), time.Nanosecond},
	"pretty":         {regexp.MustCompile(`"timestamp": "[^"]*",\s*"latency": (\d+)`), time.Nanosecond},
	"csv":            {regexp.MustCompile(`(?m)^([\d.]+),[A-Z]`), time.Millisecond},
	"influx-details": {regexp.MustCompile(` latency=(\d+)`), time.Nanosecond},
}

// What openload reads in ghz's files is what ghz wrote and what the server saw. ghz
// catches up, so that backfill is refused; and without times nothing else is right.
func TestFormatsOfGhz(t *testing.T) {
	need(t, "ghz")
	start := grpcLab(t)
	for _, tt := range []struct {
		name, format, method string
		status               int
	}{
		{"json", "ghz JSON", "schedule", statusDone},
		{"pretty", "ghz JSON", "schedule", statusDone},
		{"influx-details", "ghz details (Influx)", "schedule", statusDone},
		{"csv", "ghz CSV", "none", statusUsage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr, seen := start(t)
			file := ghz(t, t.TempDir(), addr, tt.name, "--rps", "100")
			calls, failed := seen()
			require.EqualValues(t, 200, calls)
			require.EqualValues(t, 1, failed)

			wrote, err := os.ReadFile(file)
			require.NoError(t, err)
			var took []time.Duration
			for _, m := range ghzLatency[tt.name].in.FindAllSubmatch(wrote, -1) {
				n, err := strconv.ParseFloat(string(m[1]), 64)
				require.NoError(t, err)
				took = append(took, time.Duration(n*float64(ghzLatency[tt.name].unit)))
			}
			require.Len(t, took, int(calls))
			slices.Sort(took)

			read := func(args ...string) *report.Report {
				out, status, errs := correctedBy(t, file, append(args, "--interval", "20ms")...)
				require.Equal(t, tt.status, status, errs)
				keepsSchema(t, out)
				r := new(report.Report)
				require.NoError(t, json.Unmarshal(out, r))
				require.Equal(t, tt.format, r.File.Format)
				require.Equal(t, tt.method, r.Correction.Method)
				require.Equal(t, calls, r.File.Rows)
				require.Equal(t, calls, r.Latency.Raw.N)
				return r
			}
			r := read()
			require.Equal(t, calls-failed, r.Counts.OK)
			require.Equal(t, failed, r.Counts.BadStatus)

			r = read("--expect-status", "any") // where a failure ranks above all, there is no maximum
			require.Equal(t, calls, r.Counts.OK)
			require.GreaterOrEqual(t, *r.Latency.Raw.Max, stall-*r.File.Resolution)
			require.InEpsilon(t, took[len(took)-1], *r.Latency.Raw.Max, 0.001)
			require.InEpsilon(t, took[len(took)/2-1], *r.Latency.Raw.P50, 0.001)
			if tt.method == "schedule" {
				require.Greater(t, *r.Latency.Corrected.Mean, *r.Latency.Raw.Mean)
			}

			_, status, errs := correctedBy(t, file, "--interval", "20ms", "--method", "backfill")
			require.Equal(t, statusUsage, status)
			require.Contains(t, errs, "would count those requests twice")
			_, status, errs = correctedBy(t, file, "--interval", "20ms", "--method", "backfill", "--force")
			require.Equal(t, statusDone, status, errs)
		})
	}

	t.Run("without a rate", func(t *testing.T) {
		for _, format := range []string{"json", "influx-details"} {
			addr, seen := start(t)
			file := ghz(t, t.TempDir(), addr, format)
			calls, _ := seen()
			r := corrected(t, file, "--interval", "200ms") // on a busy machine a call every 20 ms might just be what there was
			require.Equal(t, calls, r.File.Rows)
			require.Equal(t, "backfill", r.Correction.Method)
			var assumed bool
			for _, n := range r.Notes {
				assumed = assumed || strings.Contains(n.Text, "kept no schedule")
			}
			require.True(t, assumed, "%v", r.Notes)
		}
	})

	// What holds no samples is known and refused.
	for format, name := range map[string]string{"summary": "hey or ghz summary", "influx-summary": "ghz summary (Influx)", "html": "ghz page"} {
		t.Run(format, func(t *testing.T) {
			addr, seen := start(t)
			file := ghz(t, t.TempDir(), addr, format)
			calls, _ := seen()
			require.EqualValues(t, 200, calls)
			_, status, errs := correctedBy(t, file, "--interval", "20ms")
			require.Equal(t, statusUsage, status)
			require.Contains(t, errs, "openload: "+name+": ")
		})
	}
}
