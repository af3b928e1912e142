package source

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// sample reads a file that the tool itself wrote.
func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "testdata", "formats", name))
	require.NoError(t, err)
	return b
}

// A reading is all that one pass over a file gives.
type reading struct {
	f       *File
	rows    []Row
	buckets []Bucket
	err     error // from Open or from reading
}

func read(in []byte, opt Options) reading { return readFrom(bytes.NewReader(in), opt) }

func readFrom(r io.Reader, opt Options) reading {
	f, err := Open(r, opt)
	if err != nil {
		return reading{err: err}
	}
	return drain(f)
}

func drain(f *File) reading {
	got := reading{f: f}
	for r := range f.Rows() {
		got.rows = append(got.rows, *r)
	}
	for b := range f.Buckets() {
		got.buckets = append(got.buckets, *b)
	}
	got.err = f.Err()
	return got
}

// readTiny reads through a buffer of 32 bytes, so that every record meets its end.
func readTiny(in []byte, name string, opt Options) reading {
	f, _, err := unwrap(bytes.NewReader(in), opt)
	if err != nil {
		return reading{err: err}
	}
	s := &scanner{r: f.s, buf: make([]byte, 32), chunk: 32, max: f.s.max}
	f.s = s
	if f, err = f.as(formatNamed(name)); err != nil {
		return reading{err: err}
	}
	return drain(f)
}

// must reads a file that has to be readable.
func must(t testing.TB, in []byte, opt Options) reading {
	t.Helper()
	got := read(in, opt)
	require.NoError(t, got.err)
	return got
}

// txt joins lines, each with its end.
func txt(l ...string) []byte { return []byte(strings.Join(l, "\n") + "\n") }

func (g reading) notes() (codes []string) {
	for _, n := range g.f.Notes() {
		codes = append(codes, n.Code)
	}
	return codes
}

func (g reading) latencies() (l []time.Duration) {
	for _, r := range g.rows {
		l = append(l, r.Latency)
	}
	slices.Sort(l)
	return l
}

// rank is the nearest rank of a percentile, in integers.
func rank(n int, percentile string) int {
	p, _ := new(big.Rat).SetString(percentile)
	r := new(big.Rat).Mul(p, big.NewRat(int64(n), 100))
	up := new(big.Int).Add(r.Num(), new(big.Int).Sub(r.Denom(), big.NewInt(1)))
	return max(1, int(up.Div(up, r.Denom()).Int64()))
}

// quantile reads every row as an answer, whatever its status.
func (g reading) quantile(percentile string) time.Duration {
	l := g.latencies()
	return l[rank(len(l), percentile)-1]
}

