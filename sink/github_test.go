package sink

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"openload/report"
)

// A step is what GitHub gives to one: two files that hold something already.
func githubStep(t *testing.T) (*GitHub, *bytes.Buffer) {
	dir, log := t.TempDir(), new(bytes.Buffer)
	g := &GitHub{Summary: filepath.Join(dir, "summary"), Output: filepath.Join(dir, "output"), Log: log}
	require.NoError(t, os.WriteFile(g.Summary, []byte("before\n"), 0o666))
	require.NoError(t, os.WriteFile(g.Output, []byte("other=1\n"), 0o666))
	return g, log
}

func toGitHub(t *testing.T, g *GitHub) Output {
	o, err := Parse("github")
	require.NoError(t, err)
	o.Job = g
	return o
}

func broken(n int) *report.Report {
	r := &report.Report{Verdict: "fail"}
	for range n {
		over, allowed := uint64(7), uint64(2)
		r.SLA = append(r.SLA, report.Rule{Rule: "100%: p99<500ms,\r\n::error::x", Outcome: "fail", Of: 200, Over: &over, Allowed: &allowed})
	}
	return r
}

// What was there stays, what is added cannot be taken for more than it is.
func TestGitHub(t *testing.T) {
	g, log := githubStep(t)
	o := toGitHub(t, g)
	require.NoError(t, Prepare(o, Output{Kind: kind("", nil)}))
	require.NoError(t, o.Write(nil, broken(1), TextOptions{Quiet: true}))

	summary := content(t, g.Summary)
	require.True(t, strings.HasPrefix(summary, "before\n## FAIL\n"), summary)
	require.Contains(t, summary, "| rule |", "a summary is never the first line alone")
	outputs := content(t, g.Output)
	require.True(t, strings.HasPrefix(outputs, "other=1\nverdict=fail\n"), outputs)
	for line := range strings.Lines(outputs) {
		require.Regexp(t, `^[a-z0-9_]+=[^\n]*\n$`, line)
	}
	require.Equal(t, "::error title=SLA not met%3A 100%25%3A p99<500ms%2C? %3A%3Aerror%3A%3Ax::there is nothing to judge; 7 of 200 over, 2 allowed\n", log.String())
}

// GitHub drops the eleventh annotation of a step without a word.
func TestGitHubTakesTenAnnotations(t *testing.T) {
	for rules, want := range map[int]int{9: 9, 10: 10, 11: 10, 40: 10} {
		g, log := githubStep(t)
		require.NoError(t, toGitHub(t, g).Write(nil, broken(rules), TextOptions{}))
		require.Equal(t, want, strings.Count(log.String(), "::error "))
		require.Equal(t, rules > 10, strings.Contains(log.String(), " more; the step's summary has them all"))
	}
}

// A summary of more than a mebibyte would be dropped as a whole: first the details go.
func TestGitHubSummaryKeepsWithinItsLimit(t *testing.T) {
	for _, tt := range []struct {
		name string
		used int
		want string
		err  string
	}{
		{"room for all", 0, "| rule |", ""},
		{"room for the verdict", mostSummary - 500, "## FAIL", ""},
		{"no room", mostSummary - 5, "", "the step's summary holds 1048571 bytes already, and GitHub takes 1048576"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, _ := githubStep(t)
			require.NoError(t, os.WriteFile(g.Summary, bytes.Repeat([]byte{'x'}, tt.used), 0o666))
			err := toGitHub(t, g).Write(nil, broken(30), TextOptions{})
			if tt.err != "" {
				require.EqualError(t, err, "write github: "+tt.err)
			} else {
				require.NoError(t, err)
			}
			summary := strings.TrimLeft(content(t, g.Summary), "x")
			require.Contains(t, summary, tt.want)
			require.LessOrEqual(t, len(content(t, g.Summary)), mostSummary)
			require.Contains(t, content(t, g.Output), "verdict=fail\n", "what can be written is")
		})
	}
}

// Outside of a job it says so, before the run.
func TestGitHubNeedsAJob(t *testing.T) {
	err := Prepare(toGitHub(t, &GitHub{}))
	require.ErrorContains(t, err, "write github: neither GITHUB_STEP_SUMMARY nor GITHUB_OUTPUT is set")
	err = Prepare(toGitHub(t, &GitHub{Output: filepath.Join(t.TempDir(), "missing", "output")}))
	require.ErrorContains(t, err, "no such file")
}
