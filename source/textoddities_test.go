package source

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

func TestAccessLogOddities(t *testing.T) {
	in := sample(t, "accesslog/fmt-nginx-json.jsonl")
	opt := Options{TimeField: "request_time", Unit: time.Second}
	got := must(t, in, opt)
	require.Equal(t, []any{StampEnd, ms, ms, true}, []any{got.f.Facts.Stamp, got.f.Facts.StampStep, got.f.Facts.Resolution, got.f.Facts.Workers})
	first := got.rows[0]
	at, _ := got.f.Epoch()
	require.Equal(t, "2026-11-30T02:20:56.956Z", at.Format(time.RFC3339Nano), "start = $msec - $request_time")
	require.Equal(t, "2", got.f.Name(first.Worker))
	t.Run("499 is the client's patience", func(t *testing.T) {
		got := one(t, "nginx text")
		require.Equal(t, []any{true, false, 499}, []any{got.rows[1].Known, got.rows[1].OK, got.rows[1].Status})
		require.Contains(t, got.notes(), NoteGaveUp)
	})
	t.Run("a list of upstreams or a dash is no latency", func(t *testing.T) {
		for _, v := range []string{`"-"`, `"0.005, 0.010 : 0.003"`} {
			bad := bytes.Replace(in, []byte(`"upstream":"0.005"`), []byte(`"upstream":`+v), 1)
			require.ErrorContains(t, read(bad, Options{TimeField: "upstream", Unit: time.Second}).err, "line 1", v)
		}
	})
	t.Run("field and unit are asked for", func(t *testing.T) {
		var missing *Missing
		require.ErrorAs(t, read(in, Options{}).err, &missing)
		require.Equal(t, NeedTimeField, missing.Need)
		require.Contains(t, missing.Found, "request_time")
		require.ErrorAs(t, read(in, Options{TimeField: "request_time"}).err, &missing)
		require.Equal(t, NeedUnit, missing.Need)
		require.ErrorAs(t, read(handmade["apache"].in, Options{}).err, &missing)
		require.Contains(t, strings.Join(missing.Found, " "), `10: "5123"`)
		require.ErrorContains(t, read(in, Options{TimeField: "request_time", Unit: ms, Fields: map[string]string{"color": "x"}}).err, "color")
	})
	t.Run("fields by the operator's names", func(t *testing.T) {
		renamed := []byte(strings.NewReplacer("request_time", "rt", "msec", "when", "status", "st").Replace(string(in)))
		got := must(t, renamed, Options{TimeField: "rt", Unit: time.Second, Fields: map[string]string{"end": "when", "status": "st", "worker": "connreq", "label": "upstream"}})
		require.Equal(t, "1", got.f.Name(got.rows[0].Worker))
		require.Equal(t, 200, got.rows[0].Status)
	})
}

func TestHdrOddities(t *testing.T) {
	in := sample(t, "hdr/fmt-java2.1.11-tagged.hlog")
	var missing *Missing
	require.ErrorAs(t, read(in, Options{}).err, &missing, "the unit is nowhere in the file")
	require.Equal(t, NeedUnit, missing.Need)
	spaced := bytes.ReplaceAll(in, []byte("Tag=b,"), []byte("Tag=b c,"))
	got := must(t, spaced, Options{Unit: 1, Tag: "b c"})
	require.NotZero(t, got.f.Tally().Rows, "Java lets spaces through")
	require.Equal(t, PacingUnknown, got.f.Facts.Pacing)
	require.Equal(t, Corrected, got.f.Facts.Otherwise, "a log that was corrected while recording looks like any other")
	hiccup := append([]byte("#[Logged with jHiccup version 2.0.7]\n"), in...)
	for _, b := range must(t, hiccup, Options{Unit: 1}).buckets {
		require.True(t, b.Corrected)
	}
	ours := bytes.ReplaceAll(in, []byte("Tag=b,"), []byte("Tag=corrected,"))
	for _, b := range must(t, ours, Options{Unit: 1, Tag: "corrected"}).buckets {
		require.True(t, b.Corrected)
	}
}

