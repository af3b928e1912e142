package source

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
)

const heyHead = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read"

func TestHeyOddities(t *testing.T) {
	stall := sample(t, "hey/fmt-hey-c1-q12.5-stall2s.csv")
	t.Run("failed requests aren't in the file, and it is said", func(t *testing.T) {
		got := must(t, sample(t, "hey/fmt-hey-timeout1s.csv"), Options{})
		require.Len(t, got.rows, 59)
		require.False(t, got.f.Facts.Failures)
		require.Contains(t, got.notes(), NoteMissing)
		// The lost one shows as a gap that no row covers.
		var gap time.Duration
		for i, r := range got.rows[1:] {
			gap = max(gap, r.Start-got.rows[i].End)
		}
		require.Greater(t, gap, time.Second)
	})
	t.Run("offsets count from the process's start", func(t *testing.T) {
		got := must(t, stall, Options{})
		require.Zero(t, got.rows[0].Start) // 0.0879 in the file
		require.Equal(t, us(80200), got.rows[1].Start)
		_, absolute := got.f.Epoch()
		require.False(t, absolute)
	})
	t.Run("facts that decide the correction", func(t *testing.T) {
		f := must(t, stall, Options{}).f.Facts
		require.Equal(t, us(100), f.Resolution)
		require.Equal(t, Skips, f.Pacing)
		require.Equal(t, RatePerWorker, f.Rate)
		require.EqualValues(t, 1_000_000, f.Cap)
		require.False(t, f.Workers)
	})
	t.Run("6, 7 and 8 columns, an empty line before", func(t *testing.T) {
		six := must(t, txt("", heyHead, "0.0079,0,0,0,0,0", "2.0000,0,0,0,0,0"), Options{})
		require.Equal(t, []brief{{NoTime, us(7900), 0, "", ""}, {NoTime, 2 * time.Second, 0, "", ""}}, six.brief())
		require.Equal(t, NoStamp, six.f.Facts.Stamp)
		require.False(t, six.f.Facts.Statuses)
		seven := must(t, txt(heyHead+",status-code", "0.0079,0,0,0,0,0,404"), Options{})
		require.Equal(t, 404, seven.rows[0].Status)
		require.Equal(t, correct.BadStatus, seven.rows[0].Class)
		eight := must(t, txt(heyHead+",status-code,offset", "0.0079,0,0,0,0,0,200,0.5"), Options{})
		require.Equal(t, us(7900), eight.rows[0].End)
	})
	t.Run("both ways of reading a row agree", func(t *testing.T) {
		// A space sends a row the slow way.
		slow := bytes.ReplaceAll(stall, []byte(",2"), []byte(", 2"))
		require.Equal(t, must(t, stall, Options{}).rows, must(t, slow, Options{}).rows)
		for row, quick := range map[string]bool{
			"0.0079,0.0013,0.0000,0.0004,0.0056,0.0003,200,0.0879":        true,
			"2.0079,0.0013,0.0000,0.0004,0.0056,0.0003,503,1234.0879":     true,
			"9.9999,0.0013,0.0000,0.0004,0.0056,0.0003,301,999999.9999":   true,
			"0.0079,a.0013,0.0000,0.0004,0.0056,0.0003,200,0.0879":        false,
			"0.0079,?.????,0.0000,0.0004,0.0056,0.0003,200,0.0879":        true, // nobody looks there
			"0.0079,0.0013,0.0000,0.0004,0.0056,0.0003,20,0.08790":        false,
			"10.0000,0.0013,0.0000,0.0004,10.0056,0.0003,200,0.0000":      false,
			"0.0079,0.0013,0.0000,0.0004,0.0056,0.0003,200,12345678.0879": false,
		} {
			var m [1]Moment
			n, size, failed := heyRows([]byte(row+"\n"+strings.Repeat(" ", 64)), 0, m[:])
			require.Equal(t, quick, n > 0, row)
			got := must(t, txt(heyHead+",status-code,offset", "0.0079,0,0,0,0,0,200,0.0", strings.ReplaceAll(row, ",", ", ")), Options{})
			if quick {
				require.Equal(t, []any{got.rows[1].Latency, got.rows[1].Start, got.rows[1].Status, got.rows[1].Class == correct.OK}, []any{m[0].Took, m[0].Start, int(m[0].Status), failed == 0})
				require.Equal(t, len(row)+1, size)
			}
		}
		for i := range 10_000 {
			d := fmt.Appendf(nil, "%04d%04d", i, 9999-i)
			v := fourDigits(binary.LittleEndian.Uint64(d) - 0x3030303030303030)
			require.EqualValues(t, []any{i, 9999 - i}, []any{int(v & 0xffffffff), int(v >> 32)})
		}
	})
	t.Run("two rows run together are no row", func(t *testing.T) {
		torn := strings.Replace(string(stall), "0.1681\n", "0.1681", 1)
		var row *RowError
		require.ErrorAs(t, read([]byte(torn), Options{}).err, &row)
		require.EqualValues(t, 3, row.Line)
	})
	t.Run("two outputs joined are two runs", func(t *testing.T) {
		got := must(t, append(bytes.Clone(stall), stall...), Options{})
		require.Equal(t, 2, got.f.Tally().Runs)
		require.EqualValues(t, 0, got.rows[79].Run)
		require.EqualValues(t, 1, got.rows[80].Run)
	})
}

