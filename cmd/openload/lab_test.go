package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/lab"
	"openload/report"
)

// A lab server ends with the process that started it, as soon as the pipe closes.
func TestTheLabEndsWithItsInput(t *testing.T) {
	cmd := program("lab", "--listen", "127.0.0.1:0", "--until-stdin-closes",
		"--server", "service=1ms close=100% layers=2 attempts=2", "--key-header", "X-Payment")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	first := make([]byte, 300)
	n, err := out.Read(first)
	require.NoError(t, err)
	address, _, _ := strings.Cut(strings.TrimPrefix(string(first[:n]), "lab server on http://"), "/")

	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	req, err := http.NewRequest("POST", "http://"+address, nil)
	require.NoError(t, err)
	req.Header.Set("X-Payment", "1")
	_, err = client.Do(req)
	require.ErrorIs(t, err, io.EOF)
	resp, err := client.Get("http://" + address + "/lab/stats")
	require.NoError(t, err)
	defer resp.Body.Close()
	var stats lab.Stats
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&stats))
	require.Equal(t, []uint64{2, 4}, stats.Layers)

	require.NoError(t, in.Close())
	rest, err := io.ReadAll(out)
	require.NoError(t, err)
	require.Contains(t, string(rest), "received 1   answered 0   closed without an answer 1")
	require.Contains(t, string(rest), "keys 1   executed twice or more 3   calls by layer [2 4]")
	require.NoError(t, cmd.Wait())
	_, err = net.Dial("tcp", address)
	require.Error(t, err)
}

// A shell that starts a lab server and is killed leaves nobody listening, and another
// lab server may take the port at once. Under nohup it goes on.
func TestTheLabEndsWithItsParent(t *testing.T) {
	t.Parallel()
	start := func(prefix, listen string) (shell *exec.Cmd, pid int, address string) {
		out := filepath.Join(t.TempDir(), "out")
		shell = exec.Command("sh", "-c", prefix+` "$0" lab --listen `+listen+` >`+out+` 2>&1 & echo $!; wait`, os.Args[0])
		shell.Env = append(os.Environ(), asOpenload+"=1")
		pipe, err := shell.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, shell.Start())
		_, err = fmt.Fscan(pipe, &pid)
		require.NoError(t, err)
		t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
		require.Eventually(t, func() bool {
			b, _ := os.ReadFile(out)
			_, after, _ := strings.Cut(string(b), "http://")
			address, _, _ = strings.Cut(after, "/")
			return address != ""
		}, 20*time.Second, 10*time.Millisecond)
		return shell, pid, address
	}
	listens := func(address string) bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	}
	shell, _, address := start("", "127.0.0.1:0")
	require.True(t, listens(address))
	require.NoError(t, shell.Process.Kill())
	_ = shell.Wait()
	require.Eventually(t, func() bool { return !listens(address) }, 20*time.Second, 20*time.Millisecond)

	shell, _, again := start("nohup", address)
	require.Equal(t, address, again)
	require.NoError(t, shell.Process.Kill())
	_ = shell.Wait()
	time.Sleep(3 * parentCheck) // long enough to notice
	require.True(t, listens(address))
}

// Q1 and Q2 as a user sees them: the backlog over time is in the report.
func TestTheBacklogOfASimulationIsInItsReport(t *testing.T) {
	for rate, want := range map[string]map[time.Duration]int{
		"80":  {60: 1200, 120: 2400, 180: 1200, 240: 0, 300: 0},
		"120": {60: 3600, 120: 7200, 240: 9600, 359: 11_980},
	} {
		file := filepath.Join(t.TempDir(), "report.json")
		status := execute([]string{"sim", "--rate", rate, "--duration", "6m", "--timeout", "10m", "--drain", "10m",
			"--server", "capacity=60/s until=120s then=100/s", "-q", "--out", "json=" + file},
			streams{strings.NewReader(""), io.Discard, os.Stderr})
		require.Zero(t, status)
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		var r report.Report
		require.NoError(t, json.Unmarshal(b, &r))
		for second, backlog := range want {
			for _, w := range r.Series {
				if at := second * time.Second; w.At <= at && at < w.At+w.Width {
					// A window shows the most of it, and at 60/s in 400 ms 24 more may be there.
					require.InDelta(t, backlog, w.Out, 24, "%s/s at %d s", rate, second)
				}
			}
		}
	}
}

// And drawn in the text, where it is worth a picture.
func TestABacklogIsDrawn(t *testing.T) {
	for _, tt := range []struct {
		name, legend string
		args         []string
	}{
		{"in the server", "most requests under way per 10.0 s, 0 to 2399 at 120 s", []string{"--server", "capacity=60/s until=120s then=100/s"}},
		{"here", "most requests under way or waiting to be sent per 10.0 s, 0 to 2400 at 120 s", []string{"--server", "capacity=60/s until=120s then=100/s", "-c", "5"}},
		{"none", "", []string{"--server", "service=5ms"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			require.Zero(t, execute(append([]string{"sim", "--rate", "80", "--duration", "6m"}, tt.args...), streams{strings.NewReader(""), &out, os.Stderr}))
			text := strings.Join(strings.Fields(out.String()), " ")
			if tt.legend == "" {
				require.NotContains(t, text, "under way")
				return
			}
			require.Contains(t, text, "under way ")
			require.Contains(t, text, tt.legend)
		})
	}
}
