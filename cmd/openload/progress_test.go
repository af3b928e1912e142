package main

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/watch"
)

// screen collects what is written to it.
type screen struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// shown is what a view writes of a run that goes on for a time: 7 operations are due, 4
// answered and 1 failed.
func shown(t *testing.T, mode string, quiet bool, length, run time.Duration, width int) (out string) {
	synctest.Test(t, func(*testing.T) {
		var s screen
		w := watch.New(nil)
		for i := range uint64(7) {
			w.Arrive(i, 0, 0, 0, 0)
		}
		for i := range uint64(5) {
			x := correct.Sample{Seq: i, Attempt: 1, Done: time.Millisecond, Final: true}
			if i == 4 {
				x.Class = correct.Reset
			}
			w.Record(x)
		}
		p := showProgress(mode, quiet, &s, progress{
			head: watch.Head{Request: "GET http://127.0.0.1/", Load: []string{"10/s x 200"}, Planned: 200, Length: length}, watch: w, started: time.Now(),
			columns: func() (int, int) { return width, 24 },
		})
		turn := time.NewTicker(20 * time.Millisecond)
		over := time.After(run)
		for going := true; going; {
			select {
			case <-turn.C:
				w.Turn(0)
			case <-over:
				going = false
			}
		}
		p.end()
		out = s.String()
	})
	return out
}

func TestProgress(t *testing.T) {
	t.Run("whole lines where nobody redraws", func(t *testing.T) {
		out := shown(t, "auto", false, 20*time.Second, 5*time.Second, 80)
		require.Equal(t, 3, strings.Count(out, "\n"), "a title, and one each tenth of the run")
		require.NotContains(t, out, "\r")
		require.NotContains(t, out, "\x1b")
		require.Contains(t, out, "openload  GET http://127.0.0.1/  10/s x 200\n")
		require.Contains(t, out, "10%    2.0 s  done     5/7  errors 1")
	})
	t.Run("at most ten in all for a long run of known length, at least one in ten seconds", func(t *testing.T) {
		require.Equal(t, 10, strings.Count(shown(t, "plain", false, time.Hour, 95*time.Second, 80), "\n"))
	})
	t.Run("a block redrawn four times a second, and taken back", func(t *testing.T) {
		out := shown(t, "live", false, time.Hour, 1100*time.Millisecond, 80)
		require.Equal(t, 4, strings.Count(out, "latency so far"))
		require.Equal(t, 4, strings.Count(out, "\x1b[11A"), "each but the first goes up over the one before, and the end as well")
		require.True(t, strings.HasSuffix(out, "\r\x1b[11A\x1b[J"))
	})
	t.Run("one line on a narrow terminal", func(t *testing.T) {
		out := shown(t, "live", false, time.Hour, 600*time.Millisecond, 30)
		require.Equal(t, 2, strings.Count(out, "\n"))
		require.Contains(t, out, "5/7 p99")
	})
	t.Run("nothing if asked for nothing", func(t *testing.T) {
		require.Empty(t, shown(t, "none", false, time.Minute, time.Minute, 80))
		require.Empty(t, shown(t, "plain", true, time.Minute, time.Minute, 80))
	})
}

// A window that became narrower shows each line of the block on more than one row.
func TestRowsOfABlock(t *testing.T) {
	lines := []string{"", "12345", "\x1b[31m123456\x1b[0m", strings.Repeat("x", 12)}
	require.Equal(t, 4, rows(lines, 80))
	require.Equal(t, 4, rows(lines, 12))
	require.Equal(t, 1+1+2+3, rows(lines, 5))
	require.Zero(t, rows(nil, 0))
}

// A terminal that was stopped reads nothing. It must not hold up the report.
func TestAStoppedTerminalHoldsUpNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		w := watch.New(nil)
		p := showProgress("live", false, stoppedTerminal(release), progress{watch: w, started: time.Now()})
		for range 100 {
			time.Sleep(10 * time.Millisecond)
			w.Turn(0)
		}
		began := time.Now()
		p.end()
		require.LessOrEqual(t, time.Since(began), time.Second)
		close(release)
		<-p.ended
	})
}

type stoppedTerminal chan struct{}

func (s stoppedTerminal) Write(b []byte) (int, error) {
	<-s
	return len(b), nil
}

// Nobody reads the pipe that a real run is shown on: it is full after the first lines.
// The run goes on as if it were not: a loop that waited for the pipe would never end.
func TestNobodyReadsTheTerminal(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	full := make([]byte, 4096)
	require.NoError(t, w.SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
	for err == nil { // until it takes no more
		_, err = w.Write(full)
	}
	require.NoError(t, w.SetWriteDeadline(time.Time{}))

	c := new(demoCmd)
	_, p, err := c.plans()
	require.NoError(t, err)
	p.Schedule.N, p.Rules = 25, nil // two seconds
	i := catch()
	defer i.release()
	blocked := make(chan bool, 1)
	result, err := againstLab(i, p, measureOptions{auto: 100, progress: func(pr progress) *progress {
		shown := showProgress("live", false, w, pr)
		go func() { // the view does get stuck
			<-shown.done
			select {
			case <-shown.ended:
				blocked <- false
			default:
				blocked <- true
			}
		}()
		return shown
	}})
	require.NoError(t, err)
	require.True(t, <-blocked)
	require.EqualValues(t, 25, result.Counts.OK)
	require.EqualValues(t, 25, result.Latency.Lag.N)
}
