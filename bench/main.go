//go:build linux

package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A bench is one whole measurement.
type bench struct {
	dir      string
	openload string
	rounds   int
	seconds  int
	tools    []tool
	missing  []string
	out      strings.Builder
	bars     []string
}

func main() {
	rounds := flag.Int("rounds", 5, "runs of each cell; tables show their median")
	seconds := flag.Int("seconds", 3, "length of a run")
	only := flag.String("only", "closed,open,search,memory,start,nginx,record,file", "parts to run")
	file := flag.String("o", "bench/RESULTS.md", "where the results go")
	binary := flag.String("openload", "", "an openload that is built already")
	flag.Parse()
	if err := measure(*rounds, *seconds, strings.Split(*only, ","), *file, *binary); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func measure(rounds, seconds int, only []string, file, binary string) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir, rounds: rounds, seconds: seconds}
	if b.openload, err = prepare(dir); err != nil && binary == "" {
		return err
	}
	if binary != "" {
		b.openload = binary
	}
	for _, t := range tools(b.openload) {
		name, _, _ := strings.Cut(t.name, " ")
		if _, err := exec.LookPath(name); err != nil && name != "openload" {
			b.missing = append(b.missing, name)
			continue
		}
		b.tools = append(b.tools, t)
	}
	b.head()
	for _, part := range []struct {
		name string
		run  func() error
	}{
		{"closed", b.closed}, {"open", b.open}, {"search", b.search}, {"memory", b.memory}, {"start", b.start}, {"nginx", b.nginx}, {"record", b.record}, {"file", b.file},
	} {
		if slices.Contains(only, part.name) {
			if err := part.run(); err != nil {
				return fmt.Errorf("%s: %w", part.name, err)
			}
		}
	}
	b.printf("## Bars\n\n%s\n%s", strings.Join(b.bars, "\n"), reasons(file))
	return os.WriteFile(file, []byte(b.out.String()), 0o644)
}

// reasons is the end of the file as it stands, which people write: why what does not hold
// does not, as far as profiles tell.
func reasons(file string) string {
	old, _ := os.ReadFile(file) // none is there the first time
	const title = "\n## Why what does not hold does not\n"
	if _, text, ok := strings.Cut(string(old), title); ok {
		return title + text
	}
	return ""
}

func (b *bench) printf(format string, args ...any) { fmt.Fprintf(&b.out, format, args...) }

func (b *bench) head() {
	var u unix.Utsname
	_ = unix.Uname(&u)
	load, _ := os.ReadFile("/proc/loadavg")
	cpu := "unknown processor"
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, model, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			cpu = strings.TrimSpace(model)
			break
		}
	}
	b.printf("# Results\n\nWritten by `make bench` on %s: %d x %s, Linux %s, %s, load average before it %s.\n", time.Now().Format("2006-01-02"),
		runtime.NumCPU(), cpu, unix.ByteSliceToString(u.Release[:]), runtime.Version(), strings.Fields(string(load))[0])
	b.printf("Server on the first processor, generator on the last, %d connections, %d runs of %d s a cell, interleaved; medians, with the range in brackets.\n", connections, b.rounds, b.seconds)
	b.printf("CPU is what the kernel charged the generator's process; arrivals are what the server noted.\n")
	if len(b.missing) > 0 {
		b.printf("Not installed here: %s.\n", strings.Join(b.missing, ", "))
	}
	b.printf("\n")
}

// bar notes whether something holds.
func (b *bench) bar(holds bool, format string, args ...any) {
	word := "does NOT hold"
	if holds {
		word = "holds"
	}
	b.bars = append(b.bars, "- "+word+": "+fmt.Sprintf(format, args...))
}

func (b *bench) witness() (target, error)  { return startWitness(b.dir) }
func (b *bench) stamping() (target, error) { return startWitness(b.dir, "stamps") }

// rows runs every tool that can, in every round, and returns the results by tool.
func (b *bench) rows(can func(tool) func(url string) []string) (map[string][]result, error) {
	return b.rowsOn(b.witness, can)
}

