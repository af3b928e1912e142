//go:build formats

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"openload/report"
)

// These tests run other load generators against a lab server, and hold what openload
// reads in their files against what the server saw.

// need is the path of a tool. Where all are meant to be, a missing one is a failure: a
// check that did not run must not look like one that passed.
func need(t *testing.T, tool string) string {
	path, err := exec.LookPath(tool)
	if err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed, and CI needs it", tool)
	}
	t.Skipf("NOT RUN: %s is not installed", tool)
	return ""
}

// tool runs a program in dir and returns what it printed.
func tool(t *testing.T, dir, stdin, name string, args ...string) []byte {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, need(t, name), args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	require.NoError(t, err, "%s %v: %s%s", name, args, out, errs.String())
	return out
}

// ours is a run of openload's. On a busy machine it may be INVALID; it has an output
// all the same.
func ours(t *testing.T, args ...string) []byte {
	out, err := program(args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		require.Equal(t, statusInvalid, exit.ExitCode(), string(exit.Stderr))
	} else {
		require.NoError(t, err)
	}
	return out
}

// corrected is what openload says of a file.
func corrected(t *testing.T, file string, args ...string) *report.Report {
	out, status, errs := correctedBy(t, file, args...)
	require.Equal(t, statusDone, status, errs)
	keepsSchema(t, out)
	r := new(report.Report)
	require.NoError(t, json.Unmarshal(out, r))
	return r
}

func correctedBy(t *testing.T, file string, args ...string) (out []byte, status int, errs string) {
	cmd := program(append([]string{"correct", file, "--out", "json"}, args...)...)
	var to bytes.Buffer
	cmd.Stderr = &to
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out, exit.ExitCode(), to.String()
	}
	require.NoError(t, err)
	return out, statusDone, to.String()
}

// The lab's stall, and the pace of the tools that keep one.
const (
	stalling = "service=20ms stall=20:1s"
	stall    = time.Second
	pace     = "50ms"
)

// keep writes content to a file of dir.
func keep(t *testing.T, dir, name string, content []byte) string {
	file := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(file, content, 0o666))
	return file
}

// Each tool's file is known by its content, has a row for each request that the server
// saw, and the stall in it. How long that took on a busy machine is not asserted, only
// that it was no shorter than the server made it, to the tool's own precision.
func TestFormatsOfTools(t *testing.T) {
	for _, tt := range []struct {
		name, format, method string
		make                 func(t *testing.T, dir, url string) (file string)
	}{
		{"hey", "hey CSV", "backfill", func(t *testing.T, dir, url string) string {
			return keep(t, dir, "out", tool(t, dir, "", "hey", "-n", "60", "-c", "1", "-q", "20", "-o", "csv", url))
		}},
		{"ab", "ab -g", "backfill", func(t *testing.T, dir, url string) string {
			tool(t, dir, "", "ab", "-n", "40", "-c", "1", "-g", "out", url)
			return filepath.Join(dir, "out")
		}},
		{"ab, connections kept", "ab -g", "backfill", func(t *testing.T, dir, url string) string {
			tool(t, dir, "", "ab", "-k", "-n", "40", "-c", "2", "-g", "out", url)
			return filepath.Join(dir, "out")
		}},
		{"h2load", "h2load log", "schedule", func(t *testing.T, dir, url string) string {
			tool(t, dir, "", "h2load", "--h1", "-n", "60", "-c", "1", "--rps", "20", "--log-file", "out", url)
			return filepath.Join(dir, "out")
		}},
		{"siege", "siege -v", "backfill", func(t *testing.T, dir, url string) string {
			rc := keep(t, dir, "rc", []byte("verbose = true\njson_output = false\nlogging = false\n"))
			return keep(t, dir, "out", tool(t, dir, "", "siege", "-R", rc, "-c", "1", "-r", "40", "-b", "--no-parser", url))
		}},
		{"vegeta", "vegeta gob", "schedule", func(t *testing.T, dir, url string) string {
			return keep(t, dir, "out", attack(t, dir, url))
		}},
		{"vegeta CSV", "vegeta CSV", "schedule", func(t *testing.T, dir, url string) string {
			return keep(t, dir, "out", tool(t, dir, string(attack(t, dir, url)), "vegeta", "encode", "-to", "csv"))
		}},
		{"vegeta JSON", "vegeta JSON", "schedule", func(t *testing.T, dir, url string) string {
			return keep(t, dir, "out", tool(t, dir, string(attack(t, dir, url)), "vegeta", "encode", "-to", "json"))
		}},
		{"fortio", "fortio access log", "schedule", func(t *testing.T, dir, url string) string {
			return fortio(t, dir, "-access-log-format", "json", "-access-log-file", "out", url)
		}},
		{"fortio, for Influx", "fortio access log (Influx)", "schedule", func(t *testing.T, dir, url string) string {
			return fortio(t, dir, "-access-log-format", "influx", "-access-log-file", "out", url)
		}},
		{"fortio, the result of one that does not catch up", "fortio result", "backfill", func(t *testing.T, dir, url string) string {
			return fortio(t, dir, "-nocatchup", "-json", "out", url)
		}},
		{"openload, a closed loop", "openload CSV", "backfill", func(t *testing.T, dir, url string) string {
			file := filepath.Join(dir, "out.csv")
			ours(t, "--closed", "-c", "1", "--rate", "20", "--n", "60", "--out", "csv="+file, url)
			return file
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url := labProcess(t, stalling)
			file := tt.make(t, t.TempDir(), url)
			r := corrected(t, file, "--interval", pace)
			require.Equal(t, tt.format, r.File.Format)
			require.Equal(t, received(t, url), r.File.Rows)
			require.Equal(t, r.File.Rows, r.Counts.OK)
			require.Equal(t, r.File.Rows, r.Latency.Raw.N)
			require.GreaterOrEqual(t, *r.Latency.Raw.Max, stall-*r.File.Resolution)
			require.Less(t, *r.Latency.Raw.P50, stall/2, "one request was slow, not all")
			require.Equal(t, tt.method, r.Correction.Method)
			t.Logf("%d rows, raw p50 %v max %v, corrected p99 %v, observed: %s", r.File.Rows, *r.Latency.Raw.P50, *r.Latency.Raw.Max, *r.Latency.Corrected.P99, r.File.Observed)
		})
	}
}

