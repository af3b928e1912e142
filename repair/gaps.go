package repair

import (
	"slices"
	"time"
)

// A gap is a stretch of a file in which nothing was under way.
type gap struct{ from, to time.Duration }

// gaps keeps the longest ones. Rows come in the order of their ends, so that a gap
// between two of them is one only if no later row began before it.
type gaps struct {
	end   time.Duration // latest so far
	began bool
	list  []gap
	floor time.Duration // shorter ones are not kept
}

const mostGaps = 16

func (g *gaps) next(m *moment) {
	if !g.began {
		g.began, g.end = true, m.End()
		return
	}
	if m.Start > g.end {
		if m.Start-g.end > g.floor {
			g.keep(gap{g.end, m.Start})
		}
	} else if m.Took > g.floor && len(g.list) > 0 {
		g.cover(m)
	}
	g.end = max(g.end, m.End())
}

func (g *gaps) keep(x gap) {
	g.list = append(g.list, x)
	if len(g.list) < mostGaps {
		return
	}
	least := 0
	for i, x := range g.list {
		if l := g.list[least]; x.to-x.from < l.to-l.from {
			least = i
		}
	}
	g.floor = g.list[least].to - g.list[least].from
	g.list = slices.Delete(g.list, least, least+1)
}

// cover cuts off what m was under way in.
func (g *gaps) cover(m *moment) {
	for i := len(g.list) - 1; i >= 0; i-- {
		if x := &g.list[i]; m.Start < x.to {
			x.to = max(x.from, m.Start)
		}
	}
}

func (g *gaps) restart() { g.began = false }

// longest is the longest gap; 0 if there is none.
func (g *gaps) longest() (longest gap) {
	for _, x := range g.list {
		if x.to-x.from > longest.to-longest.from {
			longest = x
		}
	}
	return longest
}
