package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The page on latency gates: its commands give what it shows, numbers of real runs aside.
func TestLatencyGate(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../docs/latency-gate.md")
	require.NoError(t, err)
	page := string(b)
	dir := t.TempDir()
	require.NoError(t, os.Symlink(os.Args[0], filepath.Join(dir, "openload")))
	shell := func(script string) string {
		cmd := exec.Command("bash", "-mc", script) // -m: jobs, as a terminal has them
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), asOpenload+"=1", "NO_COLOR=1", "LANG=C.UTF-8", "PATH="+dir+":"+os.Getenv("PATH"))
		out, _ := cmd.Output()
		return string(out)
	}
	sessions := regexp.MustCompile("(?s)```console\n\\$ ([^\n]*)\n(.*?)```").FindAllStringSubmatch(page, -1)
	require.Len(t, sessions, 1)
	require.Equal(t, sessions[0][2], shell(sessions[0][1]))

	example := regexp.MustCompile("(?s)```sh\n(.*?)```\n\n((?:    [^\n]*\n)+)").FindStringSubmatch(page)
	require.NotNil(t, example)
	script := example[1]
	for _, port := range []string{"18080", "18081"} {
		script = strings.ReplaceAll(script, port, freePort(t))
	}
	var got, want []string
	for line := range strings.Lines(shell(script)) {
		if line = shape(line); said.MatchString(line) { // the labs have something to say too
			got = append(got, line)
		}
	}
	for line := range strings.Lines(example[2]) {
		want = append(want, shape(line))
	}
	require.Len(t, got, len(want), "%q", got)
	for i := range want {
		if i+1 < len(got) && strings.HasPrefix(got[i], "INVALID") && got[i+1] == "exit status 4" || i > 0 && strings.HasPrefix(got[i-1], "INVALID") {
			continue // a machine that is too busy to tell
		}
		require.Equal(t, want[i], got[i])
	}
}

var said = regexp.MustCompile(`^(PASS|FAIL|INVALID|exit status) `)

// shape is a line without what a clock decides.
func shape(line string) string {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "exit status") {
		return line
	}
	return regexp.MustCompile(`\d+(\.\d+)? (ms|µs|s)`).ReplaceAllString(line, "N")
}

func freePort(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	_, port, err := net.SplitHostPort(ln.Addr().String())
	require.NoError(t, err)
	return port
}
