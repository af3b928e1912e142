//go:build linux

package main

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

const fileRows = 10_000_000

// file measures `openload correct` on a file of ten million rows, beside what
// encoding/csv needs to read it: the same file from the same page cache, once each a
// round. Both have all processors.
func (b *bench) file() error {
	name := filepath.Join(b.dir, "hey.csv")
	size, err := writeHey(name, fileRows)
	if err != nil {
		return err
	}
	defer os.Remove(name)
	var ours, plain, reuse []result
	for range b.rounds {
		r, err := correctFile(b.openload, name)
		if err != nil {
			return err
		}
		ours = append(ours, r)
		for _, way := range []struct {
			reuse bool
			into  *[]result
		}{{false, &plain}, {true, &reuse}} {
			if r, err = readCSV(name, way.reuse); err != nil {
				return err
			}
			*way.into = append(*way.into, r)
		}
	}
	wall := func(r result) float64 { return r.wall.Seconds() }
	busy := func(r result) float64 { return r.cpu.Seconds() }
	mb := func(r result) float64 { return float64(r.rssKB) / 1024 }
	b.printf("## A hey CSV of ten million rows, %d MB\n\n| what | wall s | CPU s | peak RSS MB |\n|---|---|---|---|\n", size>>20)
	b.printf("| openload correct --interval 80ms --sla 'p99<500ms': read, corrected, judged | %s | %s | %.1f |\n", cell(ours, 2, wall), cell(ours, 2, busy), median(ours, mb))
	b.printf("| encoding/csv, read only, buffer of 1 MiB, ReuseRecord | %s | %s | - |\n", cell(reuse, 2, wall), cell(reuse, 2, busy))
	b.printf("| encoding/csv, read only, as it comes | %s | %s | - |\n\n", cell(plain, 2, wall), cell(plain, 2, busy))
	share := median(ours, wall) / median(reuse, wall)
	b.bar(share <= 0.1, "ten million rows read, corrected and judged in %.3f of the time that encoding/csv reads them in, CPU %.3f (0.1 asked)", share, median(ours, busy)/median(reuse, busy))
	b.bar(median(ours, mb) < 100, "ten million rows: peak RSS %.1f MB (100 asked)", median(ours, mb))
	return nil
}

func correctFile(openload, name string) (r result, err error) {
	cmd := exec.Command(openload, "correct", name, "--interval", "80ms", "--sla", "p99<500ms")
	began := monotonic()
	out, err := cmd.CombinedOutput()
	r.wall = monotonic() - began
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 3 { // FAIL
		return r, fmt.Errorf("openload correct: %w: %s", err, out)
	}
	u := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	r.cpu, r.rssKB = time.Duration(u.Utime.Nano()+u.Stime.Nano()), u.Maxrss
	return r, nil
}

func readCSV(name string, reuse bool) (r result, err error) {
	f, err := os.Open(name)
	if err != nil {
		return r, err
	}
	defer f.Close()
	var in io.Reader = f
	if reuse {
		in = bufio.NewReaderSize(f, 1<<20)
	}
	before, began := own(), monotonic()
	c := csv.NewReader(in)
	c.ReuseRecord = reuse
	for r.n = -1; ; r.n++ { // the header
		if _, err := c.Read(); err == io.EOF {
			break
		} else if err != nil {
			return r, err
		}
	}
	r.wall, r.cpu = monotonic()-began, own()-before
	if r.n != fileRows {
		return r, fmt.Errorf("encoding/csv read %d rows", r.n)
	}
	return r, nil
}

// own is the processor time that this process has used.
func own() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// writeHey makes a file as hey writes it: 50 workers paced at 80 ms each, of which one
// in a thousand requests takes 2 s.
func writeHey(name string, rows int) (size int64, err error) {
	f, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	size = int64(len("response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n"))
	_, _ = w.WriteString("response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n")
	var row []byte
	for i := range rows {
		took := 500 + i*7919%100 // in steps of 100 us
		if i%1000 == 999 {
			took += 20_000
		}
		row = append(fixed(row[:0], took), ",0.0000,0.0000,0.0000,"...)
		row = append(fixed(row, took), ",0.0001,200,"...)
		row = append(fixed(row, i*16), '\n')
		size += int64(len(row))
		_, _ = w.Write(row)
	}
	return size, w.Flush()
}

// fixed appends n steps of 100 us as seconds with four decimals.
func fixed(to []byte, n int) []byte {
	to = append(strconv.AppendInt(to, int64(n/10_000), 10), '.')
	for unit := 1000; unit > 0; unit /= 10 {
		to = append(to, byte('0'+n/unit%10))
	}
	return to
}
