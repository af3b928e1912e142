package sink_test

import (
	"openload/report"
)

// targets is a run of three, one of which is tried more often than the others and sent
// more often than planned.
func targets() *report.Report {
	r := lab()
	of := func(name string, planned float64, scheduled, attempts, failed uint64) report.Target {
		d := dist(scheduled, failed, 40*ms, 50*ms, 1400*ms, 1700*ms, 1940*ms, 1980*ms, 2000*ms, 356*ms)
		if failed > scheduled/100 {
			d = dist(scheduled, failed, 40*ms, 50*ms, 60*ms, none, none, none, none, none)
		}
		return report.Target{
			Name: name, PlannedShare: &planned, SentShare: ptr(float64(scheduled) / 200), Failed: failed,
			AttemptsPerOperation: ptr(float64(attempts) / float64(scheduled)),
			Counts:               report.Counts{Scheduled: scheduled, Fired: scheduled, Sent: scheduled, OK: scheduled - failed, Attempts: attempts},
			Latency:              report.Latency{Corrected: d, Raw: d},
		}
	}
	r.Targets = []report.Target{
		of("GET /catalogue/of/all/the/items", 0.8, 120, 121, 0),
		of("checkout", 0.2, 60, 144, 3),
		of("GET /", 0.1, 20, 20, 0),
	}
	return r
}