func TestVegetaOddities(t *testing.T) {
	csv := sample(t, "vegeta/fmt-vegeta-rate12-maxworkers1.csv")
	gob := sample(t, "vegeta/fmt-vegeta-rate12-maxworkers1.gob")
	t.Run("the three encodings say the same", func(t *testing.T) {
		a, b := must(t, csv, Options{}), must(t, gob, Options{})
		c := must(t, sample(t, "vegeta/fmt-vegeta-rate12-maxworkers1.json"), Options{})
		require.Equal(t, a.rows, b.rows)
		require.Equal(t, a.rows, c.rows)
		require.Equal(t, "GET http://127.0.0.1:18080/", a.f.Name(0))
	})
	t.Run("open unless capped: then it catches up", func(t *testing.T) {
		got := must(t, csv, Options{})
		require.Equal(t, []Pacing{OpenModel, CatchesUp}, []Pacing{got.f.Facts.Pacing, got.f.Facts.Otherwise})
		burst := 0 // requests that started right behind the stall
		for i, r := range got.rows[1:] {
			if got.rows[i].Latency < time.Second && r.Start-got.rows[i].Start < 10*ms {
				burst++
			}
		}
		require.Greater(t, burst, 15)
	})
	t.Run("6, 7, 9, 11 and 12 columns", func(t *testing.T) {
		row := strings.Split("1796004306631709003,200,13463823,0,6,,aGVsbG8K,fmt,5,GET,http://h/,Q29u", ",")
		for n := range 14 {
			if n < 6 {
				continue
			}
			in := txt(strings.Join(append(slices.Clone(row), "x", "y")[:n], ","))
			got := read(in, Options{})
			switch n {
			case 6, 7, 9, 11, 12:
				require.NoError(t, got.err, n)
				require.Equal(t, 13463823*time.Nanosecond, got.rows[0].Latency)
				require.EqualValues(t, map[bool]int64{true: 5, false: NoSeq}[n >= 9], got.rows[0].Seq)
			default:
				require.ErrorContains(t, got.err, "line 1", n)
			}
		}
	})
	t.Run("errors with commas, quotes and line breaks", func(t *testing.T) {
		got := must(t, sample(t, "vegeta/fmt-vegeta-connrefused.csv"), Options{})
		require.Equal(t, correct.Refused, got.rows[0].Class)
		broken := "1796004316840719531,0,19439000,0,0,\"line one,\nline \"\"two\"\": timeout\n\",,,0,GET,http://h/,"
		got = must(t, txt(broken, broken), Options{})
		require.Len(t, got.rows, 2)
		require.Equal(t, []int64{1, 4}, []int64{got.rows[0].Line, got.rows[1].Line})
		require.Equal(t, correct.Timeout, got.rows[0].Class)
	})
	t.Run("the file is in order of completion, Seq in order of start", func(t *testing.T) {
		a, b := "1796004306700000000,200,10000000,0,6,,,a,1,GET,http://h/,", "1796004306600000000,200,900000000,0,6,,,a,0,GET,http://h/,"
		got := must(t, txt(a, b), Options{})
		require.Equal(t, []int64{1, 0}, []int64{got.rows[0].Seq, got.rows[1].Seq})
		require.Equal(t, -100*ms, got.rows[1].Start)
	})
	t.Run("gob streams that were concatenated", func(t *testing.T) {
		one := must(t, gob, Options{})
		two := must(t, append(bytes.Clone(gob), sample(t, "vegeta/vegeta_25per2s.bin")...), Options{})
		require.Len(t, two.rows, 272)
		require.Equal(t, one.rows, two.rows[:72])
		require.EqualValues(t, 1, two.rows[72].Run)
		require.Equal(t, 2, two.f.Tally().Runs)
	})
	t.Run("a gob that was cut gives what it has", func(t *testing.T) {
		for _, cut := range []int{len(gob) - 1, len(gob) - 100, len(gob) / 2} {
			got := must(t, gob[:cut], Options{Lenient: true})
			require.Contains(t, got.notes(), NoteCut)
			require.Equal(t, must(t, gob, Options{}).rows[:len(got.rows)], got.rows)
		}
	})
	t.Run("a code outside 200-399 has an error too", func(t *testing.T) {
		got := must(t, csv, Options{})
		failed := 0
		for _, r := range got.rows {
			if r.Status == 500 {
				failed++
				require.Equal(t, []any{true, false, correct.BadStatus}, []any{r.Known, r.OK, r.Class})
			}
		}
		require.Equal(t, 1, failed)
	})
	t.Run("PowerShell destroys a gob", func(t *testing.T) {
		var text strings.Builder
		for _, c := range gob[:4096] {
			text.WriteRune(rune(c))
		}
		var no *Refusal
		require.ErrorAs(t, read(utf16Bytes([]byte(text.String()), binary.LittleEndian), Options{}).err, &no)
		require.Contains(t, no.Reason, "binary")
	})
}

