package source

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// heyFile makes n rows as hey writes them: 50 ms, and 2 s now and then.
func heyFile(n int) []byte {
	var b bytes.Buffer
	b.WriteString("response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n")
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		l := 0.05 + rng.Float64()/100
		if i%1000 == 999 {
			l += 2
		}
		fmt.Fprintf(&b, "%4.4f,%4.4f,%4.4f,%4.4f,%4.4f,%4.4f,%d,%4.4f\n", l, 0.0, 0.0, 0.0, l, 0.0001, 200, float64(i)/1000)
	}
	return b.Bytes()
}

// A block of rows that is repeated makes a file of any length without the memory.
const (
	blockRows = 100_000
	blocks    = 10
)

var block = sync.OnceValue(func() []byte { return heyFile(blockRows) })

func bigHey() (io.Reader, int64) {
	head, rows, _ := bytes.Cut(block(), lf)
	return io.MultiReader(bytes.NewReader(head), bytes.NewReader(lf), io.LimitReader(&cycle{row: rows}, int64(len(rows)*blocks))), blockRows * blocks
}

// cpu is the processor time that this process has used: on a machine with other
// things to do it says more than a clock.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// countSource and countCSV read the same file to its end.
func countSource(r io.Reader) (n int64, err error) {
	f, err := Open(r, Options{})
	if err != nil {
		return 0, err
	}
	var sum time.Duration
	for row := range f.Rows() {
		sum += row.Latency
		n++
	}
	return n, f.Err()
}

// countBatches is countSource for who takes batches.
func countBatches(r io.Reader) (n int64, err error) {
	f, err := Open(r, Options{})
	if err != nil {
		return 0, err
	}
	var sum time.Duration
	b := new(Batch)
	f.Batches(func(full *Batch) *Batch {
		if full != nil {
			for i := range full.Rows[:full.N] {
				sum += full.Rows[i].Took
			}
			n += int64(full.N)
		}
		return b
	})
	return n, f.Err()
}

func countCSV(r io.Reader) (n int64, err error) {
	c := csv.NewReader(bufio.NewReaderSize(r, chunkSize))
	c.ReuseRecord = true
	for n = -1; ; n++ { // the header
		if _, err := c.Read(); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
	}
}

// BenchmarkHey reads a hey CSV to its end, with this package in two ways and, as the yardstick,
// with encoding/csv, which doesn't even look at the fields.
func BenchmarkHey(b *testing.B) {
	for _, way := range []struct {
		name string
		read func(io.Reader) (int64, error)
	}{{"rows", countSource}, {"batches", countBatches}, {"encoding-csv", countCSV}} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			block()
			before, rows := cpu(), int64(0)
			for b.Loop() {
				in, want := bigHey()
				n, err := way.read(in)
				if err != nil || n != want {
					b.Fatal(n, err)
				}
				rows += n
			}
			b.ReportMetric(float64(cpu()-before)/float64(rows), "cpu-ns/row")
		})
	}
}

// BenchmarkFormats reads a sample of each kind over and over.
func BenchmarkFormats(b *testing.B) {
	for name, s := range formatsOf(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s.in)))
			for b.Loop() {
				if got := read(s.in, s.opt); got.err != nil {
					b.Fatal(got.err)
				}
			}
		})
	}
}

// Reading a row allocates nothing, and reading a file no more than its buffers.
func TestRowsCostNoMemory(t *testing.T) {
	for name, rows := range map[string]func(i int) string{
		"hey CSV": nil,
		"k6 CSV": func(i int) string {
			return fmt.Sprintf("http_req_duration,%d,%d.5,true,/a,%d", 1796004306+i/1000, i%100, 200)
		},
		"JMeter CSV": func(i int) string {
			return fmt.Sprintf("%d,%d,home,200,OK,T 1-%d,text,true,,6", 1796004000000+i, i%100, i%50)
		},
		"vegeta CSV": func(i int) string {
			return fmt.Sprintf("%d,200,%d,0,6,,aGVsbG8K,a,%d,GET,http://h/,Q29u", 1796004306631709003+i*1000, i, i)
		},
		"vegeta JSON": func(i int) string {
			return fmt.Sprintf(`{"attack":"a","seq":%d,"code":200,"timestamp":"2026-11-30T02:05:06.%09dZ","latency":%d,"error":"","method":"GET","url":"http://h/","headers":{"A":["b"]}}`, i, i, i)
		},
		"fortio access log": func(i int) string {
			return fmt.Sprintf(`{"latency":0.%06d,"timestamp":%d,"thread":%d,"iter":%d,"ok":true,"details":"200"}`, i, 1796004757234182245+i*1000, i%8, i)
		},
		"h2load log": func(i int) string { return fmt.Sprintf("%d\t200\t%d", 1796004266736191+i, i) },
		"Gatling log": func(i int) string {
			return fmt.Sprintf("REQUEST\t \tGET root\t%d\t%d\tOK\t ", 1796004306631+i, 1796004306650+i)
		},
		"siege -v": func(i int) string {
			return fmt.Sprintf("HTTP/1.1 200     0.%02d secs:       6 bytes ==> GET  /", i%100)
		},
	} {
		t.Run(name, func(t *testing.T) {
			const n = 20_000
			var in []byte
			if rows == nil {
				in = heyFile(n)
			} else {
				var b bytes.Buffer
				b.WriteString(map[string]string{"k6 CSV": "metric_name,timestamp,metric_value,expected_response,name,status\n", "JMeter CSV": jtlHead + "\n", "Gatling log": "RUN\ta\tb\t1396004306600\td\t3.9.5\n"}[name])
				for i := range n {
					b.WriteString(rows(i) + "\n")
				}
				in = b.Bytes()
			}
			allocs := testing.AllocsPerRun(3, func() {
				got, err := countSource(bytes.NewReader(in))
				require.NoError(t, err)
				require.EqualValues(t, n, got)
			})
			require.Less(t, allocs, n/4.0, "the head may cost, rows may not")
		})
	}
}
