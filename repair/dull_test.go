package repair

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/sla"
	"openload/source"
)

// heyRun draws a run of hey's: some workers, paced or not, stalls of one or all of
// them, failures, and latencies off the grid. extra is a further column, with which no
// row is read the quick way.
func heyRun(t *rapid.T, rows int) (usual, extra []byte) {
	type row struct{ took, start, status int } // in 100 us
	workers := rapid.IntRange(1, 8).Draw(t, "workers")
	interval := rapid.SampledFrom([]int{0, 200, 800}).Draw(t, "interval")
	stalls := rapid.IntRange(0, 60).Draw(t, "stalls")
	failures := rapid.SampledFrom([]int{0, 3, 500}).Draw(t, "failures")
	seed := rapid.Uint64().Draw(t, "seed")
	next := func(n int) int { // rapid's own draws would take longer than the rest
		seed = seed*6364136223846793005 + 1442695040888963407
		return int(seed >> 33 % uint64(n))
	}
	free := make([]int, workers)
	var all []row
	for range rows {
		w := 0
		for i := range free {
			if free[i] < free[w] {
				w = i
			}
		}
		r := row{took: 400 + next(200), start: free[w], status: 200}
		if next(1000) < stalls {
			r.took += next(40_000)
			if next(2) == 0 { // all wait for it
				for i := range free {
					free[i] = max(free[i], r.start+r.took)
				}
			}
		}
		if next(1000) < failures {
			r.status = 503
		}
		free[w] = r.start + max(r.took, interval) + next(5)
		if interval > 0 && r.took > interval {
			free[w] = r.start + (r.took+interval-1)/interval*interval
		}
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b row) int { return a.start + a.took - b.start - b.took })
	head := "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset"
	var u, x bytes.Buffer
	fmt.Fprintln(&u, head)
	fmt.Fprintln(&x, head+",extra")
	for i, r := range all {
		took := fmt.Sprintf("%d.%04d", r.took/10_000, r.took%10_000)
		if i%97 == 96 {
			took += "5"
		}
		line := fmt.Sprintf("%s,0.0000,0.0000,0.0000,%s,0.0000,%d,%d.%04d", took, took, r.status, r.start/10_000, r.start%10_000)
		fmt.Fprintln(&u, line)
		fmt.Fprintln(&x, line+",0")
	}
	return u.Bytes(), x.Bytes()
}

// Rows that are read and taken many at a time give the report that they give one by one.
func TestDullRows(t *testing.T) {
	most := 30_000
	if testing.Short() {
		most = 20_000
	}
	rapid.Check(t, func(t *rapid.T) {
		usual, extra := heyRun(t, rapid.IntRange(1, most).Draw(t, "rows"))
		if rapid.IntRange(0, 4).Draw(t, "runs") == 0 {
			usual, extra = append(usual, usual...), append(extra, extra...)
		}
		rule, err := sla.Parse("p99<500ms")
		require.NoError(t, err)
		opt := Options{Interval: time.Duration(rapid.SampledFrom([]int{0, 20, 80, 200}).Draw(t, "interval")) * time.Millisecond, Rules: []sla.Rule{rule}, Version: "v0"}
		correct := func(in []byte, careful bool) string {
			f, err := source.Open(bytes.NewReader(in), source.Options{})
			require.NoError(t, err)
			opt := opt
			opt.careful = careful
			r, failed := File(f, opt)
			doc, err := json.MarshalIndent(r, "", " ")
			require.NoError(t, err)
			return fmt.Sprint(string(doc), failed)
		}
		want := correct(extra, true)
		for name, got := range map[string]string{"quick": correct(usual, false), "dull": correct(extra, false), "read quickly": correct(usual, true)} {
			require.Equal(t, want, got, name)
		}
	})
}
