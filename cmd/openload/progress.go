package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"openload/correct"
	"openload/sink"
)

// progress shows a run while it goes on. It reads counters that the run writes, so
// a slow or stopped terminal holds up nobody but itself.
type progress struct {
	tally   *correct.Tally
	planned uint64        // 0: unknown
	length  time.Duration // 0: unknown
	started time.Time
	w       io.Writer
	live    bool // redraw one line; else whole lines now and then
	done    chan struct{}
	ended   chan struct{}
}

// Whole lines come each tenth of the run, at least every ten seconds, at most once
// a second.
const (
	redraw  = 250 * time.Millisecond
	slowest = 10 * time.Second
)

func showProgress(mode string, quiet bool, w io.Writer, p progress) *progress {
	p.live = mode == "live" || mode == "auto" && isTerminal(w) && os.Getenv("TERM") != "dumb" && os.Getenv("CI") == ""
	if mode == "none" || quiet {
		return nil
	}
	p.w, p.done, p.ended = w, make(chan struct{}), make(chan struct{})
	go p.show()
	return &p
}

// end stops it, and takes back the line that it redrew.
func (p *progress) end() {
	if p == nil {
		return
	}
	close(p.done)
	select {
	case <-p.ended:
	case <-time.After(redraw): // a terminal that does not read must not hold up the report
	}
}

func (p *progress) show() {
	defer close(p.ended)
	every := redraw
	if !p.live {
		every = slowest
		if p.length > 0 {
			every = min(slowest, max(time.Second, p.length/10))
		}
	}
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-p.done:
			if p.live {
				fmt.Fprint(p.w, "\r\x1b[K")
			}
			return
		case now := <-t.C:
			line := p.line(now.Sub(p.started))
			if p.live {
				fmt.Fprintf(p.w, "\r\x1b[K%s", cut(line, terminalWidth(p.w)-1))
			} else {
				fmt.Fprintln(p.w, line)
			}
		}
	}
}

// cut is line as far as it fits: one that wraps cannot be redrawn.
func cut(line string, width int) string {
	if runes := []rune(line); width > 0 && len(runes) > width {
		return string(runes[:width])
	}
	return line
}

// terminalWidth is asked each time, for windows change; 80 if nobody knows.
func terminalWidth(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return 80
}

// line says how far the run is.
func (p *progress) line(elapsed time.Duration) string {
	scheduled, settled, ok := p.tally.Scheduled.Load(), p.tally.Settled.Load(), p.tally.OK.Load()
	of := ""
	if p.planned > 0 {
		of = fmt.Sprintf("/%d", p.planned)
	}
	waiting := scheduled - min(scheduled, settled)
	return fmt.Sprintf("%6.1f s  due %d%s  done %d  out %d  failed %d  our lag %s",
		elapsed.Seconds(), scheduled, of, settled, waiting, settled-min(settled, ok), sink.Duration(time.Duration(p.tally.MaxLag.Load())))
}