func (b *bench) rowsOn(start func() (target, error), can func(tool) func(url string) []string) (map[string][]result, error) {
	all := map[string][]result{}
	for range b.rounds {
		for _, t := range b.tools {
			args := can(t)
			if args == nil {
				continue
			}
			r, err := run(start, args, t.stdin, nil)
			if err != nil {
				return nil, err
			}
			all[t.name] = append(all[t.name], r)
		}
	}
	return all, nil
}

// of returns the median, least and greatest of what is read from results.
func of(all []result, read func(result) float64) (median, least, most float64) {
	if len(all) == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	var v []float64
	for _, r := range all {
		v = append(v, read(r))
	}
	slices.Sort(v)
	return v[len(v)/2], v[0], v[len(v)-1]
}

func median(all []result, read func(result) float64) float64 {
	m, _, _ := of(all, read)
	return m
}

func cell(all []result, digits int, read func(result) float64) string {
	m, least, most := of(all, read)
	return fmt.Sprintf("%.*f (%.*f-%.*f)", digits, m, digits, least, digits, most)
}

func micros(d time.Duration) float64 { return float64(d) / 1e3 }
func cpu(r result) float64           { return micros(r.cpu) }
func rate(r result) float64 { // between the first and the last request
	if len(r.at) < 2 {
		return float64(r.n) / r.wall.Seconds()
	}
	return float64(len(r.at)-1) / (r.at[len(r.at)-1] - r.at[0]).Seconds()
}

func (b *bench) closed() error {
	all, err := b.rows(func(t tool) func(string) []string {
		if t.closed == nil {
			return nil
		}
		return func(url string) []string { return t.closed(url, b.seconds) }
	})
	if err != nil {
		return err
	}
	b.printf("## Closed loop, saturated\n\n| generator | CPU us/request | of it user | requests/s | peak RSS MB |\n|---|---|---|---|---|\n")
	for _, t := range b.tools {
		if r := all[t.name]; r != nil {
			b.printf("| %s | %s | %s | %s | %.1f |\n", t.name, cell(r, 1, cpu), cell(r, 1, func(r result) float64 { return micros(r.user) }), cell(r, 0, rate), median(r, func(r result) float64 { return float64(r.rssKB) / 1024 }))
		}
	}
	b.printf("\nab speaks HTTP/1.0, to which the witness offers no keep-alive: it opens a connection for each request there.\n\n")
	ours, wrk := all["openload"], all["wrk"]
	if wrk == nil {
		return nil
	}
	share := median(ours, cpu) / median(wrk, cpu)
	b.bar(share <= 0.9, "CPU per request %.2f of wrk's (0.9 asked, 0.75 aimed at)", share)
	more := median(ours, rate) / median(wrk, rate)
	b.bar(more >= 1.2, "throughput %.2f of wrk's (1.2 asked, 1.4 aimed at)", more)
	below := true
	for _, t := range b.tools {
		if !strings.HasPrefix(t.name, "openload") && all[t.name] != nil && median(all[t.name], cpu) <= median(ours, cpu) {
			below = false
		}
	}
	b.bar(below, "CPU per request below every other generator's in the run")
	return nil
}

