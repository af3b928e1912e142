package source

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Public bug reports of other importers, each with the right answer.

const latency100 = 100210 * time.Microsecond // the 100.21 ms of I17

func TestCaseI1ByteOrderMarks(t *testing.T) {
	want := must(t, sample(t, "hey/hey_n200_c1.csv"), Options{})
	for name, in := range map[string][]byte{
		"UTF-8":                 append([]byte{0xef, 0xbb, 0xbf}, sample(t, "hey/hey_n200_c1.csv")...),
		"UTF-16 of PowerShell":  utf16Bytes(sample(t, "hey/hey_n200_c1.csv"), binary.LittleEndian),
		"UTF-16, the other way": utf16Bytes(sample(t, "hey/hey_n200_c1.csv"), binary.BigEndian),
	} {
		got := must(t, in, Options{})
		require.Equal(t, want.rows, got.rows, name)
		require.Equal(t, strings.HasPrefix(name, "UTF-16"), slices.Contains(got.notes(), NoteEncoding), name)
	}
}

func TestCaseI2LineEndsSpacesAndQuotes(t *testing.T) {
	in := string(sample(t, "hey/hey_n200_c1.csv"))
	want := must(t, []byte(in), Options{})
	head, rows, _ := strings.Cut(in, "\n")
	for name, text := range map[string]string{
		"CRLF":                    strings.ReplaceAll(in, "\n", "\r\n"),
		"a trailing blank line":   in + "\n",
		"spaces after commas":     head + "\n" + strings.ReplaceAll(rows, ",", ", "),
		"quoted numbers":          head + "\n" + strings.ReplaceAll(strings.ReplaceAll(strings.TrimSuffix(rows, "\n"), ",", `","`), "\n", "\"\n\""),
		"semicolons":              strings.ReplaceAll(in, ",", ";"),
		"columns in other orders": reorder(in, 7, 6, 0, 1, 2, 3, 4, 5),
	} {
		if name == "quoted numbers" {
			h, r, _ := strings.Cut(text, "\n")
			text = h + "\n\"" + r + "\"\n"
		}
		got := must(t, []byte(text), Options{})
		require.Equal(t, want.rows, got.rows, name)
	}
}

// reorder puts a CSV's columns into another order.
func reorder(in string, order ...int) string {
	var out []string
	for l := range strings.Lines(in) {
		f := strings.Split(strings.TrimSpace(l), ",")
		var g []string
		for _, i := range order {
			g = append(g, f[i])
		}
		out = append(out, strings.Join(g, ","))
	}
	return strings.Join(out, "\n") + "\n"
}

func TestCaseI4ThousandsSeparators(t *testing.T) {
	row := `1796004000000,"34,953.254",a,200,OK,T 1-1,text,true,,6`
	require.ErrorContains(t, read(txt(jtlHead, row), Options{}).err, `line 2: elapsed "34,953.254": decimal comma or thousands separator`)
	require.ErrorContains(t, read(txt("latency_ms", "34,953.254"), Options{}).err, "thousands separator")
}

func TestCaseI5JTLWithoutHeader(t *testing.T) {
	in := sample(t, "jmeter/fmt-jmeter213-csv-2threads-tx.jtl")
	head, rows, _ := bytes.Cut(in, lf)
	var missing *Missing
	require.ErrorAs(t, read(rows, Options{}).err, &missing)
	require.Equal(t, NeedColumns, missing.Need)
	require.Equal(t, []string{"by default " + string(head)}, missing.Found)
	got := must(t, rows, Options{Columns: strings.Split(string(head), ",")})
	want := must(t, in, Options{})
	require.Equal(t, want.latencies(), got.latencies())
	require.Equal(t, want.f.Tally(), got.f.Tally())
}

func TestCaseI6Delimiters(t *testing.T) {
	in := txt(jtlHead, `1796004000000,10,"a",200,OK,T 1-1,text,true,,6`, `1796004001000,2010,b,500,no,T 1-1,text,false,,6`)
	want := must(t, in, Options{})
	for _, d := range []string{";", "\t", "|"} {
		other := bytes.ReplaceAll(in, []byte(","), []byte(d))
		got := must(t, other, Options{})
		require.Equal(t, want.rows, got.rows, d)
		_, rows, _ := bytes.Cut(other, lf)
		require.ErrorContains(t, read(rows, Options{}).err, strconv.QuoteRune([]rune(d)[0]))
	}
}

func TestCaseI8MessageContainsFalse(t *testing.T) {
	got := must(t, txt(jtlHead, `1796004000000,10,a,200,"false, all false",T 1-1,text,true,"false",6`), Options{})
	require.True(t, got.rows[0].OK)
}

