package main

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"openload/correct"
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

func shown(t *testing.T, mode string, quiet bool, length, run time.Duration) (out string) {
	synctest.Test(t, func(*testing.T) {
		var s screen
		tally := new(correct.Tally)
		tally.Scheduled.Store(7)
		tally.Settled.Store(5)
		tally.OK.Store(4)
		p := showProgress(mode, quiet, &s, progress{tally: tally, planned: 200, length: length, started: time.Now()})
		time.Sleep(run)
		p.end()
		out = s.String()
	})
	return out
}

func TestProgress(t *testing.T) {
	t.Run("whole lines where nobody redraws", func(t *testing.T) {
		out := shown(t, "auto", false, 20*time.Second, 5*time.Second)
		require.Equal(t, 2, strings.Count(out, "\n"), "one each tenth of the run")
		require.NotContains(t, out, "\r")
		require.Contains(t, out, "2.0 s  due 7/200  done 5  out 2  failed 1  our lag 0 ms")
	})
	t.Run("at most ten in all for a long run of known length, at least one in ten seconds", func(t *testing.T) {
		require.Equal(t, 9, strings.Count(shown(t, "plain", false, time.Hour, 95*time.Second), "\n"))
	})
	t.Run("one line redrawn four times a second, and taken back", func(t *testing.T) {
		out := shown(t, "live", false, time.Hour, 1100*time.Millisecond)
		require.Equal(t, 5, strings.Count(out, "\r\x1b[K"))
		require.NotContains(t, out, "\n")
		require.True(t, strings.HasSuffix(out, "\r\x1b[K"))
	})
	t.Run("nothing if asked for nothing", func(t *testing.T) {
		require.Empty(t, shown(t, "none", false, time.Minute, time.Minute))
		require.Empty(t, shown(t, "plain", true, time.Minute, time.Minute))
	})
	t.Run("a line even with the longest numbers", func(t *testing.T) {
		tally := new(correct.Tally)
		for _, n := range []interface{ Store(uint64) }{&tally.Scheduled, &tally.Settled} {
			n.Store(123_456_789)
		}
		tally.MaxLag.Store(int64(time.Hour))
		p := progress{tally: tally, planned: 1_000_000_000}
		require.Less(t, utf8.RuneCountInString(p.line(100*time.Hour)), 110)
	})
}

// A terminal that was stopped reads nothing. It must not hold up the report.
func TestAStoppedTerminalHoldsUpNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p := showProgress("live", false, stoppedTerminal(release), progress{tally: new(correct.Tally), started: time.Now()})
		time.Sleep(time.Second)
		began := time.Now()
		p.end()
		require.LessOrEqual(t, time.Since(began), time.Second)
		close(release)
	})
}

type stoppedTerminal chan struct{}

func (s stoppedTerminal) Write(b []byte) (int, error) {
	<-s
	return len(b), nil
}