func (b *bench) open() error {
	for _, perSec := range []int{100, 1_000, 10_000, 30_000} {
		period := time.Second / time.Duration(perSec)
		all, err := b.rowsOn(b.stamping, func(t tool) func(string) []string {
			if t.open == nil || t.open("", perSec, b.seconds) == nil {
				return nil
			}
			return func(url string) []string { return t.open(url, perSec, b.seconds) }
		})
		if err != nil {
			return err
		}
		planned := perSec * b.seconds
		dev50 := func(r result) float64 { d, _, _ := deviation(r.at, period); return micros(d) }
		dev99 := func(r result) float64 { _, d, _ := deviation(r.at, period); return micros(d) }
		clumps := func(r result) float64 { _, _, c := deviation(r.came, period); return 100 * c }
		found := func(r result) float64 { _, _, c := deviation(r.at, period); return 100 * c }
		b.printf("## Open model, %d/s\n\n| generator | seen of %d | off the grid p50 us | p99 us | gaps < 10 %% of the period as received | as read | CPU us/request | own lag p50 us | own corrected p50 us |\n|---|---|---|---|---|---|---|---|---|\n", perSec, planned)
		for _, t := range b.tools {
			r := all[t.name]
			if r == nil {
				continue
			}
			own := "- | -"
			if strings.HasPrefix(t.name, "openload") {
				own = fmt.Sprintf("%s | %s", cell(r, 1, func(r result) float64 { return micros(r.lag) }), cell(r, 0, func(r result) float64 { return micros(r.corrected) }))
			}
			b.printf("| %s | %.0f | %s | %s | %.1f %% | %.1f %% | %s | %s |\n", t.name, median(r, func(r result) float64 { return float64(r.n) }), cell(r, 0, dev50), cell(r, 0, dev99), median(r, clumps), median(r, found), cell(r, 1, cpu), own)
		}
		b.printf("\n")
		ours := all["openload"]
		b.bar(median(ours, dev50) <= 60, "%d/s: arrivals %.0f us off the grid in the middle (60 asked)", perSec, median(ours, dev50))
		for _, peer := range []struct {
			name  string
			times float64
		}{{"vegeta", 5}, {"fortio", 100}, {"hey", 100}, {"h2load", 100}} {
			if r := all[peer.name]; r != nil {
				x := median(r, dev50) / median(ours, dev50)
				b.bar(x >= peer.times, "%d/s: %.0f times nearer to the grid than %s (%.0f asked)", perSec, x, peer.name, peer.times)
			}
		}
		b.bar(median(ours, func(r result) float64 { return micros(r.lag) }) <= 5, "%d/s: own send lateness p50 %.1f us (5 asked)", perSec, median(ours, func(r result) float64 { return micros(r.lag) }))
		switch perSec {
		case 1_000:
			b.bar(median(ours, clumps) < 5, "%d/s: %.1f %% of gaps under a tenth of the period as received (5 asked)", perSec, median(ours, clumps))
		case 30_000:
			b.bar(median(ours, func(r result) float64 { return float64(r.n) }) >= float64(planned), "every request sent at 30,000/s: %.0f of %d", median(ours, func(r result) float64 { return float64(r.n) }), planned)
		}
		if perSec == 1_000 || perSec == 10_000 {
			own := median(ours, func(r result) float64 { return micros(r.corrected) })
			b.bar(own <= 150, "%d/s: own corrected p50 %.0f us for a server that takes 10 (150 asked)", perSec, own)
		}
	}
	return nil
}

// search finds the highest rate of which 99.9 % is sent, less than 1 ms off the grid in
// the middle.
func (b *bench) search() error {
	b.printf("## Highest rate on one core: 99.9 %% sent, p50 under 1 ms off the grid\n\n| generator | rate/s | the next one tried: seen, off the grid p50 us |\n|---|---|---|\n")
	for _, t := range b.tools {
		if t.open == nil || strings.Contains(t.name, "frugal") {
			continue
		}
		held, why := 0, "-"
		for _, perSec := range []int{1_000, 5_000, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000, 80_000} {
			good := 0
			var last result
			for range 3 {
				r, err := run(b.witness, func(url string) []string { return t.open(url, perSec, 2) }, t.stdin, nil)
				if err != nil {
					return err
				}
				last = r
				if d, _, _ := deviation(r.at, time.Second/time.Duration(perSec)); float64(r.n) >= 0.999*float64(2*perSec) && d < time.Millisecond {
					good++
				}
			}
			if good < 2 {
				d, _, _ := deviation(last.at, time.Second/time.Duration(perSec))
				why = fmt.Sprintf("%d/s: %.1f %%, %.0f", perSec, 100*float64(last.n)/float64(2*perSec), micros(d))
				break
			}
			held = perSec
		}
		b.printf("| %s | %d | %s |\n", t.name, held, why)
		if t.name == "openload" {
			b.bar(held >= 30_000, "highest rate held on one core: %d/s (30,000 asked, 50,000 aimed at)", held)
		}
	}
	b.printf("\n")
	return nil
}

