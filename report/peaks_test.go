package report_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/peak"
	"openload/plan"
	"openload/report"
	"openload/sla"
)

// peaks are those of a burst and of retries that are spread.
func peaks() *report.Peaks {
	return &report.Peaks{
		Resolution: peak.Quantum, Smear: time.Millisecond,
		All: report.Arrivals{
			N: 350, Late: 1, AtMost: true, Curve: []report.Peak{{Width: time.Millisecond, Sliding: 200, Aligned: 200}},
			Wave: &report.Wave{N: 200},
		},
		Later: report.Arrivals{
			N: 150, Curve: []report.Peak{{Width: 100 * time.Millisecond, Sliding: 40, At: 3 * time.Second, Aligned: 36}},
			Wave: &report.Wave{N: 150, At: 3 * time.Second, Width: 498 * time.Millisecond}, Fit: ptr(100 * time.Millisecond),
		},
	}
}

// made is the report of operations that all began at once and were tried twice, the
// second time within spread, each dispatched up to late after it was due.
func made(n int, spread, late time.Duration) *report.Report {
	rec := correct.NewRecorder(correct.Options{})
	for i := range n {
		lag := late * time.Duration(i) / time.Duration(n)
		rec.Arrive(uint64(i), 0, lag, 0, i)
		x := correct.Sample{
			Seq: uint64(i), Attempt: 1, Dispatched: lag, Sent: lag, Done: lag + time.Second,
			Class: correct.Timeout, Fired: true, Written: true,
		}
		rec.Record(x)
		x.Attempt, x.Final, x.Earlier = 2, true, true
		x.Due = 2*time.Second + spread*time.Duration(i)/time.Duration(n)
		x.Dispatched, x.Sent, x.Done = x.Due, x.Due, x.Due+time.Second
		rec.Record(x)
	}
	return report.New(&plan.Plan{}, rec.Snapshot(), &sla.Verdict{}, report.Meta{})
}

func TestPeaksSayWhichWidthShowsTheSpread(t *testing.T) {
	for _, tt := range []struct {
		name         string
		n            int
		spread, late time.Duration
		fit          time.Duration // 0: none
	}{
		{"half a second", 150, 500 * time.Millisecond, 0, 100 * time.Millisecond},
		{"and sent a little late", 150, 500 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond},
		{"and sent later than any fit width bears", 150, 500 * time.Millisecond, 51 * time.Millisecond, 0},
		{"too few", 40, 500 * time.Millisecond, 0, 0},
		{"not spread", 150, 0, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := made(tt.n, tt.spread, tt.late).Peaks
			require.EqualValues(t, 2*tt.n, k.All.N)
			require.EqualValues(t, tt.n, k.Later.N)
			require.NotNil(t, k.Later.Wave)
			require.EqualValues(t, tt.n, k.Later.Wave.N)
			require.Equal(t, 2*time.Second, k.Later.Wave.At)
			if tt.fit == 0 {
				require.Nil(t, k.Later.Fit)
				return
			}
			require.NotNil(t, k.Later.Fit)
			require.Equal(t, tt.fit, *k.Later.Fit)
		})
	}
}
