package main

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/plan"
	"openload/schedule"
)

func TestThreads(t *testing.T) {
	at := func(rate string) plan.Plan {
		shape, err := schedule.ParseShape(rate, 0)
		require.NoError(t, err)
		return plan.Plan{Schedule: schedule.Spec{Shape: shape}}
	}
	hundredThousand, err := schedule.ParseRate("100000")
	require.NoError(t, err)
	capped := at("100000")
	capped.Connections = 2
	for _, tt := range []struct {
		name       string
		asked      string
		plan       plan.Plan
		how        *manner
		processors int
		want       int
	}{
		{"one loop holds it", "auto", at("30000"), nil, 8, 1},
		{"one does not", "auto", at("30001"), nil, 8, 2},
		{"the end of a ramp counts", "", at("10..100000@10s"), nil, 8, 4},
		{"one processor is for all the rest", "auto", at("100000"), nil, 3, 2},
		{"there is only one", "auto", at("100000"), nil, 1, 1},
		{"a loop has a connection", "auto", capped, nil, 8, 2},
		{"the portable engine does it", "auto", at("100000"), &manner{portable: []string{"redirects"}}, 8, 1},
		{"a closed loop has no rate", "auto", plan.Plan{Connections: 64, Closed: &plan.Closed{N: 1e6}}, nil, 8, 1},
		{"unless it is paced", "auto", plan.Plan{Connections: 64, Closed: &plan.Closed{N: 1e6, Rate: &hundredThousand}}, nil, 8, 4},
		{"asked for", "3", at("10"), nil, 2, 3},
		{"more than there are connections", "64", capped, nil, 8, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n, err := engineFlags{Threads: tt.asked}.threads(&tt.plan, tt.how, 10_000, tt.processors)
			require.NoError(t, err)
			require.Equal(t, tt.want, n)
		})
	}
	one := at("10")
	n, err := engineFlags{Threads: "8"}.threads(&one, nil, 5, 8)
	require.NoError(t, err)
	require.Equal(t, 5, n, "no more than the automatic cap either")
	require.Equal(t, "--threads 8: 5 sent, since each needs its share of the 5 connections", fewer(&one, 8, 5, 5)[0].Text)
	require.Equal(t, "--threads 3: 1 sent, since each needs its share of the 1 place in the backlog", fewer(&plan.Plan{Backlog: 1}, 3, 1, 9)[0].Text)
	require.Empty(t, fewer(&one, 0, 1, 5), "none were asked for")
	require.Empty(t, sharing(&capped, 1, 1, true))
	require.Empty(t, sharing(&capped, 2, 2, false))
	require.Empty(t, sharing(&one, 2, 2, true), "the automatic cap has words of its own")
	require.Len(t, sharing(&capped, 2, 2, true), 1)
	require.Len(t, sharing(&one, 3, 2, true), 1)
}

// seqs are the operations in a file of attempts, in order.
func seqs(t *testing.T, rows string) (all []uint64) {
	for line := range strings.Lines(rows) {
		first, _, _ := strings.Cut(line, ",")
		if seq, err := strconv.ParseUint(first, 10, 64); err == nil {
			all = append(all, seq)
		}
	}
	slices.Sort(all)
	return all
}

// Every operation leaves once and is written down once, whoever sends it.
func TestTwoThreadsSendEachOperationOnce(t *testing.T) {
	t.Parallel()
	for _, load := range [][]string{
		{"--rate", "2000", "--duration", "2s"},
		{"--rate", "2000", "--n", "4000", "--arrival", "poisson", "-c", "7"},
		{"--closed", "-c", "5", "--n", "4000"},
	} {
		url := labProcess(t, "service=100us workers=0 errors=1%")
		rows := filepath.Join(t.TempDir(), "rows.csv")
		r := during(t, nothing, append(load, "--threads", "2", "--out", "csv="+rows, url)...)
		require.Equal(t, 2, r.report.Run.Threads)
		c := r.report.Counts
		require.EqualValues(t, 4000, c.Scheduled)
		require.EqualValues(t, 4000, c.Sent)
		require.EqualValues(t, 4000, c.OK+c.BadStatus)
		require.EqualValues(t, 4000, received(t, url))
		b, err := os.ReadFile(rows)
		require.NoError(t, err)
		all := seqs(t, string(b))
		require.Len(t, all, 4000)
		for i, seq := range all {
			require.EqualValues(t, i, seq)
		}
	}
}

// The first signal drains every loop, and the second ends all of them.
func TestSignalsEndAllThreads(t *testing.T) {
	t.Parallel()
	url := labProcess(t, "service=0s workers=0 hang=100ms")
	r := during(t, func(p *os.Process) {
		require.Eventually(t, func() bool { return received(t, url) >= 100 }, 20*time.Second, 20*time.Millisecond)
		require.NoError(t, p.Signal(syscall.SIGTERM))
	}, "--rate", "500", "--duration", "10m", "--threads", "3", url)
	require.Equal(t, 143, r.status)
	require.True(t, r.report.Run.Interrupted)
	require.Equal(t, received(t, url), r.report.Counts.Sent)
	require.Equal(t, r.report.Counts.Sent, r.report.Counts.OK, "what was out was answered")

	url = labProcess(t, "hang=1h workers=0")
	r = during(t, func(p *os.Process) {
		require.Eventually(t, func() bool { return received(t, url) >= 100 }, 20*time.Second, 20*time.Millisecond)
		require.NoError(t, p.Signal(os.Interrupt))
		time.Sleep(100 * time.Millisecond)
		require.NoError(t, p.Signal(os.Interrupt))
	}, "--rate", "500", "--duration", "10m", "--timeout", "10m", "--drain", "10m", "--threads", "3", url)
	require.Equal(t, 130, r.status)
	require.Equal(t, r.report.Counts.Fired, r.report.Counts.Unfinished)
}

// Nobody reads the rows and nobody reads the terminal: everything leaves all the same,
// and the rows are there for who reads them late.
func TestNobodyReadsWhatIsWritten(t *testing.T) {
	t.Parallel()
	for _, threads := range []string{"1", "2"} {
		url := labProcess(t, "service=0s workers=0")
		fifo := filepath.Join(t.TempDir(), "rows")
		require.NoError(t, syscall.Mkfifo(fifo, 0o600))
		read, err := os.OpenFile(fifo, os.O_RDWR, 0)
		require.NoError(t, err)
		terminal, full, err := os.Pipe()
		require.NoError(t, err)
		require.NoError(t, full.SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
		for err == nil {
			_, err = full.Write(make([]byte, 4096))
		}
		file := filepath.Join(t.TempDir(), "report.json")
		cmd := program("--rate", "2000", "--n", "4000", "--threads", threads, "--progress", "live", "--out", "csv="+fifo, "--out", "json="+file, url)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, full
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool { return received(t, url) >= 4000 }, time.Minute, 20*time.Millisecond, "all of it leaves while nobody reads")
		var rows strings.Builder
		lines := bufio.NewScanner(read)
		for n := 0; n < 4002 && lines.Scan(); n++ { // a header, and how the run ended
			rows.WriteString(lines.Text() + "\n")
		}
		r := finish(t, cmd, &out, new(bytes.Buffer), file)
		require.Len(t, seqs(t, rows.String()), 4000)
		require.EqualValues(t, 4000, r.report.Counts.OK)
		require.NoError(t, read.Close())
		require.NoError(t, terminal.Close())
		require.NoError(t, full.Close())
	}
}