// fortio is a run of it with one connection.
func fortio(t *testing.T, dir string, args ...string) (file string) {
	tool(t, dir, "", "fortio", append([]string{"load", "-quiet", "-c", "1", "-qps", "20", "-n", "60"}, args...)...)
	return filepath.Join(dir, "out")
}

// attack is a run of vegeta with one worker, which catches up after the stall.
func attack(t *testing.T, dir, url string) []byte {
	return tool(t, dir, "GET "+url+"\n", "vegeta", "attack", "-rate", "20", "-duration", "3s", "-workers", "1", "-max-workers", "1")
}

// Without a cap on its workers vegeta waits for nobody, and there is nothing to correct.
func TestFormatsOfAnOpenModel(t *testing.T) {
	dir, url := t.TempDir(), labProcess(t, stalling)
	out := tool(t, dir, "GET "+url+"\n", "vegeta", "attack", "-rate", "20", "-duration", "3s")
	r := corrected(t, keep(t, dir, "out", out))
	require.Equal(t, received(t, url), r.File.Rows)
	require.Equal(t, "none", r.Correction.Method)
	require.Equal(t, r.Latency.Raw, r.Latency.Corrected)
}

// What holds no samples is known and refused.
func TestFormatsOfSummaries(t *testing.T) {
	for _, tt := range []struct {
		name, format string
		make         func(t *testing.T, dir, url string) []byte
	}{
		{"hey", "hey or ghz summary", func(t *testing.T, dir, url string) []byte {
			return tool(t, dir, "", "hey", "-n", "40", "-c", "1", url)
		}},
		{"ab", "ab", func(t *testing.T, dir, url string) []byte {
			return tool(t, dir, "", "ab", "-n", "40", "-c", "1", url)
		}},
		{"h2load", "h2load", func(t *testing.T, dir, url string) []byte {
			return tool(t, dir, "", "h2load", "--h1", "-n", "40", "-c", "1", url)
		}},
		{"siege", "siege JSON", func(t *testing.T, dir, url string) []byte {
			return tool(t, dir, "", "siege", "-c", "1", "-r", "40", "-b", "-j", "--no-parser", url)
		}},
		{"vegeta report", "vegeta report", func(t *testing.T, dir, url string) []byte {
			return tool(t, dir, string(attack(t, dir, url)), "vegeta", "report")
		}},
		{"vegeta report as JSON", "vegeta report JSON", func(t *testing.T, dir, url string) []byte {
			return tool(t, dir, string(attack(t, dir, url)), "vegeta", "report", "-type", "json")
		}},
		{"fortio", "fortio", func(t *testing.T, dir, url string) []byte {
			need(t, "fortio")
			return tool(t, dir, "", "bash", "-c", "fortio load -c 1 -qps 0 -n 40 $0 2>&1", url)
		}},
		{"bombardier", "bombardier JSON", func(t *testing.T, dir, url string) []byte {
			return tool(t, dir, "", "bombardier", "-n", "40", "-c", "1", "-o", "json", "-p", "r", url)
		}},
		{"autocannon", "autocannon JSON", func(t *testing.T, dir, url string) []byte {
			return tool(t, dir, "", "autocannon", "-c", "1", "-a", "40", "-j", url)
		}},
		{"openload", "openload report", func(t *testing.T, dir, url string) []byte {
			return ours(t, "--rate", "100", "--n", "40", "--out", "json", url)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, url := t.TempDir(), labProcess(t, "service=2ms")
			file := keep(t, dir, "out", tt.make(t, dir, url))
			require.GreaterOrEqual(t, received(t, url), uint64(40))
			_, status, errs := correctedBy(t, file, "--interval", pace)
			require.Equal(t, statusUsage, status)
			require.Contains(t, errs, "openload: "+tt.format+": ")
		})
	}
}

