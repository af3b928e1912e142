package sink

import (
	"bytes"
	"compress/gzip"
	stdcsv "encoding/csv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"openload/correct"
)

func csvTo(t *testing.T, file string) Output {
	o, err := Parse("csv")
	require.NoError(t, err)
	o.File = file
	return o
}

func attempt(i int) correct.Sample {
	at := time.Duration(i) * time.Millisecond
	return correct.Sample{Seq: uint64(i), Attempt: 1, Intended: at, Due: at, Dispatched: at, Sent: at + 1, Done: at + 2, Status: 200, Fired: true, Written: true, Final: true}
}

// table is the CSV of attempts 0 to n-1.
func table(n int, closed bool) string {
	b := []byte(correct.CSVHeader + "\n")
	for i := range n {
		b = attempt(i).AppendCSV(b, closed)
	}
	return string(b)
}

// Names are quoted as they must be, and a row stays a line.
func TestStreamNamesTargets(t *testing.T) {
	names := []string{"plain", `a, "b"`, " c", "two\nlines"}
	var b bytes.Buffer
	s, err := csvTo(t, "").Stream(&b, StreamOptions{Wait: true, Warm: func(time.Duration) bool { return false }, Target: func(seq uint64) string { return names[seq] }})
	require.NoError(t, err)
	feed(s, len(names))
	_, err = s.Close(correct.End{How: correct.EndComplete})
	require.NoError(t, err)
	rows, err := stdcsv.NewReader(&b).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"final", "warmup", "target"}, rows[0][len(rows[0])-3:])
	for i, want := range []string{"plain", `a, "b"`, " c", "two lines"} {
		require.Equal(t, want, rows[i+1][len(rows[0])-1])
	}
	require.Len(t, rows, len(names)+2, "the run's end is as wide as the rows")
}

// feed sends n attempts through a stream.
func feed(s *Stream, n int) {
	for i := range n {
		s.Observe(attempt(i))
	}
}

// Every attempt is a row, in order, whatever the number; the file is there when the
// stream is closed, and not before.
func TestStreamWritesEachAttempt(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "run.csv")
	for _, tt := range []struct {
		name   string
		n      int
		closed bool
	}{
		{"none", 0, false}, {"one", 1, false}, {"a batch", batchSize, false}, {"one more", batchSize + 1, true}, {"many", 20*batchSize - 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := csvTo(t, file).Stream(nil, StreamOptions{Closed: tt.closed, Wait: true})
			require.NoError(t, err)
			feed(s, tt.n)
			require.NoFileExists(t, file)
			lost, err := s.Close(correct.End{})
			require.NoError(t, err)
			require.Zero(t, lost)
			require.Equal(t, table(tt.n, tt.closed), content(t, file))
			require.Equal(t, []string{"run.csv"}, names(t, dir))
			require.NoError(t, os.Remove(file))
		})
	}
}

func TestFilesAreCompressedAsTheirNamesSay(t *testing.T) {
	for _, tt := range []struct {
		ending string
		reader func(io.Reader) (io.Reader, error)
	}{
		{".gz", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
		{".zst", func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) }},
	} {
		t.Run(tt.ending, func(t *testing.T) {
			dir := t.TempDir()
			unpacked := func(file string) string {
				z, err := tt.reader(strings.NewReader(content(t, file)))
				require.NoError(t, err)
				b, err := io.ReadAll(z)
				require.NoError(t, err)
				return string(b)
			}
			file := filepath.Join(dir, "run.csv"+tt.ending)
			s, err := csvTo(t, file).Stream(nil, StreamOptions{Wait: true})
			require.NoError(t, err)
			feed(s, 1000)
			_, err = s.Close(correct.End{})
			require.NoError(t, err)
			require.Equal(t, table(1000, false), unpacked(file))

			file = filepath.Join(dir, "report.json"+tt.ending)
			require.NoError(t, write(Output{Kind: kind("a report", nil), File: file}))
			require.Equal(t, "a report", unpacked(file))
			require.ErrorIs(t, write(Output{Kind: kind(strings.Repeat("a report", 1<<16), nil), File: full(t, tt.ending)}), syscall.ENOSPC)
		})
	}
}

