package schedule

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestReadGivesBackWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := specGen().Draw(t, "spec")
		shards := rapid.Uint64Range(1, 4).Draw(t, "shards")
		open := func() Schedule { return Stride(spec.Open(seeded()), shards-1, shards) }
		want := all(open())
		if len(want) == 0 {
			t.Skip("an empty shard")
		}
		var file bytes.Buffer
		n, err := WriteCSV(&file, open())
		require.NoError(t, err)
		require.Equal(t, uint64(len(want)), n)
		got, err := Read(&file)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, want, all(Spec{Replay: got}.Open(nil)))
	})
}

func TestRead(t *testing.T) {
	want := Recording{{0, 0}, {1, 80_000_000}}
	for name, text := range map[string]string{
		"as written":      "seq,intended_ns\n0,0\n1,80000000\n",
		"CRLF":            "seq,intended_ns\r\n0,0\r\n1,80000000\r\n",
		"no last newline": "seq,intended_ns\n0,0\n1,80000000",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read(iotest.OneByteReader(strings.NewReader(text)))
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "line 1: the file is empty; the first line is seq,intended_ns, then one line per arrival"},
		{"no header", "0,0\n", `line 1: "0,0" is no header; the first line is seq,intended_ns`},
		{"header alone", "seq,intended_ns\n", "line 2: no arrival after the header"},
		{"empty line", "seq,intended_ns\n0,0\n\n1,1\n", `line 3: "" is no arrival; write seq,intended_ns, such as 0,80000000`},
		{"seq twice", "seq,intended_ns\n4,0\n4,1\n", "line 3: seq 4 is there twice"},
		{"seq goes back", "seq,intended_ns\n4,0\n3,1\n", "line 3: out of order: seq 3 after 4"},
		{"time goes back", "seq,intended_ns\n0,5\n1,4\n", "line 3: out of order: intended_ns 4 after 5"},
		{"negative time", "seq,intended_ns\n0,-5\n", "line 2: intended_ns -5 is negative; instants count from the start of the run"},
		{"negative seq", "seq,intended_ns\n-1,5\n", `line 2: seq "-1" is not a whole number from 0 to 2^64-1`},
		{"no number", "seq,intended_ns\n0,80ms\n", `line 2: intended_ns "80ms" is not a whole number of nanoseconds below 2^63`},
		{"a fraction", "seq,intended_ns\n0,1.5\n", `line 2: intended_ns "1.5" is not a whole number of nanoseconds below 2^63`},
		{"too large", "seq,intended_ns\n0,9223372036854775808\n", `line 2: intended_ns "9223372036854775808" is not a whole number of nanoseconds below 2^63`},
		{"three columns", "seq,intended_ns\n0,1,2\n", `line 2: intended_ns "1,2" is not a whole number of nanoseconds below 2^63`},
		{"a line without end", "seq,intended_ns\n0,0\n" + strings.Repeat("1", 1<<20), "line 3: too long for an arrival"},
		{"a header without end", strings.Repeat("s", 1<<20), "line 1: too long for an arrival"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(tt.text))
			require.EqualError(t, err, tt.want)
		})
	}
}

func TestReadAndWriteReportTheirStreams(t *testing.T) {
	broken := errors.New("disk on fire")
	_, err := Read(io.MultiReader(strings.NewReader("seq,intended_ns\n0,0\n"), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "line 3")
	_, err = Read(iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)

	pipe, w := io.Pipe()
	require.NoError(t, pipe.CloseWithError(broken))
	_, err = WriteCSV(w, Spec{Law: Law{Kind: Burst}, N: 10_000}.Open(nil))
	require.ErrorIs(t, err, broken)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("seq,intended_ns\n0,0\n1,80000000\n"))
	f.Add([]byte("seq,intended_ns\r\n3,5\r\n7,5"))
	f.Add([]byte("seq,intended_ns\n18446744073709551615,9223372036854775807\n"))
	f.Add([]byte("seq,intended_ns\n1,1\n0,0\n"))
	f.Add([]byte("intended_ns\n\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		rec, err := Read(bytes.NewReader(file))
		if err != nil {
			require.Contains(t, err.Error(), "line ")
			return
		}
		require.NoError(t, Spec{Replay: rec}.Check())
		var out bytes.Buffer
		_, err = WriteCSV(&out, rec.Open())
		require.NoError(t, err)
		back, err := Read(&out)
		require.NoError(t, err)
		require.Equal(t, rec, back)
	})
}
