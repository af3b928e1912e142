package sink_test

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/report"
	"openload/sink"
)

// strangeStrings are what a field may hold: sensible values of some field, and
// what no field should hold.
var strangeStrings = []string{
	"", "open", "closed", "file", "pass", "fail", "invalid", "inconclusive", "none", "backfill", "schedule", "queue",
	"p99<500ms", "raw.max<=2s", "ok.p50<80ms", "settled.mean<1s", "errors<0.1%", "attempts<1.2", "useful>99%", "rate>=99%",
	"checkout: p99.9<300ms", "no rule at all", "own_lateness", "rule_broken", "200", "timeout", "12.5/s",
	"a sentence that goes on for longer than a line can hold, with 305 ms in it, and a second one; and then 1 % more of it.",
	strings.Repeat("x", 100), strings.Repeat("長", 60), "\x1b[31mred\r\n", "\xff\xfe", "e\u0301", "http://127.0.0.1:8080/?q=a&b=c",
}

// reports draws one of the known reports with any of its fields replaced by anything.
func reports() *rapid.Generator[*report.Report] {
	return rapid.Custom(func(t *rapid.T) *report.Report {
		r := rapid.SampledFrom(pages).Draw(t, "page").of()
		disturb(t, reflect.ValueOf(r).Elem(), rapid.SampledFrom([]int{1, 3, 10}).Draw(t, "of ten"))
		return r
	})
}

// disturb replaces a field of v, and what is in it, so many times of ten.
func disturb(t *rapid.T, v reflect.Value, often int) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		return
	}
	replace := rapid.IntRange(1, 10).Draw(t, "dice") <= often
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			disturb(t, v.Field(i), often)
		}
	case reflect.Pointer:
		if replace {
			v.SetZero()
			if rapid.Bool().Draw(t, "known") {
				v.Set(reflect.New(v.Type().Elem()))
			}
		}
		if !v.IsNil() {
			fresh := reflect.New(v.Type().Elem())
			fresh.Elem().Set(v.Elem()) // the known reports share some readings
			v.Set(fresh)
			disturb(t, v.Elem(), often)
		}
	case reflect.Slice:
		if replace {
			v.Set(reflect.MakeSlice(v.Type(), rapid.IntRange(0, 4).Draw(t, "len"), 4))
		}
		for i := range min(v.Len(), 8) {
			disturb(t, v.Index(i), often)
		}
	case reflect.Map:
		if replace {
			v.Set(reflect.MakeMap(v.Type()))
			for range rapid.IntRange(0, 4).Draw(t, "len") {
				v.SetMapIndex(reflect.ValueOf(rapid.SampledFrom(strangeStrings).Draw(t, "key")), reflect.ValueOf(rapid.Uint64Range(0, math.MaxInt64).Draw(t, "n")).Convert(v.Type().Elem()))
			}
		}
	case reflect.String:
		if replace {
			v.SetString(rapid.SampledFrom(strangeStrings).Draw(t, "string"))
		}
	case reflect.Bool:
		if replace {
			v.SetBool(rapid.Bool().Draw(t, "bool"))
		}
	case reflect.Float64:
		if replace {
			v.SetFloat(rapid.SampledFrom([]float64{0, 0.001, 0.99999, 1, 12.5, 1e6, math.NaN(), math.Inf(1)}).Draw(t, "float"))
		}
	case reflect.Int, reflect.Int64:
		if replace {
			v.SetInt(rapid.Int64Range(0, math.MaxInt64).Draw(t, "int") >> rapid.IntRange(0, 62).Draw(t, "shift"))
		}
	case reflect.Uint64:
		if replace {
			v.SetUint(rapid.Uint64().Draw(t, "uint") >> rapid.IntRange(0, 63).Draw(t, "shift"))
		}
	default:
		panic("reports have a new kind of field: " + v.Type().String())
	}
}

// No report makes a page that is wider than 80 columns, but for what can't be broken.
func TestNoLineIsTooLong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := reports().Draw(t, "report")
		opt := sink.TextOptions{
			ASCII: rapid.Bool().Draw(t, "ascii"),
			Unit:  rapid.SampledFrom([]string{"", "us", "ms", "s"}).Draw(t, "unit"),
		}
		var b bytes.Buffer
		require.NoError(t, sink.Text(&b, r, opt))
		page := b.String()
		require.True(t, strings.HasSuffix(page, "\n") && !strings.HasSuffix(page, "\n\n"), page)
		require.NotContains(t, page, "\n\n\n")
		require.NotContains(t, page, "NaN")
		for line := range strings.Lines(page) {
			line = strings.TrimSuffix(line, "\n")
			require.Equal(t, strings.TrimRight(line, " "), line, "spaces at the end")
			require.NotContains(t, strings.ToValidUTF8(line, "\x00"), "\x00")
			require.Equal(t, -1, strings.IndexFunc(line, unicode.IsControl), line)
			require.True(t, columns(line) <= 80 || strings.HasPrefix(line, " rerun:") || unbreakable(line), line)
		}
	})
}

// unbreakable reports whether one word alone leaves hardly any room beside it.
func unbreakable(line string) bool {
	return slices.ContainsFunc(strings.Fields(line), func(word string) bool { return columns(word) > 80-25 })
}

// columns counts the characters that the strange strings hold as a terminal does.
func columns(line string) (n int) {
	for _, r := range line {
		switch r {
		case '長':
			n += 2
		case '\u0301':
		default:
			n++
		}
	}
	return n
}

// The document survives being read and written again, whatever it holds.
func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := reports().Draw(t, "report")
		first := document(t, r)
		require.Equal(t, string(first), string(document(t, r)))
		again, err := read(first)
		require.NoError(t, err)
		first = bytes.ReplaceAll(first, []byte(`\ufffd`), []byte("\ufffd")) // what was no UTF-8 is escaped the first time only
		require.Equal(t, string(first), string(document(t, again)))
	})
}
