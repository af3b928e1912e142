package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"

	"openload/repair"
	"openload/report"
	"openload/sla"
	"openload/source"
)

// openSaved reads a saved run: a report as JSON, or of several runs, or a run's
// attempts as CSV, each compressed or not. The rules are for attempts: of those each
// is counted exactly.
func openSaved(s streams, name string, rules []sla.Rule) (*report.Runs, error) {
	in, err := openFile(s, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	all, err := readSaved(in, name, rules)
	if errors.Is(err, io.ErrUnexpectedEOF) { // of gzip and zstd; JSON says it in its own words
		err = errors.New("the compressed file is cut off; get the whole file")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", nameOf(name), err)
	}
	return all, nil
}

func nameOf(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

func openFile(s streams, name string) (io.ReadCloser, error) {
	switch name {
	case "":
		return nil, errors.New("no file given; name one that --out json=FILE wrote, or - for standard input")
	case "-":
		return io.NopCloser(s.in), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%w; name a file that can be read, or - for standard input", err)
	}
	return f, nil
}

func readSaved(in io.Reader, name string, rules []sla.Rule) (*report.Runs, error) {
	plain, err := unpacked(in)
	if err != nil {
		return nil, err
	}
	head, err := plain.Peek(4096)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if text := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff"))); len(text) == 0 || text[0] == '{' || text[0] == '[' {
		return report.Read(plain)
	}
	f, err := source.Open(plain, source.Options{})
	switch {
	case errors.Is(err, source.ErrUnknown):
		return nil, errors.New("it is neither a report nor the attempts of a run; write them with --out json=FILE and --out csv=FILE")
	case err != nil:
		return nil, err
	case !f.Own():
		return nil, fmt.Errorf("it is %s, and no report; read it with openload correct", f.Format)
	}
	r, err := repair.File(f, repair.Options{Method: repair.None, Rules: rules, Name: name, Version: version()})
	if err != nil {
		return nil, err
	}
	return report.NewRuns(1, []*report.Report{r}), nil
}

// unpacked undoes what a file's name ending in .gz or .zst asked for.
func unpacked(in io.Reader) (*bufio.Reader, error) {
	plain := bufio.NewReader(in)
	magic, err := plain.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(plain)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		return bufio.NewReader(z), nil
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(plain, zstd.WithDecoderConcurrency(1)) // without goroutines, so that it needs no end
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		return bufio.NewReader(z), nil
	}
	return plain, nil
}

// one chooses a run of several, counted from 1; 0 is all of them.
func one(all *report.Runs, k int) (*report.Runs, error) {
	switch {
	case k == 0:
		return all, nil
	case k < 1 || k > len(all.Runs):
		return nil, usagef("--run: there is no run %d; give a number from 1 to %d", k, len(all.Runs))
	}
	return report.NewRuns(1, all.Runs[k-1:k]), nil
}

// writeSaved shows one run as after a run, or several together.
func (o *outputs) writeSaved(s streams, all *report.Runs) error {
	if len(all.Runs) == 1 {
		return o.write(s, all.Runs[0])
	}
	var wrong []error
	for i, r := range all.Runs {
		wrong = append(wrong, o.apart(i+1).write(s, r))
	}
	return errors.Join(append(wrong, o.writeRuns(s, all))...)
}