func (b *bench) memory() error {
	b.printf("## Memory\n\n| run | requests | peak RSS MB |\n|---|---|---|\n")
	ol := func(perSec, n, conns int) func(string) []string {
		return func(url string) []string {
			return []string{b.openload, "--progress", "none", "-c", strconv.Itoa(conns), "--rate", strconv.Itoa(perSec), "--n", strconv.Itoa(n), "-o", "json", url}
		}
	}
	mb := func(r result) float64 { return float64(r.rssKB) / 1024 }
	var small, large result
	var err error
	if small, err = run(b.witness, ol(30_000, 180_000, connections), nil, nil); err != nil {
		return err
	}
	if large, err = run(b.witness, ol(30_000, 1_800_000, connections), nil, nil); err != nil {
		return err
	}
	stall, err := run(b.witness, ol(7_500, 30_000, 15_000), nil, func(t target) {
		time.Sleep(1500 * time.Millisecond)
		_ = t.process().Signal(syscall.SIGSTOP)
		time.Sleep(2 * time.Second)
		_ = t.process().Signal(syscall.SIGCONT)
	})
	if err != nil {
		return err
	}
	b.printf("| 30,000/s for 6 s | %d | %.1f |\n| 30,000/s for 60 s | %d | %.1f |\n| 7,500/s, the server stopped for 2 s, up to 15,000 connections | %d | %.1f |\n\n", small.n, mb(small), large.n, mb(large), stall.n, mb(stall))
	b.bar(mb(large) < 30, "peak RSS %.1f MB at 30,000/s for 60 s (30 asked)", mb(large))
	b.bar(mb(large) < mb(small)*1.15, "ten times the operations: RSS %.1f MB after %.1f MB", mb(large), mb(small))
	each := (mb(stall) - mb(small)) * 1024 / 15_000
	b.bar(each < 4, "about 15,000 in flight during a stall: %.1f kB each (4 asked)", each)
	return nil
}

func (b *bench) start() error {
	var all []result
	for range b.rounds {
		r, err := run(b.witness, func(url string) []string {
			return []string{b.openload, "--progress", "none", "--rate", "100", "--n", "10", url}
		}, nil, nil)
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	ms := func(r result) float64 { return float64(r.first) / 1e6 }
	b.printf("## Start\n\nFrom the start of the process (taskset included) to the first request at the server: %s ms.\n\n", cell(all, 1, ms))
	b.bar(median(all, ms) < 50, "start to first request %.1f ms (50 asked)", median(all, ms))
	return nil
}

func (b *bench) nginx() error {
	if _, err := exec.LookPath("nginx"); err != nil {
		b.printf("## nginx\n\nNot installed here.\n\n")
		return nil
	}
	for _, secure := range []bool{false, true} {
		all, err := b.rowsOn(func() (target, error) { return startNginx(b.dir, secure) }, func(t tool) func(string) []string {
			if t.closed == nil || secure && t.name != "openload" && t.name != "wrk" && t.name != "openload --engine portable" {
				return nil
			}
			return func(url string) []string { return t.closed(url, b.seconds) }
		})
		if err != nil {
			return err
		}
		name, most := "http", 1.1
		if secure {
			name, most = "https (TLS 1.3)", 0.8
		}
		b.printf("## nginx, %s, closed loop\n\n| generator | CPU us/request | requests/s |\n|---|---|---|\n", name)
		for _, t := range b.tools {
			if r := all[t.name]; r != nil {
				b.printf("| %s | %s | %s |\n", t.name, cell(r, 1, cpu), cell(r, 0, rate))
			}
		}
		b.printf("\n")
		if all["wrk"] != nil {
			share := median(all["openload"], cpu) / median(all["wrk"], cpu)
			b.bar(share <= most, "nginx, %s: CPU per request %.2f of wrk's (%.1f asked)", name, share, most)
		}
	}
	return nil
}
