package sink

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"openload/report"
)

// kind writes s, and fails with err after it.
func kind(s string, err error) Kind {
	return Kind{Name: "json", Write: func(w io.Writer, _ *report.Report, opt TextOptions) error {
		if opt.Color || opt.Quiet {
			s = "not for a file"
		}
		if _, err := io.WriteString(w, s); err != nil {
			return err
		}
		return err
	}}
}

func write(o Output) error { return o.Write(nil, nil, TextOptions{Color: true, Quiet: true}) }

func content(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(b)
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// A file is there as a whole or not at all, and nothing else is.
func TestWriteIsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "out.json")

	require.NoError(t, write(Output{Kind: kind("first", nil), File: file}))
	require.Equal(t, "first", content(t, file))
	require.NoError(t, write(Output{Kind: kind("second", nil), File: file}))
	require.Equal(t, "second", content(t, file))

	err := write(Output{Kind: kind("half of the th", &fs.PathError{Op: "write", Path: "elsewhere", Err: syscall.ENOSPC}), File: file})
	require.EqualError(t, err, "write json to "+file+": no space left on device; free some space, or name a file elsewhere")
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.Equal(t, "second", content(t, file))
	require.Equal(t, []string{"out.json"}, names(t, dir))
}

// A file left behind by a killed process is in nobody's way.
func TestWriteBesideALeftover(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "out.json")
	f, err := createBeside(file)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, write(Output{Kind: kind("new", nil), File: file}))
	require.Equal(t, "new", content(t, file))
	require.Equal(t, []string{filepath.Base(f.Name()), "out.json"}, names(t, dir))
}

func TestWriteKeepsWhatAFileIs(t *testing.T) {
	dir := t.TempDir()

	t.Run("the mode that any new file has", func(t *testing.T) {
		plain, file := filepath.Join(dir, "plain"), filepath.Join(dir, "new")
		require.NoError(t, os.WriteFile(plain, nil, 0o666))
		require.NoError(t, write(Output{Kind: kind("", nil), File: file}))
		require.Equal(t, mode(t, plain), mode(t, file))
	})
	t.Run("the mode of the file that was there", func(t *testing.T) {
		file := filepath.Join(dir, "secret")
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		require.NoError(t, write(Output{Kind: kind("", nil), File: file}))
		require.Equal(t, fs.FileMode(0o600), mode(t, file))
	})
	t.Run("a symbolic link", func(t *testing.T) {
		file, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
		require.NoError(t, os.WriteFile(file, nil, 0o666))
		require.NoError(t, os.Symlink(file, link))
		require.NoError(t, write(Output{Kind: kind("through", nil), File: link}))
		require.Equal(t, "through", content(t, file))
		require.NotZero(t, mode(t, link)&fs.ModeSymlink)
	})
	t.Run("a device", func(t *testing.T) {
		_, atomic, err := place(os.DevNull)
		require.NoError(t, err)
		require.False(t, atomic) // or the next line would replace the machine's device
		require.NoError(t, write(Output{Kind: kind("gone", nil), File: os.DevNull}))
		require.NotZero(t, mode(t, os.DevNull)&fs.ModeDevice)
	})
}

func mode(t *testing.T, file string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(file)
	require.NoError(t, err)
	return info.Mode()
}

func TestWriteToStandardOutput(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, Output{Kind: kind("here", nil)}.Write(&b, nil, TextOptions{}))
	require.Equal(t, "here", b.String())
	err := Output{Kind: kind("", &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE})}.Write(&b, nil, TextOptions{})
	require.EqualError(t, err, "write json to standard output: broken pipe")
}

// What can't be written after the run is said before it, and Prepare leaves nothing.
func TestPrepare(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, []byte("old"), 0o666))
	missing := filepath.Join(dir, "missing", "out.json")
	under := filepath.Join(file, "out.json")

	for _, tt := range []struct {
		name  string
		files []string
		want  string
	}{
		{"standard output", []string{""}, ""},
		{"a new file", []string{filepath.Join(dir, "new")}, ""},
		{"a file that is there", []string{file}, ""},
		{"a device", []string{os.DevNull}, ""},
		{"several", []string{"", file}, ""},
		{"a directory", []string{dir}, "write json to " + dir + ": is a directory; name a file in it, such as " + filepath.Join(dir, "report.json")},
		{"a missing directory", []string{missing}, "write json to " + missing + ": no such file or directory; make the directory " + filepath.Dir(missing) + " first, or name a file elsewhere"},
		{"a file as directory", []string{under}, "write json to " + under + ": not a directory; " + file + " is not a directory"},
		{"twice the same", []string{file, dir + "/./file"}, "outputs json=" + file + " and json=" + dir + "/./file go to the same place; give one of them another file"},
		{"twice standard output", []string{"", ""}, "outputs json and json go to the same place; give one of them another file"},
		{"all that is wrong", []string{dir, missing}, "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var outs []Output
			for _, f := range tt.files {
				outs = append(outs, Output{Kind: kind("", nil), File: f})
			}
			switch err := Prepare(outs...); {
			case tt.want == "":
				require.NoError(t, err)
			case tt.want == "\n":
				require.Len(t, strings.Split(err.Error(), "\n"), len(tt.files))
			default:
				require.EqualError(t, err, tt.want)
			}
			require.Equal(t, []string{"file"}, names(t, dir))
			require.Equal(t, "old", content(t, file))
		})
	}
}

// Each cause that a user can do something about says what.
func TestAdvice(t *testing.T) {
	o := Output{Kind: Kind{Name: "json"}, File: "dir/out"}
	for _, tt := range []struct {
		cause error
		want  string
	}{
		{syscall.ENOSPC, "free some space"},
		{syscall.EDQUOT, "free some space"},
		{syscall.EACCES, "where you may write"},
		{syscall.EPERM, "where you may write"},
		{syscall.EROFS, "where you may write"},
		{syscall.ENOENT, "make the directory dir first"},
		{syscall.EISDIR, "such as dir/out/report.json"},
		{syscall.ENOTDIR, "dir is not a directory"},
	} {
		for _, err := range []error{
			&fs.PathError{Op: "open", Path: "dir/.out.tmp", Err: tt.cause},
			&os.LinkError{Op: "rename", Old: "dir/.out.tmp", New: "dir/out", Err: tt.cause},
		} {
			got := o.explain(err).Error()
			require.Contains(t, got, tt.want)
			require.NotContains(t, got, ".tmp")
			require.NotContains(t, got, "\n")
		}
	}
	require.EqualError(t, o.explain(errors.New("odd")), "write json to dir/out: odd")
}
