package sla

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
)

func TestNotes(t *testing.T) {
	sure := func(e *Evidence) { e.Confidence = 95 }
	three := func(o *op) { o.raw = time.Second }
	for _, tt := range []struct {
		name   string
		run    run
		rules  string
		change func(*Evidence)
		want   []string
	}{
		{"few samples", of(200, ms), "p99<1s", nil, []string{"p99 of 200 operations rests on the slowest 2; fewer than 299 cannot show it at 95 %"}},
		{"N11: two samples", of(2, ms), "raw.p99<1s", nil, []string{"p99 of 2 attempts is the slowest of them; fewer than 299 cannot show it at 95 %"}},
		{"enough samples", of(299, ms), "p99<1s", nil, nil},
		{"two limits of one percentile", of(100, ms), "p99<1s p99<2s", nil, []string{"p99 of 100 operations rests on the slowest one; fewer than 299 cannot show it at 95 %"}},
		{"max claims nothing beyond the run", of(2, ms), "max<1s", nil, nil},
		{"few samples, but a confidence decides", of(200, ms), "p99<1s", sure, nil},
		{"max under a confidence", of(200, ms), "max<1s", sure, []string{"max<1s is judged as measured: no sample shows it for other runs at 95 %"}},
		{"one stall is one event", of(200, ms).but(6, three), "p99<1s", sure, []string{"the 6 operations against p99<1s came in 1 episode, and the 95 % takes each for an event of its own"}},
		{"successes alone", of(300, ms).but(1, failed(correct.Reset)), "ok.p50<1s", nil, []string{"ok.p50<1s is judged on the 299 of 300 operations that succeeded"}},
		{"settled alone", of(300, ms).but(1, failed(correct.Unfinished)), "settled.p50<1s", nil, []string{"settled.p50<1s is judged on the 299 of 300 operations that came to an end"}},
		{"stopped early", of(200, ms), "max<1ms", func(e *Evidence) { e.AbortedOnFail, e.Planned = true, 1000 }, []string{"stopped early (--abort-on-fail): after 200 of 1000 operations a rule could not be kept any more, whatever the rest had brought"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.change == nil {
				tt.change = func(*Evidence) {}
			}
			var got []string
			for _, d := range judge(t, tt.run, tt.rules, tt.change).Notes {
				got = append(got, d.Text)
			}
			require.Equal(t, tt.want, got)
		})
	}
}

func TestNoSteadyState(t *testing.T) {
	for growing, out := range map[bool]func(i int) int{true: func(i int) int { return i }, false: func(int) int { return 5 }} {
		rec := correct.NewRecorder(correct.Options{})
		for i := range 200 {
			at := time.Duration(i) * 80 * ms
			rec.Arrive(uint64(i), at, at, 0, out(i))
		}
		for i := range 200 {
			at := time.Duration(i) * 80 * ms
			rec.Record(correct.Sample{Seq: uint64(i), Attempt: 1, Intended: at, Due: at, Dispatched: at, Sent: at, Done: 17 * time.Second, Fired: true, Written: true, Final: true})
		}
		v := Judge(nil, Evidence{Snapshot: rec.Snapshot()})
		require.Equal(t, None, v.Outcome)
		require.Equal(t, growing, len(v.Notes) == 1 && v.Notes[0].Code == "no_steady_state")
	}
}

// A limit that nobody gave beforehand is looked up in the histogram, whose buckets
// are 0.1 % wide: here from 524,288 ns in steps of 512.
func TestLimitInsideABucket(t *testing.T) {
	for _, tt := range []struct {
		name  string
		value time.Duration // of three in 200
		limit string
		want  Outcome
		noted bool
	}{
		{"far below", 100_000, "p99<525.000us", Pass, false},
		{"the bucket before", 524_799, "p99<524.800us", Pass, false},
		{"in one bucket, below", 524_801, "p99<525.000us", Fail, true},
		{"in one bucket, above", 525_001, "p99<525.000us", Fail, true},
		{"in one bucket, at its top", 524_801, "p99<525.311us", Fail, true},
		{"the floor of a bucket", 524_801, "p99<524.800us", Fail, false},
		{"the bucket after", 525_312, "p99<525.000us", Fail, false},
		{"in one bucket, but the greatest is known", 524_801, "p99<524.802us", Pass, false},
		{"longer than any bucket, and the greatest is known", 2 * time.Hour, "p99<3h", Pass, false},
		{"longer than any bucket", 2 * time.Hour, "p99<1h", Fail, false},
		{"a limit longer than any bucket", 2 * time.Hour, "p99<2h", Fail, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := rule(t, tt.limit)
			samples := of(200, 1000).but(3, func(o *op) { o.raw = tt.value })
			if tt.want == Fail && tt.value < time.Hour {
				samples = samples.last(func(o *op) { o.raw = ms }) // so that the greatest says nothing
				samples.ops[0].raw = 1000
			}
			e := samples.evidence() // told of no limit
			v := Judge([]Rule{r}, e)
			require.Equal(t, tt.want, v.Outcome)
			require.Equal(t, tt.noted, slices.Contains(codes(v.Notes), "limit_in_bucket"))
		})
	}
}
