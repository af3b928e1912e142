package main

import (
	"bytes"
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

// An action is what a GitHub runner reads of action.yml.
type action struct {
	Inputs  map[string]struct{ Description, Default string }
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []struct {
			ID, Shell, Run string
			Env            map[string]string
		}
	}
}

// A step is what a run of the action leaves behind.
type step struct {
	status       int
	log          string
	outputs      map[string]string
	summary, dir string
}

// perform does what a runner does with the action: it puts the inputs into the step's
// environment, and runs its script between files of its own.
func perform(t *testing.T, inputs map[string]string) step {
	b, err := os.ReadFile("../../action.yml")
	require.NoError(t, err)
	var a action
	require.NoError(t, yaml.Unmarshal(b, &a))
	require.Equal(t, "composite", a.Runs.Using)
	require.Len(t, a.Runs.Steps, 1)
	s := a.Runs.Steps[0]
	require.Equal(t, "bash", s.Shell)
	require.NotContains(t, s.Run, "${{", "an expression in a script is an injection")

	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	require.NoError(t, os.Mkdir(bin, 0o777))
	require.NoError(t, os.Symlink(os.Args[0], filepath.Join(bin, "openload")))
	script := filepath.Join(dir, "script.sh")
	require.NoError(t, os.WriteFile(script, []byte(s.Run), 0o666))
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", script)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + dir, asOpenload + "=1", "CI=true", "GITHUB_ACTIONS=true", "LANG=C.UTF-8",
		"RUNNER_TEMP=" + dir, "GITHUB_ACTION_PATH=" + dir,
		"GITHUB_OUTPUT=" + filepath.Join(dir, "output"), "GITHUB_STEP_SUMMARY=" + filepath.Join(dir, "summary"),
	}
	for name := range inputs {
		require.Contains(t, a.Inputs, name)
	}
	expression := regexp.MustCompile(`^\$\{\{ inputs\.([a-z-]+) \}\}$`)
	for name, value := range s.Env {
		m := expression.FindStringSubmatch(value)
		require.NotNil(t, m, value)
		input, declared := a.Inputs[m[1]]
		require.True(t, declared, value)
		given, ok := inputs[m[1]]
		if !ok {
			given = input.Default
		}
		cmd.Env = append(cmd.Env, name+"="+given)
	}
	log, _ := cmd.CombinedOutput()
	got := step{status: cmd.ProcessState.ExitCode(), log: string(log), outputs: map[string]string{}, dir: dir}
	if b, err := os.ReadFile(filepath.Join(dir, "output")); err == nil {
		for line := range strings.Lines(string(b)) {
			name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			require.True(t, ok, line)
			got.outputs[name] = value
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "summary")); err == nil {
		got.summary = string(b)
	}
	for name, output := range a.Outputs {
		require.Equal(t, "${{ steps."+s.ID+".outputs."+name+" }}", output.Value)
	}
	return got
}

// The GitHub action: a run that holds its rules lets the job go on, one that breaks them
// does not, and both leave summary, outputs, annotations and reports.
func TestTheAction(t *testing.T) {
	t.Parallel()
	url := labProcess(t, "service=1ms workers=0")
	t.Run("rules that hold", func(t *testing.T) {
		s := perform(t, map[string]string{"url": url, "rate": "50", "n": "100", "sla": "p99<10s\nerrors<1%\n", "allow-invalid": "true"})
		require.Equal(t, 0, s.status, s.log)
		require.Contains(t, []string{"pass", "invalid"}, s.outputs["verdict"], "a busy machine may not decide it")
		require.Contains(t, s.summary, "## "+strings.ToUpper(s.outputs["verdict"]))
		require.Regexp(t, `^\d+\.\d{3}$`, s.outputs["p99_ms"])
		for _, name := range []string{"report", "json", "junit"} {
			b, err := os.ReadFile(filepath.Join(s.dir, s.outputs[name]))
			require.NoError(t, err)
			require.NotEmpty(t, b)
			if name == "junit" {
				require.NoError(t, xml.NewDecoder(bytes.NewReader(b)).Decode(new(struct{})))
			}
		}
	})
	t.Run("rules that are broken", func(t *testing.T) {
		s := perform(t, map[string]string{"url": url, "rate": "50", "n": "100", "sla": "max<1us"})
		require.Contains(t, []int{statusFail, statusInvalid}, s.status, s.log)
		require.Contains(t, s.log, "::error title=")
		require.Contains(t, s.summary, "max<1µs")
	})
	t.Run("a wrong input", func(t *testing.T) {
		s := perform(t, map[string]string{"url": url, "rate": "fast", "n": "100"})
		require.Equal(t, statusUsage, s.status, s.log)
		require.Contains(t, s.log, "openload: --rate:")
	})
	t.Run("progress as the user wants it", func(t *testing.T) {
		s := perform(t, map[string]string{"url": url, "rate": "50", "n": "100", "args": "--progress\nnone", "allow-invalid": "true"})
		require.Equal(t, 0, s.status, s.log)
		require.NotContains(t, s.log, "openload  GET ")
		s = perform(t, map[string]string{"url": url, "rate": "50", "n": "100", "allow-invalid": "true"})
		require.Contains(t, s.log, "openload  GET ", "whole lines, in a log")
		require.NotContains(t, s.log, "\x1b[")
	})
	t.Run("inputs are data", func(t *testing.T) {
		s := perform(t, map[string]string{"url": url + "?$(touch${IFS}pwned)`touch pwned`", "rate": "50", "n": "5; touch pwned", "args": "--seed\n7\n$(touch pwned)"})
		require.Equal(t, statusUsage, s.status, s.log)
		require.NoFileExists(t, filepath.Join(s.dir, "pwned"))
	})
}
