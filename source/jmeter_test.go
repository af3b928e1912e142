package source

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"openload/correct"
)

const jtlHead = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes"

// Stamps that are ends give the same requests as those that are starts.
func TestJMeterEndStamps(t *testing.T) {
	var starts, ends []string
	for i := range 40 {
		at, took := int64(1796004000000+100*i), int64(5+i%3)
		if i == 20 {
			took = 95
		}
		row := func(stamp int64) string {
			return strings.Join([]string{itoa(stamp), itoa(took), "home", "200", "OK", "T 1-1", "text", "true", "", "6"}, ",")
		}
		starts, ends = append(starts, row(at)), append(ends, row(at+took))
	}
	asStarts := must(t, txt(append([]string{jtlHead}, starts...)...), Options{})
	require.Equal(t, StampStart, asStarts.f.Facts.Stamp)

	// With pauses between requests nothing overlaps, and nothing gives ends away.
	told := must(t, txt(append([]string{jtlHead}, ends...)...), Options{Stamps: StampEnd})
	require.Equal(t, asStarts.brief(), told.brief())

	// Back to back they do.
	var busy []string
	at := int64(1796004000000)
	for i := range int64(40) {
		took := 50 + 10*(i%5)
		at += took
		busy = append(busy, strings.Join([]string{itoa(at), itoa(took), "home", "200", "OK", "T 1-1", "text", "true", "", "6"}, ","))
	}
	got := must(t, txt(append([]string{jtlHead}, busy...)...), Options{})
	require.Equal(t, StampEnd, got.f.Facts.Stamp)
	require.Contains(t, got.notes(), NoteStamps)
	for i, r := range got.rows[1:] {
		require.Equal(t, got.rows[i].End, r.Start)
	}
	forced := must(t, txt(append([]string{jtlHead}, busy...)...), Options{Stamps: StampStart})
	require.Equal(t, StampStart, forced.f.Facts.Stamp)
}

func itoa(v int64) string { return strconv.FormatInt(v, 10) }

func TestJMeterSubResults(t *testing.T) {
	row := func(label string) string {
		return "1796004000000,10," + label + ",200,OK,T 1-1,text,true,,6"
	}
	in := txt(jtlHead, row("home"), row("home-0"), row("home-0-1"), row("home-1"), row("item-2024"), row("other-1"), row("home"))
	labels := func(got reading) (all []string) {
		for _, b := range got.brief() {
			all = append(all, b.label)
		}
		return all
	}
	got := must(t, in, Options{})
	require.Equal(t, []string{"home", "item-2024", "other-1", "home"}, labels(got), "without a parent of that name they are requests")
	require.EqualValues(t, 3, got.f.Tally().Nested)
	require.Contains(t, got.notes(), NoteNested)
	require.Len(t, must(t, in, Options{Nested: true}).rows, 7)
	require.Equal(t, []string{"home-0"}, labels(must(t, in, Options{Label: "home-0"})), "asked for by name")
}

func TestJMeterFailures(t *testing.T) {
	for row, want := range map[string]correct.Class{
		"1796004000000,10,a,200,OK,T 1-1,text,true,,6":                                                                                                            correct.OK,
		"1796004000000,10,a,404,Not Found,T 1-1,text,true,,6":                                                                                                     correct.OK, // the tool says so
		"1796004000000,10,a,200,OK,T 1-1,text,false,\"expected \"\"x\"\", got false\",6":                                                                          correct.BadStatus,
		"1796004000000,10,a,500,Internal Server Error,T 1-1,text,false,,6":                                                                                        correct.BadStatus,
		"1796004000000,10,a,Non HTTP response code: java.net.SocketTimeoutException,Non HTTP response message: Read timed out,T 1-1,,false,,6":                    correct.Timeout,
		"1796004000000,10,a,Non HTTP response code: org.apache.http.conn.HttpHostConnectException,\"Connect to h:80 failed: Connection refused\",T 1-1,,FALSE,,6": correct.Refused,
	} {
		got := must(t, txt(jtlHead, row), Options{})
		require.Equal(t, want, got.rows[0].Class, row)
		require.True(t, got.rows[0].Known)
	}
}

