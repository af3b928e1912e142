package sink

import (
	"fmt"
	"strings"
	"time"
)

// A crowd below this, or one that is hardly larger than at its least, needs no picture.
const (
	crowd  = 100
	growth = 4
)

// underWay draws how many requests were under way or waiting to be sent, from none to
// the most: the server's backlog, as far as one can see it from outside.
func (p *page) underWay() {
	drawn, step := p.bars()
	if len(drawn) < 2 {
		return
	}
	out, waited := make([]int, len(drawn)), false
	most, at := 0, time.Duration(0)
	for _, w := range p.Series {
		if w.At < 0 {
			continue
		}
		n := max(0, w.Out+w.Backlog)
		waited = waited || w.Backlog > 0
		out[w.At/step] = max(out[w.At/step], n)
		if n > most {
			most, at = n, w.At
		}
	}
	least := most
	for _, n := range out {
		least = min(least, n)
	}
	if most < crowd || most < growth*least {
		return
	}
	levels := levels
	if p.ASCII {
		levels = levelsASCII
	}
	var line strings.Builder
	for _, n := range out {
		line.WriteRune(levels[min(int(float64(n)/float64(most)*float64(len(levels))), len(levels)-1)])
	}
	p.lines([]string{fmt.Sprintf(" %-*s%s", margin-1, "under way", line.String())})
	what := "most requests under way"
	if waited {
		what += " or waiting to be sent"
	}
	p.say("", fmt.Sprintf("%s per %s, %d to %d at %s", what, p.duration(step), least, most, p.duration(at)))
}
