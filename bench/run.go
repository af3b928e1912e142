//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A tool is a load generator: how it is told what to do. A nil function: it can't.
type tool struct {
	name   string
	closed func(url string, seconds int) []string
	open   func(url string, rate, seconds int) []string
	stdin  func(url string) string
}

const connections = 64

// tools are all that are compared; openload is the first.
func tools(openload string) []tool {
	sec := func(n int) string { return strconv.Itoa(n) + "s" }
	ol := func(extra ...string) func(string, int, int) []string {
		return func(url string, rate, s int) []string {
			return append(append([]string{openload, "--progress", "none", "-k", "-c", "64", "--rate", strconv.Itoa(rate), "-d", sec(s), "-o", "json"}, extra...), url)
		}
	}
	attack := func(url string) string { return "GET " + url + "\n" }
	return []tool{
		{name: "openload", open: ol(), closed: func(url string, s int) []string {
			return []string{openload, "--progress", "none", "-k", "--closed", "-c", "64", "-d", sec(s), "-o", "json", url}
		}},
		{name: "openload --pace frugal", open: ol("--pace", "frugal")},
		{name: "openload --engine portable", open: ol("--engine", "portable"), closed: func(url string, s int) []string {
			return []string{openload, "--progress", "none", "-k", "--closed", "-c", "64", "-d", sec(s), "-o", "json", "--engine", "portable", url}
		}},
		{name: "wrk", closed: func(url string, s int) []string { return []string{"wrk", "-t1", "-c64", "-d" + sec(s), url} }},
		{name: "ab", closed: func(url string, s int) []string {
			return []string{"ab", "-q", "-k", "-c", "64", "-t", strconv.Itoa(s), "-n", "1000000", url}
		}},
		{name: "h2load",
			closed: func(url string, s int) []string {
				return []string{"h2load", "--h1", "-c64", "-t1", "-D", strconv.Itoa(s), url}
			},
			open: func(url string, rate, s int) []string { // paces each connection
				if rate < connections {
					return nil
				}
				return []string{"h2load", "--h1", "-c64", "-t1", "-D", strconv.Itoa(s), "--rps", strconv.FormatFloat(float64(rate)/connections, 'f', 4, 64), url}
			}},
		{name: "hey",
			closed: func(url string, s int) []string { return []string{"hey", "-z", sec(s), "-c", "64", url} },
			open: func(url string, rate, s int) []string { // paces each connection
				return []string{"hey", "-z", sec(s), "-c", "64", "-q", strconv.FormatFloat(float64(rate)/connections, 'f', 4, 64), url}
			}},
		{name: "vegeta", stdin: attack,
			closed: func(_ string, s int) []string {
				return []string{"vegeta", "attack", "-insecure", "-rate", "0", "-workers", "64", "-max-workers", "64", "-duration", sec(s), "-output", "/dev/null"}
			},
			open: func(_ string, rate, s int) []string {
				return []string{"vegeta", "attack", "-insecure", "-rate", strconv.Itoa(rate), "-workers", "64", "-max-workers", "64", "-duration", sec(s), "-output", "/dev/null"}
			}},
		{name: "bombardier",
			closed: func(url string, s int) []string { return []string{"bombardier", "-k", "-c", "64", "-d", sec(s), url} },
			open: func(url string, rate, s int) []string {
				return []string{"bombardier", "-k", "-c", "64", "-d", sec(s), "-r", strconv.Itoa(rate), url}
			}},
		{name: "fortio",
			closed: func(url string, s int) []string {
				return []string{"fortio", "load", "-quiet", "-k", "-c", "64", "-qps", "0", "-t", sec(s), url}
			},
			open: func(url string, rate, s int) []string { // paces each connection
				return []string{"fortio", "load", "-quiet", "-k", "-c", "64", "-qps", strconv.Itoa(rate), "-t", sec(s), url}
			}},
	}
}

// A result is what one run showed.
type result struct {
	n              int           // requests that the server saw
	cpu, user      time.Duration // of the generator, per request
	rssKB          int64
	wall           time.Duration
	first          time.Duration   // from the process's start to the first request
	at, came       []time.Duration // when the server read each request, and when the kernel there had received it
	corrected, lag time.Duration   // openload's own p50
}

// run has the command send to a new target of start, and looks on. meanwhile, if not
// nil, is called once it runs.
func run(start func() (target, error), args func(url string) []string, stdin func(string) string, meanwhile func(target)) (r result, err error) {
	t, err := start()
	if err != nil {
		return r, err
	}
	argv := args(t.url())
	cmd := exec.Command("taskset", append([]string{"-c", strconv.Itoa(runtime.NumCPU() - 1)}, argv...)...)
	var out strings.Builder
	cmd.Stdout = &out
	if stdin != nil {
		cmd.Stdin = strings.NewReader(stdin(t.url()))
	}
	began := monotonic()
	if err := cmd.Start(); err != nil {
		return r, err
	}
	if meanwhile != nil {
		meanwhile(t)
	}
	rss := make(chan int64)
	go func() { rss <- peak(cmd.Process.Pid) }()
	runErr := cmd.Wait()
	r.wall = monotonic() - began
	most := <-rss
	n, at, came, err := t.end()
	if err != nil {
		return r, err
	}
	if n == 0 {
		return r, fmt.Errorf("%s: the server saw nothing: %v", argv[0], runErr)
	}
	r.n, r.at, r.came, r.rssKB = n, at, came, most
	r.cpu = (cmd.ProcessState.SystemTime() + cmd.ProcessState.UserTime()) / time.Duration(n)
	r.user = cmd.ProcessState.UserTime() / time.Duration(n)
	if len(at) > 0 {
		r.first = at[0] - began
	}
	var own struct {
		Latency struct {
			Corrected, Lag *struct {
				P50 *int64 `json:"p50_ns"`
			}
		}
	}
	if json.Unmarshal([]byte(out.String()), &own) == nil {
		if d := own.Latency.Corrected; d != nil && d.P50 != nil {
			r.corrected = time.Duration(*d.P50)
		}
		if d := own.Latency.Lag; d != nil && d.P50 != nil {
			r.lag = time.Duration(*d.P50)
		}
	}
	return r, nil
}

// peak follows a process to its end and returns the most memory it had, in kB. What wait4
// tells counts the memory of whoever started it, too.
func peak(pid int) (kB int64) {
	for {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		_, after, ok := strings.Cut(string(b), "VmHWM:")
		if err != nil || !ok {
			return kB // it has ended
		}
		fmt.Sscan(after, &kB)
		time.Sleep(20 * time.Millisecond)
	}
}

// prepare builds what is needed into dir.
func prepare(dir string) (openload string, err error) {
	openload = filepath.Join(dir, "openload")
	for _, build := range [][]string{
		{"go", "build", "-trimpath", "-o", openload, "./cmd/openload"},
		{"gcc", "-O2", "-o", filepath.Join(dir, "arrivals"), "testdata/witness/arrivals.c"},
	} {
		cmd := exec.Command(build[0], build[1:]...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w: %s", strings.Join(build, " "), err, out)
		}
	}
	return openload, nil
}
