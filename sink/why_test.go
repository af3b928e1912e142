package sink_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"openload/report"
	"openload/sink"
)

// What the columns do not show is said, and nobody is told that all was sent in time
// where it was not.
func TestWhyCorrectedAndRawAgree(t *testing.T) {
	fifth := func(r *report.Report) {
		d := dist(200, 40, us(3900), us(4010), none, none, none, none, none, none)
		raw := dist(200, 40, us(3890), us(3990), none, none, none, none, none, none)
		r.Latency.Corrected, r.Latency.LessLag, r.Latency.Raw, r.Latency.ClosedLoop = d, d, raw, nil
	}
	held := func(r *report.Report) {
		r.Latency.Lag = dist(200, 0, us(8), us(60), us(2120), us(14000), us(22000), us(25300), us(25300), us(900))
	}
	waited := func(r *report.Report) {
		r.Latency.Wait = dist(200, 0, us(4), us(9), us(20), us(30), us(40), us(3100), us(3100), us(20))
	}
	const due = "nothing had to wait, every request was sent when it was due"
	for _, tt := range []struct {
		name    string
		changes []func(*report.Report)
		heading string
		points  []string
	}{
		{"a calm run", nil, "why corrected and raw agree", []string{"they agree within 40.0 µs: " + due}},
		{"a fifth fails", []func(*report.Report){fifth}, "how far corrected and raw agree",
			[]string{"they agree within 20.0 µs up to p50: " + due, "above p50 lie failures, which have no latency to compare"}},
		{"a fifth fails, and we were held up", []func(*report.Report){fifth, held}, "how far corrected and raw agree",
			[]string{"they agree within 20.0 µs up to p50",
				"openload itself sent late, which is not the server's fault and does not show in these columns: 1 in 10 by 2.12 ms or more, 25.3 ms at most",
				"above p50 lie failures, which have no latency to compare"}},
		{"we were held up", []func(*report.Report){held}, "why corrected and raw agree",
			[]string{"they agree within 40.0 µs",
				"openload itself sent late, which is not the server's fault and does not show in these columns: 1 in 10 by 2.12 ms or more, 25.3 ms at most"}},
		{"one had to wait", []func(*report.Report){waited}, "why corrected and raw agree",
			[]string{"they agree within 40.0 µs", "requests had to wait for a connection, which does not show in these columns: 3.10 ms at most"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := calm()
			r.Latency.Lag = dist(200, 0, us(8), us(60), us(110), us(140), us(200), us(900), us(900), us(70))
			for _, change := range tt.changes {
				change(r)
			}
			var b strings.Builder
			require.NoError(t, sink.Text(&b, r, sink.TextOptions{}))
			_, rest, _ := strings.Cut(b.String(), "\n "+tt.heading+"\n")
			section, _, _ := strings.Cut(rest, "\n\n")
			require.Equal(t, "- "+strings.Join(tt.points, " - "), strings.Join(strings.Fields(section), " "))
		})
	}
}
