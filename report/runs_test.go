package report_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"openload/report"
)

func TestVerdictOfSeveralRuns(t *testing.T) {
	for _, tt := range []struct {
		name    string
		planned int
		runs    []string
		want    string
		cut     bool
	}{
		{"all pass", 3, []string{"pass", "pass", "pass"}, "pass", false},
		{"one failure stands, whatever the others are worth", 3, []string{"pass", "invalid", "fail"}, "fail", false},
		{"an invalid run leaves the question open", 3, []string{"pass", "invalid", "inconclusive"}, "invalid", false},
		{"too few operations in one of them", 2, []string{"pass", "inconclusive"}, "inconclusive", false},
		{"no rules", 2, []string{"none", "none"}, "none", false},
		{"interrupted between runs", 3, []string{"pass", "pass"}, "none", true},
		{"ended early because one failed", 3, []string{"pass", "fail"}, "fail", false},
		{"interrupted in a run", 2, []string{"fail", "interrupted"}, "none", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var runs []*report.Report
			for _, v := range tt.runs {
				r := &report.Report{Verdict: v}
				if v == "interrupted" {
					r.Verdict, r.Run.Interrupted = "none", true
				}
				runs = append(runs, r)
			}
			all := report.NewRuns(tt.planned, runs)
			require.Equal(t, tt.want, all.Verdict)
			require.Equal(t, tt.cut, all.Interrupted())
		})
	}
}