func TestTextOddities(t *testing.T) {
	t.Run("a spreadsheet's decimal commas", func(t *testing.T) {
		err := read(txt(strings.ReplaceAll(heyHead, ",", ";"), "0,0079;0;0;0;0;0"), Options{}).err
		require.ErrorContains(t, err, "decimal comma")
	})
	t.Run("exponents where digits matter", func(t *testing.T) {
		for _, lenient := range []bool{false, true} {
			err := read(txt("1.796E+18,200,13463823,0,6,"), Options{Lenient: lenient}).err
			require.ErrorContains(t, err, "digits were lost")
		}
	})
	t.Run("the last line is cut, a middle one never", func(t *testing.T) {
		whole := txt(jtlHead, "1796004000000,10,a,200,OK,T 1-1,text,true,,6", "1796004000100,10,a,200,OK,T 1-1,te")
		got := must(t, whole[:len(whole)-1], Options{Lenient: true})
		require.Len(t, got.rows, 1)
		require.Contains(t, got.notes(), NoteCut)
		require.ErrorContains(t, read(whole, Options{}).err, "line 3")
	})
	t.Run("hey always writes four decimals", func(t *testing.T) {
		row := "0.0079,0.0013,0.0000,0.0004,0.0056,0.0003,200,0.08"
		got := must(t, []byte(heyHead+",status-code,offset\n"+row), Options{Lenient: true})
		require.Empty(t, got.rows)
		require.Contains(t, got.notes(), NoteCut)
	})
	t.Run("NaN and its kin", func(t *testing.T) {
		for _, v := range []string{"NaN", "-nan", "inf", "+Inf", "N/A", "", "-5", "-0.001", "1e400", "0x10", "1_000", "0x1p4", "12 13", "--1", ".", "34,953.254"} {
			row := `1796004000000,"` + v + `",a,200,OK,T 1-1,text,true,,6`
			good := "1796004000100,10,a,200,OK,T 1-1,text,true,,6"
			var bad *RowError
			require.ErrorAs(t, read(txt(jtlHead, row, good), Options{}).err, &bad, v)
			require.Equal(t, []any{int64(2), "elapsed"}, []any{bad.Line, bad.Field}, v)
			got := must(t, txt(jtlHead, good, row, good), Options{Lenient: true})
			require.Len(t, got.rows, 2, v)
			require.EqualValues(t, 1, got.f.Tally().Skipped, v)
			require.Len(t, got.f.Tally().Bad, 1)
			require.Contains(t, got.notes(), NoteSkipped)
		}
	})
	t.Run("a quote that nobody closes", func(t *testing.T) {
		rows := []string{jtlHead, `1796004000000,10,"a,200,OK,T 1-1,text,true,,6`}
		for range 3000 {
			rows = append(rows, "1796004000000,10,a,200,OK,T 1-1,text,true,,6")
		}
		require.ErrorContains(t, read(txt(rows...), Options{}).err, "line 2: a quote is not closed within 1000 lines")
		require.Contains(t, must(t, txt(rows[:10]...), Options{Lenient: true}).notes(), NoteCut)
	})
	t.Run("rows stamped 0 stay off the time axis", func(t *testing.T) {
		got := must(t, txt(jtlHead, "0,10,a,200,OK,T 1-1,text,true,,6", "1796004000000,10,a,200,OK,T 1-1,text,true,,6"), Options{})
		require.Equal(t, []time.Duration{NoTime, 0}, []time.Duration{got.rows[0].Start, got.rows[1].Start})
	})
	t.Run("zstd", func(t *testing.T) {
		z, err := zstd.NewWriter(nil)
		require.NoError(t, err)
		require.Equal(t, must(t, heyFile(3), Options{}).rows, must(t, z.EncodeAll(heyFile(3), nil), Options{}).rows)
		require.Error(t, read([]byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0}, Options{}).err)
	})
	t.Run("a unit that isn't the format's", func(t *testing.T) {
		require.ErrorContains(t, read(heyFile(3), Options{Unit: ms}).err, "in s, not in ms")
		require.NoError(t, read(heyFile(3), Options{Unit: time.Second}).err)
	})
	t.Run("a label where there is none", func(t *testing.T) {
		require.ErrorContains(t, read(heyFile(3), Options{Label: "GET /"}).err, "no label")
	})
	t.Run("longer than a year", func(t *testing.T) {
		require.ErrorContains(t, read(txt("90000000000000s"), Options{}).err, "check the unit")
	})
}
