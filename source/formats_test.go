package source

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
)

const ms = time.Millisecond

// one reads a handmade file.
func one(t testing.TB, name string) reading {
	t.Helper()
	h, ok := handmade[name]
	require.True(t, ok, name)
	got := must(t, h.in, h.opt)
	checkRows(t, got)
	return got
}

// brief is a row as a test states it.
type brief struct {
	start, latency time.Duration
	class          correct.Class
	label, worker  string
}

func (g reading) brief() (all []brief) {
	for _, r := range g.rows {
		all = append(all, brief{r.Start, r.Latency, r.Class, g.f.Name(r.Label), g.f.Name(r.Worker)})
	}
	return all
}

// What every field of a row is, in each format that is made by hand.
func TestHandmadeRows(t *testing.T) {
	for _, tt := range []struct {
		file, format string
		want         []brief
	}{
		{"openload csv", "openload CSV", []brief{ // Sent to Done
			{0, 5 * ms, correct.OK, "", ""},
			{10*ms - 8, 400, correct.BadStatus, "", ""},
			{30020*ms - 9, 0, correct.Timeout, "", ""},
			{1010000491, 5 * ms, correct.OK, "", ""},
			{30*ms - 9, 0, correct.Dropped, "", ""},
		}},
		{"openload closed csv", "openload CSV", []brief{{0, 5 * ms, correct.OK, "", ""}, {10*ms - 8, 400, correct.BadStatus, "", ""}}},
		{"k6 csv", "k6 CSV", []brief{ // stamps are ends, of whole seconds
			{0, 12345678, correct.OK, "http://h/a", "1"},
			{2*time.Second - 2000500*us(1) + 12345678, 2000500 * us(1), correct.BadStatus, "http://h/a", "2"},
			{3*time.Second + 12345678, 0, correct.ConnectTimeout, "http://h/b", "2"},
		}},
		{"k6 json", "k6 JSON", []brief{
			{0, 12345678, correct.OK, "http://h/a", "1"},
			{2068290997 - 2000500*us(1) + 12345678, 2000500 * us(1), correct.BadStatus, "http://h/a", ""},
			{3068290997 + 12345678, 0, correct.Refused, "http://h/b", ""},
		}},
		{"oha csv", "oha CSV", []brief{
			{0, us(2413), correct.OK, "", ""},
			{80 * ms, us(2002100), correct.OK, "", ""},
			{2*time.Second - us(21), 3 * ms, correct.BadStatus, "", ""},
		}},
		{"fortio influx", "fortio access log (Influx)", []brief{
			{0, us(2813), correct.OK, "", "0"},
			{ms, us(2713), correct.OK, "", "1"},
			{80 * ms, us(2002813), correct.Network, "", "0"},
		}},
		{"ghz influx", "ghz details (Influx)", []brief{ // stamps are ends
			{0, 4712198, correct.OK, "", ""},
			{48789505 + 4712198 - 1712198, 1712198, correct.Timeout, "", ""},
		}},
		{"gatling 1", "", nil}, // has its own test: no RUN record in the third column
		{"gatling 2.0", "Gatling log", []brief{{0, 19 * ms, correct.OK, "GET root", "1"}, {10 * ms, 2009 * ms, correct.BadStatus, "GET root", "2"}}},
		{"gatling 2.3", "Gatling log", []brief{{0, 19 * ms, correct.OK, "GET root", "1"}, {10 * ms, 2009 * ms, correct.ConnectTimeout, "GET root", "2"}}},
		{"gatling 3.0", "Gatling log", []brief{{0, 19 * ms, correct.OK, "GET root", "1"}, {10 * ms, 2009 * ms, correct.Refused, "GET root", "2"}}},
		{"gatling 3.4", "Gatling log", []brief{{0, 19 * ms, correct.OK, "GET root", ""}, {10 * ms, 2009 * ms, correct.Timeout, "GET root", ""}}},
		{"gatling binary", "Gatling binary log", []brief{{0, 19 * ms, correct.OK, "GET root", ""}, {10 * ms, 2009 * ms, correct.Network, "GET root", ""}}},
		{"gatling binary no coder", "Gatling binary log", []brief{{0, 19 * ms, correct.OK, "GET root", ""}, {10 * ms, 2009 * ms, correct.Network, "GET root", ""}}},
		{"siege csv", "siege -v", []brief{ // stamps are ends, of whole seconds
			{0, 0, correct.OK, "/a", ""},
			{time.Second - 1210*ms, 1210 * ms, correct.OK, "/a", ""},
			{2*time.Second - 10*ms, 10 * ms, correct.BadStatus, "/a", ""},
		}},
		{"nginx text", "access log", []brief{ // stamps are ends
			{0, 5 * ms, correct.OK, "GET /a HTTP/1.1", ""},
			{2*time.Second - 1502*ms, 1507 * ms, correct.Timeout, "GET /b?x=[1 HTTP/1.1", ""},
		}},
		{"apache", "access log", []brief{{0, us(5123), correct.OK, "GET /a HTTP/1.1", ""}, {time.Second, 1507 * ms, correct.BadStatus, "GET /a HTTP/1.1", ""}}},
		{"envoy", "access log", []brief{{0, 5 * ms, correct.OK, "GET /a HTTP/1.1", ""}, {time.Second, 15 * time.Second, correct.Timeout, "GET /a HTTP/1.1", ""}}},
		{"plain", "plain numbers", []brief{{NoTime, us(1500), 0, "", ""}, {NoTime, 2 * ms, 0, "", ""}, {NoTime, us(2000250), 0, "", ""}}},
		{"jmeter dates", "JMeter CSV", []brief{{0, 12 * ms, correct.OK, "home", ""}, {time.Second, 2012 * ms, correct.BadStatus, "home", ""}}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			got := one(t, tt.file)
			if tt.want == nil {
				tt.format, tt.want = "Gatling log", []brief{{0, 19 * ms, correct.OK, "GET root", "1"}, {10 * ms, 2009 * ms, correct.Timeout, "GET root", "2"}}
			}
			require.Equal(t, tt.format, got.f.Format)
			require.Equal(t, tt.want, got.brief())
		})
	}
}

