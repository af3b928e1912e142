package live_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/live"
)

var pacers = []struct {
	name string
	make func() live.Pacer
}{{"timer", live.Timer}, {"precise", live.Precise}}

// Law: no wake-up comes before its time, and one that was replaced by a later one is
// not waited for.
func TestPacer(t *testing.T) {
	for _, tt := range pacers {
		t.Run(tt.name, func(t *testing.T) {
			p := tt.make()
			defer p.Close()
			for _, d := range []time.Duration{0, time.Microsecond, time.Millisecond, 3 * time.Millisecond} {
				began := time.Now()
				p.Set(time.Hour)
				p.Set(d)
				<-p.C()
				require.GreaterOrEqual(t, time.Since(began), d)
			}
			p.Set(time.Hour)
			select {
			case <-p.C():
				t.Fatal("woke for nothing")
			default:
			}
		})
	}
}

// Wait does not return before its time unless there is something to do.
func TestWaitKeepsTime(t *testing.T) {
	for _, tt := range pacers {
		t.Run(tt.name, func(t *testing.T) {
			epoch := time.Now()
			w := live.New(live.Options{Epoch: epoch, Dialer: newFake(), Pacer: tt.make(), Connections: 1})
			defer w.Close()
			for until := time.Duration(0); until < 10*time.Millisecond; until += 300 * time.Microsecond {
				now, _, answered := w.Wait(t.Context(), until)
				require.False(t, answered)
				require.GreaterOrEqual(t, now, until)
				require.LessOrEqual(t, now, time.Since(epoch))
			}
		})
	}
}

// How late each pacer wakes, in the median, at 100 and at 1,000 wake-ups a second.
func BenchmarkPacer(b *testing.B) {
	for _, tt := range pacers {
		for _, gap := range []time.Duration{10 * time.Millisecond, time.Millisecond} {
			b.Run(fmt.Sprintf("%s/%v", tt.name, gap), func(b *testing.B) {
				p := tt.make()
				defer p.Close()
				var late []time.Duration
				due := time.Now()
				for b.Loop() {
					due = due.Add(gap)
					for d := time.Until(due); d > 0; d = time.Until(due) {
						p.Set(d)
						<-p.C()
					}
					late = append(late, time.Since(due))
				}
				slices.Sort(late)
				b.ReportMetric(float64(late[len(late)/2].Microseconds()), "µs-late-p50")
				b.ReportMetric(float64(late[len(late)*99/100].Microseconds()), "µs-late-p99")
			})
		}
	}
}
