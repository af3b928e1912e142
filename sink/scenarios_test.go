package sink_test

import (
	"fmt"
	"strings"
	"time"

	"openload/report"
)

const ms = time.Millisecond

func us(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

func dist(n, failed uint64, min, p50, p90, p95, p99, p999, max, mean time.Duration) *report.Dist {
	d := &report.Dist{N: n, Failed: failed}
	for _, x := range []struct {
		to **time.Duration
		v  time.Duration
	}{{&d.Min, min}, {&d.P50, p50}, {&d.P90, p90}, {&d.P95, p95}, {&d.P99, p99}, {&d.P999, p999}, {&d.Max, max}, {&d.Mean, mean}} {
		if x.v >= 0 {
			*x.to = &x.v
		}
	}
	return d
}

// none stands for a percentile among the failures.
const none = time.Duration(-1)

func failures(n uint64) *report.Dist {
	return dist(n, n, none, none, none, none, none, none, none, none)
}

func ptr[T any](v T) *T { return &v }

func reason(code, text string) report.Reason { return report.Reason{Code: code, Text: text} }

// lab is the textbook stall at one connection: 200 operations at 12.5/s, of which
// the 150th takes 2 s and all others 50 ms.
func lab() *report.Report {
	r := &report.Report{
		Schema: report.Schema,
		Tool:   report.Tool{Version: "v0.1.0"},
		Plan: report.Plan{
			Model: "open", Method: "GET", URL: "http://127.0.0.1:8080/checkout",
			Connections: 1, ConnectionsLimit: 1, Timeout: 30 * time.Second, ConnectTimeout: 5 * time.Second,
			Drain: 30 * time.Second, Backlog: 1_000_000, Expect: "200-399",
			Command: "openload --rate 12.5 --n 200 -c 1 --seed 1 --sla 'p99<500ms' http://127.0.0.1:8080/checkout",
		},
		Schedule: &report.Schedule{
			Law: "even", Description: "200 at 12.5/s, evenly spaced", Seed: 1, Length: 15920 * ms,
			SHA256: "5f2b0c7d8a91e3f4465f2b0c7d8a91e3f4465f2b0c7d8a91e3f4465f2b0c7d8a",
		},
		Run:        report.Run{Started: time.Date(2026, 11, 30, 2, 41, 0, 0, time.UTC), Duration: 16420 * ms, Engine: "portable"},
		Correction: report.Correction{Method: "intended", Source: "the schedule"},
		Counts: report.Counts{
			Planned: ptr(uint64(200)), Scheduled: 200, Fired: 200, Sent: 200, OK: 200, Attempts: 200, AttemptsSent: 200,
			Status: map[string]uint64{"200": 200}, ConnectionsOpened: ptr(uint64(1)), MaxConnections: ptr(1), MaxBacklog: ptr(24), LateAnswers: ptr(uint64(10)),
		},
		Rate: &report.Rate{Asked: 12.5, Offered: 12.4998},
		Latency: report.Latency{
			Corrected:   dist(200, 0, us(50070), us(50100), us(1400300), us(1700300), us(1940400), us(2000400), us(2000400), us(356200)),
			Raw:         dist(200, 0, us(50070), us(50100), us(50200), us(50300), us(50500), us(2000400), us(2000400), us(59830)),
			ClosedLoop:  dist(200, 0, us(50070), us(50100), us(50200), us(50300), us(50500), us(2000400), us(2000400), us(59830)),
			CorrectedOK: dist(200, 0, us(50070), us(50100), us(1400300), us(1700300), us(1940400), us(2000400), us(2000400), us(356200)),
			LessLag:     dist(200, 0, us(50060), us(50090), us(1400200), us(1700200), us(1940200), us(2000200), us(2000300), us(356000)),
			Settled:     dist(200, 0, us(50070), us(50100), us(1400300), us(1700300), us(1940400), us(2000400), us(2000400), us(356200)),
			Lag:         dist(200, 0, us(8), us(60), us(110), us(140), us(200), us(900), us(900), us(70)),
			Wait:        dist(200, 0, us(4), us(9), us(1350000), us(1650000), us(1890000), us(1920200), us(1920200), us(296300)),
		},
		SLA: []report.Rule{{
			Rule: "p99<500ms", ValueNS: ptr(us(1940400)), Over: ptr(uint64(50)), Allowed: ptr(uint64(2)), Of: 200, Episodes: ptr(uint64(1)),
			RawValueNS: ptr(us(50500)), RawPass: ptr(true), ClosedNS: ptr(us(50500)), ClosedPass: ptr(true), Flipped: true, Outcome: "fail",
		}},
		Verdict: "fail",
		Reasons: []report.Reason{reason("rule_broken", "p99<500ms is broken: 50 of 200 failed or took 500ms or more, 2 may; they came in 1 stretch")},
		Notes:   []report.Reason{reason("few_samples", "p99 of 200 operations rests on the slowest 2; fewer than 299 cannot show it at 95 %")},
	}
	for k := range uint64(200) {
		v := 50 * ms
		if k >= 149 {
			v = max(v, 2000*ms-time.Duration(k-149)*30*ms)
		}
		at := time.Duration(k) * 80 * ms / (100 * ms) * (100 * ms)
		if n := len(r.Series); n > 0 && r.Series[n-1].At == at {
			w := &r.Series[n-1]
			w.Scheduled, w.Sent, w.OK = w.Scheduled+1, w.Sent+1, w.OK+1
			w.CorrectedP99, w.CorrectedMax = ptr(max(*w.CorrectedP99, v)), ptr(max(*w.CorrectedMax, v))
			continue
		}
		r.Series = append(r.Series, report.Window{At: at, Width: 100 * ms, Scheduled: 1, Sent: 1, OK: 1, OldestWait: v - 50*ms, CorrectedP99: &v, CorrectedMax: &v, RawP99: ptr(50 * ms)})
	}
	return r
}

// uncapped is the same stall, met with as many connections as it takes.
func uncapped() *report.Report {
	r := lab()
	r.Plan.Connections, r.Plan.ConnectionsLimit = 0, 10000
	r.Plan.Command = "openload --rate 12.5 --n 200 --seed 1 --sla 'p99<500ms' http://127.0.0.1:8080/checkout"
	r.Counts.ConnectionsOpened, r.Counts.MaxConnections, r.Counts.MaxBacklog = ptr(uint64(25)), ptr(25), ptr(1)
	l := &r.Latency
	l.Raw = dist(200, 0, us(50050), us(50080), us(1400200), us(1700200), us(1940300), us(2000300), us(2000300), us(356100))
	l.Wait = dist(200, 0, us(4), us(9), us(180), us(210), us(230), us(410), us(410), us(40))
	r.SLA[0].RawValueNS, r.SLA[0].RawPass = ptr(us(1940300)), ptr(false)
	return r
}

// calm is a run in which nothing happened.
func calm() *report.Report {
	r := lab()
	r.Plan.Connections, r.Plan.ConnectionsLimit = 0, 10000
	r.Plan.Command = "openload --rate 12.5 --n 200 --seed 1 --sla 'p99<500ms' http://127.0.0.1:8080/checkout"
	fast := dist(200, 0, us(3900), us(4010), us(4620), us(5010), us(6110), us(9830), us(9830), us(4110))
	raw := dist(200, 0, us(3880), us(3990), us(4600), us(4990), us(6070), us(9810), us(9810), us(4090))
	r.Latency.Corrected, r.Latency.CorrectedOK, r.Latency.LessLag, r.Latency.Settled = fast, fast, raw, fast
	r.Latency.Raw, r.Latency.ClosedLoop = raw, raw
	r.Latency.Wait = dist(200, 0, us(4), us(9), us(20), us(30), us(40), us(410), us(410), us(11))
	r.Run.Duration, r.Counts.MaxBacklog, r.Counts.LateAnswers = 15924*ms, ptr(1), ptr(uint64(1))
	r.SLA[0] = report.Rule{
		Rule: "p99<500ms", Outcome: "pass", ValueNS: ptr(us(6110)), Over: ptr(uint64(0)), Allowed: ptr(uint64(2)), Of: 200, Episodes: ptr(uint64(0)), Pass: true,
		RawValueNS: ptr(us(6070)), RawPass: ptr(true), ClosedNS: ptr(us(6070)), ClosedPass: ptr(true),
	}
	r.Verdict, r.Reasons = "pass", nil
	for i := range r.Series {
		r.Series[i].CorrectedMax = ptr(us(4000 + int64(i*7919%900)))
	}
	return r
}

// starved is a run whose own lateness decides the rule.
func starved() *report.Report {
	r := calm()
	r.Latency.Corrected = dist(200, 0, us(3900), us(9100), us(311000), us(402000), us(655000), us(812000), us(812000), us(88000))
	r.Latency.CorrectedOK, r.Latency.Settled = r.Latency.Corrected, r.Latency.Corrected
	r.Latency.Lag = dist(200, 0, us(30), us(4900), us(305000), us(396000), us(648000), us(807000), us(807000), us(83000))
	r.Latency.ClosedLoop = nil
	r.Rate.Offered = 12.1
	r.SLA[0].ValueNS, r.SLA[0].Over, r.SLA[0].Pass, r.SLA[0].Episodes = ptr(us(655000)), ptr(uint64(7)), false, ptr(uint64(2))
	r.Verdict = "invalid"
	r.Reasons = []report.Reason{
		reason("own_lateness", "p99<500ms: 7 of 200 failed or took 500ms or more, 2 may; they came in 2 stretches; our own lateness, up to 807 ms, decided (0 without it), not the server"),
		reason("rate_off", "12.5 operations a second were planned and 12.1 left: openload did not keep the schedule, more than 1 % off"),
	}
	for i := 90; i < 120; i++ {
		r.Series[i].CorrectedMax = ptr(us(655000 - int64(i-90)*20000))
	}
	return r
}

// refused is a run against a port on which nobody listens.
func refused() *report.Report {
	r := calm()
	c := &r.Counts
	c.OK, c.Sent, c.AttemptsSent, c.Status, c.ConnectionsOpened = 0, 0, 0, nil, ptr(uint64(0))
	c.Errors = map[string]uint64{"refused": 200}
	l := &r.Latency
	l.Corrected, l.Raw, l.LessLag, l.ClosedLoop = failures(200), failures(200), failures(200), nil
	l.CorrectedOK, l.Wait = &report.Dist{}, &report.Dist{}
	r.SLA[0] = report.Rule{Outcome: "invalid", Rule: "p99<500ms", Over: ptr(uint64(200)), Allowed: ptr(uint64(2)), Of: 200, Episodes: ptr(uint64(1)), RawPass: ptr(false)}
	r.Verdict = "invalid"
	r.Reasons = []report.Reason{reason("no_success", "no operation succeeded: 200 refused")}
	r.Notes = []report.Reason{reason("refused", "every connection was refused: nothing listens at 127.0.0.1:8080")}
	for i := range r.Series {
		r.Series[i].CorrectedMax, r.Series[i].CorrectedP99, r.Series[i].RawP99 = nil, nil, nil
		r.Series[i].OK, r.Series[i].Sent, r.Series[i].Failed = 0, 0, r.Series[i].Scheduled
	}
	return r
}

// interrupted is the lab run, stopped by a signal.
func interrupted() *report.Report {
	r := calm()
	r.Run.Interrupted, r.Run.Duration, r.Verdict = true, 6404*ms, "none"
	c := &r.Counts
	c.Scheduled, c.Fired, c.Sent, c.OK, c.Attempts, c.AttemptsSent, c.Status = 81, 81, 81, 80, 81, 81, map[string]uint64{"200": 80}
	c.Unfinished = 1
	fast := dist(81, 1, us(3900), us(4010), us(4620), us(5010), none, none, none, none)
	r.Latency.Corrected, r.Latency.Raw, r.Latency.Settled, r.Latency.ClosedLoop = fast, fast, fast, nil
	r.Latency.CorrectedOK = dist(80, 0, us(3900), us(4010), us(4620), us(5010), us(9830), us(9830), us(9830), us(4110))
	r.SLA[0].Of, r.SLA[0].Over, r.SLA[0].Allowed, r.SLA[0].ValueNS, r.SLA[0].Pass = 81, ptr(uint64(1)), ptr(uint64(0)), nil, false
	r.SLA[0].Episodes = ptr(uint64(1))
	r.Reasons = []report.Reason{reason("interrupted", "interrupted after 81 operations of 200 planned: the rules are not decided")}
	r.Series = r.Series[:60]
	return r
}

// inconclusive is a run too short for the confidence that was asked for.
func inconclusive() *report.Report {
	r := calm()
	r.Plan.Confidence = 95
	r.Verdict = "inconclusive"
	r.Reasons = []report.Reason{reason("too_few", "p99<500ms is neither shown nor refuted at 95 %: 0 of 200 failed or took 500ms or more, 2 may; 299 operations with no more than that would show it")}
	r.Notes = nil
	return r
}

// closed is a closed loop, paced.
func closed() *report.Report {
	r := lab()
	r.Plan.Model, r.Plan.Closed = "closed", &report.Closed{Rate: "12.5/s", Skipped: 24}
	r.Plan.Command = "openload --closed -c 1 --rate 12.5 --n 200 --sla 'raw.p99<500ms' http://127.0.0.1:8080/checkout"
	r.Schedule, r.Rate, r.Series = nil, nil, nil
	r.Correction = report.Correction{Method: "none", Source: "a closed loop has no intended times"}
	r.Latency = report.Latency{Raw: r.Latency.Raw, Lag: r.Latency.Lag, Wait: r.Latency.Wait}
	r.Run.Duration, r.Counts.LateAnswers, r.Counts.MaxBacklog = 17890*ms, nil, nil
	r.SLA[0] = report.Rule{Outcome: "pass", Rule: "raw.p99<500ms", ValueNS: ptr(us(50500)), Over: ptr(uint64(1)), Allowed: ptr(uint64(2)), Of: 200, Pass: true, RawPass: ptr(true), RawValueNS: ptr(us(50500))}
	r.Verdict, r.Reasons = "pass", nil
	return r
}

// coded is a run that asked for codings: a few bodies did not decode.
func coded() *report.Report {
	r := calm()
	r.Plan.Network = []string{"--compressed"}
	r.Network = &report.Network{Protocol: "HTTP/1.1", BodyBytes: 24_000, Decoded: &report.Decoded{
		Bodies: 200, Codings: map[string]uint64{"gzip": 180, "br": 20}, Decoded: 198, Wire: 23_800, Bytes: 190_000,
		Failed: map[string]uint64{"br: cut off": 2},
	}}
	r.Notes = append(r.Notes, report.Reason{Code: "not_decoded", Text: "2 of 200 encoded bodies did not decode (br: cut off); their answers count by status all the same"})
	return r
}

// twoHosts is a run that went to three hosts, of which one could not be reached.
func twoHosts() *report.Report {
	r := targets()
	r.Plan.Method, r.Plan.URL = "", "http://search.internal:8080 https://pay.internal http://127.0.0.1:9"
	r.Plan.Hosts = strings.Fields(r.Plan.URL)
	r.Plan.Connections, r.Plan.ConnectionsLimit = 4, 4
	r.Latency.ClosedLoop = nil
	for i := range r.Targets {
		r.Targets[i].Name = fmt.Sprintf("GET service-%c.internal.example.test:8080/health", 'a'+i)
	}
	r.Network = &report.Network{Protocol: "HTTP/1.1", Hosts: []report.Host{
		{URL: r.Plan.Hosts[0], Connections: 5, MaxConnections: 4, Attempts: 900, Peers: []report.Peer{
			{Address: "10.0.0.1:8080", Connections: 3, Attempts: 500}, {Address: "10.0.0.2:8080", Connections: 2, Attempts: 400},
		}},
		{URL: r.Plan.Hosts[1], Connections: 1, MaxConnections: 1, Attempts: 100, Peers: []report.Peer{{Address: "10.0.0.3:443", Connections: 1, Attempts: 100}}},
		{URL: r.Plan.Hosts[2]},
	}}
	return r
}

// backfilled is another tool's closed-loop file, repaired.
func backfilled() *report.Report {
	r := lab()
	r.Plan = report.Plan{Model: "file", Expect: "200-399", Command: "openload correct hey.csv --interval 80ms --sla 'p99<2s'"}
	r.Schedule, r.Rate, r.Series = nil, nil, nil
	r.Run.Engine, r.Run.Duration = "file", 0
	r.Correction = report.Correction{Method: "backfill", Interval: ptr(80 * ms), Synthetic: 24, Source: "--interval"}
	r.Counts = report.Counts{Scheduled: 200, Fired: 200, Sent: 200, OK: 200, Attempts: 200, AttemptsSent: 200, Status: map[string]uint64{"200": 200}}
	c := dist(224, 0, 50*ms, 50*ms, 240*ms, 1120*ms, 1840*ms, 2000*ms, 2000*ms, us(160491))
	r.Latency = report.Latency{
		Corrected: c, CorrectedOK: c,
		Raw:   dist(200, 0, 50*ms, 50*ms, 50*ms, 50*ms, 50*ms, 2000*ms, 2000*ms, us(59750)),
		Queue: dist(200, 0, 50*ms, 50*ms, 1400*ms, 1700*ms, 1940*ms, 2000*ms, 2000*ms, us(356000)),
	}
	r.SLA[0] = report.Rule{Outcome: "pass", Rule: "p99<2s", ValueNS: ptr(1840 * ms), Over: ptr(uint64(1)), Allowed: ptr(uint64(2)), Of: 224, Pass: true, RawPass: ptr(true), RawValueNS: ptr(50 * ms)}
	r.Verdict = "pass"
	r.Reasons = []report.Reason{reason("not_refuted", "not refuted, which is no evidence: the correction (backfill) made up 24 samples that nobody measured")}
	r.Notes = []report.Reason{reason("resolution", "hey writes times in steps of 0.1 ms")}
	return r
}

// done is a run without rules, as vast as they come.
func done() *report.Report {
	r := calm()
	r.SLA, r.Verdict, r.Notes = nil, "none", nil
	r.Plan.Insecure, r.Plan.NoKeepalive = true, true
	r.Plan.Command = "openload -k --no-keepalive --rate 10000 --duration 5m --seed 18446744073709551615 https://staging.example.com/api/v2/search?q=coffee"
	r.Plan.URL = "https://staging.example.com/api/v2/search?q=coffee"
	r.Schedule.Description, r.Schedule.Seed, r.Schedule.Length = "3000000 at 10000/s, evenly spaced", 18446744073709551615, 5*time.Minute
	r.Rate = &report.Rate{Asked: 10000, Offered: 9999.6}
	r.Run.Duration = 5*time.Minute + 930*time.Microsecond
	c := &r.Counts
	c.Planned, c.Scheduled, c.Fired, c.Sent, c.OK = ptr(uint64(3000000)), 3000000, 3000000, 3000000, 3000000
	c.Attempts, c.AttemptsSent, c.Status, c.ConnectionsOpened, c.LateAnswers = 3000000, 3000000, map[string]uint64{"200": 2999900, "304": 100}, ptr(uint64(3000000)), ptr(uint64(11))
	fast := dist(3000000, 0, us(310), us(930), us(1210), us(1640), us(2980), us(8120), us(51400), us(990))
	raw := dist(3000000, 0, us(290), us(900), us(1150), us(1580), us(2790), us(5020), us(48100), us(950))
	r.Latency.Corrected, r.Latency.Raw, r.Latency.ClosedLoop = fast, raw, nil
	r.Latency.Lag = dist(3000000, 0, us(1), us(21), us(42), us(66), us(290), us(4100), us(9100), us(31))
	r.Series = nil
	for i := range 750 {
		r.Series = append(r.Series, report.Window{At: time.Duration(i) * 400 * ms, Width: 400 * ms, Scheduled: 4000, Sent: 4000, OK: 4000, CorrectedMax: ptr(us(2500 + int64(i*7919%1500)))})
	}
	return r
}

// rules is the lab judged by many rules.
func rules() *report.Report {
	r := lab()
	r.SLA = append([]report.Rule{
		{Outcome: "fail", Rule: "max<1900ms", ValueNS: ptr(us(2000400)), Over: ptr(uint64(4)), Allowed: ptr(uint64(0)), Of: 200, Episodes: ptr(uint64(1)), RawValueNS: ptr(us(2000400)), RawPass: ptr(false)},
	}, r.SLA...)
	r.SLA = append(r.SLA,
		report.Rule{Outcome: "pass", Rule: "p50<80ms", ValueNS: ptr(us(50100)), Over: ptr(uint64(64)), Allowed: ptr(uint64(100)), Of: 200, Episodes: ptr(uint64(1)), Pass: true, RawValueNS: ptr(us(50100)), RawPass: ptr(true)},
		report.Rule{Outcome: "pass", Rule: "errors<1%", Value: ptr(0.0), Over: ptr(uint64(0)), Allowed: ptr(uint64(1)), Of: 200, Pass: true},
		report.Rule{Outcome: "pass", Rule: "attempts<1.2", Value: ptr(1.0), Of: 200, Pass: true},
		report.Rule{Outcome: "pass", Rule: "rate>=99%", Value: ptr(0.99998), Of: 200, Pass: true},
		report.Rule{Outcome: "fail", Rule: "checkout, the long name of a target that somebody gave: p99<300ms", ValueNS: ptr(us(1940400)), Over: ptr(uint64(56)), Allowed: ptr(uint64(2)), Of: 200, Episodes: ptr(uint64(1))},
	)
	return r
}

// failing is a run in which so many operations fail that p99 is among them.
func failing() *report.Report {
	r := lab()
	r.Plan.Connections, r.Plan.ConnectionsLimit = 8, 8
	c := &r.Counts
	c.Fired, c.Dropped, c.Sent, c.OK, c.BadStatus, c.TimedOut, c.Unfinished = 199, 1, 197, 180, 12, 3, 1
	c.Errors = map[string]uint64{"refused": 2, "stale_connection": 1}
	c.Timeouts = map[string]uint64{"timeout": 2, "deadline": 1}
	c.Attempts, c.AttemptsSent, c.Resent, c.Status, c.ConnectionsOpened = 214, 210, 1, map[string]uint64{"200": 180, "503": 27}, ptr(uint64(9))
	l := &r.Latency
	l.Corrected = dist(200, 20, us(50070), us(50300), us(720000), none, none, none, none, none)
	l.Raw = dist(214, 34, us(50070), us(50100), none, none, none, none, none, none)
	l.CorrectedOK = dist(180, 0, us(50070), us(50200), us(480000), us(610000), us(700000), us(720000), us(720000), us(121000))
	l.ClosedLoop = nil
	r.SLA[0] = report.Rule{Outcome: "fail", Rule: "p99<500ms", Over: ptr(uint64(37)), Allowed: ptr(uint64(2)), Of: 200, Episodes: ptr(uint64(4)), RawPass: ptr(false)}
	for i := 40; i < 60; i++ {
		r.Series[i].OK, r.Series[i].CorrectedMax, r.Series[i].CorrectedP99, r.Series[i].RawP99, r.Series[i].Failed = 0, nil, nil, nil, r.Series[i].Scheduled
	}
	return r
}

// slow is a run with answers so late that they fill lines in microseconds.
func slow() *report.Report {
	r := calm()
	r.Latency.Corrected = dist(200, 0, time.Second, time.Minute, time.Hour, 2*time.Hour, 30*time.Hour, 40*time.Hour, 40*time.Hour, time.Hour)
	return r
}