// Every file states where it begins, if it can.
func TestEpoch(t *testing.T) {
	for file, want := range map[string]string{
		"k6 csv": "2026-11-30T02:05:05.987654322Z", "k6 json": "2026-11-30T01:05:06.619363325Z",
		"gatling 3.4": "2014-03-28T10:58:26.631Z", "gatling binary": "2026-11-30T02:05:06.631Z",
		"envoy": "2026-11-30T02:20:57.123Z", "apache": "2026-11-30T01:20:57Z", "nginx text": "2026-11-30T02:20:56.995Z",
		"oha csv": "", "plain": "", "openload csv": "", "siege csv": "", "jmeter dates": "",
	} {
		at, ok := one(t, file).f.Epoch()
		require.Equal(t, want != "", ok, file)
		if ok {
			require.Equal(t, want, at.Format(time.RFC3339Nano), file)
		}
	}
}

// A log with a success column gives the tool's own idea, others none.
func TestToolsOwnIdeaOfSuccess(t *testing.T) {
	for file, known := range map[string]bool{
		"k6 csv": true, "k6 json": true, "fortio influx": true, "ghz influx": true, "gatling 3.4": true, "jmeter dates": true,
		"oha csv": false, "siege csv": false, "apache": false, "plain": false,
	} {
		for _, r := range one(t, file).rows {
			require.Equal(t, known, r.Known, file)
		}
	}
}

func TestK6Facts(t *testing.T) {
	got := one(t, "k6 csv")
	require.Equal(t, time.Second, got.f.Facts.StampStep)
	require.EqualValues(t, 7, got.f.Tally().Dropped)
	require.Contains(t, got.notes(), NoteDropped)
	for _, tt := range []struct {
		stamp string
		step  time.Duration
	}{
		{"1796004306", time.Second}, {"1796004306000", ms}, {"1796004306000000", us(1)}, {"1796004306000000000", 1},
		{"2026-11-30T02:05:06Z", time.Second}, {"2026-11-30T02:05:06.5+02:00", 100 * ms},
	} {
		got := must(t, bytes.ReplaceAll(handmade["k6 csv"].in, []byte("1796004306"), []byte(tt.stamp)), Options{})
		require.Equal(t, tt.step, got.f.Facts.StampStep, tt.stamp)
	}
	blocked := must(t, handmade["k6 csv"].in, Options{TimeField: "http_req_blocked"})
	require.Equal(t, []time.Duration{900 * ms}, blocked.latencies())
}