func TestCaseI9ColumnsByName(t *testing.T) {
	in := txt(jtlHead, `1796004000000,10,a,200,OK,T 1-1,text,true,,6`, `1796004001000,2010,b,500,no,T 1-1,text,false,,6`)
	want := must(t, in, Options{})
	require.Equal(t, want.rows, must(t, []byte(reorder(string(in), 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)), Options{}).rows)
	few := must(t, []byte(reorder(string(in), 1, 2)), Options{}) // elapsed and label
	require.Equal(t, want.latencies(), few.latencies())
	require.Equal(t, []any{NoTime, int32(NoName), false}, []any{few.rows[0].Start, few.rows[0].Worker, few.rows[0].Known})
	more := bytes.ReplaceAll(in, []byte("bytes\n"), []byte("bytes,\"my var\",\"URL, too\"\n"))
	more = bytes.ReplaceAll(more, []byte(",6\n"), []byte(",6,\"x, y\",\n"))
	require.Equal(t, want.rows, must(t, more, Options{}).rows)
	require.ErrorContains(t, read([]byte(reorder(string(in), 0, 2)), Options{}).err, "not a result file")
}

func TestCaseI11SpreadsheetTimestamps(t *testing.T) {
	for _, lenient := range []bool{false, true} {
		got := read(txt(jtlHead, `1.64797E+12,10,a,200,OK,T 1-1,text,true,,6`), Options{Lenient: lenient})
		require.ErrorContains(t, got.err, `line 2: timeStamp "1.64797E+12": exponent notation: digits were lost`)
	}
}

func TestCaseI12DatesWithoutZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		berlin = time.FixedZone("CET", 3600)
	}
	for _, stamp := range []string{"2022/03/22 17:02:03.740", "2022-03-22 17:02:03.740", "2022/03/22 17:02:03", "2022-03-22 17:02:03", "03/22/22 17:02:03"} {
		in := txt("timeStamp,elapsed,label,success", stamp+",12,a,true", strings.Replace(stamp, "17:02", "17:03", 1)+",12,a,true")
		got := must(t, in, Options{})
		require.Equal(t, time.Minute, got.rows[1].Start, stamp)
		_, absolute := got.f.Epoch()
		require.False(t, absolute, "relative only")
		require.Contains(t, got.notes(), NoteClock)

		got = must(t, in, Options{TZ: berlin})
		at, absolute := got.f.Epoch()
		require.True(t, absolute)
		require.Equal(t, "2022-03-22T16:02:03", at.Format("2006-01-02T15:04:05"))
		require.Equal(t, map[bool]time.Duration{true: ms, false: time.Second}[strings.Contains(stamp, ".")], got.f.Facts.StampStep)
	}
}

// A million rows are all that hey keeps.
func TestCaseI13HeyIsFull(t *testing.T) {
	row := []byte("0.0079,0.0013,0.0000,0.0004,0.0056,0.0003,200,0.0879\n")
	for n, full := range map[int64]bool{999_999: false, 1_000_000: true} {
		rows := io.LimitReader(&cycle{row: row}, n*int64(len(row)))
		f, err := Open(io.MultiReader(strings.NewReader(heyHead+",status-code,offset\n"), rows), Options{})
		require.NoError(t, err)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range f.Rows() {
		}
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20), "memory doesn't grow with the file")
		require.NoError(t, f.Err())
		require.Equal(t, n, f.Tally().Rows)
		codes := reading{f: f}.notes()
		require.Equal(t, full, slices.Contains(codes, NoteAtCap))
		require.Contains(t, codes, NoteMissing)
	}
}

// cycle repeats a row.
type cycle struct {
	row []byte
	at  int
}

func (c *cycle) Read(p []byte) (n int, err error) {
	for n < len(p) {
		k := copy(p[n:], c.row[c.at:])
		n += k
		c.at = (c.at + k) % len(c.row)
	}
	return n, nil
}

func TestCaseI15K6(t *testing.T) {
	got := one(t, "k6 csv")
	require.Len(t, got.rows, 3, "one metric of several")
	require.Equal(t, time.Second, got.f.Facts.StampStep, "nothing can be ordered inside a second")
	require.Equal(t, Unordered, got.f.Facts.Order)
}

func TestCaseI16GhzWithoutStarts(t *testing.T) {
	got := must(t, txt("", "duration (ms),status,error", "6.22,OK,", "2.86,Internal,rpc error: code = Internal desc = boom, with comma"), Options{})
	require.Equal(t, []time.Duration{us(2860), us(6220)}, got.latencies())
	require.Equal(t, []any{ms, NoStamp}, []any{got.f.Facts.Unit, got.f.Facts.Stamp})
}