func TestK6Oddities(t *testing.T) {
	got := one(t, "k6 csv")
	require.Len(t, got.rows, 3, "one row a request, of eight")
	require.Equal(t, StampEnd, got.f.Facts.Stamp, "the time is the end")
	require.Contains(t, got.f.Facts.Leaps, "connecting")
	nul := bytes.Replace(handmade["k6 csv"].in, []byte("2000.500000"), bytes.Repeat([]byte{0}, 250_000), 1)
	err := read(nul, Options{}).err
	require.ErrorContains(t, err, "line 5")
	require.Less(t, len(err.Error()), 400, "a field is never echoed whole")
	other := must(t, bytes.ReplaceAll(handmade["k6 csv"].in, []byte("http_req_duration"), []byte("grpc_req_duration")), Options{TimeField: "grpc_req_duration"})
	require.Equal(t, got.rows, other.rows)
	require.Equal(t, []time.Duration{2000500 * us(1)}, must(t, handmade["k6 csv"].in, Options{Label: "http://h/a"}).latencies()[1:])
	cut := bytes.TrimSuffix(handmade["k6 json"].in, []byte("}}\n"))
	require.NotPanics(t, func() { must(t, cut[:len(cut)-180], Options{Lenient: true}) })
}

func TestABOddities(t *testing.T) {
	got := must(t, sample(t, "ab/fmt-ab-n200-c2-gnuplot.tsv"), Options{})
	f := got.f.Facts
	require.Equal(t, ByLatency, f.Order)
	require.Equal(t, time.Second, f.StampStep)
	require.Equal(t, []bool{false, false, false}, []bool{f.Statuses, f.Workers, f.Failures})
	require.Equal(t, Closed, f.Pacing)
	require.True(t, isSorted(got), "sorted by latency, whatever the start")
}