// A sum over several requests isn't one of them.
func TestJMeterStatisticalSamples(t *testing.T) {
	var row *RowError
	require.ErrorAs(t, read(txt("timeStamp,elapsed,label,success,SampleCount", "1796004000000,1000,a,true,100"), Options{}).err, &row)
	require.Equal(t, "SampleCount", row.Field)
	require.Error(t, read(txt("timeStamp,elapsed,label,success,SampleCount", "1796004000000,1000,a,true,100"), Options{Lenient: true}).err)
	require.Len(t, must(t, txt("timeStamp,elapsed,label,success,SampleCount", "1796004000000,1000,a,true,1"), Options{}).rows, 1)
}

func TestJMeterXMLShapes(t *testing.T) {
	const head = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<testResults version="1.2">` + "\n"
	for _, tt := range []struct {
		name, body string
		opt        Options
		want       []brief
		nested     int64
	}{
		{"redirects nest in their request", `<httpSample t="30" ts="1796004000000" s="true" lb="a &amp; &lt;b&gt;" rc="200" tn="T 1-1"><httpSample t="10" ts="1796004000000" s="true" lb="x" rc="302" tn="T 1-1"/><httpSample t="20" ts="1796004000010" s="true" lb="y" rc="200" tn="T 1-1"><java.net.URL>http://h/</java.net.URL></httpSample></httpSample>` + "\n</testResults>",
			Options{}, []brief{{0, 30 * ms, correct.OK, "a & <b>", "T 1-1"}}, 2},
		{"all of them if asked", `<httpSample t="30" ts="1796004000000" s="true" lb="a" rc="200" tn="T 1-1"><httpSample t="10" ts="1796004000000" s="true" lb="x" rc="302" tn="T 1-1"/></httpSample></testResults>`,
			Options{Nested: true}, []brief{{0, 30 * ms, correct.OK, "a", "T 1-1"}, {0, 10 * ms, correct.OK, "x", "T 1-1"}}, 0},
		{"response data with tags in it", `<sample t="30" ts="1796004000000" s="false" lb="a" rs="500" tn="T 1-1"><responseData class="java.lang.String">&lt;sample t=&quot;1&quot;/&gt; <![CDATA[x > <sample t="9" ts="1"/>]]> <!-- <sample t="8"/> --> ` + "\x01" + `</responseData></sample></testResults>`,
			Options{}, []brief{{0, 30 * ms, correct.BadStatus, "a", "T 1-1"}}, 0},
		{"end tag lost in a crash", `<sample t='30' ts='1796004000000' s='true' lb='a "quoted"' rc='200' tn='T 1-1'/>` + "\n" + `<sample t="31" ts="1796004000`,
			Options{Lenient: true}, []brief{{0, 30 * ms, correct.OK, `a "quoted"`, "T 1-1"}}, 0},
		{"a > in an attribute", `<sample t="30" ts="1796004000000" s="true" lb="a > b" rc="200" tn="T 1-1" /></testResults>`,
			Options{}, []brief{{0, 30 * ms, correct.OK, "a > b", "T 1-1"}}, 0},
		{"without times", `<sample t="30" s="true" lb="a" rc="200" tn="T 1-1"/></testResults>`,
			Options{}, []brief{{NoTime, 30 * ms, correct.OK, "a", "T 1-1"}}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := must(t, []byte(head+tt.body), tt.opt)
			require.Equal(t, tt.want, got.brief())
			require.Equal(t, tt.nested, got.f.Tally().Nested)
		})
	}
	var row *RowError
	err := read([]byte(head+"\n\n"+`<sample t="-3" ts="1796004000000" s="true" lb="a"/>`), Options{}).err
	require.ErrorAs(t, err, &row)
	require.EqualValues(t, 5, row.Line)
}
