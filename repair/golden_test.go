package repair_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/internal/golden"
	"openload/repair"
	"openload/sink"
	"openload/source"
)

// How the samples were made, as far as they need to be told.
var made = map[string]struct {
	interval time.Duration
	from     source.Options
}{
	"hey/fmt-hey-c1-q12.5-stall2s.csv":          {interval: 80 * ms},
	"hey/hey_q12.5_c1.csv":                      {interval: 80 * ms},
	"hey/fmt-hey-timeout1s.csv":                 {interval: 50 * ms},
	"accesslog/fmt-hey-same-run.csv":            {interval: 100 * ms},
	"accesslog/fmt-nginx-json.jsonl":            {100 * ms, source.Options{TimeField: "request_time", Unit: time.Second}},
	"vegeta/fmt-vegeta-rate12-maxworkers1.csv":  {interval: 83333333},
	"vegeta/fmt-vegeta-rate12-maxworkers1.json": {interval: 83333333},
	"vegeta/fmt-vegeta-rate12-maxworkers1.gob":  {interval: 83333333},
	"fortio/fmt-fortio-access.jsonl":            {interval: 81311 * time.Microsecond},
	"jmeter/fmt-jmeter213-csv-2threads-tx.jtl":  {interval: 100 * ms},
	"jmeter/fmt-jmeter213-xml-parent-tx.jtl":    {interval: 100 * ms},
	"h2load/fmt-h2load-h1-c2-rps25.tsv":         {interval: 40 * ms},
	"hdr/fmt-java-percentiles.txt":              {10 * ms, source.Options{Unit: ms}},
	"hdr/fmt-java2.1.11-double.hlog":            {10 * ms, source.Options{Unit: ms}},
	"hdr/fmt-java2.1.11-tagged.hlog":            {10 * ms, source.Options{Unit: time.Nanosecond, Untagged: true}},
	"hdr/java2.1.11-percentiles.csv":            {10 * ms, source.Options{Unit: ms}},
	"hdr/java2.1.11-shifted.hlog":               {10 * ms, source.Options{Unit: time.Nanosecond, Untagged: true}},
	"ghz/fmt-ghz-c1.csv":                        {interval: 50 * ms},
	"ghz/fmt-ghz-c2-rps50.influx":               {interval: 40 * ms},
}

// Every file that a tool wrote, as a user sees what became of it.
func TestGoldenReports(t *testing.T) {
	files, err := filepath.Glob("../testdata/formats/*/*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimPrefix(filepath.ToSlash(file), "../testdata/formats/")
		t.Run(name, func(t *testing.T) {
			how := made[name]
			var out bytes.Buffer
			f, err := source.Open(strings.NewReader(sample(t, name)), how.from)
			if err == nil {
				r, failed := repair.File(f, repair.Options{Interval: how.interval, Rules: rules(t, "p99<500ms"), Name: name, Version: "v0"})
				if r != nil {
					require.NoError(t, sink.Text(&out, r, sink.TextOptions{}))
				}
				err = failed
			}
			if err != nil {
				fmt.Fprintln(&out, "openload:", err)
			}
			golden.Check(t, strings.ReplaceAll(name, "/", "-")+".report", out.Bytes())
		})
	}
}