// The same latency in the units of four tools.
func TestCaseI17Units(t *testing.T) {
	for name, in := range map[string]string{
		"ns":       "1796004306631709003,200,100210000,0,6,",
		"us":       "1796004266736191\t200\t100210",
		"ms":       "duration (ms),status,error\n100.21,OK,",
		"s":        heyHead + "\n0.1002,0,0,0,0,0",
		"s, exact": "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n0,0,0,0,0.10021,6,200",
	} {
		got := must(t, txt(in), Options{})
		want := latency100
		if name == "s" {
			want = 100200 * time.Microsecond // hey's four decimals
		}
		require.Equal(t, []time.Duration{want}, got.latencies(), name)
		require.Equal(t, unitName(got.f.Facts.Unit), strings.TrimSuffix(name, ", exact"))
	}
}

func TestCaseI19RunsMerged(t *testing.T) {
	gob := sample(t, "vegeta/vegeta_25per2s.bin")
	for name, got := range map[string]reading{
		"gob": must(t, append(sample(t, "vegeta/fmt-vegeta-rate12-maxworkers1.gob"), gob...), Options{}),
		"CSV": must(t, txt("1796004306631709003,200,13463823,0,6,", "1796005566631709003,200,13463823,0,6,"), Options{}),
	} {
		require.Equal(t, 2, got.f.Tally().Runs, name)
		require.Contains(t, got.notes(), NoteRuns, name)
		first, second := got.rows[0], got.rows[len(got.rows)-1]
		require.Equal(t, []int32{0, 1}, []int32{first.Run, second.Run}, name)
	}
	two := must(t, txt("1796004306631709003,200,13463823,0,6,", "1796005566631709003,200,13463823,0,6,"), Options{})
	last := two.f.Notes()[len(two.f.Notes())-1]
	require.Contains(t, last.Text, "20m59.98", "the gap is named")
}

func TestCaseI20VegetaByPosition(t *testing.T) {
	row := `1796004316840719531,0,19439000,0,0,"Get ""http://127.0.0.1:1/"": a, b` + "\n" + `c: connection refused",QSxC,fmt,3,GET,http://127.0.0.1:1/,QTogYixj`
	got := must(t, txt(row), Options{})
	require.Equal(t, []any{int64(3), 19439 * time.Microsecond, false, "refused"}, []any{got.rows[0].Seq, got.rows[0].Latency, got.rows[0].OK, got.rows[0].Class.String()})
	require.ErrorContains(t, read(txt("1796004316840719531,0,19439000,0,0,e", "1796004316840719531,0,19439000,0,0,e,b,a"), Options{}).err, "line 2: 8 fields, as no version of vegeta writes")
}

func TestCaseI21LastHlogLine(t *testing.T) {
	in := sample(t, "hdr/fmt-java2.1.11-tagged.hlog")
	want := must(t, in, Options{Unit: 1})
	got := must(t, bytes.TrimRight(in, "\r\n"), Options{Unit: 1})
	require.Equal(t, want.buckets, got.buckets)
}

func TestCaseI23HlogClocks(t *testing.T) {
	payload := strings.Split(strings.TrimSpace(string(sample(t, "hdr/fmt-java2.1.11-tagged.hlog"))), "\n")[5]
	payload = payload[strings.LastIndex(payload, ",")+1:]
	for _, tt := range []struct {
		name     string
		comments []string
		start    string
		absolute bool
	}{
		{"absolute starts", []string{"#[StartTime: 1796004000.000 (seconds since epoch), x]"}, "1796004001.500", true},
		{"relative to the start time", []string{"#[StartTime: 1796004000.000 (seconds since epoch), x]"}, "1.500", true},
		{"relative to the base time", []string{"#[StartTime: 1796004000.000 (seconds since epoch), x]", "#[BaseTime: 1796004000.000 (seconds since epoch)]"}, "1.500", true},
		{"base time that isn't the start time", []string{"#[StartTime: 1796004000.000 (seconds since epoch), x]", "#[BaseTime: 1696004000.000 (seconds since epoch)]"}, "1.500", false},
		{"lower-case base time", []string{"#[Basetime: 1796004000.000 (seconds since epoch)]"}, "1.500", false},
		{"1970 from a monotonic clock", []string{"#[StartTime: 81342.000 (seconds since epoch), x]"}, "81343.500", false},
		{"no comments at all", nil, "1796004001.500", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := txt(append(tt.comments, tt.start+",1.000,3.600,"+payload)...)
			got := must(t, in, Options{Unit: 1})
			at, absolute := got.f.Epoch()
			require.Equal(t, tt.absolute, absolute)
			if absolute {
				require.Equal(t, int64(1796004001500), at.UnixMilli())
			} else {
				require.Contains(t, got.notes(), NoteClock)
			}
			require.Zero(t, got.buckets[0].Start)
		})
	}
}

