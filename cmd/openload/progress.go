package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"openload/engine"
	"openload/plan"
	"openload/run"
	"openload/sink"
	"openload/watch"
)

// progress shows a run while it goes on: a block that is drawn again and again on a
// terminal, whole lines now and then elsewhere. The run hands over copies and waits
// for nothing, so a slow or stopped terminal holds up nobody but itself.
type progress struct {
	head    watch.Head
	watch   *watch.Watch
	started time.Time

	w       io.Writer
	live    bool
	color   bool
	drawn   []string // the block that stands on the screen
	title   bool     // the first of whole lines was written
	columns func() (width, height int)
	done    chan struct{}
	ended   chan struct{}
}

// A block is drawn each redraw. Whole lines come each tenth of the run, at least every
// ten seconds, at most once a second.
const (
	redraw  = 250 * time.Millisecond
	slowest = 10 * time.Second

	// answer is how long the run's loop may take to hand over a copy: it looks at
	// least every 20 ms. If it does not, this frame is left out.
	answer = 60 * time.Millisecond
)

// headOf is what a view says of a plan all the time.
func headOf(r run.Ready) watch.Head {
	p := r.Plan
	h := watch.Head{
		Request: requestOf(p), Planned: r.Planned, Length: r.Length, Closed: p.Closed != nil,
		Warm: r.Warm(), WarmEnd: p.WarmUntil(),
		Load: []string{loadInWords(p)},
	}
	n := p.Connections
	switch {
	case n == 1:
		h.Load = append(h.Load, "1 connection")
	case n > 1:
		h.Load = append(h.Load, fmt.Sprintf("%d connections", n))
	}
	if n > 0 && len(p.Target.Hosts) > 1 && p.Closed == nil {
		h.Load[len(h.Load)-1] += " to each"
	}
	for _, rule := range p.Rules {
		h.Load = append(h.Load, "SLA "+rule.String())
	}
	return h
}

// requestOf says what is asked; of many hosts, how many they are.
func requestOf(p *plan.Plan) string {
	if n := len(p.Target.Hosts); n > 3 {
		return fmt.Sprintf("%d hosts", n)
	}
	return p.Target.Method + " " + p.Target.URL
}

func loadInWords(p *plan.Plan) string {
	if c := p.Closed; c != nil {
		text := "closed loop"
		if c.Rate != nil {
			text += " at most " + c.Rate.String()
		}
		if c.N > 0 {
			text += fmt.Sprintf(" x %d", c.N)
		}
		return text
	}
	text := strings.TrimPrefix(p.Schedule.String(), "even ")
	if s := p.Schedule; s.N > 0 && s.Duration == 0 {
		text = strings.Replace(text, fmt.Sprintf(" n=%d", s.N), fmt.Sprintf(" x %d", s.N), 1)
	}
	if s := p.Schedule; s.Duration > 0 && s.N == 0 {
		text = strings.Replace(text, " duration=", " for ", 1)
	}
	return text
}

func watchOf(r run.Ready) *watch.Watch {
	w := watch.New(r.Budgets())
	if r.Plan.WarmUntil() > 0 {
		w.Warm = r.Plan.Warm
	}
	return w
}

// watcher is what the run is to tell; none if nobody looks.
func (p *progress) watcher() engine.Watcher {
	if p == nil {
		return nil
	}
	return p.watch
}

func showProgress(mode string, quiet bool, w io.Writer, p progress) *progress {
	if mode == "none" || quiet {
		return nil
	}
	p.live = mode == "live" || mode == "auto" && isTerminal(w) && os.Getenv("TERM") != "dumb" && os.Getenv("CI") == ""
	p.w, p.done, p.ended = w, make(chan struct{}), make(chan struct{})
	if p.columns == nil {
		p.columns = func() (int, int) { return terminalSize(w) }
	}
	go p.show()
	return &p
}

// progress is the mode asked for, unless rows go to the same terminal as they come: then
// there is no block to draw again.
func (o *outputs) progress(mode string, out io.Writer) string {
	for _, to := range o.outs {
		if mode == "auto" && to.Streamed() && to.File == "" && isTerminal(out) {
			return "none"
		}
	}
	return mode
}

// end stops it, and takes back the block that it drew.
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
		if p.head.Length > 0 {
			every = min(slowest, max(time.Second, p.head.Length/10))
		}
	}
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-p.done:
			p.draw(nil)
			return
		case <-t.C:
			if sight, ok := p.look(); ok {
				p.tell(sight)
			}
		}
	}
}

// look asks the run how it stands.
func (p *progress) look() (s watch.Sight, ok bool) {
	p.watch.Ask()
	for asked := time.Now(); time.Since(asked) < answer; {
		if s, ok = p.watch.Look(time.Since(p.started)); ok {
			return s, true
		}
		time.Sleep(2 * time.Millisecond)
	}
	return s, false
}

func (p *progress) tell(s watch.Sight) {
	st := watch.Style{Color: p.color, ASCII: !utf8Locale()}
	if p.live {
		width, height := p.columns()
		st.Width = width - 1 // a character in the last column may wrap
		frame := p.head.Frame(s, st)
		if len(frame) >= height {
			frame = []string{p.head.Brief(s, st)}
		}
		p.draw(frame)
		return
	}
	if !p.title {
		fmt.Fprintln(p.w, p.head.Title())
		p.title = true
	}
	fmt.Fprintln(p.w, p.head.Line(s, st))
}

// draw puts a block in the place of the one before; an empty one takes it back. It is
// one write, with no more than the movements that every terminal knows.
func (p *progress) draw(frame []string) {
	if !p.live || len(frame)+len(p.drawn) == 0 {
		return
	}
	var b bytes.Buffer
	width, _ := p.columns()
	b.WriteString("\r")
	if up := rows(p.drawn, width); up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", up)
	}
	for _, line := range frame {
		b.WriteString(line + "\x1b[K\n")
	}
	b.WriteString("\x1b[J")
	p.drawn = frame
	p.w.Write(b.Bytes()) //nolint // nobody can be told that the terminal is gone
}

// rows is how many rows of a terminal the lines take now. It may have become narrower
// since they were drawn, and most terminals then break lines that no longer fit.
func rows(lines []string, width int) (n int) {
	for _, line := range lines {
		n += max(1, (sink.Width(plain(line))+width-1)/max(1, width))
	}
	return n
}

// plain is line without colours.
func plain(line string) string {
	for {
		i := strings.IndexByte(line, '\x1b')
		if i < 0 {
			return line
		}
		j := strings.IndexByte(line[i:], 'm')
		if j < 0 {
			return line[:i]
		}
		line = line[:i] + line[i+j+1:]
	}
}

// terminalSize is asked each time, for windows change; 80 by 24 if nobody knows.
func terminalSize(w io.Writer) (width, height int) {
	if f, ok := w.(*os.File); ok {
		if columns, lines, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 && lines > 0 {
			return columns, lines
		}
	}
	return 80, 24
}
