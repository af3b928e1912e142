package sink

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"openload/report"
)

// Prepare finds out before a run whether the outputs can be written after it: a
// result that cost an hour must not be lost to a mistyped directory. It leaves
// nothing behind. The error holds one line for each output that can't.
func Prepare(outs ...Output) error {
	var wrong []error
	taken := map[string]Output{}
	for _, o := range outs {
		where := ""
		switch {
		case o.Kind.Job != nil:
			where = "the job of " + o.Kind.Name
		case o.File != "":
			where = filepath.Clean(o.File)
		}
		if other, ok := taken[where]; ok {
			wrong = append(wrong, fmt.Errorf("outputs %s and %s go to the same place; give one of them another file", other, o))
			continue
		}
		taken[where] = o
		if err := o.prepare(); err != nil {
			wrong = append(wrong, o.explain(err))
		}
	}
	return errors.Join(wrong...)
}

func (o Output) prepare() error {
	if o.Kind.Job != nil {
		return o.Job.prepare()
	}
	if o.File == "" {
		return nil
	}
	path, atomic, err := place(o.File)
	if err != nil || !atomic {
		return err
	}
	// A file that its owner made read-only stays as it is, though a rename would replace it.
	if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
		f.Close()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := createBeside(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Write writes r to the output's file, or to stdout if it has none. A file is
// written beside its place and moved there when it is complete, so that nobody ever
// reads half a report; a device or pipe is written directly. It is compressed if its
// name ends in .gz or .zst. Files get the whole report without colour, whatever opt says.
// A kind that only a [Stream] writes was written already: then nothing is left to do.
func (o Output) Write(stdout io.Writer, r *report.Report, opt TextOptions) error {
	switch {
	case o.Kind.Job != nil:
		return o.explain(o.Kind.Job(o.Job, r, opt))
	case o.NeedsRun():
		return nil
	}
	if o.File != "" {
		opt.Color, opt.Quiet = false, false
	}
	t, err := o.create(stdout)
	if err != nil {
		return o.explain(err)
	}
	return o.explain(t.close(o.Kind.Write(t, r, opt)))
}

// Put writes something other than a report to the output's place, as Write does.
func (o Output) Put(stdout io.Writer, write func(io.Writer) error) error {
	t, err := o.create(stdout)
	if err != nil {
		return o.explain(err)
	}
	return o.explain(t.close(write(t)))
}

// A target is where an output is being written to.
type target struct {
	io.Writer
	zip    io.WriteCloser // nil: not compressed
	f      *os.File       // nil: standard output
	path   string
	atomic bool // f lies beside path until it is whole
}

// create opens the output's place.
func (o Output) create(stdout io.Writer) (*target, error) {
	if o.File == "" {
		return &target{Writer: stdout}, nil
	}
	t := &target{}
	var err error
	if t.path, t.atomic, err = place(o.File); err != nil {
		return nil, err
	}
	if t.atomic {
		t.f, err = createBeside(t.path)
	} else {
		t.f, err = os.OpenFile(t.path, os.O_WRONLY, 0)
	}
	if err != nil {
		return nil, err
	}
	t.Writer = t.f
	if t.zip, err = packed(t.f, o.File); err != nil {
		return nil, t.close(err)
	}
	if t.zip != nil {
		t.Writer = t.zip
	}
	return t, nil
}

// close puts the file into its place, unless writing it has failed.
func (t *target) close(err error) error {
	if t.f == nil {
		return err
	}
	if t.zip != nil {
		if ended := t.zip.Close(); err == nil {
			err = ended
		}
	}
	if err == nil && t.atomic {
		err = t.f.Sync() // else a crash after the rename could leave an empty file
	}
	if closed := t.f.Close(); err == nil {
		err = closed
	}
	if err == nil && t.atomic {
		err = os.Rename(t.f.Name(), t.path)
	}
	if err != nil && t.atomic {
		os.Remove(t.f.Name())
	}
	return err
}

// place says where a file's content goes, behind symbolic links, and whether it
// can go there by a rename. Renaming over /dev/null would replace the device.
func place(file string) (path string, atomic bool, err error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return file, true, nil
	case err != nil:
		return "", false, err
	case info.IsDir():
		return "", false, syscall.EISDIR
	case !info.Mode().IsRegular():
		return file, false, nil
	}
	path, err = filepath.EvalSymlinks(file)
	return path, true, err
}

// createBeside makes a new file in path's directory, with the mode of the file
// that it is to replace, or else what the umask leaves (os.CreateTemp would make
// one that no later step of a CI job may read).
func createBeside(path string) (*os.File, error) {
	mode := fs.FileMode(0o666)
	info, err := os.Stat(path)
	if err == nil {
		mode = info.Mode().Perm()
	}
	dir, base := filepath.Split(path)
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s.%.100s.%d.%d.tmp", dir, base, os.Getpid(), i)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// explain makes one line of err: what could not be written, why, what to do.
func (o Output) explain(err error) error {
	if err == nil {
		return nil
	}
	if o.Kind.Job != nil {
		return fmt.Errorf("write %s: %w", o.Kind.Name, err)
	}
	cause := err
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		cause = inner.Err // its path may be the temporary file's, which would only puzzle
	} else if inner := (*os.LinkError)(nil); errors.As(err, &inner) {
		cause = inner.Err
	}
	if o.File == "" {
		return fmt.Errorf("write %s to standard output: %w", o.Kind.Name, cause)
	}
	return fmt.Errorf("write %s to %s: %w%s", o.Kind.Name, o.File, cause, advice(o, cause))
}

func advice(o Output, cause error) string {
	dir := filepath.Dir(o.File)
	switch {
	case errors.Is(cause, syscall.EISDIR):
		return fmt.Sprintf("; name a file in it, such as %s", filepath.Join(o.File, "report."+o.Kind.Name))
	case errors.Is(cause, fs.ErrNotExist):
		return fmt.Sprintf("; make the directory %s first, or name a file elsewhere", dir)
	case errors.Is(cause, syscall.ENOTDIR):
		return fmt.Sprintf("; %s is not a directory", dir)
	case errors.Is(cause, syscall.ENOSPC), errors.Is(cause, syscall.EDQUOT):
		return "; free some space, or name a file elsewhere"
	case errors.Is(cause, fs.ErrPermission), errors.Is(cause, syscall.EROFS):
		return "; name a file where you may write"
	}
	return ""
}
