package repair_test

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"openload/repair"
	"openload/sla"
	"openload/source"
)

// heyFile makes n rows as hey writes them: 50 workers paced at 80 ms each, of which
// one in a thousand requests takes 2 s.
func heyFile(n int) []byte {
	var b bytes.Buffer
	b.WriteString("response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n")
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		took := 0.05 + rng.Float64()/100
		if i%1000 == 999 {
			took += 2
		}
		fmt.Fprintf(&b, "%4.4f,%4.4f,%4.4f,%4.4f,%4.4f,%4.4f,%d,%4.4f\n", took, 0.0, 0.0, 0.0, took, 0.0001, 200, float64(i)/625)
	}
	return b.Bytes()
}

const benchRows = 1_000_000

// cpu is the processor time that this process has used: on a machine with other
// things to do it says more than a clock.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func perRow(b *testing.B, before time.Duration) {
	b.ReportMetric(float64(cpu()-before)/float64(b.N)/benchRows, "cpu-ns/row")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
}

// Reading, correcting and judging a file of hey's, beside encoding/csv's reading alone.
func BenchmarkHey(b *testing.B) {
	file := heyFile(benchRows)
	rule, err := sla.Parse("p99<500ms")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("correct", func(b *testing.B) {
		b.ReportAllocs()
		before := cpu()
		for b.Loop() {
			f, err := source.Open(bytes.NewReader(file), source.Options{})
			if err != nil {
				b.Fatal(err)
			}
			r, err := repair.File(f, repair.Options{Interval: 80 * time.Millisecond, Rules: []sla.Rule{rule}})
			if err != nil || r.Correction.Synthetic < 24*benchRows/1000 {
				b.Fatal(err, r.Correction)
			}
		}
		perRow(b, before)
	})
	b.Run("read", func(b *testing.B) {
		before := cpu()
		for b.Loop() {
			f, err := source.Open(bytes.NewReader(file), source.Options{})
			if err != nil {
				b.Fatal(err)
			}
			n := 0
			for range f.Rows() {
				n++
			}
			if n != benchRows {
				b.Fatal(n)
			}
		}
		perRow(b, before)
	})
	b.Run("encoding-csv", func(b *testing.B) {
		before := cpu()
		for b.Loop() {
			r := csv.NewReader(bufio.NewReaderSize(bytes.NewReader(file), 1<<20))
			r.ReuseRecord = true
			n := -1
			for {
				if _, err := r.Read(); err == io.EOF {
					break
				} else if err != nil {
					b.Fatal(err)
				}
				n++
			}
			if n != benchRows {
				b.Fatal(n)
			}
		}
		perRow(b, before)
	})
}
