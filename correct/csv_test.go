package correct

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAppendCSV(t *testing.T) {
	x := Sample{
		Seq: 18446744073709551615, Attempt: 2, Intended: 1, Due: 2, Dispatched: 3, Sent: 4, Done: 5 * time.Second,
		Class: BadStatus, Status: 503, Bytes: 7, RetryAfter: 8, Resent: 1, Late: 9, Behind: 10, Fired: true, Written: true, Final: true,
	}
	require.Equal(t, "18446744073709551615,2,1,2,3,4,5000000000,bad_status,503,7,8,1,9,10,1,1,0,1\n", string(x.AppendCSV(nil, false)))
	require.Equal(t, "before 18446744073709551615,2,,2,3,4,5000000000,bad_status,503,7,8,1,9,10,1,1,0,1\n", string(x.AppendCSV([]byte("before "), true)))
	require.Equal(t, strings.Count(CSVHeader, ","), strings.Count(string(x.AppendCSV(nil, true)), ","))
}

func TestClassNamed(t *testing.T) {
	for _, c := range Classes() {
		got, ok := ClassNamed(c.String())
		require.True(t, ok)
		require.Equal(t, c, got)
	}
	_, ok := ClassNamed("")
	require.False(t, ok)
}

func BenchmarkAppendCSV(b *testing.B) {
	x := Sample{Seq: 1234567, Attempt: 1, Intended: time.Minute, Due: time.Minute, Dispatched: time.Minute + 12345, Sent: time.Minute + 23456, Done: 61 * time.Second, Status: 200, Bytes: 1000, Fired: true, Written: true, Final: true}
	var row []byte
	for b.Loop() {
		row = x.AppendCSV(row[:0], false)
	}
}

// An end is read as it was written; what no run writes is none.
func TestTheEndComesBack(t *testing.T) {
	for _, want := range []End{
		{How: EndComplete, Planned: 200}, {How: EndAborted, Planned: 1<<64 - 1, Lost: 3}, {How: EndInterrupted},
	} {
		line := want.AppendCSV(nil, 18)
		require.True(t, IsEnd(line))
		first, rest, _ := strings.Cut(string(line), ",")
		require.Equal(t, strings.Repeat(",", 16)+"\n", rest)
		got, ok := ParseEnd(first)
		require.True(t, ok)
		require.Equal(t, want, got)
	}
	require.Empty(t, End{Planned: 7}.AppendCSV(nil, 18))
	got, ok := ParseEnd("# end=complete later=x planned=2")
	require.True(t, ok)
	require.Equal(t, End{How: EndComplete, Planned: 2}, got)
	for _, text := range []string{"", "# end=", "# end=odd planned=1", "# end=complete planned=-1", "0", "# a comment"} {
		_, ok := ParseEnd(text)
		require.False(t, ok, text)
	}
}
