package source

import "bytes"

// Summaries, which hold no samples. A file of this kind is answered with why it
// can't be corrected, and with the file that can.

const (
	bars        = "equal bars as wide as several intervals"
	percentiles = "percentiles and averages only: what was never sent can't be told from them"
)

// refuse makes the opener of a format that is only recognised.
func refuse(reason, instead string) func(*File) error {
	return func(f *File) error { return &Refusal{Format: f.Format, Reason: reason, Instead: instead} }
}

// has makes a test for top-level keys of a JSON document.
func has(names ...string) func([]byte) bool {
	return func(h []byte) bool {
		if h = bytes.TrimSpace(h); len(h) == 0 || h[0] != '{' {
			return false
		}
		k := keys(h)
		for _, n := range names {
			if !k[n] {
				return false
			}
		}
		return true
	}
}

// line makes a test for a line of the head that begins with prefix and has all
// the words in it.
func line(prefix string, words ...string) func([]byte) bool {
	return func(h []byte) bool {
	lines:
		for n := 0; len(h) > 0 && n < 200; n++ {
			l, rest, _ := bytes.Cut(h, lf)
			h = rest
			if !bytes.HasPrefix(bytes.TrimLeft(l, " \t{"), []byte(prefix)) {
				continue
			}
			for _, w := range words {
				if !bytes.Contains(l, []byte(w)) {
					continue lines
				}
			}
			return true
		}
		return false
	}
}

func isOhaJSON(h []byte) bool {
	return has("summary")(h) && bytes.Contains(h, []byte(`"successRate"`))
}

func isK6Summary(h []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(h), []byte("{")) && bytes.Contains(h, []byte(`"http_req_duration"`)) && (has("metrics")(h) || has("root_group")(h) || has("results")(h))
}

func isWrk(h []byte) bool {
	return bytes.HasPrefix(firstLine(h), []byte("Running ")) && bytes.Contains(h, []byte(" test @ ")) && bytes.Contains(h, []byte("Thread Stats"))
}

func isSQLite(h []byte) bool { return bytes.HasPrefix(h, sqliteMagic) }

var sqliteMagic = []byte("SQLite format 3\x00")

// summaries stand behind the formats that can be read: their texts are shorter,
// and some of their words occur in the others.
var summaries = []format{
	{"ab -e percentiles", starts("Percentage served,Time in ms"), refuse("a hundred points of a distribution, without counts", "use the file of ab -g")},
	{"vegeta report JSON", has("latencies", "bytes_in", "earliest"), refuse("percentiles from a t-digest, which interpolates: values that no request took", "use the result file itself, or vegeta encode")},
	{"vegeta hdrplot", starts("Value(ms)"), refuse("points of a t-digest, not a histogram: its counts are made up", "use the result file itself, or vegeta encode")},
	{"vegeta report", line("Requests ", "[total, rate"), refuse(percentiles, "use the result file itself, or vegeta encode")},
	{"vegeta histogram", line("Bucket ", "Histogram"), refuse(bars, "use the result file itself, or vegeta encode")},
	{"bombardier JSON", has("spec", "result"), refuse(percentiles, "bombardier writes nothing better: use another tool")},
	{"bombardier", line("Bombarding "), refuse(percentiles, "bombardier writes nothing better: use another tool")},
	{"autocannon JSON", has("latency", "requests", "throughput"), refuse(percentiles+"; with -r or -R they are corrected already, by an interval of 1 ms whatever the rate", "autocannon writes nothing better: use another tool")},
	{"Artillery JSON", has("aggregate"), refuse("summaries of a sketch, of the time to the first byte", "Artillery writes nothing better; its arrivals are open already")},
	{"oha JSON", isOhaJSON, refuse(percentiles, "use oha --output-format csv")},
	{"k6 summary", isK6Summary, refuse(percentiles+", interpolated", "use k6 run --out csv=FILE or --out json=FILE")},
	{"plow JSON", has("Summary", "Statistics"), refuse("streaming quantiles and "+bars, "plow writes nothing better: use another tool")},
	{"plow", line("Latency Histogram:"), refuse("streaming quantiles and "+bars, "plow writes nothing better: use another tool")},
	{"h2load", line("spawning thread #"), refuse(percentiles, "use h2load --log-file")},
	{"siege JSON", line("\"transactions\":"), refuse("averages only", "use the lines of siege --verbose")},
	{"siege.log", line("Date & Time,", "Trans,"), refuse("one line a run, with its averages", "use the lines of siege --verbose")},
	{"siege summary", line("Transactions:", "hits"), refuse("averages only", "use the lines of siege --verbose")},
	{"Locust stats", starts("Type,Name,Request Count,"), refuse("aggregates of rounded times can't be corrected", "write each request from a listener, as JMeter's CSV for one")},
	{"Locust stats", starts("Type,Name,# requests,"), refuse("aggregates of rounded times can't be corrected", "write each request from a listener, as JMeter's CSV for one")},
	{"Locust history", starts("Timestamp,User Count,Type,Name,"), refuse("aggregates of rounded times can't be corrected", "write each request from a listener, as JMeter's CSV for one")},
	{"NBomber CSV", starts("test_suite,test_name,scenario,duration,step_name"), refuse("one row a step, with percentiles of the successes", "NBomber writes nothing better")},
	{"wrk", isWrk, refuse("corrected already, by its own mean interval; and what took longer than its timeout isn't in it", "use wrk2 --latency --u_latency, or another tool")},
	{"ab", line("This is ApacheBench"), refuse(percentiles, "use the file of ab -g")},
	{"hey or ghz summary", line("Response time histogram:"), refuse(bars, "use hey -o csv, or ghz -O json")},
	{"ghz summary (Influx)", starts("ghz_run,"), refuse("one line a run, with two percentiles", "use ghz -O influx-details, or -O json")},
	{"ghz page", line("<title>ghz</title>"), refuse("a page to look at", "use ghz -O json")},
	{"fortio", line("# target "), refuse("interpolated percentiles", "use fortio load -json FILE, or -access-log-file")},
}