func isSorted(g reading) bool {
	for i, r := range g.rows[1:] {
		if r.Latency < g.rows[i].Latency {
			return false
		}
	}
	return true
}

func TestGatlingOddities(t *testing.T) {
	for _, name := range []string{"gatling binary", "gatling binary no coder"} {
		in := handmade[name].in
		require.Equal(t, []string{"GET root", "GET root"}, []string{one(t, name).brief()[0].label, one(t, name).brief()[1].label})
		// Cut anywhere: rows so far, or a damaged header. Nothing else.
		for cut := 80; cut < len(in); cut++ {
			got := must(t, in[:cut], Options{Lenient: true})
			require.LessOrEqual(t, len(got.rows), 2)
		}
		for cut := range 60 {
			require.Error(t, read(in[:cut], Options{}).err)
		}
		hostile := bytes.Clone(in)
		copy(hostile[len(hostile)-100:], []byte{1, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff})
		require.NotPanics(t, func() { read(hostile, Options{}) })
	}
	t.Run("errors under the word GROUP are no requests", func(t *testing.T) { require.Len(t, one(t, "gatling 2.3").rows, 2) })
	t.Run("a record that nobody writes", func(t *testing.T) {
		bad := append(bytes.Clone(handmade["gatling 3.4"].in), "NONSENSE\t1\n"...)
		require.ErrorContains(t, read(bad, Options{}).err, "line 7")
		require.EqualValues(t, 1, must(t, bad, Options{Lenient: true}).f.Tally().Skipped)
	})
	t.Run("an end before the start", func(t *testing.T) {
		bad := bytes.Replace(handmade["gatling 3.4"].in, []byte("1396004306650\tOK"), []byte("1396004306630\tOK"), 1)
		require.ErrorContains(t, read(bad, Options{}).err, "before the start")
	})
}

func TestH2loadOddities(t *testing.T) {
	in := sample(t, "h2load/fmt-h2load-h1-c2-rps25.tsv")
	got := must(t, in, Options{})
	require.Equal(t, []any{CatchesUp, RatePerWorker, false}, []any{got.f.Facts.Pacing, got.f.Facts.Rate, got.f.Facts.Workers})
	t.Run("-1 is a failed stream", func(t *testing.T) {
		r := must(t, txt("1796004266736191\t-1\t3889"), Options{}).rows[0]
		require.Equal(t, []any{true, false, 0, correct.Network}, []any{r.Known, r.OK, r.Status, r.Class})
	})
	t.Run("further columns may come", func(t *testing.T) {
		require.Len(t, must(t, txt("1796004266736191\t200\t3889\tx\ty"), Options{}).rows, 1)
	})
	t.Run("an earlier run stands before", func(t *testing.T) {
		earlier := txt("1796000000000000\t200\t3889", "1796000000080000\t200\t3889")
		got := must(t, append(earlier, in...), Options{})
		require.Equal(t, 2, got.f.Tally().Runs)
		require.Equal(t, []int32{0, 0, 1}, []int32{got.rows[0].Run, got.rows[1].Run, got.rows[2].Run})
		back := must(t, append(bytes.Clone(in), earlier...), Options{})
		require.Equal(t, 2, back.f.Tally().Runs, "time that goes back is another run")
		require.Equal(t, 1, must(t, append(earlier, in...), Options{RunGap: -1}).f.Tally().Runs)
	})
}