// An open run's own rows are what the server saw, and judged again they give the same.
func TestFormatsOfOurOwn(t *testing.T) {
	for _, name := range []string{"out.csv", "out.csv.gz"} {
		t.Run(name, func(t *testing.T) {
			file, url := filepath.Join(t.TempDir(), name), labProcess(t, stalling+" errors=5%")
			run := during(t, nothing, "--rate", "50", "--n", "150", "-c", "4", "--retry", "attempts=2 base=10ms", "--out", "csv="+file, url).report
			r := corrected(t, file, "--method", "none")
			require.Equal(t, received(t, url), r.File.Rows)
			require.Equal(t, run.Counts.Attempts, r.File.Rows)
			run.Latency.LessWait = nil // the rows do not tell that connections were being opened
			require.Equal(t, run.Latency, r.Latency)
			require.Equal(t, run.Counts.Status, r.Counts.Status)
		})
	}
}

// library makes ready HdrHistogram's own library, in Java.
func library(t *testing.T) (run func(stdin string, args ...string) string) {
	const jar = "/usr/share/java/hdrhistogram.jar"
	if _, err := os.Stat(jar); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("NOT RUN: ", err)
	}
	src, err := filepath.Abs("../../testdata/witness/Hdr.java")
	require.NoError(t, err)
	dir := t.TempDir()
	tool(t, dir, "", "javac", "-cp", jar, "-d", dir, src)
	return func(stdin string, args ...string) string {
		return string(tool(t, dir, stdin, "java", append([]string{"-cp", jar + ":" + dir, "Hdr"}, args...)...))
	}
}

// counted are a histogram's values and counts, as the library prints them.
func counted(t *testing.T, tag, encoded string) (lines []string) {
	h, err := hdrhistogram.Decode([]byte(encoded))
	require.NoError(t, err)
	for _, bar := range h.Distribution() {
		if bar.Count > 0 {
			lines = append(lines, fmt.Sprintf("%s %d %d", tag, bar.To, bar.Count))
		}
	}
	return lines
}

// Java's library reads the log that openload writes: the same values, the same counts,
// the same time. And openload what it wrote.
func TestFormatsHlogIsReadByJava(t *testing.T) {
	java := library(t)
	file, url := filepath.Join(t.TempDir(), "run.hlog"), labProcess(t, stalling)
	run := during(t, nothing, "--rate", "50", "--n", "100", "--out", "hlog="+file, url).report
	sum := map[string]int64{} // by tag and value
	ends := map[string]int64{}
	for line := range strings.Lines(java("", "read", file)) {
		var tag string
		var a, b int64
		if rest, ok := strings.CutPrefix(line, "start "); ok {
			_, err := fmt.Sscanf(rest, "%s %d %d", &tag, &a, &b)
			require.NoError(t, err)
			// The library cuts off a millisecond now and then: its times are floats of seconds.
			require.InDelta(t, 0, (a-run.Run.Started.UnixMilli()+1)%1000, 2)
			require.Less(t, ends[tag], a+2, "intervals overlap")
			require.LessOrEqual(t, b-a, int64(1001))
			ends[tag] = b
			continue
		}
		_, err := fmt.Sscanf(line, "%s %d %d", &tag, &a, &b)
		require.NoError(t, err)
		sum[fmt.Sprintf("%s %d", tag, a)] += b
	}
	var got []string
	for value, n := range sum {
		got = append(got, fmt.Sprintf("%s %d", value, n))
	}
	require.ElementsMatch(t, append(counted(t, "raw", run.Latency.Raw.Histogram), counted(t, "corrected", run.Latency.Corrected.Histogram)...), got)
	for _, tag := range []string{"raw", "corrected"} {
		require.InDelta(t, run.Run.Started.Add(run.Run.Duration).UnixMilli(), ends[tag], 2)
	}

	r := corrected(t, file)
	require.Equal(t, run.Latency.Raw.Histogram, r.Latency.Raw.Histogram)
	require.Equal(t, run.Latency.Corrected.Histogram, r.Latency.Corrected.Histogram)
}

// openload reads the log that Java's library writes.
func TestFormatsHlogOfJava(t *testing.T) {
	java := library(t)
	var in strings.Builder
	for i := range int64(3000) {
		fmt.Fprintf(&in, "- %d %d\n", i*i*700, i%7+1) // up to 6.3 s
		fmt.Fprintf(&in, "cart %d 1\n", i)
	}
	file := filepath.Join(t.TempDir(), "java.hlog")
	java(in.String(), "write", file)
	printed := strings.Split(strings.TrimSpace(java("", "read", file)), "\n")
	for _, tag := range []string{"-", "cart"} {
		r := corrected(t, file, "--unit", "ns", "--interval", "10ms", "--tag", tag, "--method", "backfill")
		var want []string
		for _, line := range printed {
			if strings.HasPrefix(line, tag+" ") {
				want = append(want, line)
			}
		}
		require.Greater(t, len(want), 100)
		require.Equal(t, want, counted(t, tag, r.Latency.Raw.Histogram))
	}
	_, status, errs := correctedBy(t, file, "--unit", "ns", "--interval", "10ms")
	require.Equal(t, statusUsage, status)
	require.Contains(t, errs, "choose one with --tag")
}
