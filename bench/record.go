//go:build linux

package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
)

// record measures what the sending thread pays to have an operation recorded: by the
// packages' own benchmarks, on the generator's processor.
func (b *bench) record() error {
	b.printf("## Recording, on the sending thread\n\n| what | ns an operation |\n|---|---|\n")
	for _, part := range []struct{ what, pkg, bench string }{
		{"all distributions, series, peaks and episodes", "./correct", "Record"},
	} {
		args := []string{"-c", strconv.Itoa(runtime.NumCPU() - 1), "go", "test", "-run", "^$", "-bench", "^Benchmark" + part.bench + "$", "-benchtime", "1000000x", "-count", strconv.Itoa(4 * b.rounds), part.pkg}
		out, err := exec.Command("taskset", args...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%v: %w: %s", args, err, out)
		}
		var ns []float64
		for _, m := range regexp.MustCompile(`([\d.]+) ns/op`).FindAllSubmatch(out, -1) {
			v, err := strconv.ParseFloat(string(m[1]), 64)
			if err != nil {
				return err
			}
			ns = append(ns, v)
		}
		if len(ns) == 0 {
			return fmt.Errorf("%v says nothing: %s", args, out)
		}
		slices.Sort(ns)
		middle := ns[len(ns)/2]
		b.printf("| %s | %.0f (%.0f-%.0f) |\n", part.what, middle, ns[0], ns[len(ns)-1])
		b.bar(middle < 100, "recording an operation (%s): %.0f ns (100 asked)", part.what, middle)
	}
	b.printf("\n")
	return nil
}