func TestFortioResult(t *testing.T) {
	got := must(t, sample(t, "fortio/fmt-fortio-nocatchup.json"), Options{})
	require.Equal(t, Skips, got.f.Facts.Pacing)
	require.Equal(t, 12.5, got.f.Facts.PerSec)
	require.Equal(t, 1, got.f.Facts.Concurrency)
	require.Equal(t, []Bucket{
		{Low: 2662584, High: 3 * ms, Count: 23, Series: NoName, Start: NoTime},
		{Low: 3 * ms, High: 4 * ms, Count: 12, Series: NoName, Start: NoTime},
		{Low: 5 * ms, High: 6 * ms, Count: 1, Series: NoName, Start: NoTime},
		{Low: 20 * ms, High: 25 * ms, Count: 1, Series: NoName, Start: NoTime},
		{Low: 2 * time.Second, High: 2004086157, Count: 1, Series: NoName, Start: NoTime},
	}, got.buckets)
	got = must(t, sample(t, "fortio/fmt-fortio-c1-q12.5.json"), Options{})
	require.Equal(t, CatchesUp, got.f.Facts.Pacing)
	require.EqualValues(t, 62, got.f.Tally().Rows)
	require.EqualValues(t, 1, got.f.Tally().Failed, "the 500 of the access log")
	require.Equal(t, Closed, must(t, sample(t, "fortio/fortio_qps0_c1.json"), Options{}).f.Facts.Pacing)
	nighthawk := `{"RequestedQPS":"10","DurationHistogram":{"Count":"3","Data":[{"Start":"0.001","End":0.002,"Count":"2"},{"Start":0.002,"End":0.5,"Count":1}]}}`
	require.EqualValues(t, 3, must(t, []byte(nighthawk), Options{}).f.Tally().Rows)
}

func TestGhzFacts(t *testing.T) {
	f := must(t, sample(t, "ghz/fmt-ghz-c1-rps20.json"), Options{}).f
	require.Equal(t, 20.0, f.Facts.PerSec)
	require.Equal(t, 1, f.Facts.Concurrency)
	require.Equal(t, CatchesUp, f.Facts.Otherwise)
	// As ends no call of the one worker overlaps the next; as starts 14 would.
	got := must(t, sample(t, "ghz/fmt-ghz-c1-rps20.json"), Options{})
	overlaps, asStarts := 0, 0
	for i, r := range got.rows[1:] {
		if prev := got.rows[i]; r.Start < prev.End {
			overlaps++
		}
		if prev := got.rows[i]; r.End < prev.End+prev.Latency {
			asStarts++
		}
	}
	require.Equal(t, []int{0, 14}, []int{overlaps, asStarts})
}

func TestGhzInfluxFacts(t *testing.T) {
	got := must(t, sample(t, "ghz/fmt-ghz-c2-rps50.influx"), Options{})
	require.Equal(t, 50.0, got.f.Facts.PerSec)
	require.Equal(t, 2, got.f.Facts.Concurrency)
	require.Equal(t, CatchesUp, got.f.Facts.Otherwise)
	require.Equal(t, int64(60), got.f.Tally().Rows)
	failed := map[correct.Class]int{}
	for _, r := range got.rows {
		failed[r.Class]++
	}
	require.Equal(t, map[correct.Class]int{correct.OK: 59, correct.BadStatus: 1}, failed)

	line := func(tags, reason, code string) []byte {
		return []byte("ghz_detail," + tags + ",hasError=true latency=1712198,error=\"" + reason + "\",status=\"" + code + "\" 1796005094343228165\n")
	}
	// A quote has no backslash, even if it has no partner.
	odd := must(t, line(`name="my\ "test\,c\=9",n=1,c=3,rps=0`, `rpc\ error:\ dial\ tcp:\ "connect:\ connection\ refused`, "Unavailable"), Options{})
	require.Equal(t, correct.Refused, odd.rows[0].Class)
	require.Equal(t, 3, odd.f.Facts.Concurrency)
	require.Equal(t, Closed, odd.f.Facts.Pacing)
}

func TestWrk2HasTwoSeries(t *testing.T) {
	got := must(t, sample(t, "wrk2/fmt-wrk2-c1-R50-d15-L-U.txt"), Options{})
	require.Equal(t, CatchesUp, got.f.Facts.Pacing)
	count := map[string]int64{}
	highest := map[string]time.Duration{}
	for _, b := range got.buckets {
		name := got.f.Name(b.Series)
		count[name] += b.Count
		highest[name] = max(highest[name], b.High)
		require.Equal(t, name == "recorded", b.Corrected)
	}
	require.Equal(t, map[string]int64{"recorded": 249, "uncorrected": 249}, count)
	require.Equal(t, map[string]time.Duration{"recorded": us(2004991), "uncorrected": us(2003967)}, highest, "the last row, not the footer's Max")
	require.Contains(t, got.notes(), NoteWarmup)

	raw := must(t, sample(t, "wrk2/fmt-wrk2-c1-R50-d15-L-U.txt"), Options{Tag: "uncorrected"})
	require.EqualValues(t, 249, raw.f.Tally().Rows)
	both := sample(t, "wrk2/fmt-wrk2-c1-R50-d15-L-U.txt")
	only := must(t, both[:bytes.Index(both, []byte("  Latency Distribution (HdrHistogram - Uncorrected"))], Options{})
	require.Equal(t, Corrected, only.f.Facts.Pacing, "-L without -U")
}