func TestCaseI24TagsAreSeries(t *testing.T) {
	got := must(t, sample(t, "hdr/fmt-java2.1.11-tagged.hlog"), Options{Unit: 1})
	seen := map[int32]bool{}
	for _, b := range got.buckets {
		seen[b.Series] = true
	}
	require.Equal(t, map[int32]bool{NoName: true, 0: true}, seen)
	require.Equal(t, "b", got.f.Name(0))
}

// V0, V1, V2 and double histograms are in hdr_test.go, hostile ones too.
func TestCaseI25HostileLengths(t *testing.T) {
	vegeta := sample(t, "vegeta/fmt-vegeta-rate12-maxworkers1.gob")
	huge := append([]byte{0xf8, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, vegeta...)
	gatling := bytes.Clone(handmade["gatling binary"].in)
	binary.BigEndian.PutUint32(gatling[12:], 0x7fffffff)
	for name, read := range map[string]func() error{
		"gob message": func() error {
			f := newFile(huge, Options{})
			_, err := f.as(formatNamed("vegeta gob"))
			return first(f, err)
		},
		"Gatling string": func() error {
			f := newFile(gatling, Options{})
			_, err := f.as(formatNamed("Gatling binary log"))
			return first(f, err)
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.Error(t, read(), name)
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20), name)
	}
}

// newFile is a file whose format a test chooses.
func newFile(in []byte, opt Options) *File {
	f, _, _ := unwrap(bytes.NewReader(in), opt)
	return f
}

func formatNamed(name string) *format {
	for i := range formats {
		if formats[i].name == name {
			return &formats[i]
		}
	}
	panic(name)
}

func first(f *File, err error) error {
	if err != nil {
		return err
	}
	return drain(f).err
}

func TestCaseI26CorrectedLogs(t *testing.T) {
	in := sample(t, "hdr/fmt-java2.1.11-tagged.hlog")
	require.Equal(t, Corrected, must(t, in, Options{Unit: 1}).f.Facts.Otherwise, "can't be told: the user has to say")
	hiccup := append([]byte("#[Logged with jHiccup version 2.0.7]\n"), in...)
	require.Equal(t, Corrected, must(t, hiccup, Options{Unit: 1}).f.Facts.Pacing)
}

func TestCaseI28FortioKeyOrder(t *testing.T) {
	a := must(t, txt(`{"latency":0.002856,"timestamp":1796004757234182245,"thread":0,"iter":4,"ok":true,"details":"200"}`), Options{})
	b := must(t, txt(`{"details":"200","ok":true,"iter":4,"thread":0,"latency":0.002856,"timestamp":1796004757234182245}`), Options{})
	require.Equal(t, a.rows, b.rows)
}

func TestCaseI34NoSamples(t *testing.T) {
	for _, in := range []string{"", "\n", "\r\n \n", "\xef\xbb\xbf", "\xff\xfe"} {
		var no *Refusal
		require.ErrorAs(t, read([]byte(in), Options{}).err, &no, "%q", in)
		require.Contains(t, no.Reason, "no samples")
	}
	for name, head := range map[string]string{
		"hey": heyHead + ",status-code,offset\n", "k6": "metric_name,timestamp,metric_value,status\n", "JMeter": jtlHead + "\n",
		"oha": "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n", "ghz": "\nduration (ms),status,error\n",
		"ab": "starttime\tseconds\tctime\tdtime\tttime\twait\n", "Gatling": "RUN\ta\tb\t1396004306600\td\t3.9.5\n", "JMeter XML": "<?xml version=\"1.0\"?>\n<testResults version=\"1.2\">\n</testResults>\n",
		"hey, no line end": heyHead,
	} {
		got := must(t, []byte(head), Options{})
		require.Empty(t, got.rows, name)
		require.Zero(t, got.f.Tally().Rows, name)
		require.Zero(t, got.f.Tally().Runs, name)
	}
	got := must(t, sample(t, "vegeta/fmt-vegeta-connrefused.csv"), Options{})
	require.Equal(t, got.f.Tally().Rows, got.f.Tally().Failed, "all rows failed: rows all the same")
	got = must(t, txt(heyHead, "NaN,0,0,0,0,0", "x,0,0,0,0,0"), Options{Lenient: true})
	require.Zero(t, got.f.Tally().Rows)
	require.EqualValues(t, 2, got.f.Tally().Skipped)
	require.ErrorIs(t, read([]byte("#!/bin/sh\necho hello\n"), Options{}).err, ErrUnknown)
	require.Contains(t, fmt.Sprint(read(bytes.Repeat([]byte{0}, 1000), Options{}).err), `\x00`)
}
