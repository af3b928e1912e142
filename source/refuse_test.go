package source

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What holds no samples is named, with the reason and the file that would do.
func TestCasesI29I30Refusals(t *testing.T) {
	type refused struct{ format, reason, instead string }
	check := func(name string, in []byte, want refused) {
		t.Run(name, func(t *testing.T) {
			var no *Refusal
			require.ErrorAs(t, read(in, Options{}).err, &no)
			require.Equal(t, want.format, no.Format)
			require.Contains(t, no.Reason, want.reason)
			require.Contains(t, no.Instead, want.instead)
		})
	}
	for file, want := range map[string]refused{
		"ab/fmt-ab-n200-c2-percent.csv":                     {"ab -e percentiles", "without counts", "ab -g"},
		"ab/fmt-ab-n200-c2-stdout.txt":                      {"ab", "percentiles", "ab -g"},
		"artillery/fmt-artillery-report.json":               {"Artillery JSON", "first byte", ""},
		"autocannon/fmt-autocannon-c1-R10-d6.json":          {"autocannon JSON", "corrected already", ""},
		"autocannon/fmt-autocannon-c1-R10-d6-ignoreCO.json": {"autocannon JSON", "percentiles", ""},
		"bombardier/fmt-bombardier-n120-r25.json":           {"bombardier JSON", "percentiles", ""},
		"bombardier/fmt-bombardier-n120-r25.txt":            {"bombardier", "percentiles", ""},
		"fortio/fmt-fortio-c1-q12.5-stdout.txt":             {"fortio", "interpolated", "-access-log-file"},
		"h2load/fmt-h2load-h1-c2-rps25-stdout.txt":          {"h2load", "percentiles", "--log-file"},
		"hey/hey_n200_c1.txt":                               {"hey or ghz summary", "bars", "-o csv"},
		"siege/fmt-siege.log":                               {"siege.log", "averages", "--verbose"},
		"siege/fmt-siege-verbose-stdout.txt":                {"siege JSON", "averages", "--verbose"},
		"vegeta/fmt-vegeta-rate12-hdrplot.txt":              {"vegeta hdrplot", "t-digest", "result file"},
		"vegeta/fmt-vegeta-rate12-report.json":              {"vegeta report JSON", "t-digest", "result file"},
		"vegeta/fmt-vegeta-rate12-report.txt":               {"vegeta report", "percentiles", "result file"},
		"vegeta/vegeta_25per2s.hist.txt":                    {"vegeta histogram", "bars", "result file"},
		"wrk/fmt-wrk-c1-latency-stall1.2s.txt":              {"wrk", "corrected already", "wrk2"},
		"wrk/fmt-wrk-c1-stall2.6s-over-timeout.txt":         {"wrk", "timeout", "wrk2"},
	} {
		check(file, sample(t, file), want)
	}
	for name, tt := range map[string]struct {
		in   string
		want refused
	}{
		"Locust stats":         {"Type,Name,Request Count,Failure Count,Median Response Time\r\nGET,/,10,0,N/A\r\n", refused{"Locust stats", "aggregates", "listener"}},
		"Locust stats, old":    {"Type,Name,# requests,# failures\n", refused{"Locust stats", "aggregates", "listener"}},
		"Locust history":       {"Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%\n1,1,GET,/,N/A,0,N/A\n", refused{"Locust history", "aggregates", "listener"}},
		"NBomber":              {"test_suite,test_name,scenario,duration,step_name,request_count\n", refused{"NBomber CSV", "step", ""}},
		"k6 summary":           {`{"root_group":{"name":""},"metrics":{"http_req_duration":{"avg":1,"p(95)":2}}}`, refused{"k6 summary", "interpolated", "--out csv"}},
		"k6 new summary":       {`{"version":"1","results":{"metrics":[{"name":"http_req_duration"}]},"x":"http_req_duration"}`, refused{"k6 summary", "interpolated", "--out csv"}},
		"oha JSON":             {`{"summary":{"successRate":1.0,"total":1},"responseTimeHistogram":{"0.1":1}}`, refused{"oha JSON", "percentiles", "--output-format csv"}},
		"plow":                 {"Summary:\n  Elapsed  1s\n\nLatency Histogram:\n  1ms  10\n", refused{"plow", "quantiles", ""}},
		"siege summary":        {"Transactions:\t\t          39 hits\nAvailability:\t\t       97.50 %\n", refused{"siege summary", "averages", "--verbose"}},
		"ghz text":             {"\nSummary:\n  Count:\t200\n\nResponse time histogram:\n  0.5 [1] |\n", refused{"hey or ghz summary", "bars", "ghz -O json"}},
		"ghz, Influx summary":  {"ghz_run,call=\"h/Check\",n=200,errors=1 count=200,total=2029639026,median=3250689,p95=4773983 1796037409183161614\n", refused{"ghz summary (Influx)", "percentiles", "influx-details"}},
		"ghz page":             {"\n<html>\n  <head>\n    <meta charset=\"utf-8\">\n    <title>ghz</title>\n", refused{"ghz page", "look at", "ghz -O json"}},
		"wrk2 without -L":      {"Running 15s test @ http://h/\n  Thread Stats\n  Latency Distribution (HdrHistogram - Recorded Latency)\n 50.000%   15.84ms\n", refused{"wrk2", "spectrum", "--u_latency"}},
		"bombardier, progress": {"Bombarding http://h/ with 120 request(s)\n{\"spec\":{},\"result\":{}}\n", refused{"bombardier", "percentiles", ""}},
		"fortio, empty":        {`{"DurationHistogram":null}`, refused{"fortio result", "DurationHistogram", ""}},
		"oha database":         {"SQLite format 3\x00\x10\x00", refused{"oha database", "SQLite", "sqlite3"}},
	} {
		check(name, []byte(tt.in), tt.want)
	}
}