func TestPercentileText(t *testing.T) {
	got := must(t, sample(t, "hdr/fmt-java-percentiles.txt"), Options{Unit: ms})
	require.Len(t, got.buckets, 27)
	require.Equal(t, Bucket{Low: us(2501), High: us(2501), Count: 1, Series: NoName, Start: NoTime}, got.buckets[0])
	require.Equal(t, Bucket{Low: us(2501), High: us(2591), Count: 9, Series: NoName, Start: NoTime}, got.buckets[1])
	require.Equal(t, Bucket{Low: us(3481), High: us(2000895), Count: 1, Series: NoName, Start: NoTime}, got.buckets[26])
	require.NotContains(t, got.notes(), NoteTotal)

	got = must(t, sample(t, "hdr/java2.1.11-percentiles.csv"), Options{Unit: time.Second})
	require.Equal(t, 250125*ms, got.buckets[len(got.buckets)-1].High)
	require.EqualValues(t, 500, got.f.Tally().Rows)
	wrong := strings.Replace(string(sample(t, "hdr/fmt-java-percentiles.txt")), "count    =          100", "count    =          101", 1)
	require.Contains(t, must(t, []byte(wrong), Options{Unit: ms}).notes(), NoteTotal)
}

// Units are read once, in whatever way a number says its own.
func TestPlainUnits(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		unit     time.Duration
		want     time.Duration
	}{
		{"unit by option", "100.21", ms, us(100210)},
		{"ns", "100210000ns", 0, us(100210)},
		{"us", "100210us", 0, us(100210)},
		{"micro sign", "100210µs", 0, us(100210)},
		{"Greek mu", "100210μs", 0, us(100210)},
		{"ms and a space", "100.21 ms", 0, us(100210)},
		{"s", "0.10021s", 0, us(100210)},
		{"Go duration", "1m2.5s", 0, 62500 * ms},
		{"Go duration of two", "1s100ms", 0, 1100 * ms},
		{"exponent", "1.0021e-1s", 0, us(100210)},
		{"its own unit beats the option", "100.21ms", time.Second, us(100210)},
		{"heading", "latency_us\n100210", 0, us(100210)},
		{"heading in brackets", "duration (ms)\n100.21", 0, us(100210)},
		{"option beats the heading", "latency_us\n100.21", ms, us(100210)},
		{"quoted", "latency_us\n\"100210\"", 0, us(100210)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := must(t, []byte(tt.in+"\n"), Options{Unit: tt.unit})
			require.Equal(t, []time.Duration{tt.want}, got.latencies())
		})
	}
	var missing *Missing
	require.ErrorAs(t, read([]byte("100.21\n"), Options{}).err, &missing)
	require.Equal(t, NeedUnit, missing.Need)
}

func TestClassify(t *testing.T) {
	for text, want := range map[string]correct.Class{
		`Get "http://h/": dial tcp 127.0.0.1:1: connect: connection refused`:                            correct.Refused,
		`Get "http://h/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`:   correct.Timeout,
		`Non HTTP response code: java.net.SocketTimeoutException Read timed out`:                        correct.Timeout,
		`Non HTTP response code: org.apache.http.conn.ConnectTimeoutException`:                          correct.ConnectTimeout,
		`Non HTTP response code: org.apache.http.conn.HttpHostConnectException Connect to h:80 refused`: correct.Refused,
		`Non HTTP response code: java.net.UnknownHostException`:                                         correct.DNS,
		`dial tcp: lookup nowhere.example: no such host`:                                                correct.DNS,
		`read tcp 127.0.0.1:2->127.0.0.1:1: read: connection reset by peer`:                             correct.Reset,
		`Get "http://h/": EOF`:                     correct.Reset,
		`unexpected EOF`:                           correct.Truncated,
		`x509: certificate has expired`:            correct.TLS,
		`dial tcp: socket: too many open files`:    correct.Descriptors,
		`connect: cannot assign requested address`: correct.Ports,
		`something that nobody has thought of`:     correct.Network,
	} {
		require.Equal(t, want, classify(0, []byte(text)), text)
	}
	require.Equal(t, correct.BadStatus, classify(500, []byte("500 Internal Server Error")))
}
