package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The README's commands are run as they stand there: what is shown with its output
// must give that output, the rest must work against a server of the lab.
func TestReadme(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	readme := string(b)
	dir := t.TempDir()
	require.NoError(t, os.Symlink(os.Args[0], dir+"/openload"))
	hey, err := os.ReadFile("../../testdata/formats/hey/hey_q12.5_c1.csv")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(dir+"/hey.csv", hey, 0o666))
	stampede, err := os.ReadFile("../../experiments/stampede.yaml")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(dir+"/stampede.yaml", stampede, 0o666))
	url := labProcess(t, "service=1ms workers=0")
	shell := func(line string) (string, int) {
		cmd := exec.Command("bash", "-c", strings.ReplaceAll(line, "URL", url))
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), asOpenload+"=1", "NO_COLOR=1", "LANG=C.UTF-8", "PATH="+dir+":"+os.Getenv("PATH"))
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, os.Stderr
		if err := cmd.Run(); err != nil {
			require.IsType(t, new(exec.ExitError), err, line)
		}
		return out.String(), cmd.ProcessState.ExitCode()
	}

	t.Run("sessions", func(t *testing.T) {
		sessions := regexp.MustCompile("(?s)```console\n\\$ ([^\n]*)\n(.*?)```").FindAllStringSubmatch(readme, -1)
		require.NotEmpty(t, sessions)
		for _, m := range sessions {
			got, _ := shell(m[1])
			require.Equal(t, m[2], got, m[1])
		}
	})
	t.Run("commands", func(t *testing.T) {
		n := 0
		for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(readme, -1) {
			for line := range strings.Lines(block[1]) {
				line = strings.TrimSpace(line)
				if strings.HasPrefix(line, "openload lab") {
					continue // serves until it is told to stop; labProcess runs it above
				}
				n++
				began := time.Now()
				_, status := shell(line)
				// That it works is what is asked here; where something else has the processors,
				// the lab may really be too slow for the rule.
				require.Contains(t, []int{statusDone, statusFail, statusInvalid}, status, line)
				require.Less(t, time.Since(began), time.Minute, line)
			}
		}
		require.Greater(t, n, 10)
	})
	t.Run("exit statuses", func(t *testing.T) {
		for _, row := range []string{"| 0 |", "| 1 |", "| 2 |", "| 3 |", "| 4 |", "| 130, 143 |"} {
			require.Contains(t, readme, row)
		}
	})
}