// full is a device without space, under a name that ends so.
func full(t *testing.T, ending string) string {
	link := filepath.Join(t.TempDir(), "full"+ending)
	require.NoError(t, os.Symlink("/dev/full", link))
	return link
}

// A gate is a writer that lets nothing through until it is opened.
type gate struct {
	open chan struct{}
	bytes.Buffer
}

func (g *gate) Write(p []byte) (int, error) {
	<-g.open
	return g.Buffer.Write(p)
}

// A writer that stands still holds up nobody: what does not fit is lost, and counted.
// That this test ends says that Observe did not wait.
func TestABlockedWriterDelaysNobody(t *testing.T) {
	g := &gate{open: make(chan struct{})}
	s, err := csvTo(t, "").Stream(g, StreamOptions{})
	require.NoError(t, err)
	const n = mostBatches*batchSize + 10_000
	feed(s, n)
	require.NotZero(t, s.lost)
	close(g.open)
	lost, err := s.Close(correct.End{})
	require.NoError(t, err)
	require.Equal(t, s.lost, lost)
	rows := bytes.Count(g.Bytes(), []byte("\n")) - 1
	require.EqualValues(t, n, uint64(rows)+lost)
	require.GreaterOrEqual(t, rows, mostBatches*batchSize, "all that there was room for")
	require.True(t, strings.HasPrefix(g.String(), table(1000, false)), "what came first is there")
}

// Where nobody is sent late by it, a slow writer is waited for.
func TestASlowWriterIsWaitedFor(t *testing.T) {
	g := &gate{open: make(chan struct{})}
	s, err := csvTo(t, "").Stream(g, StreamOptions{Wait: true})
	require.NoError(t, err)
	const n = mostBatches*batchSize + 10_000
	fed := make(chan struct{})
	go func() {
		feed(s, n)
		close(fed)
	}()
	close(g.open)
	<-fed
	lost, err := s.Close(correct.End{})
	require.NoError(t, err)
	require.Zero(t, lost)
	require.Equal(t, n, bytes.Count(g.Bytes(), []byte("\n"))-1)
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

// A disk that is full ends the file, and neither the run nor the taking of attempts.
func TestStreamReportsWhatWentWrong(t *testing.T) {
	s, err := csvTo(t, "").Stream(failing{&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}}, StreamOptions{Wait: true})
	require.NoError(t, err)
	feed(s, 2*mostBatches*batchSize)
	_, err = s.Close(correct.End{})
	require.EqualError(t, err, "write csv to standard output: no space left on device")

	missing := filepath.Join(t.TempDir(), "none", "run.csv")
	_, err = csvTo(t, missing).Stream(nil, StreamOptions{})
	require.EqualError(t, err, "write csv to "+missing+": no such file or directory; make the directory "+filepath.Dir(missing)+" first, or name a file elsewhere")
}

// Of a run that did not take place nothing stays, and what was there does.
func TestDropLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "run.csv")
	require.NoError(t, os.WriteFile(file, []byte("old"), 0o666))
	s, err := csvTo(t, file).Stream(nil, StreamOptions{})
	require.NoError(t, err)
	feed(s, 10)
	s.Drop()
	require.Equal(t, []string{"run.csv"}, names(t, dir))
	require.Equal(t, "old", content(t, file))
}

// What the sending thread pays for an attempt.
func BenchmarkObserve(b *testing.B) {
	s, err := Output{Kind: Kind{Name: "csv"}}.Stream(io.Discard, StreamOptions{})
	require.NoError(b, err)
	x := attempt(1)
	b.ReportAllocs()
	for b.Loop() {
		s.Observe(x)
	}
	lost, err := s.Close(correct.End{})
	require.NoError(b, err)
	b.ReportMetric(float64(lost)/float64(b.N), "lost/op")
}
