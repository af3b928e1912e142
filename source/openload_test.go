package source

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
	"openload/report"
)

// anAttempt is any that a run can have made.
func anAttempt(t *rapid.T) correct.Sample {
	var at time.Duration
	later := func(name string) time.Duration {
		at += time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, name))
		return at
	}
	small := func(name string) time.Duration {
		return time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, name))
	}
	return correct.Sample{
		Seq: rapid.Uint64().Draw(t, "seq"), Attempt: rapid.IntRange(1, 50).Draw(t, "attempt"),
		Intended: later("intended"), Due: later("due"), Dispatched: later("dispatched"), Sent: later("sent"), Done: later("done"),
		Class:  rapid.SampledFrom(correct.Classes()).Draw(t, "class"),
		Status: rapid.IntRange(0, 599).Draw(t, "status"), Bytes: rapid.Int64Range(0, 1<<40).Draw(t, "bytes"),
		RetryAfter: small("retry after"), Resent: rapid.IntRange(0, 3).Draw(t, "resent"), Late: small("late"), Behind: small("behind"),
		Fired: rapid.Bool().Draw(t, "fired"), Written: rapid.Bool().Draw(t, "written"), Earlier: rapid.Bool().Draw(t, "earlier"), Final: rapid.Bool().Draw(t, "final"),
	}
}

// What is read is what was written, to the last field.
func TestOwnCSVGivesBackTheAttempts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Custom(anAttempt), 1, 20).Draw(t, "attempts")
		file := []byte(correct.CSVHeader + "\n")
		for _, x := range want {
			file = x.AppendCSV(file, false)
		}
		f, err := Open(bytes.NewReader(file), Options{})
		require.NoError(t, err)
		require.True(t, f.Own())
		var got []correct.Sample
		for row := range f.Rows() {
			require.Equal(t, row.Attempt.Raw(), row.Latency)
			got = append(got, *row.Attempt)
		}
		require.NoError(t, f.Err())
		require.Equal(t, want, got)
	})
}

// A closed loop's file is a closed loop's like any other.
func TestOwnClosedLoopIsNotMeasuredFromIntendedTimes(t *testing.T) {
	got := one(t, "openload closed csv")
	require.False(t, got.f.Own())
	require.Equal(t, Skips, got.f.Facts.Pacing)
	for _, r := range got.rows {
		require.Nil(t, r.Attempt)
	}
	got = one(t, "openload csv")
	require.True(t, got.f.Own())
	require.Equal(t, Corrected, got.f.Facts.Pacing)
}

// A table that somebody reordered, or that a later version added to, is read by its
// names.
func TestOwnCSVIsReadByNames(t *testing.T) {
	names, row := strings.Split(correct.CSVHeader, ","), strings.Split("5,1,1,2,3,4,5,ok,200,6,7,1,8,9,1,1,0,1", ",")
	names[0], names[7], row[0], row[7] = names[7], names[0], row[7], row[0]
	got := must(t, txt(strings.Join(names, ",")+",later", strings.Join(row, ",")+",x"), Options{})
	require.Equal(t, correct.Sample{
		Seq: 5, Attempt: 1, Intended: 1, Due: 2, Dispatched: 3, Sent: 4, Done: 5, Status: 200, Bytes: 6,
		RetryAfter: 7, Resent: 1, Late: 8, Behind: 9, Fired: true, Written: true, Final: true,
	}, *got.rows[0].Attempt)
}

const theEnd = "# end=complete planned=2 lost=0,,,,,,,,,,,,,,,,,"

// How a run ended is known from a whole last line, and not from a part of it.
func TestOwnCSVSaysHowTheRunEnded(t *testing.T) {
	row := "5,1,1,2,3,4,5,ok,200,6,7,1,8,9,1,1,0,1"
	for name, tt := range map[string]struct {
		in   []byte
		want correct.End
	}{
		"whole":        {txt(correct.CSVHeader, row, theEnd), correct.End{How: correct.EndComplete, Planned: 2}},
		"without rows": {txt(correct.CSVHeader, theEnd), correct.End{How: correct.EndComplete, Planned: 2}},
		"missing":      {txt(correct.CSVHeader, row), correct.End{}},
		"cut":          {bytes.TrimSuffix(txt(correct.CSVHeader, row, theEnd), []byte(",,,\n")), correct.End{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := must(t, tt.in, Options{})
			require.True(t, got.f.Own())
			end, ours := got.f.End()
			require.True(t, ours)
			require.Equal(t, tt.want, end)
		})
	}
}