// us makes 3.400 ms of 3400.
func us(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

// The raw columns of the reference numbers, computed by a script that knows
// nothing of this package; exact nearest rank, every row read as an answer.
func TestSamples(t *testing.T) {
	nginx := Options{TimeField: "request_time", Unit: time.Second}
	for _, tt := range []struct {
		file         string
		opt          Options
		format       string
		rows, failed int
		p50, p99     time.Duration
		max          time.Duration
	}{
		{"hey/fmt-hey-c1-q12.5-stall2s.csv", Options{}, "hey CSV", 80, 1, us(3400), us(2008300), us(2008300)},
		{"hey/fmt-hey-timeout1s.csv", Options{}, "hey CSV", 59, 0, us(3200), us(32300), us(32300)},
		{"hey/hey_n200_c1.csv", Options{}, "hey CSV", 200, 0, us(50800), us(58600), us(2136100)},
		{"hey/hey_q12.5_c1.csv", Options{}, "hey CSV", 200, 0, us(50900), us(67000), us(2003400)},
		{"accesslog/fmt-hey-same-run.csv", Options{}, "hey CSV", 60, 1, us(4800), us(1507300), us(1507300)},
		{"vegeta/fmt-vegeta-rate12-maxworkers1.gob", Options{}, "vegeta gob", 72, 1, 3290480, 2003932767, 2003932767},
		{"vegeta/fmt-vegeta-rate12-maxworkers1.csv", Options{}, "vegeta CSV", 72, 1, 3290480, 2003932767, 2003932767},
		{"vegeta/fmt-vegeta-rate12-maxworkers1.json", Options{}, "vegeta JSON", 72, 1, 3290480, 2003932767, 2003932767},
		{"vegeta/fmt-vegeta-connrefused.csv", Options{}, "vegeta CSV", 5, 5, 1048713, 19439000, 19439000},
		{"vegeta/vegeta_25per2s.bin", Options{}, "vegeta gob", 200, 0, 51453852, 1940564982, 2000586200},
		{"vegeta/vegeta_25per2s.encode.jsonl", Options{}, "vegeta JSON", 200, 0, 51453852, 1940564982, 2000586200},
		{"fortio/fmt-fortio-access.jsonl", Options{}, "fortio access log", 62, 1, us(11521), us(2029288), us(2029288)},
		{"h2load/fmt-h2load-h1-c2-rps25.tsv", Options{}, "h2load log", 150, 1, us(2950), us(30350), us(1507776)},
		{"h2load/h2load_n200_c1.log.tsv", Options{}, "h2load log", 200, 0, us(50406), us(62278), us(2118586)},
		{"ghz/fmt-ghz-c1-rps20.json", Options{}, "ghz JSON", 100, 1, 3944127, 9965490, 1504733894},
		{"ghz/fmt-ghz-c1.csv", Options{}, "ghz CSV", 60, 1, us(3670), us(1504810), us(1504810)},
		{"jmeter/fmt-jmeter213-csv-2threads-tx.jtl", Options{Label: "GET root"}, "JMeter CSV", 60, 1, us(28000), us(1532000), us(1532000)},
		{"jmeter/fmt-jmeter213-csv-2threads-tx.jtl", Options{}, "JMeter CSV", 60, 1, us(28000), us(1532000), us(1532000)},
		{"jmeter/fmt-jmeter213-csv-2threads-tx.jtl", Options{Nested: true}, "JMeter CSV", 120, 2, us(28000), us(1532000), us(1532000)},
		{"jmeter/fmt-jmeter213-xml-parent-tx.jtl", Options{}, "JMeter XML", 50, 1, us(29000), us(2276000), us(2276000)},
		{"accesslog/fmt-nginx-json.jsonl", nginx, "JSON access log", 60, 1, us(4000), us(1507000), us(1507000)},
		{"ab/fmt-ab-n200-c2-gnuplot.tsv", Options{}, "ab -g", 200, 0, us(3000), us(14000), us(1525000)},
		{"ab/fmt-ab-k-n150-c1-gnuplot.tsv", Options{}, "ab -g", 150, 0, us(2000), us(58000), us(1510000)},
		{"siege/fmt-siege-v-lines.txt", Options{}, "siege -v", 40, 1, 0, us(1200000), us(1200000)},
	} {
		name := tt.file + " " + tt.opt.Label
		if tt.opt.Nested {
			name += "nested"
		}
		t.Run(name, func(t *testing.T) {
			got := must(t, sample(t, tt.file), tt.opt)
			require.Equal(t, tt.format, got.f.Format)
			require.Len(t, got.rows, tt.rows)
			require.Equal(t, []time.Duration{tt.p50, tt.p99, tt.max}, []time.Duration{got.quantile("50"), got.quantile("99"), got.quantile("100")})
			tally := got.f.Tally()
			require.EqualValues(t, tt.rows, tally.Rows)
			require.EqualValues(t, tt.failed, tally.Failed)
			require.Equal(t, 1, tally.Runs)
			require.Zero(t, tally.Skipped)
			checkRows(t, got)
		})
	}
}

// checkRows holds a reading to what every format promises.
func checkRows(t testing.TB, got reading) {
	t.Helper()
	facts := got.f.Facts
	line := int64(0)
	timed := false
	for _, r := range got.rows {
		require.GreaterOrEqual(t, r.Latency, time.Duration(0))
		require.GreaterOrEqual(t, r.Line, line)
		line = r.Line
		if !timed && r.Start != NoTime {
			require.Zero(t, r.Start, "the first start is the origin")
			timed = true
		}
		if r.End != NoTime {
			require.Equal(t, r.Latency, r.End-r.Start)
		}
		require.Equal(t, r.Known && !r.OK || !r.Known && r.Class != 0, r.Class != 0)
		if r.Worker != NoName {
			require.NotEmpty(t, got.f.Name(r.Worker))
		}
	}
	require.Equal(t, timed, facts.Stamp != NoStamp && len(got.rows) > 0)
}

// formatsOf are samples of all kinds, for laws that hold for every format.
func formatsOf(t testing.TB) map[string]struct {
	in  []byte
	opt Options
} {
	all := map[string]struct {
		in  []byte
		opt Options
	}{}
	add := func(name string, in []byte, opt Options) {
		all[name] = struct {
			in  []byte
			opt Options
		}{in, opt}
	}
	for _, name := range []string{
		"hey/fmt-hey-c1-q12.5-stall2s.csv", "vegeta/fmt-vegeta-rate12-maxworkers1.csv", "vegeta/fmt-vegeta-rate12-maxworkers1.json",
		"vegeta/fmt-vegeta-rate12-maxworkers1.gob", "vegeta/fmt-vegeta-connrefused.csv", "fortio/fmt-fortio-access.jsonl", "fortio/fmt-fortio-c1-q12.5.json",
		"h2load/fmt-h2load-h1-c2-rps25.tsv", "ghz/fmt-ghz-c1-rps20.json", "ghz/fmt-ghz-c1.csv", "jmeter/fmt-jmeter213-csv-2threads-tx.jtl",
		"jmeter/fmt-jmeter213-xml-parent-tx.jtl", "ab/fmt-ab-n200-c2-gnuplot.tsv", "siege/fmt-siege-v-lines.txt", "wrk2/fmt-wrk2-c1-R50-d15-L-U.txt",
	} {
		add(name, sample(t, name), Options{})
	}
	add("nginx", sample(t, "accesslog/fmt-nginx-json.jsonl"), Options{TimeField: "request_time", Unit: time.Second})
	add("hlog", sample(t, "hdr/fmt-java2.1.11-tagged.hlog"), Options{Unit: time.Nanosecond})
	add("double hlog", sample(t, "hdr/fmt-java2.1.11-double.hlog"), Options{Unit: time.Millisecond})
	add("percentiles", sample(t, "hdr/fmt-java-percentiles.txt"), Options{Unit: time.Millisecond})
	for name, h := range handmade {
		add(name, h.in, h.opt)
	}
	return all
}

// binary formats have no line ends and no text encoding.
func isBinary(in []byte) bool { return bytes.IndexByte(in, 0) >= 0 }

func same(t testing.TB, want, got reading) {
	t.Helper()
	require.NoError(t, got.err)
	require.Equal(t, want.f.Format, got.f.Format)
	require.Equal(t, want.rows, got.rows)
	require.Equal(t, want.buckets, got.buckets)
	require.Equal(t, want.f.Tally(), got.f.Tally())
}

func utf16Bytes(in []byte, order binary.AppendByteOrder) []byte {
	out := order.AppendUint16(nil, 0xfeff)
	for _, u := range utf16.Encode([]rune(string(in))) {
		out = order.AppendUint16(out, u)
	}
	return out
}

func zip(in []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(in)
	z.Close()
	return b.Bytes()
}

// What a file says doesn't depend on how its bytes arrive, nor on what a shell, a
// spreadsheet or a mailer did to its text.
func TestTransportChangesNothing(t *testing.T) {
	for name, s := range formatsOf(t) {
		t.Run(name, func(t *testing.T) {
			want := must(t, s.in, s.opt)
			require.NotZero(t, want.f.Tally().Rows)
			same(t, want, readFrom(iotest.OneByteReader(bytes.NewReader(s.in)), s.opt))
			same(t, want, readFrom(iotest.DataErrReader(bytes.NewReader(s.in)), s.opt))
			same(t, want, readTiny(s.in, want.f.Format, s.opt))
			same(t, want, read(zip(s.in), s.opt))
			same(t, want, read(zip(zip(s.in)), s.opt))
			if isBinary(s.in) {
				return
			}
			same(t, want, read(append([]byte("\xef\xbb\xbf"), s.in...), s.opt))
			same(t, want, read(bytes.ReplaceAll(s.in, lf, []byte("\r\n")), s.opt))
			same(t, want, read(bytes.ReplaceAll(s.in, lf, []byte("\r\r\n")), s.opt))
			same(t, want, read(append(bytes.Clone(s.in), "\n\n"...), s.opt))
			same(t, want, read(bytes.TrimRight(s.in, "\n"), s.opt))
			same(t, want, read(utf16Bytes(s.in, binary.LittleEndian), s.opt))
			same(t, want, read(utf16Bytes(s.in, binary.BigEndian), s.opt))
		})
	}
}

// A stopped iteration stops the reading, and the second is empty.
func TestBreakAndSecondPass(t *testing.T) {
	f, err := Open(bytes.NewReader(sample(t, "hey/fmt-hey-c1-q12.5-stall2s.csv")), Options{})
	require.NoError(t, err)
	for range f.Rows() {
		break
	}
	require.NoError(t, f.Err())
	require.EqualValues(t, 1, f.Tally().Rows)
	for range f.Rows() {
		t.Fatal("a second pass has rows")
	}
	require.Len(t, slices.Collect(f.Buckets()), 0)
}

// An error of the reader isn't the end of the file.
func TestReadErrorIsReported(t *testing.T) {
	broken := errors.New("disk on fire")
	in := heyFile(5000)
	got := readFrom(io.MultiReader(bytes.NewReader(in), iotest.ErrReader(broken)), Options{})
	require.ErrorIs(t, got.err, broken)
	require.Len(t, got.rows, 5000)
	require.ErrorIs(t, readFrom(iotest.ErrReader(broken), Options{}).err, broken)
}

// A compressed file that was cut off gives what it has, and says so.
func TestCutGzip(t *testing.T) {
	in := zip(sample(t, "hey/hey_n200_c1.csv"))
	got := must(t, in[:len(in)/2], Options{Lenient: true})
	require.Contains(t, got.notes(), NoteCut)
	require.Greater(t, len(got.rows), 10)
	require.Less(t, len(got.rows), 200)
}

// The scanner's buffer grows past its chunk for one long record, and no further
// than it may.
func TestLongRecords(t *testing.T) {
	body := strings.Repeat("QUJD", 1<<20) // 4 MiB of base64
	row := "1796004306631709003,200,13463823,0,6,," + body + ",a,0,GET,http://h/,"
	got := must(t, txt(row, row), Options{})
	require.Len(t, got.rows, 2)
	require.EqualValues(t, 2, got.rows[1].Line)
	require.ErrorIs(t, read(txt(row, row), Options{MaxRecord: 1 << 20}).err, errLong)
	require.ErrorIs(t, readFrom(io.LimitReader(endless('x'), 1<<28), Options{MaxRecord: 1 << 21}).err, ErrUnknown)
	head := "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read\n"
	got = readFrom(io.MultiReader(strings.NewReader(head), endless('1')), Options{MaxRecord: 1 << 21})
	require.ErrorIs(t, got.err, errLong)
	got = readFrom(io.MultiReader(strings.NewReader(`{"count":1,"rps":1,"latencyDistribution":[],"details":[{"error":"`), endless('a')), Options{MaxRecord: 1 << 21})
	require.ErrorIs(t, got.err, errLong)
}

// endless never ends.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}