func TestOhaOddities(t *testing.T) {
	got := one(t, "oha csv")
	require.Equal(t, []Pacing{CatchesUp, Corrected}, []Pacing{got.f.Facts.Pacing, got.f.Facts.Otherwise})
	require.Equal(t, NoTime, got.rows[0].End, "with --latency-correction it isn't start + duration")
	require.Equal(t, ByStart, got.f.Facts.Order)
	var no *Refusal
	require.ErrorAs(t, read(append([]byte("SQLite format 3\x00"), make([]byte, 100)...), Options{}).err, &no)
	require.Contains(t, no.Instead, "sqlite3 -csv -header")
	require.Contains(t, no.Instead, "max(run)", "several runs may be in it")
	require.NotContains(t, no.Instead, `\`)
}

func TestFortioOddities(t *testing.T) {
	in := sample(t, "fortio/fmt-fortio-access.jsonl")
	got := must(t, in, Options{})
	require.Equal(t, []Pacing{CatchesUp, Skips}, []Pacing{got.f.Facts.Pacing, got.f.Facts.Otherwise})
	require.Equal(t, []any{true, "0", int64(61)}, []any{got.f.Facts.Workers, got.f.Name(got.rows[61].Worker), got.rows[61].Seq})
	t.Run("old logs have three fields", func(t *testing.T) {
		r := must(t, txt(`{"latency":0.002856,"timestamp":1796004757234182245,"thread":3}`), Options{}).rows[0]
		require.False(t, r.Known)
		require.Equal(t, us(2856), r.Latency)
	})
	t.Run("details are Go's, not JSON's", func(t *testing.T) {
		got := must(t, txt(`{"latency":0.002856,"timestamp":1796004757234182245,"thread":3,"iter":0,"ok":false,"details":"\x00\a\"timeout\""}`), Options{})
		require.Equal(t, correct.Timeout, got.rows[0].Class)
	})
	t.Run("the next start shows the catching up", func(t *testing.T) {
		burst := 0
		for i, r := range got.rows[1:] {
			if r.Start-got.rows[i].End < ms {
				burst++
			}
		}
		require.Greater(t, burst, 10)
	})
}

func TestSiegeOddities(t *testing.T) {
	got := must(t, sample(t, "siege/fmt-siege-v-lines.txt"), Options{})
	require.Equal(t, 10*ms, got.f.Facts.Resolution)
	require.Equal(t, "GET  /", got.f.Name(got.rows[0].Label))
	cut := append(sample(t, "siege/fmt-siege-v-lines.txt"), "HTTP/1.1 200   "...)
	require.Len(t, must(t, cut, Options{Lenient: true}).rows, 40)
	require.ErrorContains(t, read(append(cut, '\n'), Options{}).err, "line 58")
}

func TestGhzOddities(t *testing.T) {
	got := must(t, sample(t, "ghz/fmt-ghz-c1.csv"), Options{}) // begins with a blank line
	require.EqualValues(t, 3, got.rows[0].Line)
	var failed Row
	for _, r := range got.rows {
		if r.Class != correct.OK {
			failed = r
		}
	}
	require.Equal(t, []any{correct.BadStatus, us(2860)}, []any{failed.Class, failed.Latency}, "an error with a comma, unquoted")
	in := sample(t, "ghz/fmt-ghz-c1-rps20.json")
	cut := must(t, in[:len(in)-500], Options{Lenient: true})
	require.Contains(t, cut.notes(), NoteCut)
	require.Len(t, cut.rows, 94)
	indented := bytes.ReplaceAll(bytes.ReplaceAll(in, []byte(`,"`), []byte(",\n  \"")), []byte("{"), []byte("{\n"))
	require.Equal(t, must(t, in, Options{}).rows, must(t, indented, Options{}).rows)
	var no *Refusal
	require.ErrorAs(t, read([]byte(`{"count":2,"fastest":1,"rps":1,"latencyDistribution":null,"details":null}`), Options{}).err, &no)
	require.ErrorAs(t, read([]byte(`{"count":2,"fastest":1,"rps":1,"latencyDistribution":null}`), Options{}).err, &no)
}