// A log of ours says it in a comment, which means nothing in a log of somebody else's.
func TestOwnHlogSaysHowTheRunEnded(t *testing.T) {
	h := hdrhistogram.New(1, 3600e9, 3)
	require.NoError(t, h.RecordValue(5e6))
	payload, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	require.NoError(t, err)
	head, interval, end := "#[openload v1, latencies in ns]", "Tag=raw,0.000,1.000,5.000,"+string(payload), "# end=interrupted planned=200 lost=3"
	interrupted := correct.End{How: correct.EndInterrupted, Planned: 200, Lost: 3}
	for name, tt := range map[string]struct {
		in   []byte
		want correct.End
		ours bool
	}{
		"whole":          {txt(head, interval, end), interrupted, true},
		"missing":        {txt(head, interval), correct.End{}, true},
		"cut":            {bytes.TrimSuffix(txt(head, interval, end), []byte("\n")), correct.End{}, true},
		"another's":      {txt("#[Histogram log format version 1.3]", interval, end), correct.End{}, false},
		"before the end": {txt(head, "# raw: 9 failed", interval, "# raw: 9 failed", end), interrupted, true},
	} {
		t.Run(name, func(t *testing.T) {
			got := must(t, tt.in, Options{Unit: time.Nanosecond})
			end, ours := got.f.End()
			require.Equal(t, tt.ours, ours)
			require.Equal(t, tt.want, end)
		})
	}
	for _, tt := range []struct{ name, line, want string }{
		{"an interval behind it", interval, ": an interval behind the run's end"},
		{"another run behind it", end, "line 4: a second end: runs that are joined can't be told apart"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.ErrorContains(t, read(txt(head, interval, end, tt.line), Options{}).err, tt.want)
		})
	}
	require.ErrorContains(t, read(txt(head, interval, "# end=odd", interval), Options{}).err, "not how a run ends that this openload knows")
}

// What no run writes is an error that names the line and the field.
func TestOwnCSVSaysWhatIsWrong(t *testing.T) {
	good := "5,1,1,2,3,4,5,ok,200,6,7,1,8,9,1,1,0,1"
	for _, tt := range []struct{ name, row, want string }{
		{"a negative time", "5,1,-1,2,3,4,5,ok,200,6,7,1,8,9,1,1,0,1", `line 3: intended_ns "-1": negative`},
		{"dispatched too early", "5,1,1,2,1,4,5,ok,200,6,7,1,8,9,1,1,0,1", `line 3: dispatched_ns "1": before due_ns`},
		{"sent too early", "5,1,1,2,3,2,5,ok,200,6,7,1,8,9,1,1,0,1", `line 3: sent_ns "2": before dispatched_ns`},
		{"answered too early", "5,1,1,2,3,4,3,ok,200,6,7,1,8,9,1,1,0,1", `line 3: done_ns "3": before sent_ns`},
		{"an unknown class", "5,1,1,2,3,4,5,odd,200,6,7,1,8,9,1,1,0,1", `line 3: class "odd": no class that openload knows`},
		{"no attempt", "5,0,1,2,3,4,5,ok,200,6,7,1,8,9,1,1,0,1", `line 3: attempt "0": attempts count from 1`},
		{"a hostile attempt", "5,9000000000,1,2,3,4,5,ok,200,6,7,1,8,9,1,1,0,1", `line 3: attempt "9000000000": too large`},
		{"a hostile status", "5,1,1,2,3,4,5,ok,2000000000,6,7,1,8,9,1,1,0,1", `line 3: status "2000000000": too large`},
		{"a flag that is none", "5,1,1,2,3,4,5,ok,200,6,7,1,8,9,1,1,0,2", `line 3: final "2": too large`},
		{"a field less", "5,1,1,2,3,4,5,ok,200,6,7,1,8,9,1,1,0", `line 3: 17 fields in place of 18`},
		{"a row behind the end", theEnd, "line 4: a row behind the run's end"},
		{"an end that is none", strings.Replace(theEnd, "complete", "odd", 1), "line 3: end \"# end=odd planned=2 lost=0\": not how a run ends"},
		{"another run behind it", correct.CSVHeader, "line 3: a second header"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := read(txt(correct.CSVHeader, good, tt.row, good), Options{})
			require.ErrorContains(t, got.err, tt.want)
		})
	}
	got := read(txt(correct.CSVHeader, strings.Replace(good, "5,1,1,", "5,1,,", 1), good), Options{})
	require.ErrorContains(t, got.err, "a closed loop's and an open run's are joined")
	require.ErrorContains(t, read(txt(strings.Replace(correct.CSVHeader, "behind_ns", "x", 1), good), Options{}).err, `no column "behind_ns"`)
}

// openload's own files that hold no samples are named, with the one that does.
func TestOwnFilesWithoutSamples(t *testing.T) {
	document, err := json.MarshalIndent(&report.Report{Schema: report.Schema}, "", "  ")
	require.NoError(t, err)
	for _, tt := range []struct {
		name   string
		in     []byte
		format string
	}{
		{"a report", document, "openload report"},
		{"a report on one line", bytes.ReplaceAll(document, []byte("\n"), nil), "openload report"},
		{"a report of a later version", bytes.ReplaceAll(document, []byte("/v1"), []byte("/v2")), "openload report"},
		{"a schedule", txt("seq,intended_ns", "0,0", "1,80000000"), "openload schedule"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var no *Refusal
			require.ErrorAs(t, read(tt.in, Options{}).err, &no)
			require.Equal(t, tt.format, no.Format)
			require.Contains(t, no.Instead, "--out csv=FILE")
		})
	}
}
