// Package golden compares what a test got with a committed file that shows what a
// user sees. Its one noun is the golden file, testdata/golden/NAME beside the test;
// `go test ./PACKAGE -update` rewrites it, and the diff is reviewed like code.
package golden

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files with what the tests got")

const dir = "testdata/golden"

// Check fails t unless got is, byte for byte, the golden file of that name. With
// -update it writes the file instead.
func Check(t testing.TB, name string, got []byte) {
	t.Helper()
	if err := check(filepath.Join(dir, name), got, *update); err != nil {
		t.Error(err)
	}
}

func check(file string, got []byte, update bool) error {
	if update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		return os.WriteFile(file, got, 0o666)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%w; run the test with -update to write it\ngot:\n%s", err, got)
	}
	if bytes.Equal(want, got) {
		return nil
	}
	line, wantLine, gotLine := firstDifference(want, got)
	return fmt.Errorf("%s: line %d differs; if that is meant, run the test with -update\nwant %q\ngot  %q\nall that was got:\n%s",
		file, line, wantLine, gotLine, got)
}

// firstDifference is the number, from 1, and the content of the first lines that
// are not the same. A text that ended before has an empty line there.
func firstDifference(want, got []byte) (n int, wantLine, gotLine []byte) {
	wants, gots := bytes.SplitAfter(want, []byte("\n")), bytes.SplitAfter(got, []byte("\n"))
	for i := range max(len(wants), len(gots)) {
		wantLine, gotLine = nil, nil
		if i < len(wants) {
			wantLine = wants[i]
		}
		if i < len(gots) {
			gotLine = gots[i]
		}
		if !bytes.Equal(wantLine, gotLine) {
			return i + 1, wantLine, gotLine
		}
	}
	return 0, nil, nil
}
