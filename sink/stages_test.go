package sink_test

import (
	"time"

	"openload/report"
)

// staged is a run of three phases, the first of which is not judged.
func staged() *report.Report {
	r := lab()
	of := func(name, rate string, at, length time.Duration, scheduled, failed uint64, warm bool) report.Stage {
		d := dist(scheduled, failed, 40*ms, 50*ms, 60*ms, 70*ms, 80*ms, 90*ms, 95*ms, 56*ms)
		if scheduled == 0 {
			d = &report.Dist{}
		}
		return report.Stage{
			Name: name, Rate: rate, At: ms * 1000 * at, Length: ms * 1000 * length, Warmup: warm, Failed: failed,
			Counts:  report.Counts{Scheduled: scheduled, Fired: scheduled, Sent: scheduled, OK: scheduled - failed, Attempts: scheduled},
			Latency: report.Latency{Corrected: d, Raw: d},
		}
	}
	r.Stages = []report.Stage{of("warm-up", "10..50", 0, 10, 300, 0, true), of("pause", "0", 10, 5, 0, 0, false), of("a phase with a name that is long", "12.5", 15, 16, 200, 2, false)}
	r.Warmup = &report.Warmup{Until: 10_000 * ms, Counts: r.Stages[0].Counts, Latency: r.Stages[0].Latency}
	*r.Counts.Planned = 500
	return r
}
