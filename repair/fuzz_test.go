package repair_test

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"openload/repair"
	"openload/sink"
	"openload/source"
)

// Whatever a file holds and whatever is asked of it, there is a report that can be
// written, or an error, and the balance adds up.
func FuzzFile(f *testing.F) {
	files, err := filepath.Glob("../testdata/formats/*/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		rel, err := filepath.Rel("../testdata/formats", name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(sample(f, rel)), int64(80*ms), 1, uint8(0))
	}
	methods := []repair.Method{repair.Auto, repair.Backfill, repair.Schedule, repair.Queue, repair.None}
	f.Fuzz(func(t *testing.T, content []byte, interval int64, workers int, how uint8) {
		from := source.Options{Lenient: how&64 != 0, MaxRecord: 1 << 20, Untagged: how&32 != 0}
		if how&16 != 0 {
			from.Unit = ms
		}
		x, err := source.Open(bytes.NewReader(content), from)
		if err != nil {
			return
		}
		r, _ := repair.File(x, repair.Options{
			Interval: time.Duration(interval), Workers: workers, Method: methods[int(how&15)%len(methods)], Force: how&128 != 0,
			Rules: rules(t, "p99<500ms", "mean<1s", "errors<1%", "raw.p50<1s"),
		})
		if r == nil {
			return
		}
		if c := r.Latency.Corrected; c != nil && r.Latency.Raw.N > 0 && r.File.Format != "wrk2" && c.N != r.Latency.Raw.N+r.Correction.Synthetic {
			t.Errorf("%d corrected of %d raw and %d synthetic", c.N, r.Latency.Raw.N, r.Correction.Synthetic)
		}
		if err := sink.JSON(new(bytes.Buffer), r); err != nil {
			t.Error(err)
		}
		if err := sink.Text(new(bytes.Buffer), r, sink.TextOptions{}); err != nil {
			t.Error(err)
		}
	})
}
